"""What the plane keeps of apps, functions, calls and containers."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


@dataclass
class App:
    id: str
    stopped: bool = False


@dataclass
class Function:
    id: str
    app: App
    name: str
    handle: Any  # FunctionHandleMetadata
    definition: Any = None  # Function
    pending: deque[Call] = field(default_factory=deque)
    containers: dict[str, Container] = field(default_factory=dict)
    failed_starts: int = 0


@dataclass
class Call:
    """One call with its one input; `output` is there once it is done."""

    id: str
    input_id: str
    function: Function
    input: Any  # FunctionInput
    output: Any = None  # FunctionGetOutputsItem
    deaths: int = 0
    retries: int = 0
    thrown_away: int = 0


@dataclass
class Container:
    id: str
    function: Function
    root: Path
    process: Any = None
    server: Any = None
    call: Call | None = None
    fate: str = ""  # why it is being killed
    draining: bool = False
    timer: asyncio.TimerHandle | None = None
    cancelled: asyncio.Queue[str] = field(default_factory=asyncio.Queue)

"""What a sweep on Modal should cost, from a dated table of public prices."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_poisson.backends.modal.settings import ModalSettings

TABLE = Path(__file__).with_name("prices.json")
START_UP_S = 10.0
"""Seconds billed of each container before its first replicate: start, imports, collection. A round figure."""


@dataclass(frozen=True)
class Prices:
    """Prices in USD, and the day they were public.

    Attributes
    ----------
    as_of, source
        When and where they were read.
    core_s, gib_s, gpu_s
        A second of a physical core, of a GiB of memory, of each kind of GPU.
    region
        The factor where a region is asked for, at its highest.
    """

    as_of: str
    source: str
    core_s: float
    gib_s: float
    gpu_s: Mapping[str, float]
    region: float


def read_prices(table: Path = TABLE) -> Prices:
    """Return the prices of the table in this package, or of another of its form."""
    return Prices(**json.loads(table.read_text(encoding="utf-8")))


def container_second(settings: ModalSettings, prices: Prices) -> float:
    """Return what a second of one container costs, in USD; NaN where its GPU is not in the table, or not so many of it."""
    rate = (
        settings.cpu * prices.core_s
        + settings.memory_mib / 1024 * prices.gib_s
        + _gpus_second(settings.gpu, prices)
    )
    return rate * (prices.region if settings.region else 1.0)


def _gpus_second(gpu: str | None, prices: Prices) -> float:
    if gpu is None:
        return 0.0
    name, _, number = gpu.partition(":")
    counted = int(number) if number.isdecimal() else 0 if ":" in gpu else 1
    return prices.gpu_s.get(name.upper(), math.nan) * counted if counted else math.nan


def estimate_cost(
    replicates: int, seconds_each: float, settings: ModalSettings, prices: Prices | None = None
) -> float:
    """Return what a sweep should cost, in USD.

    (replicates x seconds_each + containers x start-up) x the price of a container second. It assumes that a replicate
    uses no more than the cores and memory asked for, which is the least that is billed.
    """
    containers = min(settings.containers, replicates)
    billed_s = replicates * seconds_each + containers * START_UP_S
    return billed_s * container_second(settings, prices or read_prices())

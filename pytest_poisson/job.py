"""What a worker is told once: which pytest session to collect, and which run it serves."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Job:
    """Everything that makes a worker's session the same as the controlling one; plain JSON values.

    Attributes
    ----------
    arguments, directory, import_path
        How pytest was called: its arguments, the directory it was called from, and `sys.path` then.
    run_id, salt, variant, outcomes
        The run's; rows carry positions in `outcomes`.
    keys
        The condition keys in the run's order, empty where nothing is to be run; batches and rows carry
        positions in it.
    timeout_s
        The longest a replicate may take, if there is a limit.
    retries
        How often a replicate is tried again, where that is not the mark's own number.
    concurrency
        How many replicates of an asynchronous rollout a worker keeps in flight.
    against
        Where two runs are made side by side, the run id and the variant of the other. `keys` then has every
        condition twice in a row: even positions are the run's, odd ones the other's.
    seed_keys
        What seeds are derived from, by condition key, where it is not the key itself.
    """

    arguments: tuple[str, ...]
    directory: str
    import_path: tuple[str, ...]
    run_id: str
    salt: str
    variant: Mapping[str, str]
    outcomes: tuple[str, ...]
    keys: tuple[str, ...]
    timeout_s: float | None = None
    retries: int | None = None
    concurrency: int = 1
    against: tuple[str, Mapping[str, str]] | None = None
    seed_keys: Mapping[str, str] = field(default_factory=dict)

    def seed_key(self, position: int) -> str:
        """Return what the seeds of the condition at a position are derived from."""
        key = self.keys[position]
        return self.seed_keys.get(key, key)

    def to_json(self) -> dict[str, Any]:
        """Return the job as a JSON object."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Job:
        """Return the job that `to_json` wrote."""
        lists = {name: tuple(value[name]) for name in ("arguments", "import_path", "outcomes", "keys")}
        return cls(**{**value, **lists})

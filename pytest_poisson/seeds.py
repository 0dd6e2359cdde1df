"""Where every random number of a replicate comes from."""

from __future__ import annotations

import hashlib
import secrets
import struct
from typing import NamedTuple

SALT_BYTES = 16
_PIECES = struct.Struct(">IQIQQ")  # the 32 bytes of a digest, cut as `Seeds` names them


class Seeds(NamedTuple):
    """The five independent streams of one replicate, as the integers that seed them."""

    seed: int  # `rollout.seed`, 0 … 2**32 - 1, and what the store keeps
    random_module: int  # the state of Python's `random` module
    numpy_global: int  # NumPy's legacy global state, 0 … 2**32 - 1
    random: int  # `rollout.random`
    generator: int  # `rollout.rng`


def new_salt() -> str:
    """Return a fresh salt: 32 hex digits. Called once a run, in the controlling process."""
    return secrets.token_hex(SALT_BYTES)


def derive_seeds(salt: str, seed_key: str, replicate: int) -> Seeds:
    """Return the seeds of one replicate.

    `seed_key` is the condition's key, or the one that it shares with the conditions that differ from it in
    ``shared_seed_axes`` alone. They are cut from SHA-256 over ``salt:seed_key:replicate`` and depend on nothing else, so
    that a replicate draws the same numbers on any backend, worker, platform or day. The streams are separate
    pieces of the digest: a program that builds its own generator from `Seeds.seed` does not repeat the
    numbers of `Seeds.generator`.
    """
    digest = hashlib.sha256(f"{salt}:{seed_key}:{replicate}".encode()).digest()
    return Seeds._make(_PIECES.unpack(digest))

"""What can go wrong with a store; each message is one sentence that names the value and what would be accepted."""

from __future__ import annotations


class StoreError(Exception):
    """Anything a store refuses or cannot do; the base of the others."""


class UnknownRunError(StoreError):
    """A name that resolves to no run, or to more than one; the message lists the candidates."""


class DamagedRunError(StoreError):
    """A file that is not a run or cannot be read as one; the message names the file."""


class NewerSchemaError(StoreError):
    """A run written by a later version of the store than this one reads."""

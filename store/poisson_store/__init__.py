"""Runs on disk: one SQLite file a run.

PYTEST_DONT_REWRITE: nothing here asserts.
"""

from poisson_store.catalog import Store
from poisson_store.errors import DamagedRunError, NewerSchemaError, StoreError, UnknownRunError
from poisson_store.reader import RunReader, open_run
from poisson_store.writer import RunWriter

__all__ = [
    "DamagedRunError",
    "NewerSchemaError",
    "RunReader",
    "RunWriter",
    "Store",
    "StoreError",
    "UnknownRunError",
    "open_run",
]

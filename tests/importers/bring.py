"""Imports in a few words."""

import json

import pytest

from poisson_store import Store, StoreError
from poisson_store.importers import Cut, Declared, import_results

HALF = Cut("ge", 0.5)


def bring(folder, kind, files, name="run", **declared):
    """Import files into the store of a folder and return its report."""
    declared.setdefault("paired_by", "trial")
    return import_results(Store(folder / "store"), kind, files, Declared(name=name, **declared))


def episodes(folder, name="run", *, spans=True):
    """Read the episodes of an imported run as {(axes, replicate): episode}, axes as sorted JSON."""
    with Store(folder / "store").open(name) as run:
        axes = {each.key: json.dumps(each.axes, sort_keys=True) for each in run.conditions}
        return {(axes[each.condition], each.replicate): each for each in run.episodes(spans=spans)}


def endings(folder, name="run"):
    """Read how the episodes of an imported run ended, by axes and replicate."""
    return {key: each.outcome or each.cause for key, each in episodes(folder, name).items()}


def run_record(folder, name="run"):
    """Read the record of an imported run."""
    with Store(folder / "store").open(name) as run:
        return run.run


def axes(**values):
    """Write axes as `episodes` does."""
    return json.dumps(values, sort_keys=True)


def save(path, value):
    """Write a value as JSON and return the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def assert_refused(folder, kind, files, *words, **declared):
    """Check that an import is refused in one sentence that has these words, and that nothing is written."""
    before = _contents(folder / "store")
    with pytest.raises(StoreError) as refusal:
        bring(folder, kind, files, **declared)
    message = str(refusal.value)
    assert message.endswith(".")
    assert "\n" not in message
    for word in words:
        assert str(word) in message
    assert _contents(folder / "store") == before
    return message


def _contents(store):
    """List what is in a store, but for the lock under which names are given."""
    return {
        path.name: path.read_bytes()
        for path in store.glob("*")
        if path.is_dir() or path.name != "catalog.sqlite"
    }

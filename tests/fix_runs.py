"""Stored runs of two versions, for tests of whether a fix worked: each input with its failures and its runs."""

from pytest_poisson.analyses.fix_check import fix_check
from tests.render.scenarios import fixed_store
from tests.stored_runs import cell, endings, write_run

PILOT_OLD = [(3, 4), (3, 4), (4, 4), (4, 4), (3, 4), (1, 4)]
PILOT_NEW = [(0, 1), (0, 1), (1, 1), (1, 1), (1, 1), (0, 1)]


def share(failed, runs, **missing):
    """Return so many failures among so many runs, and rows without an outcome."""
    return endings(timeout=failed, resolved=runs - failed, **missing)


def task(number):
    """Return an input."""
    return cell(task=number)


def cells(counts):
    """Return an input for each (failed, runs)."""
    return [(task(i), share(*each)) for i, each in enumerate(counts)]


def check(folder, old, new, *, selecting=None, **options):
    """Store runs and return the result of fix-check."""
    store = fixed_store(folder)
    for name, its in (("old", old), ("new", new), ("nightly", selecting)):
        if its is not None:
            write_run(store, name, its, salt=name[-1] * 32)
    with store.open("old") as first, store.open("new") as second:
        third = None if selecting is None else store.open("nightly")
        result = fix_check(
            first, second, **({"events": ["timeout"], "failing_from": third, "max_mde": 0.2} | options)
        )
        if third is not None:
            third.close()
    return result


def pilot(folder):
    """Return the published pilot, its inputs chosen by a third run."""
    return check(folder, cells(PILOT_OLD), cells(PILOT_NEW), selecting=cells([(2, 4)] * 6), min_failures=2)

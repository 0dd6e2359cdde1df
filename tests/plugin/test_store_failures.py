"""The store fails during a sweep: one sentence, and what was stored stays."""

import contextlib
import os
import subprocess

import pytest

from poisson_store import Store, open_run
from tests.plugin.support import SWEEP, assert_accounted, endings, episodes, start, sweep

CHATTY = """
import pytest

@pytest.mark.rollout(replicates=3000)
def test_it(rollout):
    rollout.end("passed", meta={"text": str(rollout.rng.bytes(300).hex())})
"""


@contextlib.contextmanager
def small_disk(path, kib):
    """Mount a tmpfs of a few KiB; skip where that is not allowed."""
    path.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", str(path)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("mounting a file system is not allowed here")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(path)], check=False)


def test_a_full_disk_ends_the_sweep_with_what_was_stored(pytester):
    """ENOSPC is one sentence and status 2; the rows that were committed can be read."""
    pytester.makepyfile(CHATTY)
    disk = pytester.path / "disk"
    with small_disk(disk, 600):
        result = sweep(pytester, f"--poisson-store={disk}", workers=1, subprocess=True)
        assert result.ret == 2
        result.stdout.fnmatch_lines(["run * is interrupted: *", "*the store failed during the sweep: *"])
        (run,) = Store(disk).runs()
        with open_run(run.path) as stored:
            account = stored.accounting()
    assert 0 < account.with_outcome < 3000
    assert account.with_outcome + account.not_run == 3000


def test_a_store_that_is_deleted_under_a_sweep_is_one_sentence(pytester):
    """A store that disappears ends the sweep with a sentence, not with a traceback."""
    pytester.makepyfile("""
        import shutil
        import pytest

        @pytest.mark.rollout(replicates=2000)
        def test_it(rollout):
            if rollout.replicate == 300:
                shutil.rmtree(".poisson")
    """)
    result = sweep(pytester, workers=1, subprocess=True)
    assert result.ret in (2, 4)
    assert "Traceback" not in result.stdout.str() + result.stderr.str()
    assert "the store failed during the sweep" in result.stdout.str()


def test_a_store_that_cannot_be_made_is_refused_before_anything_runs(pytester):
    """A file where the store should be is a usage error."""
    pytester.makepyfile(CHATTY)
    (pytester.path / "file").write_text("")
    result = sweep(pytester, "--poisson-store=file/store")
    assert result.ret == 4
    assert len([line for line in result.stderr.lines if line.startswith("ERROR")]) == 1


def test_two_sessions_share_one_store(pytester):
    """Two sessions at once, several workers each, lose nothing and do not wait for each other's locks."""
    pytester.makepyfile("import pytest\n@pytest.mark.rollout(replicates=400)\ndef test_it(rollout): pass\n")
    sessions = [start(pytester, *SWEEP, f"--poisson-name={name}") for name in "ab"]
    assert [each.wait() for each in sessions] == [0, 0]
    for name in "ab":
        assert assert_accounted(pytester, name, planned=400).with_outcome == 400


def test_odd_conditions_are_kept_apart(pytester):
    """Axis values of 300 characters, with control characters, emoji, `::` or `[` are conditions like others."""
    pytester.makepyfile("""
        import pytest

        VALUES = ["x" * 300, "x" * 299 + "y", "a\\x00\\x1b[31m\\n\\t", "\\U0001f600", "a::b", "a[b]-c", "", " ", "nan"]

        @pytest.mark.parametrize("value", VALUES)
        @pytest.mark.rollout(replicates=2)
        def test_it(rollout, value):
            rollout.end("passed", meta={"value": value})
    """)
    for workers, apart in ((0, False), (1, True)):
        result = sweep(pytester, f"--poisson-name=w{workers}", workers=workers, subprocess=apart)
        assert result.ret == 0
        assert endings(pytester, f"w{workers}") == ["passed"] * 18
        values = {each.meta["value"] for each in episodes(pytester, f"w{workers}")}
        assert len(values) == 9
    result = sweep(pytester, "--poisson-pair-with=w1", "-v")
    assert result.ret == 0
    assert "\x1b[31m" not in result.stdout.str()


@pytest.mark.slow
def test_ten_thousand_conditions_are_swept(pytester):
    """A suite of 10,000 conditions is planned, run, stored and compared."""
    pytester.makepyfile("""
        import pytest

        @pytest.mark.parametrize("n", range(10000))
        @pytest.mark.rollout(replicates=2)
        def test_it(rollout, n): pass
    """)
    sweep(pytester, "--poisson-name=first", "-q", workers=2, subprocess=True)
    result = sweep(pytester, "--poisson-pair-with=first", "-q", workers=2, subprocess=True)
    assert result.ret == 0
    assert_accounted(pytester, planned=20000)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="ulimit is POSIX's")
def test_out_of_memory_is_that_replicate_alone(pytester):
    """A replicate that asks for more memory than there is ends alone, by an exception or by its worker's death."""
    pytester.makepyfile("""
        import resource
        import pytest

        @pytest.mark.rollout(replicates=10)
        def test_it(rollout):
            if rollout.replicate == 4:
                resource.setrlimit(resource.RLIMIT_AS, (2**30, resource.RLIM_INFINITY))
                try:
                    bytearray(2**34)
                finally:
                    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    """)
    sweep(pytester, workers=1, subprocess=True)
    ended = endings(pytester)
    assert ended[4] in ("errored", "crashed")
    assert ended[:4] + ended[5:] == ["passed"] * 9

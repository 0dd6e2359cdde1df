"""What a session says of replicates that errored."""

from tests.plugin.support import SWEEP, sweep


def test_the_commonest_error_stands_under_the_account(pytester):
    """An account says how many errored; the line under it says what most of them had to say, and how many."""
    pytester.makepyfile("""
        import pytest

        @pytest.mark.rollout(replicates=9)
        def test_it(rollout):
            if rollout.replicate in (1, 2):
                raise ValueError("rare")
            if rollout.replicate > 5:
                raise RuntimeError("the key is wrong")
    """)
    text = sweep(pytester).stdout.str()
    assert "errored 5, 3 of them with: RuntimeError: the key is wrong" in text
    assert "with: " not in sweep(pytester, "-q", "-q").stdout.str()


def test_a_tear_down_that_raised_is_said(pytester):
    """It changes no outcome and no account, so a line says how often it raised, beside a failed assertion too."""
    pytester.makepyfile("""
        import pytest

        @pytest.fixture
        def server(rollout):
            yield
            if rollout.replicate < 3:
                raise OSError("the port is gone")

        @pytest.mark.rollout(replicates=6)
        def test_it(rollout, server):
            assert rollout.replicate
    """)
    text = sweep(pytester).stdout.str()
    assert "raised in tear-down 3, all with: OSError: the port is gone" in text
    assert "endings: passed 5, failed 1" in text


def test_a_text_of_a_replicate_commands_no_terminal(pytester):
    """An error of a condition without outcomes is shown with its escape codes written out."""
    pytester.makepyfile(r"""
        import pytest

        @pytest.mark.rollout(replicates=2)
        def test_it():
            raise RuntimeError("red \x1b[31m text")
    """)
    text = sweep(pytester).stdout.str()
    assert "errored 2, all with: RuntimeError: red" in text
    assert "\x1b" not in text


def test_a_gate_on_flips_alone_needs_a_replay(pytester):
    """With flips as the only word and no replay to count them in, every change would pass: refused."""
    result = pytester.runpytest(*SWEEP, "--poisson-fail-on=flips")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*--poisson-fail-on=flips goes with --poisson-paired*"])

"""Axis values among those that the suite gave."""

from tests.plugin.support import open_run, sweep


def test_conditions_of_a_range_keep_their_order_and_ids(pytester):
    """Numbers that a range makes anew at every turn are found again, beyond those that Python keeps one object of."""
    pytester.makepyfile("""
        import pytest

        @pytest.mark.parametrize("n", range(995, 1005), ids=[f"id{n}" for n in range(10)])
        @pytest.mark.rollout(replicates=1)
        def test_it(n): pass
    """)
    assert sweep(pytester).ret == 0
    with open_run(pytester) as run:
        assert [each.axes["n"] for each in run.conditions] == list(range(995, 1005))


def test_values_are_gone_through_once_however_many_there_are(pytester):
    """Collecting many conditions takes no more turns through their values than collecting few."""
    pytester.makepyfile("""
        import pytest

        class Counted(list):
            turns = 0

            def __iter__(self):
                Counted.turns += 1
                return super().__iter__()

        @pytest.mark.parametrize("n", Counted(range(1000, 1050)))
        @pytest.mark.rollout(replicates=1)
        def test_it(n): pass

        def test_turns():
            assert Counted.turns < 10
    """)
    sweep(pytester).assert_outcomes(passed=51)

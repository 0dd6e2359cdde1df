"""Where the runs of one sweep die: the report's figures from stored rows."""

import numpy as np
import pytest

from poisson_store import Store
from pytest_poisson.analyses.where import where
from pytest_poisson.errors import UserError
from tests.traced_runs import AGENT, Trail, died, ended, task, write_traced

# Deaths among those at risk: 1 of 18, 1 of 15, 1 of 11, 1 of 10.
WORKED = [died(1), ended(1), ended(1), died(2), *[ended(2)] * 3, died(3), died(4), *[ended(5)] * 9]


def analyse(tmp_path, cells, **options):
    """Store a run and report on it."""
    store = Store(tmp_path)
    write_traced(store, "run", cells)
    with store.open("run") as reader:
        return where(reader, **({"events": ["timeout"]} | options))


def test_the_worked_example(tmp_path):
    """The published table, from stored rows: (18, 1) 0.944 and so on, with its bands."""
    curve = analyse(tmp_path, [(task(1), WORKED)]).curve
    assert list(zip(curve.at_risk, curve.died, strict=True)) == [(18, 1), (15, 1), (11, 1), (10, 1)]
    assert curve.survival.round(3).tolist() == [0.944, 0.881, 0.801, 0.721]
    assert curve.low.round(3).tolist() == [0.839, 0.727, 0.596, 0.484]
    assert curve.high.round(3).tolist() == [1.000, 1.000, 1.000, 0.959]


def test_rows_of_any_order_and_number_of_inputs_give_one_curve(tmp_path):
    """The curve pools inputs: the same episodes dealt over three inputs give the same curve."""
    one = analyse(tmp_path / "one", [(task(1), WORKED)]).curve
    dealt = analyse(tmp_path / "three", [(task(i), WORKED[::-1][i::3]) for i in range(3)]).curve
    assert one.survival.tolist() == dealt.survival.tolist()


def test_one_death(tmp_path):
    """One death gives a curve of one step and one cause with all of the incidence."""
    result = analyse(tmp_path, [(task(1), [died(3, "tool"), ended(5), ended(2)])])
    assert result.curve.survival.tolist() == [0.5]
    assert [(each.cause, each.deaths) for each in result.causes] == [("tool", 1)]
    assert result.censored == (2, 5)


def test_all_censored(tmp_path):
    """Where nobody placed died there is no cause, no ratio to detect, and the curve stays at 1."""
    result = analyse(tmp_path, [(task(1), [died(0), ended(4), Trail("timed_out", 8)])])
    assert result.curve.deaths == 0
    assert result.at.survival.tolist() == [1.0] * 4
    assert (result.causes, result.incidence, result.detectable) == ((), None, float("inf"))


def test_ties_of_death_and_censoring(tmp_path):
    """Whoever is censored at a step was still at risk of dying at it."""
    curve = analyse(tmp_path, [(task(1), [died(3), ended(3), ended(3), ended(3)])]).curve
    assert (curve.at_risk.tolist(), curve.survival.tolist()) == ([4], [0.75])


def test_incidences_add_up_to_the_dead(tmp_path):
    """At every step the shares dead of each kind and the share alive add up to 1."""
    draws = np.random.default_rng(3)
    kinds = ("llm", "tool", "db")
    trails = [
        (died if dies else ended)(int(steps), kinds[kind])
        for steps, dies, kind in zip(
            draws.integers(1, 9, 200), draws.random(200) < 0.6, draws.integers(0, 3, 200), strict=True
        )
    ]
    result = analyse(tmp_path, [(task(i), trails[i::20]) for i in range(20)], at=[2, 5, 7], resamples=50)
    dead = [sum(each.shares[i][0] for each in result.causes) for i in range(3)]
    assert dead == pytest.approx((1 - result.at.survival).tolist())
    assert result.unit == "inputs"


def test_the_band_is_drawn_from_the_seed_alone(tmp_path):
    """The same seed gives the same band; another gives another; none asked for, none given."""
    cells = [(task(i), [died(1 + i % 3), ended(4), died(2, "tool")]) for i in range(12)]
    first, again, other = (
        analyse(tmp_path / name, cells, seed=seed, resamples=40)
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    assert first.causes == again.causes
    assert first.causes != other.causes
    bare = analyse(tmp_path / "d", cells, resamples=0)
    assert all(share[1:] == (None, None) for each in bare.causes for share in each.shares)


def test_few_inputs_are_not_resampled(tmp_path):
    """With fewer than ten inputs the band resamples runs."""
    assert analyse(tmp_path, [(task(1), WORKED)], resamples=10).unit == "runs"


def test_steps_that_nobody_reached(tmp_path):
    """Beyond the last step anybody was observed at, neither survival nor incidence is given."""
    result = analyse(tmp_path, [(task(1), [died(2), ended(3)])], at=[3, 4])
    assert result.at.survival.tolist() == [0.5, pytest.approx(np.nan, nan_ok=True)]
    assert result.causes[0].shares[1] is None


def test_default_steps_are_the_quarters(tmp_path):
    """Without a step asked for, the curve is read at the quarters of its length."""
    assert analyse(tmp_path, [(task(1), [died(2), ended(10)])]).at.times.tolist() == [3, 5, 8, 10]


def test_inputs(tmp_path):
    """Each input's row has its deaths, those cut off, the median step of the dead and their commonest cause."""
    trails = [
        died(2, "tool"),
        died(4),
        died(8, "tool"),
        died(10, "tool"),
        ended(3),
        Trail("timed_out", 7),
        died(1, left_out=1),
    ]
    (first, second) = analyse(tmp_path, [(task(1), trails), (task(2), [ended(1)])]).inputs
    assert (first.placed, first.died, first.cut_off, first.ended) == (7, 4, 2, 1)
    assert (first.median_step, first.cause) == (6, "tool")
    assert (second.died, second.median_step, second.cause) == (0, None, None)


def test_the_ratio_that_a_second_run_would_show(tmp_path):
    """111 deaths beside as many more make 222, which detect a ratio of 1.457."""
    assert analyse(tmp_path, [(task(1), [died(2)] * 111)], resamples=0).detectable == 1.457


def test_nothing_placed(tmp_path):
    """A run of which no episode has a place is refused with the reasons and what a step is."""
    with pytest.raises(
        UserError, match=r"'run' has no episode with a place: 2 with no trace, 1 with no outcome; a step is"
    ):
        analyse(tmp_path, [(task(1), [died(0), died(0), Trail("errored", 2)])])


def test_an_event_that_no_row_carries(tmp_path):
    """A declared outcome that never came is refused with those that did."""
    with pytest.raises(
        UserError, match=r"'violated' is the outcome of no stored row; run 'run' carries resolved, timeout\."
    ):
        analyse(tmp_path, [(task(1), [died(1), ended(1)])], events=["violated"])


def test_a_cause_is_no_event(tmp_path):
    """Having no outcome is no outcome: `timed_out` is refused by name."""
    with pytest.raises(UserError, match="'timed_out' is a cause of having no outcome"):
        analyse(tmp_path, [(task(1), [died(1), Trail("timed_out", 3)])], events=["timed_out"])


def test_rollouts_without_the_event_are_left_out(tmp_path):
    """Episodes of a rollout that declares none of the events are not counted as survivors."""
    from poisson_store.records import RolloutRecord
    from tests.stored_runs import cell

    other = RolloutRecord("other", ("fine", "bad"), ("bad",), ("fine",))
    store = Store(tmp_path)
    write_traced(
        store,
        "run",
        [(task(1), [died(1), ended(2)]), (cell("other", x=1), [Trail("fine", 5)] * 3)],
        rollouts=(AGENT, other),
    )
    with store.open("run") as reader:
        result = where(reader, events=["timeout"])
    assert result.landed.rows == 2

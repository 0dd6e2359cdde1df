"""How figures and names are written."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_poisson.analyses.diff_result import Count, Limit
from pytest_poisson.render import formatting as write
from tests.stored_runs import cell


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0.000"), (1.0, "1.000"), (0.2, "0.200"), (1e-5, "<0.001"), (0.9999, ">0.999"), (None, "-")],
)
def test_a_rate_reads_none_or_all_only_when_it_is(value, text):
    """0.000 and 1.000 are kept for none and all; what is not measured is no number."""
    assert write.rate(value) == text


@given(st.integers(0, 5000), st.integers(1, 5000))
def test_a_share_reads_0_or_100_only_when_it_is(part, rest):
    """Over all counts: `0 %` exactly for none and `100 %` exactly for all."""
    whole = part + rest - 1 or 1
    part = min(part, whole)
    assert (write.share(part, whole) == "0 %") == (part == 0)
    assert (write.share(part, whole) == "100 %") == (part == whole)


@given(st.floats(-1, 1).filter(lambda change: change != 0 and abs(change) > 1e-12))
def test_a_change_never_reads_zero(change):
    """A change that is not zero has its sign and a digit that is not 0, and is off by at most half its last digit."""
    text = write.points(change)
    assert text[0] == ("+" if change > 0 else "-")
    assert float(text) != 0
    assert abs(float(text) - change) <= 0.5 * 10 ** -(len(text) - 3) * 1.0001


@given(st.floats(-5000, 0))
def test_a_p_value_is_never_zero(log_p):
    """Whatever its logarithm, a p-value is written as a positive number of its size."""
    text = write.p_value(math.exp(log_p), log_p)
    mantissa, _, exponent = text.partition("e")
    assert float(mantissa) > 0
    assert math.log(float(mantissa)) + int(exponent or 0) * math.log(10) == pytest.approx(log_p, abs=0.4)


@pytest.mark.parametrize(
    ("value", "text"), [(0.95, "95 %"), (1 - 0.05 * 8 / 18, "97.778 %"), (0.0, "0 %"), (0.999, "99.9 %")]
)
def test_a_level_has_the_digits_it_needs(value, text):
    """A level is written with at most three decimals and no empty ones."""
    assert write.percent(value) == text


@given(st.floats(1e-9, 1 - 1e-9))
def test_a_level_never_reads_none_or_certain(level):
    """An interval at 1 - 0.05/20,000 is not one of 100 %."""
    assert write.percent(level) not in ("0 %", "100 %")


def near(bound):
    """Return floats around a bound, as close as rounding is coarse, with the bound itself among them."""
    return st.one_of(st.just(bound), st.floats(-0.002, 0.002).map(lambda off: round(bound + off, 9)))


@given(st.sampled_from([0.05, 0.01, 0.0125]).flatmap(lambda level: st.tuples(near(level), st.just(level))))
def test_a_p_value_reads_as_the_test_decided(given):
    """Beside its level 0.0503 is not written as a significant 0.050, nor a significant p as one above the level."""
    p, level = given
    shown = write.p_value(p, math.log(p), level), write.plain_p(p, level)
    assert [float(text) > level for text in shown] == [p > level] * 2


@given(st.sampled_from([0.2, 0.2003, 0.05]).flatmap(lambda asked: st.tuples(near(asked), st.just(asked))))
def test_a_limit_reads_as_it_compares_with_the_accepted_change(given):
    """A limit of 0.2003 does not read as the 0.2 that it exceeds, and a change that was chosen stands as it was chosen."""
    limit, asked = given
    assert (float(write.size(limit, asked)) > asked) == (limit > asked)
    assert float(write.accepted(asked)) == asked
    points = write.percentage_points(limit, sign=False, bound=asked)
    assert (float(points) > 100 * asked) == (limit > asked)
    assert float(write.accepted_points(asked)) == pytest.approx(100 * asked, rel=1e-9)


@pytest.mark.parametrize(("value", "text"), [(0.0003, "0.0003"), (0.0, "0.000"), (0.1992, "0.199")])
def test_a_size_reads_zero_only_where_it_is(value, text):
    """The limit of a very large run is small, not none."""
    assert write.size(value) == text


@pytest.mark.parametrize(
    ("limit", "text"),
    [(Limit("limit", 0.1992), "0.199"), (Limit("no room"), "no room"), (Limit("none detectable"), "none")],
)
def test_a_limit_says_what_it_is(limit, text):
    """A limit without a size has a word instead of a number."""
    assert write.limit(limit) == text


def test_a_count_of_nothing_has_no_rate():
    """0 of 0 is written as such and its rate is none, not 0."""
    assert (write.fraction(Count(0, 0)), Count(0, 0).rate) == ("0/0", None)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.34, "340 ms"),
        (12.5, "12.5 s"),
        (200, "3 min 20 s"),
        (59.96, "1 min 0 s"),
        (7500, "2 h 5 min"),
        (None, "-"),
    ],
)
def test_a_duration_has_two_units_at_most(seconds, text):
    """A duration is written in its largest units."""
    assert write.duration(seconds) == text


def test_nothing_a_terminal_acts_upon_is_printed():
    """Escapes, line ends and direction marks in a name are written out; letters of any script stay."""
    assert write.printable("a\x1b[31m\nb\u202ec \u00e9 \u4e2d") == "a\\x1b[31m\\nb\\u202ec \u00e9 \u4e2d"


@given(st.text(max_size=40), st.integers(4, 30))
def test_a_shortened_text_keeps_both_ends(text, columns):
    """A text that fits is left alone; of another both ends are kept around the cut."""
    short = write.shorten(text, columns)
    if write.width(text) <= columns:
        assert short == text
    else:
        head, _, _ = short.partition("..")
        assert text.startswith(head)
        assert short.endswith(text[-1])


def test_labels_are_the_axis_values():
    """Conditions of one rollout are told apart by their values alone."""
    conditions = [cell(task="a", rate=0.1), cell(task="b", rate=0.1)]
    assert list(write.condition_labels(conditions).values()) == ["a, 0.1", "b, 0.1"]
    assert write.axis_names(conditions) == ("task", "rate")


def test_labels_of_several_rollouts_name_them():
    """Where there are several rollouts a label begins with the short name of its own."""
    conditions = [cell("x/test_a.py::test_one", n=1), cell("x/test_b.py::test_two", n=1), cell("plain")]
    assert list(write.condition_labels(conditions).values()) == ["test_one: 1", "test_two: 1", "plain"]
    assert write.axis_names(conditions) is None


def test_rollouts_of_one_short_name_keep_their_path():
    """A short name that two rollouts share is no name; both keep their whole id."""
    conditions = [cell("a.py::test", n=1), cell("b.py::test", n=1)]
    assert list(write.condition_labels(conditions).values()) == ["a.py::test: 1", "b.py::test: 1"]


values = st.one_of(
    st.none(), st.booleans(), st.integers(0, 2), st.sampled_from(["1", "true", "a, b", "a", "b", ""])
)


@given(st.lists(st.tuples(values, values), unique_by=repr))
def test_no_two_labels_are_the_same(axes):
    """1, "1", true and "true" read alike; their labels still differ, and so do values with commas."""
    conditions = [cell(one=one, two=two) for one, two in axes]
    labels = write.condition_labels(conditions)
    assert len(set(labels.values())) == len({condition.key for condition in conditions})


def test_the_last_digits_do_not_round():
    """Figures that differ by the noise of their computation alone read the same, also half way between two."""
    assert write.rate(0.9075) == write.rate(0.9074999999999999) == write.rate(1 - 0.0925)
    assert write.points(0.1 + 0.2 - 0.2995) == write.points(0.0005)

"""Dealing: every replicate once, every condition alike."""

from hypothesis import given
from hypothesis import strategies as st

from pytest_poisson.batches import Batch, BatchPolicy, BatchSizer, Dealer


@given(st.lists(st.integers(0, 20), max_size=4), st.data())
def test_every_replicate_is_dealt_once(planned, data):
    """Whatever the sizes, and however much is taken back, each (condition, replicate) is run exactly once."""
    dealer = Dealer([((0, n),) if n else () for n in planned])
    run = []
    while len(dealer):
        before, batch = len(dealer), dealer.deal(data.draw(st.integers(2, 9)))
        assert len(dealer) == before - len(batch)
        done = data.draw(st.integers(1, len(batch)))
        run += [(batch.condition, replicate) for replicate in list(batch.replicates())[:done]]
        dealer.take_back(batch.after(done))
    assert sorted(run) == [(c, r) for c, n in enumerate(planned) for r in range(n)]
    assert dealer.deal(1) is None


@given(st.integers(1, 5), st.integers(1, 30), st.integers(1, 7), st.integers(0, 100))
def test_a_run_that_stops_early_has_touched_every_condition_alike(conditions, replicates, size, stop):
    """At any moment no condition is more than one batch ahead of another."""
    dealer = Dealer([((0, replicates),)] * conditions)
    dealt = [0] * conditions
    for _ in range(stop):
        if (batch := dealer.deal(size)) is not None:
            dealt[batch.condition] += len(batch)
    assert max(dealt) - min(dealt) <= size


@given(st.lists(st.integers(1, 9), min_size=1, max_size=4), st.data())
def test_what_is_dropped_is_dealt_no_more(planned, data):
    """A dropped condition is neither dealt nor taken back, and what is left is counted without it."""
    dealer = Dealer([((0, n),) for n in planned])
    batch = dealer.deal(data.draw(st.integers(1, 9)))
    dropped = data.draw(st.integers(0, len(planned) - 1))
    alone = batch.only(batch.replicates(), alone=True) if data.draw(st.booleans()) else batch
    if data.draw(st.booleans()):
        dealer.drop(dropped)
        dealer.take_back(alone)
    else:
        dealer.take_back(alone)
        dealer.drop(dropped)
    left = len(dealer)
    assert left == sum(n for c, n in enumerate(planned) if c != dropped)
    dealt = list(iter(lambda: dealer.deal(9), None))
    assert sum(map(len, dealt)) == left
    assert dropped not in {b.condition for b in dealt}


def test_ranges_with_holes_are_kept_in_order():
    """A batch over what is missing of a run takes the missing numbers in order."""
    dealer = Dealer([((2, 4), (7, 8), (10, 13))])
    assert dealer.deal(4) == Batch(0, ((2, 4), (7, 8), (10, 11)))
    assert dealer.deal(9) == Batch(0, ((11, 13),))


def test_the_size_follows_the_time_a_replicate_takes():
    """Batches last about half a second, or ten times the set-up, and hold at most an eighth of a condition."""
    sizer = BatchSizer(8000, BatchPolicy())
    assert sizer.size() == 8
    sizer.observe(8, 0.08, 0.0)
    assert sizer.size() == 50
    slow_set_up = BatchSizer(80000, BatchPolicy())
    slow_set_up.observe(8, 0.08, 10.0)
    assert slow_set_up.size() == 3000
    few = BatchSizer(16, BatchPolicy())
    assert few.size() == 2
    few.observe(2, 0.02, 0.0)
    assert few.size() == 8
    few.observe(2, 20.0, 0.0)
    assert few.size() == 1
    assert BatchSizer(1, BatchPolicy()).size() == 1

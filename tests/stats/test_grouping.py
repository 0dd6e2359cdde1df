"""Equal rows found once, and matrices cut into blocks."""

import numpy as np
import pytest

from poisson_stats.grouping import CHUNK_ELEMENTS, chunks, distinct


def test_grouping_undoes_itself():
    """Every row is found again through its group, and groups are as many as distinct rows."""
    rng = np.random.default_rng(7)
    columns = rng.integers(0, 4, (3, 200))
    first, group = distinct(*columns)
    assert first.size == len(set(map(tuple, columns.T)))
    for column in columns:
        np.testing.assert_array_equal(column[first][group], column)


@pytest.mark.parametrize(("count", "width"), [(0, 5), (1, 1), (10, 10**9), (100_000, 3)])
def test_chunks_cover_everything_once(count, width):
    """The slices are consecutive and cover 0 … count."""
    covered = [i for part in chunks(count, width) for i in range(part.start, part.stop)]
    assert covered == list(range(count))


@pytest.mark.parametrize(
    ("width", "rows"),
    [
        (0, CHUNK_ELEMENTS),
        (1, CHUNK_ELEMENTS),
        (3, CHUNK_ELEMENTS // 3),
        (CHUNK_ELEMENTS // 2 + 1, 1),
        (CHUNK_ELEMENTS * 5, 1),
    ],
)
def test_a_chunk_holds_no_more_than_it_may(width, rows):
    """As many rows as fit, and one at least: memory stays bounded."""
    assert [part.stop - part.start for part in chunks(3 * rows + 1, width)] == [rows, rows, rows, 1]

"""Random inputs for the tests of the statistics."""

from hypothesis import strategies as st


@st.composite
def two_arms(draw, largest):
    """Draw (k before, n before, k after, n after), each n up to `largest` and possibly 0."""
    n0, n1 = draw(st.integers(0, largest)), draw(st.integers(0, largest))
    return draw(st.integers(0, n0)), n0, draw(st.integers(0, n1)), n1

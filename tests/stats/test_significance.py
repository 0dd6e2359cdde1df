"""The shared comparison of p with its level, and argument checks."""

import doctest
import importlib
import pkgutil

import numpy as np
import pytest

import poisson_stats
from poisson_stats.significance import alpha_per_test, is_significant, is_significant_log
from poisson_stats.validation import LARGEST_COUNT, counts, levels, positive, probability

MODULES = [module.name for module in pkgutil.iter_modules(poisson_stats.__path__)]


@pytest.mark.parametrize("tests", range(1, 400))
def test_equality_counts_for_every_number_of_tests(tests):
    """However q/m is written, a p-value that equals it is significant, and one a billionth above is not."""
    alpha = alpha_per_test(0.05, tests)
    for p in (0.05 / tests, 1 / (20 * tests), 5 / (100 * tests)):
        assert is_significant(p, alpha)
        assert is_significant_log(np.log(p), np.log(alpha))
    assert not is_significant(alpha * (1 + 1e-9), alpha)
    assert not is_significant_log(np.log(alpha) + 1e-9, np.log(alpha))


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_are_true(name):
    """Every example in the package's docstrings gives what it says."""
    result = doctest.testmod(importlib.import_module(f"poisson_stats.{name}"))
    assert result.failed == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: counts(k=[1, -2]), "k[1]=-2 must not be negative."),
        (lambda: counts(k=[[1, 2], [3, np.inf]]), "k[1, 1]=inf must be a whole number."),
        (lambda: counts(k=[True]), "k=[True] must hold whole numbers."),
        (lambda: counts(k=float(LARGEST_COUNT) * 4), f"k={float(LARGEST_COUNT) * 4} must not exceed 2**53."),
        (lambda: levels(q="0.05"), "q='0.05' must lie strictly between 0 and 1."),
        (lambda: levels(q=True), "q=True must lie strictly between 0 and 1."),
        (lambda: positive(tests=-3), "tests=-3 must be a whole number of at least 1."),
        (lambda: probability("rate", 1.5), "rate=1.5 must lie in 0 to 1."),
        (lambda: probability("rate", -0.5), "rate=-0.5 must lie in 0 to 1."),
        (lambda: probability("rate", np.nan), "rate=nan must lie in 0 to 1."),
    ],
)
def test_refusals_name_argument_and_value(call, message):
    """What was given, the rule, and where in the array."""
    with pytest.raises(ValueError, match=r"\S") as refusal:
        call()
    assert str(refusal.value) == message


def test_scalars_are_repeated_and_whole_floats_accepted():
    """A scalar fits any shape; 3.0 is a count."""
    k, n = counts(k=[1.0, 2.0], n=5)
    assert (k.tolist(), n.tolist(), k.dtype) == ([1, 2], [5, 5], np.int64)

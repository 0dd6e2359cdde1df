"""Stored rows through `where` and `compare`, against R's survival, statsmodels and lifelines."""

import csv
import warnings

import numpy as np
import pytest

from poisson_store import Store
from pytest_poisson.analyses.compare import compare
from pytest_poisson.analyses.where import where
from tests.tools import run_r
from tests.traced_runs import Trail, task, write_traced

KINDS = ("llm", "tool", "db")
SCRIPT = """
suppressPackageStartupMessages(library(survival))
rows <- read.csv(commandArgs(trailingOnly = TRUE)[1])
emit <- function(values) cat(format(values, digits = 15), sep = "\\n")
one <- rows[rows$arm == 0, ]
curve <- survfit(Surv(steps, cause > 0) ~ 1, data = one, conf.type = "plain")
at <- summary(curve, times = c(2, 4, 6), extend = TRUE)
emit(c(at$surv, at$lower, at$upper))
incidence <- summary(survfit(Surv(steps, factor(cause, 0:3)) ~ 1, data = one), times = c(2, 4, 6))
emit(as.vector(incidence$pstate[, -1]))
for (kind in 0:3) {
  dead <- if (kind == 0) rows$cause > 0 else rows$cause == kind
  test <- survdiff(Surv(steps, dead) ~ arm + strata(task), data = rows)
  emit(c(sum(test$obs[2, ]), sum(test$exp[2, ]), test$var[2, 2], test$chisq))
}
"""


def random_rows(seed, size=400):
    """Return (arm, task, steps, cause) with ties, and arms that differ."""
    draws = np.random.default_rng(seed)
    arm, tasks = draws.integers(0, 2, size), draws.integers(0, 12, size)
    steps = 1 + draws.poisson(3 + tasks % 3 + arm)
    cause = draws.integers(0, 4, size)
    return np.stack((arm, tasks, steps, cause), axis=1).tolist()


def stored(tmp_path, rows):
    """Store the rows as two runs, which have every task."""
    store = Store(tmp_path)
    for name, arm in (("A", 0), ("B", 1)):
        cells = [
            (
                task(number),
                [
                    Trail("timeout" if cause else "resolved", steps, KINDS[cause - 1])
                    for a, t, steps, cause in rows
                    if (a, t) == (arm, number)
                ],
            )
            for number in range(12)
        ]
        write_traced(store, name, cells)
    return store


def analyse(tmp_path, rows):
    """Return both reports."""
    store = stored(tmp_path, rows)
    with store.open("A") as first, store.open("B") as second:
        one = where(first, events=["timeout"], at=[2, 4, 6], resamples=0)
        return one, compare(first, second, events=["timeout"], max_hazard_ratio=1.5, at=[2, 4, 6])


def test_r_gives_the_same_figures(tmp_path):
    """R's survfit and survdiff with strata give the curve, its band, the incidences and every test, ties included."""
    rows = random_rows(7)
    table = tmp_path / "rows.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("arm", "task", "steps", "cause"), *rows])
    (tmp_path / "script.R").write_text(SCRIPT, encoding="utf-8")
    expected = [float(line) for line in run_r(tmp_path / "script.R", table).split()]
    one, two = analyse(tmp_path / "store", rows)
    ours = [*one.at.survival, *one.at.low, *one.at.high]
    ours += [share[0] for each in one.causes for share in each.shares]
    for test in (two.comparison.test, *two.comparison.by_kind):
        ours += [test.observed, test.expected, test.variance, test.chi_square]
    assert [each.cause for each in one.causes] == list(KINDS)
    assert ours == pytest.approx(expected, rel=1e-9)


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_statsmodels_gives_the_same_figures(tmp_path, seed):
    """SurvfuncRight, CumIncidenceRight and survdiff with strata agree on random data with ties."""
    from statsmodels.duration.survfunc import CumIncidenceRight, SurvfuncRight, survdiff

    rows = random_rows(seed)
    one, two = analyse(tmp_path, rows)
    arm, tasks, steps, cause = (np.array(column) for column in zip(*rows, strict=True))
    curve = SurvfuncRight(steps[arm == 0], (cause > 0)[arm == 0])
    assert one.curve.survival == pytest.approx(curve.surv_prob[np.isin(curve.surv_times, one.curve.times)])
    incidence = CumIncidenceRight(steps[arm == 0], cause[arm == 0])
    for ours, theirs in zip(one.incidence.incidence, incidence.cinc, strict=True):
        at = np.searchsorted(incidence.times, one.incidence.times)
        assert ours == pytest.approx(theirs[at])
    chi_square, p = survdiff(steps, cause > 0, arm, strata=tasks)
    assert (two.comparison.test.chi_square, two.comparison.test.p) == pytest.approx((chi_square, p))


def test_lifelines_gives_the_same_curve(tmp_path):
    """Kaplan-Meier of lifelines agrees; its other estimators follow other conventions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from lifelines import KaplanMeierFitter
    rows = random_rows(11)
    one, _ = analyse(tmp_path, rows)
    arm, _, steps, cause = (np.array(column) for column in zip(*rows, strict=True))
    fitted = KaplanMeierFitter().fit(steps[arm == 0], (cause > 0)[arm == 0])
    assert one.curve.survival == pytest.approx(fitted.predict(one.curve.times).to_numpy())
    assert one.curve.median == fitted.median_survival_time_

"""Changes one thing at a time in the modules that decide, and says which changes no test notices.

`python tests/mutation/mutate.py` takes hours; `--module NAME` takes one module, `--every N` one change in N. Each change is
tried in a process forked from one that has imported everything, so that it costs the tests alone.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import importlib
import os
import signal
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
STATS = ROOT / "stats" / "poisson_stats"
OWN = {  # modules whose tests are not, or not alone, in the file of their name
    "poisson_stats.attainable": ["stats/test_discrete_fdr.py"],
    "poisson_stats.binomial": ["stats/test_power_and_limits.py", "stats/test_promises.py"],
    "poisson_stats.bootstrap": ["stats/test_item_interval.py"],
    "poisson_stats.fisher": [
        "stats/test_fisher.py",
        "stats/test_bad_input.py",
        "stats/test_power_and_limits.py",
    ],
    "poisson_stats.grouping": ["stats/test_significance.py", "stats/test_comparison.py"],
    "poisson_stats.hypergeometric": ["stats/test_fisher.py", "stats/test_boschloo.py"],
    "poisson_stats.limits": [
        "stats/test_power_and_limits.py",
        "stats/test_bad_input.py",
        "stats/test_planning.py",
    ],
    "poisson_stats.mcnemar": [
        "stats/test_mcnemar.py",
        "stats/test_bad_input.py",
        "stats/test_power_and_limits.py",
    ],
    "poisson_stats.missing": ["stats/test_missing_outcomes.py", "stats/test_comparison.py"],
    "poisson_stats.multiplicity": ["stats/test_multiplicity.py", "stats/test_bad_input.py"],
    "poisson_stats.nearest_counts": ["stats/test_fragility.py"],
    "poisson_stats.normal": ["stats/test_share_limit.py", "stats/test_planning.py"],
    "poisson_stats.power": ["stats/test_power_and_limits.py", "stats/test_planning.py"],
    "poisson_stats.replay": ["stats/test_flip_rate.py"],
    "poisson_stats.risk_table": ["stats/test_survival.py", "stats/test_competing_risks.py"],
    "poisson_stats.rounding": ["stats/test_significance.py", "stats/test_share_limit.py"],
    "poisson_stats.share_design": ["stats/test_share_limit.py"],
    "poisson_stats.share_power": ["stats/test_share_limit.py"],
    "poisson_stats.significance": [
        "stats/test_significance.py",
        "stats/test_multiplicity.py",
        "stats/test_fisher.py",
    ],
    "poisson_stats.validation": ["stats/test_significance.py", "stats/test_bad_input.py"],
    "pytest_poisson.decision": ["analyses/test_reasons.py", "analyses/test_decide.py"],
    "pytest_poisson.fail_on": ["analyses/test_fail_on.py", "analyses/test_decide.py"],
    "pytest_poisson.gate": ["plugin/test_gate.py", "plugin/test_promises.py"],
}
TESTS = {
    **{
        f"poisson_stats.{each.stem}": [f"stats/test_{each.stem}.py"]
        for each in sorted(STATS.glob("[!_]*.py"))
    },
    **OWN,
}
"""The tests that are to notice a change of each module."""

SECONDS = 300
COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
OPERATORS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


class Change(NamedTuple):
    """One change: the source with it, its line, and what it is."""

    tree: ast.Module
    line: int
    what: str


def changes_of(source: str) -> list[Change]:
    """Return every change of a module's code; docstrings, annotations and messages stay as they are."""
    tree = ast.parse(source)
    nodes = list(ast.walk(tree))
    left_alone = set(_left_alone(tree))
    found = []
    for position, node in enumerate(nodes):
        if id(node) in left_alone:
            continue
        for what, alter in _alterations(node):
            changed = copy.deepcopy(tree)
            alter(list(ast.walk(changed))[position])
            found.append(Change(ast.fix_missing_locations(changed), getattr(node, "lineno", 0), what))
    return found


def _left_alone(tree: ast.Module):
    for node in ast.walk(tree):
        parts = []
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            parts = [node]
        elif isinstance(node, (ast.Raise, ast.AnnAssign, ast.Import, ast.ImportFrom)):
            parts = [node] if not isinstance(node, ast.AnnAssign) else [node.annotation]
        elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            parts = [node]
        elif isinstance(node, ast.FunctionDef):
            parts = [each for each in [node.returns, *(arg.annotation for arg in node.args.args)] if each]
            parts += [arg.annotation for arg in node.args.kwonlyargs if arg.annotation]
            parts += node.decorator_list
        elif isinstance(node, ast.ClassDef):
            parts = node.decorator_list
        yield from (id(inner) for part in parts for inner in ast.walk(part))


def _alterations(node: ast.AST):
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        other = COMPARISONS[type(node.ops[0])]
        yield f"{type(node.ops[0]).__name__} -> {other.__name__}", lambda at: at.ops.__setitem__(0, other())
    if isinstance(node, (ast.BinOp, ast.BoolOp, ast.AugAssign)) and type(node.op) in OPERATORS:
        other = OPERATORS[type(node.op)]
        yield f"{type(node.op).__name__} -> {other.__name__}", lambda at: setattr(at, "op", other())
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub, ast.Invert)):
        yield (
            f"no {type(node.op).__name__}",
            lambda at: (
                setattr(at, "op", ast.UAdd())
                if not isinstance(at.op, ast.Not)
                else setattr(at, "operand", ast.UnaryOp(ast.Not(), at.operand))
            ),
        )
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield f"{node.value} -> {not node.value}", lambda at: setattr(at, "value", not at.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        yield f"{node.value} -> {node.value + 1}", lambda at: setattr(at, "value", at.value + 1)
    if isinstance(node, ast.IfExp):
        yield "the other branch", _swap
    if isinstance(node, (ast.If, ast.While)):
        yield "condition negated", lambda at: setattr(at, "test", ast.UnaryOp(ast.Not(), at.test))
    if isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        yield "returns None", lambda at: setattr(at, "value", ast.Constant(None))


def _swap(at: ast.IfExp) -> None:
    at.body, at.orelse = at.orelse, at.body


def try_out(module: str, change: Change) -> str:
    """Run the module's tests with a change: they are `passed`, `failed`, or `hung`, which is as good as failed."""
    child = os.fork()
    if not child:
        _run_tests(module, change)
    try:
        return "failed" if _wait(child) else "passed"
    except _TooLongError:
        return "hung"


class _TooLongError(Exception):
    """The tests do not end."""


def _wait(child: int) -> int:
    def end(*_):
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise _TooLongError

    signal.signal(signal.SIGALRM, end)
    signal.alarm(SECONDS)
    try:
        return os.waitpid(child, 0)[1]
    finally:
        signal.alarm(0)


def _run_tests(module: str, change: Change) -> None:
    import pytest

    os.setsid()
    with Path(os.devnull).open("w") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
    status = 1
    with contextlib.suppress(BaseException):
        _put_in_place(module, change)
        files = [str(ROOT / "tests" / name) for name in TESTS[module]]
        status = int(pytest.main(["-q", "-x", "-p", "no:cacheprovider", *files]))
    os._exit(status)


def _put_in_place(module: str, change: Change) -> None:
    """Run the changed code in the module itself, then let who imported names from it do so again."""
    loaded = sys.modules[module]
    before = dict(vars(loaded))
    exec(compile(change.tree, loaded.__file__, "exec"), vars(loaded))
    for other in list(sys.modules.values()):
        if (
            getattr(other, "__name__", "").startswith(("poisson_", "pytest_poisson", "tests"))
            and other is not loaded
        ):
            for name, value in list(vars(other).items()):
                if name in before and value is before[name] and callable(value):
                    setattr(other, name, vars(loaded)[name])


def main() -> None:
    """Try the changes and print those that nothing notices."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--module", choices=TESTS, action="append")
    parser.add_argument("--every", type=int, default=1, help="try one change in so many")
    options = parser.parse_args()
    os.environ["PYTEST_ADDOPTS"] = ""
    for module in options.module or TESTS:
        loaded = importlib.import_module(module)
        changes = changes_of(Path(loaded.__file__).read_text(encoding="utf-8"))[:: options.every]
        unchanged = Change(ast.parse(Path(loaded.__file__).read_text("utf-8")), 0, "nothing")
        if (ended := try_out(module, unchanged)) != "passed":
            sys.exit(f"{module}: its tests {ended} without a change")
        noticed = 0
        for each in changes:
            ended = try_out(module, each)
            noticed += ended != "passed"
            if ended != "failed":
                print(f"  {module}, line {each.line}: {each.what}: {ended}", flush=True)
        print(f"{module}: {noticed} of {len(changes)} changes noticed", flush=True)


if __name__ == "__main__":
    import scipy.stats  # noqa: F401  once for all of the processes

    main()

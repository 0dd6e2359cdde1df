"""`pytest-poisson import KIND FILES…`: results of another tool as one run, or spans for a stored one."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pytest_poisson.cli import import_spans
from pytest_poisson.cli.arguments import add_json, add_store, open_store
from pytest_poisson.cli.output import Outcome, terminal_width
from pytest_poisson.cli.statuses import USAGE

if TYPE_CHECKING:
    from poisson_store.importers import Cut, Declared, Words
    from poisson_store.importers.kinds import Kind

HELP = "import results of another tool as one run, or spans for the episodes of a stored one"
KIND_NAMES = ("deepeval", "ragas", "inspect", "tau", "promptfoo", "junit", "jsonl", "prove")

OPTIONS = {
    "metric": "--metric, which names what is measured",
    "scorer": "--scorer, which names the scorer whose values are read",
    "judge": "--cut SIDE X (sides ge, gt, le, lt), or --pass and --fail, which say what passes",
    "case_by": "--case-by, which names the fields that identify a case",
    "paired_by": "--paired-by trial, where replicate i of two imports belongs together, or --paired-by none",
    "failures": "--failures",
    "successes": "--successes",
    "t_unit": "--t-unit",
    "renumber": "--renumber",
    "errors_fail": "--errors-fail",
    "limits_score": "--limits-score",
}
"""What is declared, by its attribute of `Declared`: the option, and what it says."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    kinds = (*KIND_NAMES, *import_spans.SPAN_KINDS)
    parser.add_argument("kind", metavar="KIND", choices=kinds, help=f"one of {', '.join(kinds)}")
    parser.add_argument(
        "files", metavar="FILE", nargs="+", help="the files; a directory stands for those in it"
    )
    parser.add_argument("--name", metavar="NAME", help="the name of the run they become")
    _add_measure(parser)
    _add_identity(parser)
    _add_own_words(parser)
    parser.add_argument(
        "--keep-text", action="store_true", help="store prompts and answers too (default: digests alone)"
    )
    parser.add_argument(
        "--variant",
        metavar="KEY=VALUE",
        type=_setting,
        action="append",
        help="what was measured (repeatable)",
    )
    import_spans.add_span_arguments(parser)
    add_json(parser)
    add_store(parser)


def _add_measure(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what is measured, and what passes")
    group.add_argument(
        "--metric", metavar="NAME", help="the metric, score column or key of a scorer's values"
    )
    group.add_argument("--scorer", metavar="NAME", help="the scorer (inspect)")
    group.add_argument(
        "--cut",
        metavar=("SIDE", "X"),
        nargs=2,
        action=_CutAction,
        help="a score passes if it is ge, gt, le or lt X",
    )
    group.add_argument(
        "--pass", metavar="VALUE", dest="passing", nargs="+", help="values that pass, where they are words"
    )
    group.add_argument(
        "--fail", metavar="VALUE", dest="failing", nargs="+", help="values that fail, where they are words"
    )
    group.add_argument(
        "--errors-fail", action="store_true", help="a JUnit error fails instead of having no outcome"
    )
    group.add_argument(
        "--limits-score",
        action="store_true",
        help="an Inspect sample that reached a limit counts by its score instead of having no outcome",
    )


def _add_identity(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what identifies a case, and which cases belong together")
    group.add_argument(
        "--case-by", metavar="FIELD", nargs="+", help="the fields that identify a case: the axes"
    )
    group.add_argument(
        "--where",
        metavar="FIELD=VALUE",
        type=_setting,
        action="append",
        help="import these cases alone (repeatable)",
    )
    group.add_argument(
        "--paired-by", choices=("trial", "none"), help="whether replicate i of two imports belongs together"
    )
    group.add_argument(
        "--duplicates",
        choices=("refuse", "keep-first"),
        default="refuse",
        help="what becomes of a replicate that comes again (default: refuse)",
    )
    group.add_argument(
        "--renumber",
        action="store_true",
        help="number repeated cases in file order, whatever number they have",
    )
    group.add_argument("--rollout", metavar="ID", help="the rollout's id (default: kind, metric and cut)")


def _add_own_words(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("files with outcomes of their own (jsonl, prove)")
    group.add_argument("--failures", metavar="OUTCOME", nargs="+", help="the outcomes that are failures")
    group.add_argument("--successes", metavar="OUTCOME", nargs="+", help="the outcomes that are successes")
    group.add_argument("--t-unit", metavar="UNIT", help="what t counts")


def run(arguments: argparse.Namespace) -> Outcome:
    """Import the files, all or nothing, and account for everything in them."""
    problem = import_spans.mismatch(arguments)
    if problem:
        return Outcome(complaint=problem, status=USAGE)
    return (import_spans.run if arguments.kind in import_spans.SPAN_KINDS else _import_run)(arguments)


def _import_run(arguments: argparse.Namespace) -> Outcome:
    from poisson_store.importers import KINDS, import_results
    from pytest_poisson.render.documents import dump
    from pytest_poisson.render.transfer import import_document, render_import

    declared = _declared(arguments)
    problem = _problem(arguments.kind, KINDS[arguments.kind], declared, arguments)
    if problem:
        return Outcome(complaint=problem, status=USAGE)
    report = import_results(open_store(arguments), arguments.kind, arguments.files, declared)
    if arguments.json:
        return Outcome(dump(import_document(report)))
    return Outcome(render_import(report, width=terminal_width()))


def _declared(arguments: argparse.Namespace) -> Declared:
    from poisson_store.importers import Declared

    return Declared(
        name=arguments.name,
        paired_by=arguments.paired_by,
        metric=arguments.metric,
        scorer=arguments.scorer,
        judge=_judge(arguments),
        case_by=tuple(arguments.case_by or ()),
        where=tuple(arguments.where or ()),
        duplicates=arguments.duplicates,
        keep_text=arguments.keep_text,
        renumber=arguments.renumber,
        rollout=arguments.rollout,
        failures=tuple(arguments.failures or ()),
        successes=tuple(arguments.successes or ()),
        t_unit=arguments.t_unit,
        errors_fail=arguments.errors_fail,
        limits_score=arguments.limits_score,
        variant=dict(arguments.variant or ()),
    )


def _judge(arguments: argparse.Namespace) -> Cut | Words | None:
    from poisson_store.importers import Cut, Words

    if arguments.cut is not None:
        return Cut(*arguments.cut)
    if arguments.passing and arguments.failing:
        return Words(tuple(arguments.passing), tuple(arguments.failing))
    return None


def _problem(name: str, kind: Kind, declared: Declared, arguments: argparse.Namespace) -> str | None:
    """Say what is wrong with the command line for this kind; None where nothing is."""
    passing, failing = set(arguments.passing or ()), set(arguments.failing or ())
    if arguments.cut is not None and (passing or failing):
        return "--cut judges numbers, --pass and --fail judge words; one of them is to be given."
    if bool(passing) != bool(failing):
        return "--pass and --fail are given together: a value that is in neither is refused."
    if passing & failing:
        return f"{min(passing & failing)!r} cannot both pass and fail."
    for attribute in kind.needs:
        if not getattr(declared, attribute):
            return f"import {name} needs {OPTIONS[attribute]}."
    for attribute, option in OPTIONS.items():
        if getattr(declared, attribute) and attribute not in (*kind.needs, *kind.takes):
            return f"import {name} takes no {option.partition(',')[0].partition(' ')[0]}."
    return None


class _CutAction(argparse.Action):
    """Takes a side and a finite number."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,  # noqa: ARG002 (argparse's signature)
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,  # noqa: ARG002 (argparse's signature)
    ) -> None:
        import math

        from poisson_store.importers.declared import SIDES

        side, text = values if isinstance(values, list) else ("", "")
        try:
            bound = float(text)
        except ValueError:
            bound = math.nan
        if side not in SIDES or not math.isfinite(bound):
            raise argparse.ArgumentError(
                self, f"takes one of {', '.join(SIDES)} and a number, not {side!r} {text!r}"
            )
        setattr(namespace, self.dest, (side, bound))


def _setting(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator or not name:
        raise argparse.ArgumentTypeError(f"{text!r} must have the form NAME=VALUE")
    return name, value

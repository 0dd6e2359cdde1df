"""Parse, dispatch, and turn whatever happens into a sentence and an exit status."""

from __future__ import annotations

import argparse
import sys
import traceback
from typing import TYPE_CHECKING, NoReturn

from poisson_store.errors import StoreError
from pytest_poisson import __version__
from pytest_poisson.cli import (
    baseline,
    changes,
    check,
    comment,
    compare,
    completion,
    diff,
    doctor,
    exporting,
    fix_check,
    forget,
    import_run,
    importing,
    init,
    merge,
    null,
    paired,
    plan,
    recover,
    report,
    runs,
    schema,
    serve,
    show,
    tokens,
    where,
)
from pytest_poisson.cli.output import Outcome, deliver
from pytest_poisson.cli.statuses import FAILURE, INTERRUPTED, REFUSED, USAGE
from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = {
    "runs": runs,
    "show": show,
    "tokens": tokens,
    "diff": diff,
    "check": check,
    "comment": comment,
    "report": report,
    "serve": serve,
    "where": where,
    "compare": compare,
    "fix-check": fix_check,
    "changes": changes,
    "null": null,
    "plan": plan,
    "paired": paired,
    "baseline": baseline,
    "forget": forget,
    "merge": merge,
    "recover": recover,
    "import": importing,
    "import-run": import_run,
    "export": exporting,
    "init": init,
    "schema": schema,
    "doctor": doctor,
    "completion": completion,
}
DESCRIPTION = "Runs of programs that do not give the same result twice: list, show, compare and gate them."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    Parameters
    ----------
    arguments
        The command line without the program's name; by default that of the process.
    """
    try:
        parser = build_parser()
        words = sys.argv[1:] if arguments is None else arguments
        for word in words:
            if word.startswith("--") and word.endswith("=--"):  # of which argparse makes an empty list
                parser.error(f"argument {word[:-3]}: '--' is no value")
        parsed, unknown = parser.parse_known_args(words)
        if unknown:
            parsed.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    except SystemExit as ending:  # argparse has printed the help, the version or what is wrong
        return int(ending.code or 0)
    return deliver(_run(parsed))


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = _Parser(prog="pytest-poisson", description=DESCRIPTION, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"pytest-poisson {__version__}")
    parser.add_argument("--debug", action="store_true", help="print the traceback of an unexpected failure")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, module in COMMANDS.items():
        command = commands.add_parser(name, help=module.HELP, description=module.HELP, allow_abbrev=False)
        command.usage_status = getattr(module, "USAGE_STATUS", USAGE)
        module.add_arguments(command)
        # SUPPRESS keeps a --debug before the command from being overwritten by the default after it
        command.add_argument(
            "--debug", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS
        )
        command.set_defaults(execute=module.run, parser=command)
    return parser


class _Parser(argparse.ArgumentParser):
    """A parser whose status for a wrong command line is the command's own."""

    usage_status = USAGE

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(self.usage_status, f"{self.prog}: error: {message}\n")


def _run(parsed: argparse.Namespace) -> Outcome:
    try:
        outcome: Outcome = parsed.execute(parsed)
        return outcome
    except (UserError, StoreError) as refusal:
        return Outcome(complaint=str(refusal), status=REFUSED)
    except OSError as problem:  # what no command expects: a name too long for the system, a disk that fails
        return Outcome(complaint=f"Cannot use {problem.filename!r}: {problem.strerror}.", status=REFUSED)
    except KeyboardInterrupt:
        return Outcome(complaint="interrupted.", status=INTERRUPTED)
    except Exception as failure:  # noqa: BLE001 (the last resort: a status of its own instead of a traceback)
        if parsed.debug:
            traceback.print_exc()
        kind = type(failure).__name__
        return Outcome(complaint=f"unexpected {kind}: {failure} (--debug shows where)", status=FAILURE)

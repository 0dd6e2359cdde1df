"""The kinds of files that can be imported, and what the user must and may declare for each."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from poisson_store.importers.reader import Reader


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of files.

    Attributes
    ----------
    about : str
        What the files are, in a few words.
    reader : str
        Module and class of its reader.
    needs : tuple of str
        Attributes of `Declared` without which nothing can be imported.
    takes : tuple of str
        Further attributes of `Declared` that mean something for the kind.
    """

    about: str
    reader: str
    needs: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()

    def load(self) -> type[Reader]:
        """Load the class of its reader."""
        module, _, name = self.reader.partition(":")
        found: type[Reader] = getattr(import_module(f"poisson_store.importers.{module}"), name)
        return found


_OWN_WORDS = ("failures", "successes", "t_unit", "renumber")

KINDS = {
    "deepeval": Kind(
        "test runs that DeepEval saved, or its cache of results",
        "deepeval:DeepevalReader",
        needs=("metric", "judge", "case_by", "paired_by"),
    ),
    "ragas": Kind(
        "a table of Ragas scores as CSV, JSON, JSON Lines or Parquet",
        "ragas:RagasReader",
        needs=("metric", "judge", "case_by", "paired_by"),
    ),
    "inspect": Kind(
        "logs of Inspect AI, .json or .eval",
        "inspect_ai:InspectReader",
        needs=("scorer", "judge", "paired_by"),
        takes=("metric", "case_by", "renumber", "limits_score"),
    ),
    "tau": Kind(
        "results of tau-bench or tau2-bench",
        "tau:TauReader",
        needs=("judge", "paired_by"),
        takes=("case_by", "renumber"),
    ),
    "promptfoo": Kind(
        "results of promptfoo, .json or .jsonl",
        "promptfoo:PromptfooReader",
        needs=("metric", "case_by", "paired_by"),
        takes=("judge",),
    ),
    "junit": Kind(
        "JUnit XML, each file one replicate",
        "junit:JunitReader",
        needs=("paired_by",),
        takes=("case_by", "renumber", "errors_fail"),
    ),
    "jsonl": Kind(
        "episodes as JSON Lines, the format that export writes",
        "jsonl:JsonlReader",
        takes=("paired_by", *_OWN_WORDS),
    ),
    "prove": Kind(
        "the directory of one run of prove",
        "prove:ProveReader",
        takes=("case_by", *_OWN_WORDS),
    ),
}

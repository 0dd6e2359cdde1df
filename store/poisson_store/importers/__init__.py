"""Results of other tools as runs.

One module a kind reads files and yields cases; `assemble` turns cases into a run. A reader guesses nothing: what
is measured, what passes and what identifies a case is in `Declared`.
"""

from poisson_store.importers.assemble import import_results
from poisson_store.importers.declared import Cut, Declared, Words
from poisson_store.importers.kinds import KINDS
from poisson_store.importers.report import ImportReport

__all__ = ["KINDS", "Cut", "Declared", "ImportReport", "Words", "import_results"]

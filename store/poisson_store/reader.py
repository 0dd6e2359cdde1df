"""Reading a run; nothing here changes what a file says."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poisson_store.codec import marks, read_attempts, read_run
from poisson_store.columns import (
    read_columns,
    read_outcome_columns,
    read_reached,
    read_replicates,
    read_trace_columns,
)
from poisson_store.connection import check_pages, open_for_reading, read_status
from poisson_store.errors import StoreError, reading
from poisson_store.records import CAUSES, Accounting, Episode, Usage
from poisson_store.spans import read_answers, read_spans
from poisson_store.tables import TABLES, as_arrow, as_pandas
from poisson_store.usage import read_usage

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from types import TracebackType

    import pandas as pd
    import pyarrow as pa
    from numpy import bool_, int64
    from numpy.typing import NDArray
    from typing_extensions import Self

    from poisson_store.records import ConditionRecord, EpisodeColumns, OutcomeColumns, RunRecord, TraceColumns
    from poisson_store.tables import Column, What
    from poisson_store.usage import EpisodeUsage

_TALLY_EPISODES = (
    "SELECT condition, outcome, cause, count(*) FROM episodes GROUP BY condition, outcome, cause"
)
_EPISODES = """
    SELECT condition, replicate, seed, outcome, cause, t, horizon, started_ns, wall_s,
           error, meta, tokens_in, tokens_out, unknown_usage, spans_left_out
    FROM episodes LEFT JOIN traces USING (replicate, condition) LEFT JOIN notes USING (replicate, condition)
    WHERE {} ORDER BY condition, replicate
"""


def open_run(path: str | Path) -> RunReader:
    """Open one run file for reading, wherever it lies.

    Raises
    ------
    StoreError
        If the file is missing, damaged or of a newer schema.
    """
    return RunReader(Path(path))


class RunReader:
    """One run, read-only; a context manager.

    Attributes
    ----------
    path : Path
        The run's file.
    run : RunRecord
        The run as it stood when it was opened; `interrupted` where its writer died.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with ExitStack() as stack, reading(path):
            self._connection = open_for_reading(path, stack)
            self.run: RunRecord = read_run(self._connection, read_status(self._connection))
            self._outcomes = self.run.outcomes
            self._stack = stack.pop_all()

    @property
    def conditions(self) -> tuple[ConditionRecord, ...]:
        """The planned conditions, in the order of collection."""
        return self.run.conditions

    def check(self) -> None:
        """Read every page of the file.

        Raises
        ------
        DamagedRunError
            If one is not as it was written, so that some later reading would fail.
        """
        with reading(self.path):
            check_pages(self._connection, self.path)

    def accounting(self) -> Accounting:
        """Tell where every planned replicate went."""
        return sum(self.accounting_by_condition().values(), Accounting(0))

    def accounting_by_condition(self) -> dict[str, Accounting]:
        """Account for each condition by key, in the order of collection."""
        counted: list[dict[str, int]] = [{} for _ in self.conditions]
        for condition, outcome, cause, episodes in self._tallies():
            word = CAUSES[cause] if outcome is None else "with_outcome"
            counted[condition][word] = counted[condition].get(word, 0) + episodes
        return {
            condition.key: Accounting(max(condition.planned, sum(counts.values())), **counts)
            for condition, counts in zip(self.conditions, counted, strict=True)
        }

    def outcome_counts(self) -> dict[str, Counter[str]]:
        """Count outcomes, and causes of having none, for each condition key, in the order of collection."""
        counted: list[Counter[str]] = [Counter() for _ in self.conditions]
        for condition, outcome, cause, episodes in self._tallies():
            counted[condition][CAUSES[cause] if outcome is None else self._outcomes[outcome]] += episodes
        return {condition.key: counts for condition, counts in zip(self.conditions, counted, strict=True)}

    def usage(self) -> dict[str, Usage]:
        """Sum the tokens of each condition by key, in the order of collection, without reading spans."""
        with reading(self.path):
            sums = {
                condition: Usage(*rest)
                for condition, *rest in self._connection.execute(
                    "SELECT condition, ifnull(sum(tokens_in), 0), ifnull(sum(tokens_out), 0), ifnull(sum(unknown_usage), 0)"
                    " FROM traces GROUP BY condition"
                )
            }
        return {condition.key: sums.get(number, Usage()) for number, condition in enumerate(self.conditions)}

    def took_s(self) -> dict[str, float]:
        """Sum the seconds that the replicates of each condition took, by key, in the order of collection."""
        with reading(self.path):
            query = "SELECT condition, total(wall_s) FROM episodes GROUP BY condition"
            sums = dict(self._connection.execute(query).fetchall())
        return {condition.key: sums.get(number, 0.0) for number, condition in enumerate(self.conditions)}

    def span_usage(self) -> Iterator[EpisodeUsage]:
        """Yield what the spans of every episode used, ordered by replicate, then condition, without bodies."""
        with reading(self.path):
            yield from read_usage(self._connection, [condition.key for condition in self.conditions])

    def answers(self, below: int) -> Iterator[tuple[str, int, tuple[Any, ...]]]:
        """Yield condition key, replicate, and what its llm spans gave, of the replicates below a number.

        Equal outputs are equal values, whatever they are; None is a span without an output.
        """
        with reading(self.path):
            for (condition, replicate), given in read_answers(self._connection, below):
                yield self.conditions[condition].key, replicate, given

    def has_horizons(self) -> bool:
        """Tell whether any episode has a horizon, without which nobody can have been cut off before it."""
        with reading(self.path):
            query = "SELECT EXISTS (SELECT 1 FROM episodes WHERE horizon IS NOT NULL)"
            return bool(self._connection.execute(query).fetchone()[0])

    def has_spans(self) -> bool:
        """Tell whether any episode left a span."""
        with reading(self.path):
            return bool(self._connection.execute("SELECT EXISTS (SELECT 1 FROM spans)").fetchone()[0])

    def columns(self) -> EpisodeColumns:
        """Read every episode as NumPy arrays, without errors, meta and spans."""
        with reading(self.path):
            return read_columns(self._connection, self.run)

    def outcome_columns(self) -> OutcomeColumns:
        """Read what became of every episode as NumPy arrays; half the work of `columns`."""
        with reading(self.path):
            return read_outcome_columns(self._connection, self.run)

    def trace_columns(self) -> TraceColumns:
        """Read how far every episode got as NumPy arrays, without reading its spans."""
        with reading(self.path):
            return read_trace_columns(self._connection, self.run)

    def reached(self, steps: Sequence[str]) -> NDArray[bool_]:
        """Tell which of some named steps each episode got to.

        Parameters
        ----------
        steps : sequence of str
            Names, as `Span.step` has them.

        Returns
        -------
        ndarray of bool, shape (episodes, steps)
            Whether any span of the episode names the step; episodes in the order of `trace_columns`.
        """
        with reading(self.path):
            return read_reached(self._connection, steps)

    def began(self) -> tuple[int, int] | None:
        """Tell when the first and the last episode began (UTC epoch ns); None where none recorded it."""
        with reading(self.path):
            found = self._connection.execute(
                "SELECT min(started_ns), max(started_ns) FROM episodes"
            ).fetchone()
        return None if found[0] is None else found

    def seconds_measured(self) -> tuple[float, int]:
        """Sum the seconds that episodes took, and count those that measured them."""
        with reading(self.path):
            query = "SELECT total(wall_s), count(wall_s) FROM episodes"
            found: tuple[float, int] = self._connection.execute(query).fetchone()
        return found

    def commonest_error(self) -> tuple[str, int] | None:
        """Give the text that most errored episodes left, and how many left it; None where none left any."""
        query = """
            SELECT error, count(*) AS times FROM episodes JOIN notes USING (replicate, condition)
            WHERE cause = ? AND error IS NOT NULL GROUP BY error ORDER BY times DESC, error LIMIT 1
        """
        with reading(self.path):
            found: tuple[str, int] | None = self._connection.execute(
                query, (CAUSES.index("errored"),)
            ).fetchone()
        return found

    def commonest_note(self, mark: str) -> tuple[str, int, int] | None:
        """Give what most episodes with an outcome noted beside it behind a mark, as `in tear-down: `.

        Returns
        -------
        The text behind the mark, how many left it, and how many left any; None where none did.
        """
        query = """
            SELECT substr(error, instr(error, :mark) + length(:mark)) AS note, count(*) AS times, sum(count(*)) OVER ()
            FROM episodes JOIN notes USING (replicate, condition)
            WHERE outcome IS NOT NULL AND instr(error, :mark) GROUP BY note ORDER BY times DESC, note LIMIT 1
        """
        with reading(self.path):
            found: tuple[str, int, int] | None = self._connection.execute(query, {"mark": mark}).fetchone()
        return found

    def to_arrow(self, what: What = "episodes") -> pa.Table:
        """Read every episode, or every span, as an Arrow table; needs pyarrow.

        Parameters
        ----------
        what : str
            `episodes` or `spans`. Axes are columns `axis.NAME`; meta and attributes are JSON text.

        Raises
        ------
        StoreError
            If `what` is neither.
        """
        return as_arrow(self._table(what))

    def to_pandas(self, what: What = "episodes") -> pd.DataFrame:
        """Read every episode, or every span, as a pandas data frame with the columns of `to_arrow`; needs pandas."""
        return as_pandas(self._table(what))

    def replicates(self) -> dict[str, NDArray[int64]]:
        """List the stored replicates of each condition by key, rising: what a resumed sweep leaves out."""
        with reading(self.path):
            return read_replicates(self._connection, self.run)

    def episodes(
        self,
        condition: str | None = None,
        replicate: int | None = None,
        outcomes: Collection[str] | None = None,
        *,
        spans: bool = False,
    ) -> Iterator[Episode]:
        """Yield episodes ordered by condition, then replicate, holding few in memory.

        Parameters
        ----------
        condition : str, optional
            A condition's key.
        replicate : int, optional
            One replicate of each condition.
        outcomes : collection of str, optional
            Outcomes, and causes of having none, to keep.
        spans : bool
            Whether to read the spans; without, `Episode.spans` is empty.
        """
        where, values = self._filter(condition, replicate, outcomes)
        with reading(self.path):
            (retried,) = self._connection.execute("SELECT EXISTS (SELECT 1 FROM attempts)").fetchone()
            for row in self._connection.execute(_EPISODES.format(where), values):
                yield self._episode(row, spans=spans, attempts=bool(retried))

    def ended(self, words: Collection[str]) -> Iterator[tuple[str, int, str]]:
        """Yield condition key, replicate and ending of every episode that ended so, by replicate, then condition.

        Parameters
        ----------
        words : collection of str
            Outcomes, and causes of having none.
        """
        where, values = self._filter(None, None, words)
        keys = [condition.key for condition in self.conditions]
        query = f"SELECT condition, replicate, outcome, cause FROM episodes WHERE {where} ORDER BY replicate, condition"
        with reading(self.path):
            for condition, replicate, outcome, cause in self._connection.execute(query, values):
                yield (
                    keys[condition],
                    replicate,
                    CAUSES[cause] if outcome is None else self._outcomes[outcome],
                )

    def close(self) -> None:
        """Release the file."""
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _table(self, what: What) -> dict[str, Column]:
        if what not in TABLES:
            raise StoreError(f"what={what!r} must be one of {', '.join(TABLES)}.")
        with reading(self.path):
            return TABLES[what](self._connection, self.run)

    def _tallies(self) -> list[tuple[Any, ...]]:
        """Count episodes by condition and outcome or cause; a run that has ended knows the counts."""
        with reading(self.path):
            (status,) = self._connection.execute("SELECT status FROM run").fetchone()
            return self._connection.execute(
                _TALLY_EPISODES if status == "running" else "SELECT * FROM tallies"
            ).fetchall()

    def _filter(
        self, condition: str | None, replicate: int | None, outcomes: Collection[str] | None
    ) -> tuple[str, list[int]]:
        tests, values = ["TRUE"], []
        if condition is not None:
            tests.append("condition = ?")
            values.append(next((i for i, known in enumerate(self.conditions) if known.key == condition), -1))
        if replicate is not None:
            tests.append("replicate = ?")
            values.append(replicate)
        if outcomes is not None:
            codes = [i for i, word in enumerate(self._outcomes) if word in outcomes]
            causes = [i for i, word in enumerate(CAUSES) if word in outcomes]
            tests.append(f"(outcome IN ({marks(len(codes))}) OR cause IN ({marks(len(causes))}))")
            values += codes + causes
        return " AND ".join(tests), values

    def _episode(self, row: tuple[Any, ...], *, spans: bool, attempts: bool) -> Episode:
        condition, replicate, seed, outcome, cause, t, horizon, started_ns, wall_s, error, meta, *sums = row
        tokens_in, tokens_out, unknown_usage, spans_left_out = sums
        return Episode(
            self.conditions[condition].key,
            replicate,
            seed,
            None if outcome is None else self._outcomes[outcome],
            None if cause is None else CAUSES[cause],
            t,
            horizon,
            started_ns,
            wall_s,
            error,
            None if meta is None else json.loads(meta),
            tokens_in,
            tokens_out,
            unknown_usage,
            spans_left_out,
            spans=read_spans(self._connection, condition, replicate) if spans else (),
            attempts=read_attempts(self._connection, condition, replicate) if attempts else (),
        )

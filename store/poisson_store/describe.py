"""The file format as Markdown, made from the commented DDL: `python -m poisson_store.describe > docs/store.md`."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from poisson_store import index, schema

if TYPE_CHECKING:
    from collections.abc import Iterator

_ENDS = re.compile(r"\n\n(?=--)")
_COLUMN = re.compile(r"    (?P<column>[a-z_]+)(?P<type> [^,-]+)?,? *(?:-- (?P<comment>.*))?")

_PREFACE = f"""\
# The file format of a store

This page is made from the definitions in `poisson_store`; a test holds it to them.

A store is a directory. Each run is one SQLite file in it, `RUN_ID.sqlite`, which holds everything there is to
know about the run and can be copied, kept or sent on its own once the run has ended. While a run is being
written, two files beside it (`-wal`, `-shm`) belong to it; the end of the run folds them in, and after a
killed session the first reader does. `catalog.sqlite` holds what belongs to no single run: baselines and
saved comparisons. It is also the lock under which names are given; a store without it is complete.

A session that compares saves its comparison there, and so do `pytest-poisson report A B` and `pytest-poisson diff A B
--save`; `diff` alone and `check` leave the store as it is. `pytest-poisson runs` lists what is saved, and `diff ID` and
`report ID` read it back, for which the runs need not be there any more. The same runs compared in the same way have the
same id, and the last result stays. A store that cannot be written costs one sentence, never the comparison; a saved
comparison that is damaged is listed with its reason. `pytest-poisson forget ID` deletes one; a run is deleted with its
file. Each is written in one transaction, by any number of processes.

Anything that reads SQLite can use the tables below; the view `readable` has episodes in words. Python has more:

```python
from poisson_store import Store, open_run

path = Store(".poisson").resolve("latest")  # or the path of any run file
with open_run(path) as run:
    print(run.run.name, run.accounting())

    for episode in run.episodes(outcomes=["failed"], spans=True):  # one dataclass at a time
        print(episode.condition, episode.replicate, episode.error, [span.name for span in episode.spans])

    columns = run.columns()  # NumPy arrays of one length
    print(columns.wall_s[columns.outcome >= 0].mean())

    frame = run.to_pandas()  # one row an episode; where pandas is installed
    print(frame.groupby("axis.side")["outcome"].value_counts())
    table = run.to_arrow("spans")  # one row a span; where pyarrow is installed
```

| call | gives | reads |
|---|---|---|
| `episodes(condition, replicate, outcomes, spans=False)` | an iterator of `Episode`, ordered by condition, then replicate | what it yields, few at a time |
| `columns()`, `outcome_columns()` | `EpisodeColumns`, `OutcomeColumns`: NumPy arrays; words are positions in `outcomes` and `CAUSES`, -1 is none | no spans |
| `trace_columns()` | `TraceColumns`: how far each episode got | one span an episode |
| `span_usage()` | an iterator of what the spans of each episode used | no bodies |
| `usage()` | token sums of each condition | sums alone |
| `outcome_counts()`, `accounting()` | counts | counts alone once the run has ended |
| `to_arrow(what)`, `to_pandas(what)` | a table of `"episodes"` or `"spans"`; axes are columns `axis.NAME`, meta and attributes JSON text | all of it, into memory |

These names and the columns of the tables follow the version policy below; a closed run can be read by any number of
processes at once.

## Versions

A run file has the application id {schema.APPLICATION_ID:#010x} and its format version in `PRAGMA user_version`, now
{schema.VERSION}. A file of an older version is migrated when it is opened, each step in one transaction; one of a
newer version is refused. Within a version tables and columns keep their names and meaning; a new version
is named in the change log. Positions (`condition`, `outcome`, `rollout`, …) are of one file only: across files, match by
`key`, `word` and `id`.

| version | what changed |
|---|---|
"""


def describe() -> str:
    """Write the documentation of the file format."""
    history = "".join(f"| {version} | {change} |\n" for version, change in schema.HISTORY.items())
    run = "\n".join(_sections(schema.DDL))
    store = "\n".join(_sections(index.DDL))
    return f"{_PREFACE}{history}\n## Tables of a run\n\n{run}\n## Tables of `catalog.sqlite`\n\n{store}"


def _sections(ddl: str) -> Iterator[str]:
    for statement in _ENDS.split(ddl.strip()):
        comment, create, *body = statement.split("\n")
        kind, name = create.split()[1:3]
        yield f"### {'' if kind == 'TABLE' else 'View '}`{name}`\n\n{comment.removeprefix('-- ')}\n"
        yield _table(body) if kind == "TABLE" else "```sql\n" + "\n".join([create, *body]) + "\n```\n"


def _table(body: list[str]) -> str:
    keys = [line.strip(" ,") for line in body if line.strip().startswith(("PRIMARY KEY", "CHECK"))]
    rows = [
        f"| `{found['column']}` | {(found['type'] or '').strip()} | {found['comment'] or ''} |\n"
        for line in body
        if (found := _COLUMN.fullmatch(line))
    ]
    return "| column | type | |\n|---|---|---|\n" + "".join(rows) + "".join(f"\n`{key}`\n" for key in keys)


if __name__ == "__main__":
    sys.stdout.write(describe())

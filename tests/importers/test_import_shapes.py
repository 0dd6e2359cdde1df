"""Files of another shape than they should have are refused, whatever is wrong with them."""

import copy
import json
import random

import pytest

from poisson_store import StoreError
from poisson_store.importers import KINDS, Cut, Declared, Words, assemble
from poisson_store.importers.survey import take_survey
from tests.importers import test_import_deepeval as deepeval
from tests.importers import test_import_inspect as inspect_ai
from tests.importers import test_import_promptfoo as promptfoo
from tests.importers import test_import_ragas as ragas
from tests.importers import test_import_tau as tau

ODD = [None, True, 3, -1, 10**400, 0.5, float("nan"), "", "text", [], [1], [[]], {}, {"a": 1}, ["text"]]

SAMPLES = {
    "deepeval": (deepeval.RUN, deepeval.ARGUMENTS),
    "inspect": (inspect_ai.log(*inspect_ai.FOUR), {"scorer": "match", "judge": Words(("C",), ("I", "P"))}),
    "promptfoo": (
        promptfoo.v3(promptfoo.RESULTS),
        {"metric": "score", "judge": Cut("ge", 1), "case_by": ("vars",)},
    ),
    "ragas": (ragas.ROWS, ragas.ARGUMENTS),
    "tau": (tau.results(tau.simulation("0", 0), tau.simulation("1", 1)), tau.SOLVED),
}


def places(value, path=()):
    """List the paths of everything in a document."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def replaced(document, path, value):
    """Return a document with one value replaced."""
    if not path:
        return value
    document = copy.deepcopy(document)
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return document


@pytest.mark.parametrize("kind", SAMPLES)
@pytest.mark.parametrize("keep_text", [False, True])
def test_any_value_anywhere_is_imported_or_refused(tmp_path, kind, keep_text):
    """Whatever JSON value stands in whatever place, an import succeeds or is refused: it never crashes."""
    document, declared = SAMPLES[kind]
    draws = random.Random(kind)
    changes = [(path, value) for path in dict.fromkeys(places(document)) for value in draws.sample(ODD, 4)]
    given = Declared(name="r", paired_by="trial", keep_text=keep_text, **declared)
    crashed = []
    for path, value in draws.sample(changes, min(len(changes), 300)):
        (tmp_path / "r.json").write_text(json.dumps(replaced(document, path, value)), encoding="utf-8")
        try:
            read_twice(kind, tmp_path / "r.json", given)
        except StoreError:
            continue
        except Exception as crash:  # noqa: BLE001
            crashed.append((path, value, repr(crash)))
    assert crashed == []


def read_twice(kind, file, declared):
    """Do all of an import but the writing."""
    reader = KINDS[kind].load()([file], declared)
    survey = take_survey(kind, reader, declared)
    record = assemble._record(kind, reader, declared, survey)
    encoded = [json.dumps(part, allow_nan=False) for part in (record.environment, record.settings)]
    rows = list(assemble._rows(reader, declared, survey.conditions, record))
    for row in rows:
        texts = [
            row.error,
            row.meta,
            *(item for span in row.spans or () for item in (*span[:2], span[3], *span[6:8], *span[14:])),
        ]
        assert all(item is None or isinstance(item, str) for item in texts), texts
        numbers = [*row[5:9], *row[11:15], *(item for span in row.spans or () for item in span[4:6])]
        assert all(item is None or isinstance(item, (int, float)) for item in numbers), numbers
    assert rows
    assert encoded

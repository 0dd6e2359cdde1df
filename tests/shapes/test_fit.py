"""Documents that are read back: whatever stands in them is of the type that their schema says, or they are refused."""

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_poisson.analyses.check import check
from pytest_poisson.errors import UserError
from pytest_poisson.render.diff_documents import check_document
from pytest_poisson.result_files import read_result
from pytest_poisson.shapes.fit import require_types
from tests.schemas import faults
from tests.stored_runs import cell, endings, pair_of_runs


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    """Return what `check --json` writes of two small runs."""
    ended = [
        (cell(task=1), endings(resolved=20, timeout=9, errored=1)),
        (cell(task="b"), endings(resolved=30)),
    ]
    before, after = pair_of_runs(tmp_path_factory.mktemp("runs"), ended, ended[::-1])
    with before, after:
        return json.loads(json.dumps(check_document(check(before, after))))


def places(value, place=()):
    """Yield the place of everything in a document, as the names and numbers that lead there."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, each in inner:
        yield (*place, name)
        yield from places(each, (*place, name))


@given(data=st.data())
@settings(max_examples=60)
def test_a_type_is_accepted_where_the_schema_accepts_it(document, data):
    """With any one value replaced, a document has its types exactly where a validator of JSON Schema finds no fault."""
    place = data.draw(st.sampled_from(list(places(document))))
    changed = copy.deepcopy(document)
    around = changed
    for name in place[:-1]:
        around = around[name]
    around[place[-1]] = data.draw(st.sampled_from([None, [], ["x"], "x", "worse", -1, 0.5, True]))
    if "schema" in place:
        return
    if not faults(changed):
        require_types(changed, document["schema"])
        return
    with pytest.raises(TypeError, match="/".join(map(str, place[:1]))):
        require_types(changed, document["schema"])
    with pytest.raises(UserError, match=r"is no whole pytest-poisson\.check/1 document"):
        read_result(json.dumps(changed), "r.json")


@pytest.mark.parametrize("schema", [["a"], {}, 1, None])
def test_a_schema_that_is_no_text_is_refused(schema):
    """Whatever stands where a document says what it is, the refusal is a sentence."""
    with pytest.raises(UserError, match=r"^File 'r\.json' has the schema .*\.$"):
        read_result(json.dumps({"schema": schema}), "r.json")

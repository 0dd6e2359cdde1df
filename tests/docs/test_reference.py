"""The reference: every page is made from the code as it is."""

import importlib.util
import re

import pytest

from pytest_poisson.declaration import MARK
from pytest_poisson.rollout import Rollout
from tests.docs.commands import ROOT

SPEC = importlib.util.spec_from_file_location("make_reference", ROOT / "docs" / "make_reference.py")
reference = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(reference)
PAGES = reference.pages()


@pytest.mark.parametrize("page", PAGES)
def test_the_page_is_what_the_code_says(page):
    """`python docs/make_reference.py` would leave the page as it is."""
    assert (reference.FOLDER / page).read_text(encoding="utf-8") == PAGES[page]


def test_there_is_no_page_beside_them():
    """A page that nothing makes any more is removed."""
    assert {path.name for path in reference.FOLDER.iterdir()} == PAGES.keys()


def test_everything_public_of_the_fixture_is_described():
    """What `rollout` offers a test is on the page; what the plugin alone uses is not."""
    internal = {"outcome", "meta_json", "misuse", "seeds", "recording", "trace", "tracing"}
    made = set(re.findall(r"self\.(\w+)\b[^=\n]*= ", reference.inspect.getsource(Rollout.__init__)))
    offered = {name for name in made | vars(Rollout).keys() if not name.startswith("_")} - internal
    described = set(re.findall(r"(?:^\| `|`rollout\.)(\w+)", PAGES["rollout.md"], re.MULTILINE))
    assert offered == described - MARK.keys() - set(reference.RECORDING)


def test_a_docstring_becomes_markdown():
    """A section of a numpy docstring is a list, whose items keep their text."""

    def documented():
        """Do it.

        Parameters
        ----------
        one
            First,
            and on.
        two
            ``Second``.
        """

    text = "\n".join(reference.prose(documented))
    assert text == "Do it.\n\n**Parameters**\n\n- `one`: First, and on.\n- `two`: `Second`."


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({}, "anything"),
        ({"type": "integer"}, "integer"),
        ({"$ref": "#/$defs/RowShape"}, "[RowShape](#rowshape)"),
        (
            {"anyOf": [{"type": "array", "items": {"enum": ["a", 1]}}, {"type": "null"}]},
            "list of `a` or `1` or null",
        ),
        ({"type": "object", "additionalProperties": {}}, "object, each value anything"),
    ],
)
def test_a_kind_of_value_is_said_in_words(value, words):
    """Each form that the schemas of ours have is written for people."""
    assert reference.kind_of(value) == words


def test_no_form_of_the_schemas_is_lost_in_words():
    """Only a value that may be anything is called so."""
    open_fields = [
        value
        for name in reference.document_types()
        for shape in reference.json_schema(name)["$defs"].values()
        for value in shape["properties"].values()
        if "anything" in reference.kind_of(value)
    ]
    assert all("{}" in str(value) for value in open_fields)

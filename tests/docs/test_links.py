"""Links in the documents: none is dead, and the index of the site has every page."""

import re

import pytest

from tests.docs.commands import BLOCK, ROOT, documents

LINK = re.compile(r"\[[^]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
DOCUMENTS = documents()


def anchors(text):
    """Return the anchors that a rendered document has: one a heading, as GitHub and the site make them."""
    headings = (
        re.sub(r"[`*]", "", heading).strip().lower() for heading in HEADING.findall(BLOCK.sub("", text))
    )
    return [re.sub(r"[^\w -]", "", heading).replace(" ", "-") for heading in headings]


@pytest.mark.parametrize("page", DOCUMENTS)
def test_no_link_is_dead(page):
    """A relative link leads to a file of the repository, and its anchor to a heading of that file."""
    for link in LINK.findall(BLOCK.sub("", DOCUMENTS[page])):
        if link.startswith("https://"):
            continue
        target, _, anchor = link.partition("#")
        path = (ROOT / page).parent.joinpath(target).resolve() if target else ROOT / page
        assert path.is_file(), f"{page}: {link}"
        if anchor:
            assert anchor in anchors(path.read_text(encoding="utf-8")), f"{page}: {link}"


@pytest.mark.parametrize("page", DOCUMENTS)
def test_no_two_headings_share_an_anchor(page):
    """A link to a heading can mean one place only."""
    found = anchors(DOCUMENTS[page])
    assert len(set(found)) == len(found), [anchor for anchor in found if found.count(anchor) > 1]


def test_the_index_has_every_page():
    """Whatever users read is listed on the index, from which the site's contents are made."""
    listed = {
        (ROOT / "docs" / link).resolve().relative_to(ROOT).as_posix()
        for link in LINK.findall(DOCUMENTS["docs/index.md"])
    }
    assert listed == DOCUMENTS.keys() - {"docs/index.md"}


def test_a_dead_link_is_seen():
    """The patterns find a link and its heading, and leave out what stands in blocks of code."""
    text = "# A `b` c\n\n[x](y.md#a-b-c)\n\n```sh\n# [not](this)\n```\n"
    assert LINK.findall(BLOCK.sub("", text)) == ["y.md#a-b-c"]
    assert anchors(text) == ["a-b-c"]

"""Whatever a user's texts hold, they are shown as text: in the page, in Markdown, in the drawing."""

import re
from xml.etree import ElementTree as ET

from tests.browser.stored import HOSTILE

STRANGERS = "script:not([id=data]):not(:last-of-type), img, iframe, object, embed, link, base, form, [onerror], [onload]"


def test_hostile_texts_become_no_element(open_report):
    """Axis values, outcomes, variants, errors and spans that attack add nothing to the page, opened or not."""
    tab = open_report("hostile")
    for number in range(tab.locator("#rows tbody tr[id]").count()):
        tab.locator("#rows tbody tr[id] button").nth(number).click()
        tab.evaluate("document.querySelectorAll('.replicate').forEach(e => { e.open = true; })")
        assert tab.locator(STRANGERS).count() == 0
        assert tab.locator("style").count() == 1
    assert tab.evaluate("document.querySelectorAll('script').length") == 2


def test_hostile_texts_are_read_as_they_are(open_report):
    """The very words stand in the table, in the picture's labels, in an error, in a span's input."""
    tab = open_report("hostile")
    assert HOSTILE in tab.locator("#rows").inner_text()
    assert HOSTILE in tab.locator("#heat").inner_text()
    texts = []
    for number in range(tab.locator("#rows tbody tr[id]").count()):
        tab.locator("#rows tbody tr[id] button").nth(number).click()
        tab.evaluate("document.querySelectorAll('.replicate').forEach(e => { e.open = true; })")
        texts += tab.locator(".opened pre").all_inner_texts()
    assert f"What about {HOSTILE}?" in texts
    assert any(HOSTILE in text and text.startswith("ToolError") for text in texts)


def test_a_text_cannot_reach_the_network(open_report):
    """Should a text ever become an element, the page's policy keeps it from loading or sending anything."""
    tab = open_report("agent")
    policy = tab.locator("meta[http-equiv]").get_attribute("content")
    assert policy.startswith("default-src 'none'")
    assert "http" not in policy


def test_the_drawing_and_the_markdown_hold_them_as_text(report):
    """The SVG parses and has no element of theirs; no line of the Markdown opens an HTML element."""
    folder = report("hostile")
    root = ET.parse(folder / "heatmap.svg").getroot()
    names = {each.tag.rpartition("}")[2] for each in root.iter()}
    assert names <= {"svg", "title", "desc", "defs", "pattern", "rect", "path", "text", "g", "circle"}
    fenced, cells = False, 0
    for line in (folder / "report.md").read_text(encoding="utf-8").splitlines():
        fenced ^= line.startswith("```")
        assert fenced or "<" not in line
        bars = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("| ") else 0
        assert not cells or bars in {0, cells}
        cells = bars
    assert not fenced

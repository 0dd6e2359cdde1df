"""Survival curves as SVG: whole, readable without colour, with words for those who do not see it."""

import re
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from pytest_poisson.analyses.compare import compare
from pytest_poisson.analyses.where import where
from pytest_poisson.render.svg.frame import Frame, spread, ticks
from pytest_poisson.render.svg.survival import compare_svg, where_svg
from tests.render.scenarios import fixed_store
from tests.traced_runs import Trail, died, ended, task, write_traced

SVG = "{http://www.w3.org/2000/svg}"
TRAILS = [died(1), ended(1), died(3, "tool"), died(5, "db"), ended(8), Trail("timed_out", 4)] * 3


def draw(folder, *cells, name="A", **options):
    """Return the parsed drawing of one run, or of two."""
    store = fixed_store(folder)
    names = [name, "B & <C>"][: len(cells)]
    for each, its in zip(names, cells, strict=True):
        write_traced(store, each, its)
    readers = [store.open(each) for each in names]
    if len(readers) == 1:
        text = where_svg(where(readers[0], events=["timeout"], resamples=0, **options))
    else:
        text = compare_svg(compare(*readers, events=["timeout"], max_hazard_ratio=2, **options))
    for reader in readers:
        reader.close()
    return ET.fromstring(text), text


def texts(root):
    """Return every visible text."""
    return [each.text for each in root.iter(f"{SVG}text")]


def test_words_come_first(tmp_path):
    """Title and description are the first children, and the description has the figures of the curve."""
    root, _ = draw(tmp_path, [(task(1), TRAILS)])
    assert [child.tag for child in root][:2] == [f"{SVG}title", f"{SVG}desc"]
    assert root.find(f"{SVG}title").text == "Where the runs of 'A' die"
    assert "9 of 18 runs died (50 %)" in root.find(f"{SVG}desc").text
    assert "still alive: 0.833 after step 2, 0.625 after step 4" in root.find(f"{SVG}desc").text
    assert root.get("role") == "img"


def test_every_cause_has_a_hatch_of_its_own(tmp_path):
    """Areas are told apart by hatching and labelled by name and share, so that no colour is needed."""
    root, _ = draw(tmp_path, [(task(1), TRAILS)])
    patterns = root.findall(f".//{SVG}pattern")
    strokes = {pattern.find(f"{SVG}path").get("d") for pattern in patterns}
    assert len(patterns) == len(strokes) == 3
    assert [text for text in texts(root) if text.startswith(("llm ", "tool ", "db "))] == [
        "llm 0.17",
        "tool 0.21",
        "db 0.31",
    ]


def test_censored_runs_are_marked(tmp_path):
    """Each step at which a run was censored has one tick."""
    root, _ = draw(tmp_path, [(task(1), TRAILS)])
    marks = [path.get("d") for path in root.iter(f"{SVG}path") if path.get("d").endswith("v8")]
    assert [mark.count("v8") for mark in marks] == [3]


def test_two_curves_differ_in_colour_and_dash(tmp_path):
    """The second curve is dashed, both are named, and hostile names stay text."""
    root, text = draw(tmp_path, [(task(1), TRAILS)], [(task(1), TRAILS[::-1])])
    curves = [path for path in root.iter(f"{SVG}path") if path.get("stroke-width") == "2.2"]
    assert [curve.get("stroke-dasharray") for curve in curves] == [None, "7 4"]
    assert len({curve.get("stroke") for curve in curves}) == 2
    assert {"A", "B & <C>"} <= set(texts(root))
    assert "<C>" not in text


@pytest.mark.parametrize(
    "trails", [[ended(4)] * 3 + [died(0)], [died(2)], [died(1), ended(1)], [died(400), ended(1000)]], ids=str
)
def test_extremes_are_drawn(tmp_path, trails):
    """Nobody died, everybody died, one step, many steps: no coordinate is missing or outside the drawing."""
    root, text = draw(tmp_path, [(task(1), trails)])
    assert not re.search(r"nan|inf[^o]", text)
    width, height = (float(root.get(name)) for name in ("width", "height"))
    for path in root.findall(f"{SVG}path"):
        for x, y in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path.get("d")):
            assert 0 <= float(x) <= width
            assert 0 <= float(y) <= height


@pytest.mark.parametrize("sides", [1, 2])
def test_every_text_ends_inside_the_drawing(tmp_path, sides):
    """The names of runs fit where they stand, though a run without a name is called by its id, of 21 characters."""
    for name in ("2026-11-29T20:13-8aa4", "n" * 100):
        root, _ = draw(tmp_path / name[:9], *[[(task(1), TRAILS)]] * sides, name=name)
        for text in root.iter(f"{SVG}text"):
            size = float(text.get("font-size")) * (0.7 if text.get("font-weight") else 0.62)  # of a digit
            if text.get("text-anchor") == "start":
                assert float(text.get("x")) + size * len(text.text) <= float(root.get("width")), text.text


def test_equal_results_give_equal_bytes(tmp_path):
    """A drawing depends on the result alone."""
    assert draw(tmp_path / "a", [(task(1), TRAILS)])[1] == draw(tmp_path / "b", [(task(1), TRAILS)])[1]


@pytest.mark.parametrize("last", [1, 2, 7, 8, 9, 61, 80, 1000, 9999])
def test_ticks(last):
    """Ticks begin at 0, are whole, evenly apart, at most eight and not beyond the last step."""
    found = ticks(last)
    assert found[0] == 0
    assert len(found) <= 8
    assert found[-1] <= last < found[-1] + (found[1] - found[0])
    assert all(step == int(step) for step in found)


def test_labels_do_not_overlap():
    """Labels that want the same place are moved apart, in order, and stay inside."""
    placed = spread([50, 50, 51, 98], 15, 0, 100)
    assert placed == sorted(placed)
    assert all(later - earlier >= 15 for earlier, later in pairwise(placed))
    assert max(placed) <= 100


def test_scales():
    """Step 0 stands left, the last right; share 0 below, 1 above."""
    frame = Frame(10, 20, 100, 50, 8)
    assert (frame.x(0), frame.x(8), frame.y(0), frame.y(1)) == (10, 110, 70, 20)

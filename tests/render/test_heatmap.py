"""The drawing of every condition: whole, told apart without colour, text stays text, and hundreds still fit."""

from collections import Counter
from xml.etree import ElementTree as ET

import pytest

from poisson_store import Store
from pytest_poisson.analyses.shares import shares
from pytest_poisson.analyses.show import show
from pytest_poisson.errors import UserError
from pytest_poisson.render.svg.heatmap import heatmap_svg
from pytest_poisson.render.tiles import comparison_tiles, place, share_tiles
from tests.render import scenarios
from tests.stored_runs import cell, endings, write_run

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>x</script>]]>&\"'"


def tiles_of(root):
    """Return every drawn tile by its number."""
    return {int(each.get("data-row")): each for each in root.iter(f"{SVG}g") if each.get("class") == "tile"}


def draw(result, **axes):
    """Return the parsed drawing of a comparison."""
    return ET.fromstring(
        heatmap_svg(comparison_tiles(result, **axes), title="t", importance=result.importance)
    )


def test_every_row_has_a_tile_that_says_its_numbers(tmp_path):
    """Each condition and event is drawn once, with counts, change, interval and limits as its title."""
    result = scenarios.trade(tmp_path)
    tiles = tiles_of(draw(result))
    assert sorted(tiles) == list(range(len(result.rows)))
    for number, row in enumerate(result.rows):
        tip = tiles[number].find(f"{SVG}title").text
        assert f"{row.before.events}/{row.before.outcomes}" in tip
        assert f"{row.after.events}/{row.after.outcomes}" in tip
        assert row.word in tip
        assert "interval" in tip


def test_looks_differ_without_colour(tmp_path):
    """Worse points up, safer down, what cannot be told is hatched, and what did not change has no mark."""
    shapes = {}
    for name in ("trade", "too_small", "equal"):
        result = getattr(scenarios, name)(tmp_path / name)
        for number, tile in tiles_of(draw(result)).items():
            row = result.rows[number]
            ys = [
                part.split()[1] for each in tile.iter(f"{SVG}path") for part in each.get("d")[1:-1].split("L")
            ]
            mark = "up" if ys and float(ys[0]) > float(ys[2]) else "down" if ys else "none"
            hatched = any("url(" in each.get("fill", "") for each in tile.iter(f"{SVG}rect"))
            shapes.setdefault((row.word, row.counted), set()).add((mark, hatched))
    assert shapes["worse", True] == {("up", False)}
    assert shapes["safer", True] == {("down", False)}
    assert shapes["too small to tell", False] == {("none", True)}
    assert shapes["no significant change", False] == {("none", False)}


def test_tiles_do_not_overlap(tmp_path):
    """No two tiles of a heatmap stand in the same place, whichever axes are named."""
    result = scenarios.trade(tmp_path)
    for axes in ({}, {"x": "task"}, {"x": "tool_fail_rate", "y": "task"}, {"y": "task"}):
        rects = [tile.find(f"{SVG}rect") for tile in tiles_of(draw(result, **axes)).values()]
        assert max(Counter((each.get("x"), each.get("y")) for each in rects).values()) == 1


def test_other_axes_get_parts_of_their_own():
    """With both axes named, each value of a third is a part of the drawing."""
    cells = [cell(a=a, b=b, c=c) for a in "xy" for b in "pq" for c in "mn"]
    placed = place(cells, "a", "b")
    assert {each.part for each in placed.values()} == {"c = m", "c = n"}
    assert len({(each.part, each.column, each.row) for each in placed.values()}) == 8


@pytest.mark.parametrize(
    ("axes", "words"),
    [({"x": "nope"}, "--x=nope is no axis; there are task"), ({"x": "task", "y": "task"}, "both task")],
)
def test_unknown_axes_are_refused(axes, words):
    """An axis that no condition has is refused with those there are."""
    with pytest.raises(UserError) as refusal:
        place([cell(task="a")], **axes)
    assert words in str(refusal.value)


def test_hundreds_become_ranked_dots_within_a_page(tmp_path):
    """Of 800 conditions the 300 most important are drawn, ranked by size, and the drawing says how many there are."""
    before = [(cell(task=f"t{number}"), endings(resolved=10, timeout=number % 10)) for number in range(800)]
    result = scenarios.two(
        tmp_path, before, [(each, ended[::-1]) for each, ended in before], events=["timeout"]
    )
    root = draw(result)
    tiles = tiles_of(root)
    assert len(tiles) == 300
    assert set(tiles) == set(result.importance[:300])
    assert float(root.get("height")) < 1600
    assert float(root.get("width")) < 900
    assert any("300 of 800 conditions" in (each.text or "") for each in root.iter(f"{SVG}text"))


def test_text_stays_text(tmp_path):
    """Axis values cannot become elements; the drawing parses and holds them as they are."""
    cells = [(cell(task=HOSTILE), endings(resolved=20)), (cell(task="b"), endings(resolved=20))]
    root = draw(scenarios.two(tmp_path, cells, cells))
    assert not list(root.iter(f"{SVG}script"))
    assert any(HOSTILE in each.text for each in root.iter(f"{SVG}title"))


def test_one_run_is_drawn_as_shares(tmp_path):
    """A run alone has bars as long as its shares, and no look of a verdict."""
    write_run(
        Store(tmp_path),
        "one",
        [(cell(task=t), endings(timeout=k, resolved=20 - k)) for t, k in (("a", 5), ("b", 0))],
    )
    with Store(tmp_path).open("one") as run:
        tiles = share_tiles(shares(show(run), ["timeout"]))
    assert {tile.look for tile in tiles} == {"share"}
    drawn = tiles_of(ET.fromstring(heatmap_svg(tiles, title="t")))
    widths = [[float(rect.get("width")) for rect in drawn[number].iter(f"{SVG}rect")] for number in (0, 1)]
    assert widths[0][0] / widths[0][1] == pytest.approx(0.25)
    assert widths[1][0] == 0


def test_a_row_is_named_at_its_middle(tmp_path):
    """The name of a heatmap's row stands at the height of its cells."""
    root = draw(scenarios.trade(tmp_path), x="task")
    names = sorted(
        {float(t.get("y")) for t in root.iter(f"{SVG}text") if (t.text or "").startswith("tool_fail_rate")}
    )
    tops = sorted({float(tile.find(f"{SVG}rect").get("y")) for tile in tiles_of(root).values()})
    assert len(names) == len(tops)
    assert all(top + 10 < name < top + 24 for name, top in zip(names, tops, strict=True))

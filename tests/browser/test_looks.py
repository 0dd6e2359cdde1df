"""Dark and light, narrow and wide, without colour; and nothing that a checker of accessibility calls serious."""

import pytest

OPEN = (
    "document.querySelector('#rows tbody button').click(); document.querySelector('.replicate').open = true"
)


def serious(tab):
    """Return what axe finds serious or critical."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(tab).response["violations"]
    return [
        (each["id"], [node["html"][:200] for node in each["nodes"]][:3])
        for each in found
        if each["impact"] in {"serious", "critical"}
    ]


@pytest.mark.parametrize(
    ("name", "scheme"),
    [
        ("agent", "light"),
        ("agent", "dark"),
        ("many", "dark"),
        ("run", "light"),
        ("fix", "dark"),
        ("hostile", "light"),
    ],
)
def test_axe_finds_nothing_serious(open_report, name, scheme):
    """Nor with a row and a replicate opened, which shows everything that there is at first as well."""
    tab = open_report(name, color_scheme=scheme)
    tab.evaluate(OPEN)
    assert serious(tab) == []


def test_dark_is_dark_and_light_is_light(open_report):
    """The page follows what the reader's system asks for."""
    colours = {}
    for scheme in ("light", "dark"):
        tab = open_report("agent", color_scheme=scheme)
        colours[scheme] = tab.evaluate(
            "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
        )
    assert colours == {
        "light": ["rgb(255, 255, 255)", "rgb(17, 17, 17)"],
        "dark": ["rgb(22, 22, 22)", "rgb(238, 238, 238)"],
    }


@pytest.mark.parametrize("name", ["agent", "many", "hostile"])
def test_a_narrow_window_does_not_scroll_sideways(open_report, name):
    """At 320 pixels the page is as wide as the window; what is wider scrolls by itself."""
    tab = open_report(name, viewport={"width": 320, "height": 740})
    tab.evaluate(OPEN)
    assert tab.evaluate("document.documentElement.scrollWidth") == 320
    assert tab.locator(".opened").bounding_box()["width"] <= 320


def test_a_window_of_a_desk_shows_every_column(open_report):
    """At 1280 pixels no table is wider than the page: digests stand beside each other and break."""
    tab = open_report("agent", viewport={"width": 1280, "height": 900})
    hidden = "[...document.querySelectorAll('.wide')].filter(e => e.scrollWidth > e.clientWidth).length"
    assert tab.evaluate(hidden) == 0


def test_looks_are_told_without_colour(open_report):
    """Each look of a cell has its own mark, fill or hatching, whatever its colour."""
    tab = open_report("agent")
    signs = {}
    for cell in tab.locator("#heat .cell").all():
        look, sign = cell.evaluate(
            "e => [e.className, e.textContent.charAt(0).replace(/[-+0]/, '') +"
            " (getComputedStyle(e).backgroundImage === 'none' ? '' : 'hatched')]"
        )
        signs.setdefault(look, set()).add(sign)
    assert signs == {
        "cell worse": {"\u25b2"},
        "cell weakly-worse": {"\u25b3"},
        "cell blind": {"hatched"},
    }


def test_a_legend_explains_what_is_there(open_report):
    """The looks of cells are explained where there are cells with a verdict, those of dots in the drawing itself."""
    for name, shown in (("agent", True), ("many", False), ("run", False), ("fix", False)):
        assert open_report(name).locator("#legend").is_visible() is shown
    assert "triangle up: worse" in open_report("many").locator("#drawn").inner_text()

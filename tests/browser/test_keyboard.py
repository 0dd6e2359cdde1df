"""Everything can be reached, read and left with the keyboard alone."""

from tests.browser.test_table import numbers_shown


def focused(tab, script="e => e.getAttribute('aria-label') || e.textContent"):
    """Return something of the focused element."""
    return tab.evaluate(f"({script})(document.activeElement)")


def tab_to(tab, wanted, most=40):
    """Press Tab until the focused element matches a selector."""
    for _ in range(most):
        tab.keyboard.press("Tab")
        if tab.evaluate(f"document.activeElement.matches({wanted!r})"):
            return
    raise AssertionError(f"{wanted} cannot be reached by Tab")


def test_the_picture_is_one_stop_and_arrows_move_in_it(open_report):
    """Tab reaches one cell; arrows, Home and End go to the others; the figures follow; Tab leaves the picture."""
    tab = open_report("agent")
    tab_to(tab, "#heat .cell")
    first = focused(tab)
    assert tab.locator("#readout h3").inner_text() in first
    tab.keyboard.press("ArrowRight")
    assert focused(tab) != first
    assert focused(tab).startswith(tab.locator("#readout h3").inner_text())
    tab.keyboard.press("ArrowLeft")
    assert focused(tab) == first
    tab.keyboard.press("ArrowLeft")
    assert focused(tab) == first
    reached = {first}
    for _ in range(30):
        tab.keyboard.press("ArrowDown")
        reached.add(focused(tab))
    assert len(reached) == 12
    tab.keyboard.press("Home")
    assert focused(tab) == first
    tab.keyboard.press("End")
    assert tab.locator("#heat .cell").last.evaluate("e => e === document.activeElement")
    tab_to(tab, "#find", most=4)


def test_a_row_is_opened_and_left_again(open_report):
    """Enter on a cell opens its row with the focus on it; Escape closes it and returns to the cell."""
    tab = open_report("agent")
    tab_to(tab, "#heat .cell")
    tab.keyboard.press("End")
    cell = focused(tab)
    tab.keyboard.press("Enter")
    assert focused(tab, "e => e.getAttribute('aria-expanded')") == "true"
    tab_to(tab, ".replicate summary")
    tab.keyboard.press("Enter")
    assert tab.locator(".replicate[open]").count() == 1
    tab.keyboard.press("Escape")
    assert tab.locator(".opened").count() == 0
    assert focused(tab) == cell


def test_the_table_is_sorted_and_opened_from_the_keyboard(open_report):
    """A heading sorts on Enter and keeps the focus; a row opens and closes on Space."""
    tab = open_report("agent")
    before = numbers_shown(tab)
    tab_to(tab, "#rows thead th:nth-child(5) button")
    tab.keyboard.press("Enter")
    assert numbers_shown(tab) != before
    assert focused(tab) == "change"
    tab_to(tab, "#rows tbody button")
    tab.keyboard.press("Space")
    assert tab.locator(".opened").count() == 1
    assert focused(tab, "e => e.getAttribute('aria-expanded')") == "true"
    tab.keyboard.press("Space")
    assert tab.locator(".opened").count() == 0
    assert focused(tab, "e => e.getAttribute('aria-expanded')") == "false"


def test_drawn_dots_are_reached_as_cells_are(open_report):
    """Of the ranked dots, too, one is reached by Tab and the others by arrows, with their figures."""
    tab = open_report("many")
    tab_to(tab, "#drawn .tile")
    first = focused(tab)
    assert "interval" in first
    tab.keyboard.press("ArrowDown")
    assert focused(tab) != first
    assert tab.locator("#readout h3").inner_text() in focused(tab)


def test_what_has_the_focus_can_be_seen(open_report):
    """The focused cell, heading and row have an outline."""
    tab = open_report("agent")
    for wanted in ("#heat .cell", "#rows thead button", "#rows tbody button"):
        tab_to(tab, wanted)
        style = focused(tab, "e => getComputedStyle(e).outlineStyle + getComputedStyle(e).outlineWidth")
        assert style == "solid3px"

"""The table and the picture answer: sort, filter, switch events, choose axes, turn pages, print."""

import pytest

from tests.browser.stored import rows_of
from tests.render.figures import label_of


def numbers_shown(tab):
    """Return the numbers of the rows that the table shows, in order."""
    return [int(each.get_attribute("id")[4:]) for each in tab.locator("#rows tbody tr[id]").all()]


def head(tab, name):
    """Return a heading of the table."""
    return tab.locator("#rows thead th").filter(has=tab.get_by_role("button", name=name, exact=True))


def test_sorting_goes_up_down_and_back(open_report, report):
    """A click on a heading sorts by its figures, the next one the other way, the third as it was."""
    tab, rows = open_report("agent"), rows_of(report)
    first = numbers_shown(tab)
    for name, figure in (("change", lambda row: row["change"]), ("after", lambda row: row["after"]["rate"])):
        button = head(tab, name).get_by_role("button")
        button.click()
        assert head(tab, name).get_attribute("aria-sort") == "ascending"
        figures = [round(figure(rows[number]), 5) for number in numbers_shown(tab)]
        assert figures == sorted(figures)
        button.click()
        assert head(tab, name).get_attribute("aria-sort") == "descending"
        figures = [round(figure(rows[number]), 5) for number in numbers_shown(tab)]
        assert figures == sorted(figures, reverse=True)
        button.click()
        assert head(tab, name).get_attribute("aria-sort") is None
        assert numbers_shown(tab) == first


def test_filters_keep_what_fits(open_report, report):
    """Words in the field and a word of the list each keep the rows that have them, and the count is said."""
    tab, rows = open_report("agent"), rows_of(report)
    tab.locator("#find").fill("REFUND")
    assert set(numbers_shown(tab)) == {n for n, row in enumerate(rows) if row["axes"]["task"] == "refund"}
    assert tab.locator("#shown").inner_text() == "rows 1 to 8 of 8"
    tab.locator("#word").select_option("worse")
    wanted = {n for n, row in enumerate(rows) if row["word"] == "worse" and row["counted"]}
    assert set(numbers_shown(tab)) == wanted
    tab.locator("#find").fill("nothing like it")
    assert numbers_shown(tab) == []
    assert tab.locator("#shown").inner_text() == "no row fits"


def test_an_event_is_chosen_for_picture_and_table(open_report, report):
    """Switched to one event, picture and table show its rows alone; `all` brings the others back."""
    tab, rows = open_report("agent"), rows_of(report)
    wanted = {n for n, row in enumerate(rows) if row["event"] == "violated"}
    tab.get_by_label("Event").select_option("violated")
    assert set(numbers_shown(tab)) == wanted
    cells = {int(each.get_attribute("data-row")) for each in tab.locator("#heat .cell").all()}
    assert cells == wanted
    tab.get_by_label("Event").select_option("all")
    assert tab.locator("#heat .cell").count() == len(rows)


def test_axes_are_chosen_in_the_page(open_report, report):
    """With three axes, any two can stand across and down: the third makes parts, and no condition is lost."""
    tab, rows = open_report("agent"), rows_of(report)
    tab.get_by_label("Event").select_option("timeout")
    for across, down, rest in (("task", "model", "tools"), ("tools", "task", "model")):
        tab.get_by_label("Across").select_option(across)
        tab.get_by_label("Down").select_option(down)
        values = {name: {str(row["axes"][name]) for row in rows} for name in (across, down, rest)}
        assert tab.locator("#heat table").count() == len(values[rest])
        first = tab.locator("#heat table").first
        assert set(first.locator("thead th").all_inner_texts()) == {f"{across} = {v}" for v in values[across]}
        assert set(first.locator("tbody th").all_inner_texts()) == {f"{down} = {v}" for v in values[down]}
        for cell in tab.locator("#heat .cell").all():
            row = rows[int(cell.get_attribute("data-row"))]
            place = cell.evaluate(
                "e => [e.closest('table').caption.textContent, e.closest('tr').cells[0].textContent,"
                " e.closest('table').tHead.rows[0].cells[e.parentNode.cellIndex].textContent]"
            )
            axes = row["axes"]
            wanted = [
                f"timeout: {rest} = {axes[rest]}",
                f"{down} = {axes[down]}",
                f"{across} = {axes[across]}",
            ]
            assert place == wanted
        assert tab.locator("#heat .cell").count() == 12


def test_a_cell_opens_its_row_wherever_it_is(open_report, report):
    """A click on a cell opens its row, though a filter hid it, and moves there."""
    tab, rows = open_report("agent"), rows_of(report)
    tab.locator("#find").fill("nothing like it")
    cell = tab.locator("#heat .cell.worse").first
    number = int(cell.get_attribute("data-row"))
    cell.click()
    assert tab.locator(f"#row-{number} button").get_attribute("aria-expanded") == "true"
    assert tab.evaluate("document.activeElement.textContent") == label_of(rows[number])


def test_a_thousand_conditions_are_shown_in_parts(open_report, report):
    """Few elements stand for thousands of rows: ranked dots with intervals, and a table in pages."""
    tab, rows = open_report("many"), rows_of(report, "many")
    assert len(rows) == 2000
    assert (report("many") / "report.html").stat().st_size < 2_000_000
    assert tab.evaluate("document.getElementsByTagName('*').length") < 5000
    dots = tab.locator("#drawn figure:not([hidden])")
    assert dots.count() == 2
    assert "300 of 1,000 conditions, ranked" in dots.first.inner_text()
    tab.get_by_label("Event").select_option("violated")
    assert dots.count() == 1
    assert tab.locator("#shown").inner_text() == "rows 1 to 50 of 1000"
    seen = set(numbers_shown(tab))
    tab.get_by_role("button", name="Later rows").click()
    assert tab.locator("#shown").inner_text() == "rows 51 to 100 of 1000"
    assert not seen & set(numbers_shown(tab))
    tab.locator("#find").fill("item-0417")
    assert [label_of(rows[number]) for number in numbers_shown(tab)] == ["item-0417"]


def test_print_says_what_it_leaves_out(open_report):
    """In print there are more rows than on the screen and no controls, and the cut is stated."""
    tab = open_report("many")
    tab.emulate_media(media="print")
    tab.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert len(numbers_shown(tab)) == 200
    assert tab.locator("#cut").inner_text() == "In print: 200 of 2000 rows; report.md has all."
    for hidden in ("#controls", "#choices", "#readout", "#pager"):
        assert not tab.locator(hidden).is_visible()
    assert tab.pdf().startswith(b"%PDF")
    tab.emulate_media(media="screen")
    tab.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert len(numbers_shown(tab)) == 50


@pytest.mark.slow
def test_ten_thousand_conditions_still_open(open_report, report):
    """As many conditions as a large benchmark has are opened, searched and sorted."""
    tab, rows = open_report("huge"), rows_of(report, "huge")
    assert len(rows) == 20_000
    assert tab.evaluate("document.getElementsByTagName('*').length") < 5000
    tab.locator("#find").fill("item-9417")
    assert [label_of(rows[number]) for number in numbers_shown(tab)] == ["item-9417"] * 2
    tab.locator("#find").fill("")
    head(tab, "change").get_by_role("button").click()
    changes = [rows[number]["change"] for number in numbers_shown(tab)]
    assert changes == sorted(changes)

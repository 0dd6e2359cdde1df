"""What a person reads in the page is what the JSON beside it says."""

import hashlib
import json
import re
from itertools import pairwise

from tests.browser.stored import rows_of
from tests.render.figures import cells_of, facts_of, label_of, rate


def facts_shown(place):
    """Return the facts that are shown somewhere, by name."""
    terms, said = place.locator("dt").all_inner_texts(), place.locator("dd").all_inner_texts()
    return dict(zip(terms, said, strict=True))


def test_hovering_a_cell_reads_its_numbers(open_report, report):
    """The pointer over any cell of the picture shows the condition's name and every figure of its row."""
    tab, rows = open_report("agent"), rows_of(report)
    cells = tab.locator("#heat .cell")
    assert cells.count() == len(rows)
    for at in range(0, len(rows), 5):
        cell = cells.nth(at)
        row = rows[int(cell.get_attribute("data-row"))]
        cell.hover()
        assert tab.locator("#readout h3").inner_text() == f"{label_of(row)}, {row['event']}"
        assert facts_of(row).items() <= facts_shown(tab.locator("#readout")).items()


def test_a_dot_is_read_wherever_its_line_is_pointed_at(open_report, report):
    """The pointer anywhere in the line of a ranked dot reads that condition's figures."""
    tab, rows = open_report("many"), rows_of(report, "many")
    tile = tab.locator("#drawn figure").first.locator(".tile").nth(40)
    row = rows[int(tile.get_attribute("data-row"))]
    tile.scroll_into_view_if_needed()
    box = tile.bounding_box()
    tab.mouse.move(box["x"] + 3, box["y"] + box["height"] / 2)
    assert tab.locator("#readout h3").inner_text() == f"{label_of(row)}, {row['event']}"


def test_every_cell_of_the_table_is_the_json(open_report, report):
    """Each row of the table has the counts, change, interval, word and limits of the JSON's row."""
    tab, rows = open_report("agent"), rows_of(report)
    for number, row in enumerate(rows):
        line = tab.locator(f"#row-{number}")
        assert line.locator("th").inner_text().endswith(label_of(row))
        assert line.locator("td").all_inner_texts() == [row["event"], *cells_of(row)]


def test_an_opened_row_says_how_its_replicates_ended(open_report, report):
    """The bar of each arm has the JSON's counts, and parts as long as they are."""
    tab, rows = open_report("agent"), rows_of(report)
    arms = json.loads((report("agent") / "report.json").read_text(encoding="utf-8"))["arms"]
    tab.locator("#row-0 button").click()
    shown = tab.locator(".opened .arm").all()
    for place, arm in zip(shown, arms, strict=True):
        key = {word: int(count) for word, _, count in map(last_word, place.locator("li").all_inner_texts())}
        counts = arm["outcomes"][rows[0]["key"]]
        assert {word: count for word, count in counts.items() if count}.items() <= key.items()
        widths = [part.bounding_box()["width"] for part in place.locator(".bar .part").all()]
        assert [round(60 * width / sum(widths)) for width in widths] == list(key.values())
    assert facts_of(rows[0]).items() <= facts_shown(tab.locator(".opened > .facts")).items()


def last_word(text):
    """Return what stands before the last blank, and after it."""
    return text.rpartition(" ")


def test_a_failing_replicate_can_be_looked_into(open_report, report):
    """It has its ending, t, tokens, error, span tree and command, and how many there are is said."""
    document = json.loads((report("agent") / "report.json").read_text(encoding="utf-8"))
    tab, failing = open_report("agent"), document["failing"]
    rows = document["diff"]["rows"]
    number = next(n for n, row in enumerate(rows) if row["key"] == failing["shown"][0]["condition"])
    shown = [each for each in failing["shown"] if each["condition"] == rows[number]["key"]]
    tab.locator(f"#row-{number} button").click()
    totals = failing["total"][rows[number]["key"]]
    assert f"{len(shown)} of {totals[1]} in patched shown here." in tab.locator(".opened").inner_text()
    assert tab.locator(".replicate").count() == len(shown)
    for each, place in zip(shown, tab.locator(".replicate").all(), strict=True):
        place.locator("summary").click()
        ended = each["outcome"] or each["cause"]
        assert f"replicate {each['replicate']}: {ended} at t = {each['t']} of 30" in place.inner_text()
        facts = facts_shown(place.locator(".facts"))
        assert facts["seed"] == str(each["seed"])
        assert facts["tokens"] == f"{each['tokens']['in']} in, {each['tokens']['out']} out"
        assert f"--poisson-replicate={each['replicate']} --poisson-run=patched" in place.inner_text()
        assert not each["error"] or each["error"] in place.locator("pre.error").first.inner_text()
        names = [f"{span['kind']} {span['name']}" for span in each["spans_shown"]]
        assert place.locator(".spans b").all_inner_texts() == names
        assert place.locator(".spans ul").count() == nested(each["spans_shown"])


def nested(spans):
    """Count the lists inside lists that a tree of spans needs."""
    depths = [0, *(span["depth"] for span in spans)]
    return sum(max(0, after - before) for before, after in pairwise(depths))


def test_cost_survival_and_provenance_are_the_json(open_report, report):
    """Tokens, costs, deaths, run ids, salts and commits on the page are those of the JSON; its digest is stated."""
    text = (report("agent") / "report.json").read_text(encoding="utf-8")
    document = json.loads(text)
    page = open_report("agent").locator("main").inner_text()
    for arm in document["tokens"]["arms"]:
        total = arm["total"]
        least = ">=" * total["cost_is_a_lower_bound"]
        assert f"{total['tokens_in']:,}\t{total['tokens_out']:,}\t{least}{total['cost']:.4f}" in page
    for arm, found in zip(document["arms"], document["survival"], strict=True):
        curve = found["survival"]
        assert f"{arm['name']}: {curve['deaths']} of {curve['placed']} runs died" in page
        for fact in (arm["run_id"], arm["salt"], arm["environment"]["git"]["commit"]):
            assert fact in page
    assert hashlib.sha256(text.encode()).hexdigest() in page


def test_one_run_shows_its_shares(open_report, report):
    """The page of one run has its shares and intervals, and no word of a verdict."""
    tab = open_report("run")
    document = json.loads((report("run") / "report.json").read_text(encoding="utf-8"))
    for number, each in enumerate(document["shares"]):
        seen, ends = each["seen"], f"{rate(each['low'])} to {rate(each['high'])}"
        cells = [each["event"], f"{seen['events']}/{seen['outcomes']}", rate(seen["rate"]), ends]
        assert tab.locator(f"#row-{number} td").all_inner_texts() == cells
    assert "no test was made" in tab.locator("main").inner_text()
    assert not re.search(r"\b(worse|safer)\b", tab.locator("#table").inner_text())


def test_without_scripts_it_still_says_its_main_content(open_report):
    """Verdict, accounting, a picture and the table stand there where no script runs."""
    tab = open_report("agent", java_script_enabled=False)
    text = tab.locator("main").inner_text()
    assert "worse: of 24 tests" in text
    assert "720 replicates planned" in text
    assert tab.locator("#drawn svg .tile").count() == 24
    assert tab.locator("#rows tbody tr").count() == 24


def test_a_fix_check_shows_its_inputs(open_report, report):
    """Its page has every input's counts and the failing replicates of both versions."""
    tab = open_report("fix")
    document = json.loads((report("fix") / "report.json").read_text(encoding="utf-8"))
    inputs = document["fix_check"]["inputs"]
    assert tab.locator("#rows tbody tr").count() == len(inputs) == 8
    for number, each in enumerate(inputs):
        counts = [f"{each[side]['events']}/{each[side]['outcomes']}" for side in ("old", "new")]
        assert tab.locator(f"#row-{number} td").all_inner_texts()[1:3] == counts
    tab.locator("#rows tbody button").first.click()
    assert tab.locator(".replicate").count() > 0

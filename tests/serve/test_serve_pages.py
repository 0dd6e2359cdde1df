"""`pytest-poisson serve`: what its pages show, and who is refused."""

import base64
import hashlib
import json
import re
import shutil
from collections import Counter
from dataclasses import replace

import pytest

from poisson_store import Store
from poisson_store.records import RunRecord, Span
from pytest_poisson.conditions import condition_key
from tests import priced_runs
from tests.render import scenarios
from tests.render.elements import HOSTILE, Elements
from tests.store.support import sql
from tests.stored_runs import SALT, SUPPORT, cell, endings, write_run

werkzeug_test = pytest.importorskip("werkzeug.test")
PORT = 4321
HERE = f"http://127.0.0.1:{PORT}"


class Visitor:
    """Asks the application for pages as a browser would, and follows none of its links by itself."""

    def __init__(self, folder):
        from pytest_poisson.serve.app import Browser

        self.client = werkzeug_test.Client(Browser(Store(folder), PORT))

    def ask(self, path, method="GET", base_url=HERE, **more):
        """Return the answer to a request."""
        return self.client.open(path, method=method, base_url=base_url, **more)

    def see(self, path, status=200):
        """Return a page taken apart, checked for its status."""
        answer = self.ask(path)
        assert answer.status_code == status, answer.text
        return Elements(answer.text)


def links(page):
    """Return where a page leads."""
    return [attrs["href"] for tag, attrs in page.found if tag == "a"]


@pytest.fixture(scope="module")
def trade_made(tmp_path_factory):
    """Return a store with two runs whose comparison is a trade, and their ids."""
    folder = tmp_path_factory.mktemp("trade")
    result = scenarios.trade(folder)
    return folder, result.before.run_id, result.after.run_id


@pytest.fixture
def traded(trade_made, tmp_path):
    """Return a visitor of a test's own copy of that store, and the runs' ids."""
    folder, *runs = trade_made
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    return Visitor(tmp_path), *runs


@pytest.fixture(scope="module")
def trace_made(tmp_path_factory):
    """Return a store with a run with spans, and its id."""
    folder = tmp_path_factory.mktemp("trace")
    return folder, priced_runs.write_priced(Store(folder))


@pytest.fixture
def traced(trace_made, tmp_path):
    """Return a visitor of a test's own copy of that store, and the run's address."""
    folder, run = trace_made
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    return Visitor(tmp_path), f"/runs/{run}"


def shape(path):
    """Return an address with the names in it left out."""
    return re.sub(r"[0-9a-f]{16}|[0-9TZ]{16}-[0-9a-f]{4}|\d+", "x", path)


def test_every_link_leads_to_a_page(traded):
    """From the list of runs every kind of page can be reached, and no link on the way is dead."""
    visitor, before, after = traded
    waiting, seen = ["/", f"/compare?before={before}&after={after}"], Counter()
    while waiting:
        path = waiting.pop(0)
        seen[shape(path)] += 1
        found = links(visitor.see(path)) if seen[shape(path)] <= 4 else []
        waiting += [each for each in found if each not in waiting]
    assert set(seen) >= {"/", "/runs/x", "/runs/x/conditions/x", "/runs/x/conditions/x/x"}


def test_the_list_has_every_run(traded):
    """Each run stands there with its account; the form offers the newest with the one it was paired with."""
    visitor, before, after = traded
    page = visitor.see("/")
    assert {f"/runs/{before}", f"/runs/{after}"} <= set(links(page))
    assert "1,744 with outcome" in page.text
    chosen = [attrs["value"] for tag, attrs in page.found if tag == "option" and "selected" in attrs]
    assert chosen == [before, after]


def test_a_comparison_says_what_diff_says(traded, capsys, tmp_path):
    """Verdict and every figure of the table are those of `pytest-poisson report`."""
    from pytest_poisson.cli import main

    visitor, before, after = traded
    page = visitor.see(f"/compare?before={before}&after={after}")
    assert main(["report", before, after, f"--store={tmp_path}", f"--out={tmp_path / 'r'}", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)["diff"]
    assert f"{document['verdict']}: of 18 tests" in page.text
    for row in document["rows"]:
        for side in ("before", "after"):
            assert f"{row[side]['events']}/{row[side]['outcomes']}" in page.text
    saved = visitor.see(links(visitor.see("/"))[-1])
    whole = "The whole report of this comparison"
    assert whole in page.text
    assert saved.text == page.text.replace(whole, "")


def test_the_whole_report_is_the_one_on_disk(traded, tmp_path):
    """The report of two runs, and of one, is the page that `report` writes, under a policy for it to the letter."""
    from pytest_poisson.cli import main

    visitor, before, after = traded
    for address, runs in (
        (f"/compare/report?before={before}&after={after}", (before, after)),
        (f"/runs/{after}/report", (after,)),
    ):
        assert main(["report", *runs, f"--store={tmp_path}", f"--out={tmp_path / str(len(runs))}"]) == 0
        written = (tmp_path / str(len(runs)) / "report.html").read_text(encoding="utf-8")
        answer = visitor.ask(address)
        named = f" --poisson-store={tmp_path}"
        assert answer.text == written.replace(named, "")
        policy = answer.headers["Content-Security-Policy"]
        assert "unsafe" not in policy
        for kind, tag in (("style", "style"), ("script", "script")):
            (inside,) = re.findall(rf"<{tag}>(.*?)</{tag}>", answer.text, re.DOTALL)
            digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
            assert f"{kind}-src 'sha256-{digest}';" in policy


def test_a_saved_comparison_outlives_its_runs(traded, tmp_path):
    """Without its runs a saved comparison is shown, and leads to none of them."""
    from pytest_poisson.cli import main

    visitor, before, after = traded
    main(["diff", before, after, f"--store={tmp_path}", "--save", "--json"])
    for file in tmp_path.glob("2*.sqlite"):
        file.unlink()
    (known_as,) = Store(tmp_path).comparisons()
    page = visitor.see(f"/comparisons/{known_as}")
    assert "trade: of 18 tests" in page.text
    assert links(page) == ["/"]


def test_a_replicate_has_its_spans(traced):
    """Outcome, error, command, the tree with tokens and texts, and what was cut stand in the page."""
    visitor, run = traced
    page = visitor.see(f"{run}/conditions/{priced_runs.REFUND.key}/1")
    for words in (
        "violated.",
        "AssertionError: no refund",
        "pytest --poisson-replicate=1 --poisson-run=traced",
        "llm ChatCompletion (small) [plan]",
        "ValueError: refused\nby the index",
        '[{"role":"user"',
        "Really\\x1b[31m.",
        "cut after 15 of 5,000 bytes",
        "provider reported no usage: unknown, not 0",
    ):
        assert words in page.text
    depths = [attrs.get("class") for tag, attrs in page.found if tag == "div" and "class" in attrs]
    assert depths.count("depth-1") == 3
    assert depths.count("depth-2") == 1


def test_replicates_can_be_chosen_by_their_ending(traced):
    """A condition lists all its replicates, or those of one outcome or cause."""
    visitor, run = traced
    address = f"{run}/conditions/{priced_runs.REFUND.key}"

    def listed(query):
        return [each for each in links(visitor.see(address + query)) if re.search(r"/\d+$", each)]

    assert listed("") == [f"{address}/{number}" for number in range(3)]
    assert listed("?ending=violated") == [f"{address}/1"]
    assert listed("?ending=crashed") == [f"{address}/2"]
    assert listed("?ending=nosuch") == []


def test_long_lists_are_cut_into_pages(tmp_path):
    """Of 450 replicates 200 stand on a page, and following the links shows each once."""
    run = write_run(Store(tmp_path), "long", [(cell(task="a"), endings(resolved=450))])
    visitor, path, found = Visitor(tmp_path), f"/runs/{run}/conditions/{cell(task='a').key}", []
    while path:
        here = links(visitor.see(path))
        found += [each for each in here if re.search(r"/\d+$", each)]
        path = next((each for each in here if "first=" in each), None)
    assert len(found) == len(set(found)) == 450


def test_many_conditions_are_cut_into_pages(tmp_path):
    """Of 1,100 conditions 500 stand on a page, each once; a comparison shows the 500 most important rows and says so."""
    cells = [(cell(task=number), endings(resolved=2, timeout=1)) for number in range(1100)]
    before, after = (write_run(Store(tmp_path), name, cells) for name in ("a", "b"))
    visitor, path, found = Visitor(tmp_path), f"/runs/{before}", []
    while path:
        here = links(visitor.see(path))
        found.append([each for each in here if re.search(r"/conditions/\w+$", each)])
        path = next((each for each in here if each.endswith(f"first={500 * len(found)}")), None)
    assert list(map(len, found)) == [500, 500, 100]
    assert len({each for page in found for each in page}) == 1100
    page = visitor.see(f"/compare?before={before}&after={after}")
    assert page.count("tr") == 501
    assert "1,700 more rows, less important, left out here." in page.text


@pytest.mark.parametrize(
    "path",
    [
        "/nosuch",
        "/runs/{run}?first=-1",
        "/runs/{run}/report/x",
        "/compare/report",
        "/runs/",
        "/runs/nosuch",
        "/runs/{run}/",
        "/runs/{run}/conditions/0000000000000000",
        "/runs/{run}/conditions/{key}/99",
        "/runs/{run}/conditions/{key}/-1",
        "/runs/{run}/conditions/{key}/1e3",
        "/runs/{run}/conditions/{key}/99999999999999999999999",
        "/runs/{run}/conditions/{key}/\u0661",
        "/runs/{run}/conditions/{key}?first=x",
        "/runs/latest/conditions/refund/0",
        "/compare",
        "/compare?before={run}",
        "/compare?before={run}&after=nosuch",
        "/comparisons/nosuch",
        "/comparisons/",
    ],
)
def test_what_is_unknown_is_a_page_with_one_sentence(traced, path):
    """Whatever is not in the store is 404 (a comparison's id as well), said in one sentence that ends with a stop."""
    visitor, run = traced
    page = visitor.see(path.format(run=run.removeprefix("/runs/"), key=priced_runs.REFUND.key), 404)
    assert page.count("p") == 1
    assert page.text.rstrip().endswith(".")


@pytest.mark.parametrize(
    "name",
    [
        "..",
        "../secret.sqlite",
        "..%2Fsecret.sqlite",
        "%2Fetc%2Fpasswd",
        "..%5Csecret.sqlite",
        "secret.sqlite",
        "catalog.sqlite",
        "%00",
        "@main",
        "-x",
    ],
)
def test_a_name_is_never_a_path(tmp_path, name):
    """A run file outside the store cannot be reached by any spelling, nor is a file name in it one of a run."""
    outside = Store(tmp_path / "outside")
    write_run(outside, "secret", [(cell(task="a"), endings(resolved=3))])
    outside.resolve("secret").rename(tmp_path / "secret.sqlite")
    write_run(Store(tmp_path / "store"), "open", [(cell(task="a"), endings(resolved=3))])
    visitor = Visitor(tmp_path / "store")
    for path in (f"/runs/{name}", f"/compare?before={name}&after=open", f"/comparisons/{name}"):
        assert visitor.ask(path).status_code == 404, path


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "BREW"])
def test_nothing_but_reading_is_taken(traded, method):
    """Any method but GET and HEAD is 405, on every path, and says which are taken."""
    visitor, before, _ = traded
    for path in ("/", f"/runs/{before}", "/nosuch"):
        answer = visitor.ask(path, method=method)
        assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD")


def test_head_is_get_without_the_page(traded):
    """HEAD answers with the headers of GET and nothing else."""
    visitor, _, _ = traded
    got, asked = visitor.ask("/"), visitor.ask("/", method="HEAD")
    assert (asked.status_code, asked.data) == (200, b"")
    assert dict(asked.headers) == dict(got.headers)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        f"evil.example:{PORT}",
        "127.0.0.1",
        "localhost:80",
        f"127.0.0.1:{PORT}.evil.example",
        f"127.0.0.1.evil.example:{PORT}",
        f"evil.example@127.0.0.1:{PORT}",
        f"0.0.0.0:{PORT}",
        f"[::1]:{PORT}",
        "",
    ],
)
def test_a_foreign_host_is_refused(traded, host):
    """A request for another host is 403 and shows nothing of the store, whichever page it asks for."""
    visitor, before, _ = traded
    for path in ("/", f"/runs/{before}", "/style.css"):
        answer = visitor.ask(path, environ_overrides={"HTTP_HOST": host})
        assert answer.status_code == 403
        assert "patched" not in answer.text
    assert visitor.ask("/", base_url=f"http://LocalHost:{PORT}").status_code == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_page_from_elsewhere_can_only_link(traded, site):
    """What another page embeds or fetches is 403; a link that a reader follows is answered, and so are our own."""
    visitor, before, after = traded
    path = f"/compare?before={before}&after={after}"
    for mode, own, status in (
        ("no-cors", site, 403),
        ("cors", site, 403),
        ("navigate", site, 200),
        ("cors", "same-origin", 200),
    ):
        said = {"HTTP_SEC_FETCH_SITE": own, "HTTP_SEC_FETCH_MODE": mode}
        assert visitor.ask(path, environ_overrides=said).status_code == status


def test_the_policy_allows_nothing_from_elsewhere(traded):
    """Every answer, refusals included, has the policy; no page has a script, a style or an event of its own."""
    visitor, before, after = traded
    for path in ("/", f"/runs/{before}", f"/compare?before={before}&after={after}", "/nosuch", "/style.css"):
        answer = visitor.ask(path)
        policy = answer.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; ")
        assert "unsafe" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        page = Elements(answer.text)
        assert "style" not in {tag for tag, _ in page.found}
        for tag, attrs in page.found:
            assert "style" not in attrs
            assert not [name for name in attrs if name.startswith("on")]
            loaded = attrs.get("src") or (attrs.get("href") if tag == "link" else None)
            assert loaded is None or loaded in ("/style.css", "/live.js")
        assert answer.text.count("<script") == answer.text.count("<script src=")


PAGE = "body button details div form h1 h2 h3 head html label li link main meta nav option p pre script section select figure"
ELEMENTS = set(
    f"{PAGE} summary svg table tbody td th thead title tr ul a rect text g path desc defs pattern".split()
)


def hostile_store(folder):
    """Store two runs in which every text is hostile."""
    word = "<b>|`]]>"
    rollout = replace(
        SUPPORT, id=HOSTILE, outcomes=(word, "passed", "failed"), failures=(word,), successes=()
    )
    axes = {HOSTILE: HOSTILE}
    place = replace(
        cell(),
        key=condition_key(HOSTILE, axes),
        rollout=HOSTILE,
        axes=axes,
        nodeid=f"t.py::t[{HOSTILE}]",
        planned=4,
    )
    for name in (HOSTILE[:190], "other " + HOSTILE[:150]):
        spans = (
            Span(
                HOSTILE,
                None,
                "llm",
                HOSTILE,
                1,
                2,
                input=HOSTILE,
                output=HOSTILE,
                attrs={HOSTILE: HOSTILE},
                error=HOSTILE,
                step=HOSTILE,
            ),
        )
        run = RunRecord(
            salt=SALT,
            name=name,
            rollouts=(rollout,),
            conditions=(place,),
            variant={"k": HOSTILE},
            environment={"e": HOSTILE},
            selection=HOSTILE,
        )
        with Store(folder).create(run) as writer:
            made = priced_runs.episode(place, 0, word, spans, error=HOSTILE, meta={HOSTILE: HOSTILE})
            writer.add([made, *(replace(made, replicate=number) for number in range(1, 4))])
    return place.key


def test_hostile_texts_are_text(tmp_path):
    """Run names, axes, outcomes, errors, variants, meta and span bodies add no element to any page, and are read."""
    key = hostile_store(tmp_path)
    visitor, runs = Visitor(tmp_path), [run.run_id for run in Store(tmp_path).runs()]
    for path in (
        "/",
        f"/runs/{runs[0]}",
        f"/runs/{runs[0]}/conditions/{key}",
        f"/runs/{runs[0]}/conditions/{key}/0",
        f"/compare?before={runs[0]}&after={runs[1]}",
    ):
        page = visitor.see(path)
        assert {tag for tag, _ in page.found} <= ELEMENTS, path
        assert page.count("script") == 1
        assert HOSTILE[:100] in page.text, path
        assert not [name for _, attrs in page.found for name in attrs if name.startswith("on")]
    for path in (f"/runs/{HOSTILE}", f"/comparisons/{HOSTILE}", f"/runs/{runs[0]}/conditions/{HOSTILE}"):
        answer = visitor.ask(path)
        assert answer.status_code == 404
        assert "<img" not in answer.text


def test_damaged_files_are_named(traded, tmp_path):
    """A damaged run and a damaged comparison are named on the first page, and everything else is shown."""
    visitor, before, after = traded
    (tmp_path / "20200101T000000Z-dead.sqlite").write_bytes(b"no database" * 99)
    Store(tmp_path).save_comparison("abcdefabcdef", {})
    sql(tmp_path / "catalog.sqlite", "UPDATE comparisons SET result = '{'")
    page = visitor.see("/")
    assert "20200101T000000Z-dead.sqlite: " in page.text
    assert "Comparison abcdefabcdef " in page.text
    assert {f"/runs/{before}", f"/runs/{after}"} <= set(links(page))
    assert "is damaged" in visitor.see("/comparisons/abcdefabcdef", 500).text
    assert visitor.ask("/runs/20200101T000000Z-dead").status_code == 404


def test_a_run_that_is_being_written_can_be_watched(tmp_path):
    """Beside a writer the pages show what is committed, and say that they renew themselves; afterwards they do not."""
    visitor = Visitor(tmp_path)
    assert "holds no run" in visitor.see("/").text
    cells = [replace(cell(task=name), planned=40) for name in "ab"]
    with Store(tmp_path).create(
        RunRecord(salt=SALT, name="live", rollouts=(SUPPORT,), conditions=tuple(cells))
    ) as writer:
        run = f"/runs/{writer.run.run_id}"
        for number in range(1, 6):
            writer.add([priced_runs.episode(each, number, "resolved") for each in cells])
            for path in ("/", run, f"{run}/conditions/{cells[0].key}"):
                text = visitor.ask(path).text
                assert 'data-running="yes"' in text
                assert f"{number if 'conditions' in path else 2 * number} with outcome" in text
        writer.finish()
    for path in ("/", run):
        assert 'data-running="no"' in visitor.ask(path).text


def test_a_failure_of_ours_is_no_silence(traded, monkeypatch, capsys):
    """Where a page cannot be made for a reason of ours, the answer is 500 and the terminal shows where."""
    visitor, before, _ = traded

    def fail(*_, **__):
        raise ZeroDivisionError("secret")

    monkeypatch.setattr("pytest_poisson.analyses.show.show", fail)
    page = visitor.see(f"/runs/{before}", 500)
    assert "An unexpected ZeroDivisionError; the terminal shows where." in page.text
    assert "secret" not in page.text
    assert "in fail" in capsys.readouterr().err
    assert visitor.ask("/").status_code == 200


def test_reading_leaves_the_store_as_it_was(traded, tmp_path):
    """No page changes a run's file by a byte, nor adds one beside it."""
    visitor, before, after = traded
    visitor.see("/")
    files = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    for path in ("/", f"/runs/{before}", f"/compare?before={before}&after={after}", "/nosuch"):
        visitor.ask(path)
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == files

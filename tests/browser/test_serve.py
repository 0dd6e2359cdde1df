"""The pages of a store, served, in a real browser: nothing said, nothing asked of others, live, and reachable by keyboard."""

import threading
from dataclasses import replace

import pytest

from poisson_store import Store
from poisson_store.records import RunRecord
from pytest_poisson.saved import save_comparison
from tests import priced_runs
from tests.browser.test_looks import serious
from tests.render import scenarios
from tests.stored_runs import SALT, SUPPORT, cell


class Served:
    """A store that is served from this process, and its pages in tabs."""

    def __init__(self, browser, folder):
        from waitress import create_server

        from pytest_poisson.serve.app import Browser
        from pytest_poisson.serve.server import _listen

        listening = _listen(0)
        port = listening.getsockname()[1]
        self.base, self.store, self.heard = f"http://127.0.0.1:{port}", Store(folder), []
        self.browser, self.contexts = browser, []
        self.server = create_server(Browser(self.store, port), sockets=[listening], threads=2)
        self.thread = threading.Thread(target=self.server.run)
        self.thread.start()

    def tab(self, path="/", **choices):
        """Open a page; what it says in the console or asks of others is heard."""
        context = self.browser.new_context(**{"viewport": {"width": 1200, "height": 900}, **choices})
        self.contexts.append(context)
        tab = context.new_page()
        tab.set_default_timeout(20_000)
        tab.on("console", lambda message: self.heard.append(f"console: {message.text}"))
        tab.on("pageerror", lambda error: self.heard.append(f"error: {error}"))
        tab.on("request", lambda request: request.url.startswith(self.base) or self.heard.append(request.url))
        tab.goto(self.base + path)
        return tab

    def end(self):
        """Close the tabs and the server."""
        for context in self.contexts:
            context.close()
        self.server.trigger.pull_trigger(self.server.close)
        self.server.task_dispatcher.shutdown()
        self.thread.join(20)


@pytest.fixture
def served(browser, tmp_path):
    """Serve a store with two runs, their saved comparison, and a run with spans; nothing may be heard."""
    pytest.importorskip("waitress")
    result = scenarios.trade(tmp_path)
    serving = Served(browser, tmp_path)
    save_comparison(serving.store, result)
    priced_runs.write_priced(serving.store)
    yield serving
    serving.end()
    assert serving.heard == []


def paths(served):
    """Return a page of every kind."""
    run = f"/runs/{served.store.resolve('traced').stem}"
    two = "&".join(
        f"{side}={served.store.resolve(name).stem}"
        for side, name in (("before", "base"), ("after", "patched"))
    )
    (saved,) = served.store.comparisons()
    key = priced_runs.REFUND.key
    return [
        "/",
        run,
        f"{run}/conditions/{key}",
        f"{run}/conditions/{key}/1",
        f"/compare?{two}",
        f"/comparisons/{saved}",
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(served, scheme):
    """No page of any kind has a serious fault of accessibility, with everything opened."""
    for path in paths(served):
        tab = served.tab(path, color_scheme=scheme)
        tab.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
        assert serious(tab) == [], path


def test_a_narrow_window_does_not_scroll_sideways(served):
    """At 320 pixels every page is as wide as the window; what is wider scrolls by itself."""
    for path in paths(served):
        tab = served.tab(path, viewport={"width": 320, "height": 740})
        assert tab.evaluate("document.documentElement.scrollWidth") == 320, path


def test_from_the_runs_to_a_failing_replicate(served):
    """By the links of the pages one comes from the list to a comparison, a row's replicates, and a span's error."""
    tab = served.tab()
    tab.select_option("select[name=before]", label=tab.locator("option", has_text="base").first.inner_text())
    tab.select_option(
        "select[name=after]", label=tab.locator("option", has_text="patched").first.inner_text()
    )
    tab.click("text=Compare >> nth=-1")
    assert "trade: of 18 tests" in tab.inner_text(".verdict")
    tab.click("tbody >> text=after")
    tab.click("text=timeout 70")
    assert tab.locator("tbody tr").count() == 70
    tab.click("tbody a")
    assert tab.inner_text(".verdict") == "timeout."
    assert "pytest --poisson-replicate=" in tab.inner_text("pre")
    tab.goto(served.base + paths(served)[3])
    tab.click("text=tool search")
    assert "ValueError: refused" in tab.inner_text("main")


def test_the_whole_report_works_under_its_policy(served):
    """The report that is served sorts and opens rows, as on disk: its policy lets its own script run."""
    tab = served.tab(paths(served)[4])
    tab.click("text=The whole report")
    tab.wait_for_selector("html[data-ready]")
    tab.click("#rows tbody button")
    assert tab.locator(".opened").count() == 1


def test_a_page_renews_itself_while_a_run_is_written(served):
    """What is committed appears without a reload, the link with the focus keeps it, and at the end the page rests."""
    condition = replace(cell(task="live"), planned=30)
    run = RunRecord(salt=SALT, name="live", rollouts=(SUPPORT,), conditions=(condition,))
    with served.store.create(run) as writer:
        tab = served.tab()
        tab.evaluate("window.same = true")
        tab.focus("text=traced")
        for number in (1, 2):
            writer.add([priced_runs.episode(condition, number, "resolved")])
            tab.wait_for_selector(f"text={number} with outcome + {30 - number} not run")
        writer.finish()
        tab.wait_for_selector("#live[data-running=no]", state="attached")
        assert tab.evaluate("window.same")
        assert tab.evaluate("document.activeElement.textContent") == "traced"

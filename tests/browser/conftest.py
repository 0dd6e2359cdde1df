"""Chromium without a window; a page may write nothing to the console and ask for nothing but itself."""

import os
import shutil
from functools import partial

import pytest

from tests.browser import stored

MAKERS = {
    "agent": stored.agent_report,
    "fix": stored.fix_report,
    "hostile": stored.hostile_report,
    "huge": partial(stored.many_report, conditions=10_000),
    "many": stored.many_report,
    "run": stored.run_report,
}
REQUIRED = "POISSON_TEST_BROWSER"


def pytest_collection_modifyitems(items):
    for item in items:
        if "tests/browser" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="module")
def browser():
    """Start Chromium: that of POISSON_TEST_BROWSER, which must work, or the one on the path, if there is one.

    Playwright keeps an event loop running in this thread, in which no other may run: not beyond the module.
    """
    required = os.environ.get(REQUIRED)
    program = required or shutil.which("chromium") or shutil.which("google-chrome")
    if not program:
        pytest.skip(f"no chromium on the path, and {REQUIRED} names none")
    if not required:
        pytest.importorskip("playwright", reason="playwright is not installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def report(tmp_path_factory):
    """Return a function that gives the folder of a report by its name, written once."""
    made = {}

    def folder(name):
        if name not in made:
            made[name] = tmp_path_factory.mktemp(name)
            for file, text in MAKERS[name](made[name] / "store").items():
                made[name].joinpath(file).write_text(text, encoding="utf-8", newline="\n")
        return made[name]

    return folder


@pytest.fixture
def open_report(browser, report):
    """Return a function that opens a report from disk; whatever its page says or asks for fails the test."""
    contexts, heard = [], []

    def opened(name, **choices):
        address = report(name).joinpath("report.html").as_uri()
        context = browser.new_context(**{"viewport": {"width": 1200, "height": 900}, **choices})
        contexts.append(context)
        tab = context.new_page()
        tab.set_default_timeout(10_000)
        tab.on("console", lambda message: heard.append(f"console: {message.text}"))
        tab.on("pageerror", lambda error: heard.append(f"error: {error}"))
        tab.on("dialog", lambda dialog: (heard.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        tab.on(
            "request",
            lambda request: heard.append(f"request: {request.url}") if request.url != address else None,
        )
        tab.goto(address)
        if choices.get("java_script_enabled", True):
            tab.wait_for_selector("html[data-ready]")
        return tab

    yield opened
    for context in contexts:
        context.close()
    assert heard == []

"""docs/modal.md: its dry runs work without an account and print what the page shows."""

import re
import shutil
from pathlib import Path

import pytest

from pytest_poisson.backends.modal.client import SUPPORTED
from pytest_poisson.backends.modal.prices import read_prices
from pytest_poisson.backends.modal.settings import ModalSettings
from pytest_poisson.modal_options import OPTIONS
from tests.docs.commands import Reader

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/modal.md").read_text(encoding="utf-8")


class DryReader(Reader):
    """Runs the page's commands as they stand."""

    def run(self, words):
        assert words[0] == "pytest"
        assert "--poisson-dry-run" in words
        result = self.pytester.runpytest_inprocess(*words[1:])
        return int(result.ret), result.stdout.str()


def test_the_page_is_what_happens(pytester, monkeypatch, capsys):
    """The dry runs end as the page says and print the plan that it shows, cost included."""
    pytest.importorskip(
        "modal", reason="Modal's client is not installed: pip install 'pytest-poisson[modal]'"
    )
    shutil.copytree(ROOT / "examples" / "mock_agent", pytester.path, dirs_exist_ok=True)
    assert DryReader(pytester, monkeypatch, capsys).read(PAGE) == (2, 1)


def test_the_page_names_every_option_and_the_date_of_the_prices():
    """No option of the Modal backend is missing from the page, and prices and versions are those of the code."""
    for option in OPTIONS:
        assert re.search(rf"{option.flag}|{option.key}|`-{option.name.removeprefix('modal_')}`", PAGE), (
            option.name
        )
    prices = read_prices()
    assert f"public prices\nof {prices.as_of}" in PAGE
    assert f"${prices.core_s:.7f} + GiB" in PAGE
    assert f"${prices.gib_s:.8f}), by public prices" in PAGE
    assert SUPPORTED[0] == (1, 4)


@pytest.mark.parametrize(
    ("settings", "usd"),
    [
        (ModalSettings(containers=1000), "$142"),
        (ModalSettings(containers=100), "$142"),
        (ModalSettings(containers=1000, cpu=0.125, memory_mib=128), "$19"),
        (ModalSettings(containers=100, cpu=0.125, memory_mib=128), "$19"),
    ],
)
def test_the_cost_of_a_million_is_calculated(settings, usd):
    """The table's cost of 1,000,000 replicates of 10 s is what the plan of such a sweep would say."""
    from pytest_poisson.backends.modal.prices import estimate_cost

    assert f"${estimate_cost(1_000_000, 10.0, settings):.0f}" == usd
    assert usd in PAGE

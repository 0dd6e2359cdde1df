"""docs/importing.md: its commands work on files of the shapes it names, and it describes every key of a line."""

import csv
import random
import re
import shutil
from pathlib import Path

from poisson_store.episode_lines import CONDITION_KEYS, EPISODE_KEYS, HEADER_KEYS, ROLLOUT_KEYS, SPAN_KEYS
from poisson_store.importers import KINDS
from poisson_store.records import CAUSES
from pytest_poisson.cli.import_spans import OF_SPANS
from pytest_poisson.cli.main import build_parser
from tests.docs.commands import Reader
from tests.importers import test_import_deepeval as deepeval
from tests.importers import test_import_inspect as inspect_ai
from tests.importers import test_import_junit as junit
from tests.importers import test_import_promptfoo as promptfoo
from tests.importers.bring import save

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/importing.md").read_text(encoding="utf-8")


class Importer(Reader):
    """Also writes the lines of a `json` block to the file the page calls them."""

    def read(self, text):
        for lines in re.findall(r"^```json\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            (self.pytester.path / "episodes.jsonl").write_text(lines, encoding="utf-8")
        return super().read(text)


def write_scores(path, rate, missing):
    """Write 40 scores of each of 3 cases, of which a share passes and some were not given."""
    draws = random.Random(1)
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "user_input", "faithfulness"])
        for number in range(120):
            score = "" if number < missing else 0.9 if draws.random() < rate else 0.3
            rows.writerow([f"case-{number % 3}", "What?", score])


def write_files(folder):
    """Write every file that the page names."""
    write_scores(folder / "before.csv", 1.0, 0)
    write_scores(folder / "after.csv", 0.65, 2)
    save(folder / "results" / "test_run_1.json", deepeval.RUN)
    save(folder / "logs" / "log.json", inspect_ai.log(*inspect_ai.FOUR))
    shutil.copyfile(ROOT / "tests" / "data" / "tau" / "results.json", folder / "results.json")
    save(folder / "output.json", promptfoo.v3(promptfoo.RESULTS))
    (folder / "reports").mkdir()
    junit.write(folder / "reports" / "1.xml", junit.testcase("a"), junit.testcase("b", junit.FAILURE))


def test_the_page_is_what_happens(pytester, monkeypatch, capsys):
    """Every command of the page ends as it says, and prints what it shows."""
    write_files(pytester.path)
    commands, texts = Importer(pytester, monkeypatch, capsys).read(PAGE)
    assert (commands, texts) == (10, 3)


def test_every_kind_and_option_is_described():
    """The page names each kind, and each option of the command but those all commands have or spans alone take."""
    for kind in KINDS:
        assert f"| `{kind}` |" in PAGE
    of_spans = {f"--{name.replace('_', '-')}" for name in OF_SPANS}
    command = build_parser().parse_args(["import", "tau", "x", "--name=y"]).parser
    options = {word for action in command._actions for word in action.option_strings if word.startswith("--")}
    for option in options - {"--help", "--store", "--debug", *of_spans}:
        assert option in PAGE, option


def test_every_key_of_a_line_is_described():
    """The page names each key of a line, a span, a header and what is in it, and every cause."""
    nested = {"in", "out", "bytes", "digest", "number"}
    for key in {*EPISODE_KEYS, *SPAN_KEYS, *HEADER_KEYS, *ROLLOUT_KEYS, *CONDITION_KEYS, *CAUSES, *nested}:
        assert re.search(rf'[`"]{key}[`"]', PAGE), key

"""Commands that documents only show, since they need an account, a file or a network: each is one that is taken."""

import re
import shlex

import pytest

from pytest_poisson.cli.main import build_parser
from pytest_poisson.option_table import INI_ONLY, OPTIONS
from tests.docs.commands import BLOCK, documents

FLAGS = {option.flag: option for option in OPTIONS if option.name not in INI_ONLY}
RUN = {"sh", "text", "python"}  # blocks that are run, or compared
COMMAND = re.compile(r"(?:^|[\s/])(pytest(?:-poisson)?) ([^|>&\n]*)")


def shown(text):
    """Return the commands in indented lines and in blocks that are only shown, and the options named in prose."""
    blocks = "\n".join(block for kind, block in BLOCK.findall(text) if kind not in RUN)
    indented = re.findall(r"^ {4}\S.*", BLOCK.sub("", text), re.MULTILINE)
    return COMMAND.findall("\n".join([blocks, *indented]))


SHOWN = [
    (page, program, words)
    for page, text in documents().items()
    for program, words in shown(text)
    if "--" in words
]


@pytest.mark.parametrize(("page", "program", "words"), SHOWN)
def test_a_command_that_is_only_shown_is_taken(page, program, words):
    """Its options exist and take the values shown."""
    if program == "pytest-poisson":
        assert not build_parser().parse_known_args(shlex.split(words))[1]
        return
    for word in shlex.split(words):
        flag, equals, value = word.partition("=")
        if flag.startswith("--poisson-"):
            assert bool(equals) == (FLAGS[flag].metavar is not None), word
            FLAGS[flag].parse(value or True)


@pytest.mark.parametrize("page", documents())
def test_every_option_that_is_named_exists(page):
    """`--poisson-…` in any sentence, table or block is an option of the session."""
    for flag in re.findall(r"--poisson-[a-z][a-z-]*[a-z]", documents()[page]):
        assert flag in FLAGS or any(known.startswith(f"{flag}-") for known in FLAGS), flag


def test_shown_commands_are_found():
    """Lines of shell in blocks and indented ones are found; prose and what is run are not."""
    text = (
        "    a && .venv/bin/pytest --poisson-sweep\n\n```yaml\n- run: pytest-poisson runs --json > x\n```\n"
    )
    assert shown(f"{text}```sh\npytest --x\n```\nUse pytest --y.\n") == [
        ("pytest-poisson", "runs --json "),
        ("pytest", "--poisson-sweep"),
    ]

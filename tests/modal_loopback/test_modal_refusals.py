"""What makes a sweep on Modal impossible is said in one sentence that tells what to do."""

import re
import sys

import pytest

from tests.modal_loopback.test_modal_sweep import on_modal
from tests.plugin.support import COIN


def refusal(result):
    """Return the one sentence that a refused session prints."""
    assert result.ret == 4
    (sentence,) = [line for line in result.errlines if line.startswith("ERROR: ")]
    assert "Traceback" not in result.stderr.str()
    return sentence.removeprefix("ERROR: ")


@pytest.fixture(autouse=True)
def _suite(pytester):
    pytester.makepyfile(COIN)


def test_missing_credentials(pytester, plane, monkeypatch):
    """Without credentials the sentence says how to get them."""
    monkeypatch.delenv("MODAL_TOKEN_ID")
    monkeypatch.delenv("MODAL_TOKEN_SECRET")
    assert re.match(r"Modal does not accept .* run `modal token new`, or set", refusal(on_modal(pytester)))


def test_wrong_credentials(pytester, plane, monkeypatch):
    """Credentials that Modal does not know are refused with its own words."""
    monkeypatch.setenv("MODAL_TOKEN_SECRET", "as-of-somebody-else")
    assert "Token validation failed" in refusal(on_modal(pytester))


def test_unknown_secret(pytester, plane):
    """A secret that is not there is named."""
    sentence = refusal(on_modal(pytester, "--poisson-modal-secret=nobody"))
    assert "nobody" in sentence


def test_image_that_cannot_be_built(pytester, plane):
    """Requirements that cannot be installed are said with the installer's words and the settings to check."""
    plane.build_failure = "No matching distribution found for nonsense==9"
    sentence = refusal(on_modal(pytester))
    assert "nonsense==9" in sentence
    assert "poisson_modal_requirements" in sentence
    assert plane.count("container-started") == 0


def test_source_that_was_left_out(pytester, plane):
    """Where the suite's own source does not reach the container, the sentence names the module and the settings."""
    pytester.makepyfile(helper="")
    pytester.makepyfile(
        "import helper\nimport pytest\n@pytest.mark.rollout(replicates=2)\ndef test_it(): pass"
    )
    pytester.makeini("[pytest]\npoisson_modal_exclude = helper.py")
    sentence = refusal(on_modal(pytester, containers=1))
    assert "No module named 'helper'" in sentence
    assert "poisson_modal_include" in sentence


def test_secrets_reach_the_replicates(pytester, plane):
    """The variables of a named secret are in the environment of replicates, and nowhere in the output."""
    plane.named_secrets["key"] = {"API_KEY": "sesame"}
    pytester.makepyfile("""
        import os
        import pytest

        @pytest.mark.rollout(replicates=2)
        def test_it():
            assert os.environ["API_KEY"] == "sesame"
    """)
    result = on_modal(pytester, "--poisson-modal-secret=key", containers=1)
    result.stdout.fnmatch_lines(["secrets     key", "endings: passed 2"])
    assert "sesame" not in result.stdout.str()


def test_settings_that_modal_does_not_take(pytester, plane):
    """What Modal's client refuses of the settings is passed on in its words, and nothing is created."""
    sentence = refusal(on_modal(pytester, "--poisson-modal-gpu=L4:none"))
    assert sentence.startswith("Modal does not accept the settings: ")
    assert "none" in sentence
    assert plane.count("app-created") == 0


def test_a_locked_project_is_installed_as_it_is_locked(pytester, plane):
    """With uv.lock the image installs what it locks, then this session's own packages, on this version of Python."""
    pytester.makefile(".lock", uv="")
    pytester.makefile(".toml", pyproject="[project]\nname = 'mine'\nversion = '1'\n")
    plane.build_failure = "enough"
    refusal(on_modal(pytester, "--poisson-modal-requirements=uv.lock[agents]"))
    recipe = "\n".join(plane.recipe(list(plane.images)[-1]))
    assert f"FROM python:{sys.version_info[0]}.{sys.version_info[1]}" in recipe
    assert re.search(r"RUN /\.uv/uv sync .*--extra=agents.*--frozen", recipe)
    assert recipe.index("uv sync") < recipe.rindex("uv pip install")

"""What a sweep on Modal is asked to be, what it should cost, and what is refused before Modal is imported."""

import sys

import pytest

from pytest_poisson.backends.modal import client, failures
from pytest_poisson.backends.modal.client import batch_timeout, refuse_missing_client
from pytest_poisson.backends.modal.delivery import LostError
from pytest_poisson.backends.modal.outlook import cost_of
from pytest_poisson.backends.modal.prices import Prices, estimate_cost, read_prices
from pytest_poisson.backends.modal.settings import ModalSettings
from pytest_poisson.errors import UserError
from tests.plugin.support import COIN

PRICES = Prices("2030-01-01", "nobody", 2.0, 4.0, {"L4": 10.0}, 1.5)


@pytest.mark.parametrize(
    ("settings", "usd"),
    [
        (ModalSettings(containers=2, cpu=1.0, memory_mib=512), (100 * 3 + 2 * 10) * (2 + 2)),
        (ModalSettings(containers=200, cpu=0.5, memory_mib=1024), (100 * 3 + 100 * 10) * (1 + 4)),
        (ModalSettings(containers=1, cpu=1.0, memory_mib=0, gpu="l4:2"), (100 * 3 + 10) * (2 + 20)),
        (ModalSettings(containers=1, cpu=1.0, memory_mib=0, region="eu"), (100 * 3 + 10) * 2 * 1.5),
    ],
)
def test_the_estimate_is_time_times_price(settings, usd):
    """Replicates and each container's start-up, times what a container's cores, memory and GPUs cost a second."""
    assert estimate_cost(100, 3.0, settings, PRICES) == pytest.approx(usd)


def test_the_estimate_agrees_with_a_published_bill():
    """1,746 half-second rollouts on one core cost about $0.011 by the table, start-up and memory aside."""
    core_only = ModalSettings(containers=1, cpu=1.0, memory_mib=0)
    assert estimate_cost(1746 - 20, 0.5, core_only) == pytest.approx(0.0114, rel=0.01)


def test_a_cost_that_cannot_be_told_says_why():
    """Without a time, or with a GPU that has no price, the cost is unknown and the words say what is missing."""
    assert "--poisson-est-seconds" in cost_of(ModalSettings(), 10, None).words
    for gpu in ("Z9", "L4:x", "L4:0", "L4:"):
        unknown = cost_of(ModalSettings(gpu=gpu), 10, 1.0)
        assert unknown.usd != unknown.usd
        assert unknown.words == f"unknown: the prices of {read_prices().as_of} have no {gpu}"


def test_a_call_may_take_what_its_replicates_may():
    """The limit on a call lies above budget and replicate timeout, and is a day where replicates have none."""
    assert batch_timeout(60.0, 120.0) == 780
    assert batch_timeout(60.0, None) == batch_timeout(60.0, 86_399.0) == 86_400


@pytest.mark.parametrize("found", ["1.3.9", "2.0.0", "0.73.1"])
def test_an_unknown_version_of_the_client_is_refused(monkeypatch, found):
    """Only versions with which the sweep was shown to work are used; the sentence has both bounds."""
    monkeypatch.setattr(client, "version", lambda _: found)
    with pytest.raises(UserError, match=rf"has version {found}; .* from 1\.4 up to, not including, 2\.0\."):
        refuse_missing_client()


@pytest.mark.parametrize("found", ["1.4.0", "1.6.4", "1.10.0.dev3"])
def test_known_versions_of_the_client_are_taken(monkeypatch, found):
    """Minor versions are compared as numbers, whatever follows them."""
    monkeypatch.setattr(client, "version", lambda _: found)
    refuse_missing_client()


def test_a_missing_client_is_refused_with_the_command(pytester, monkeypatch):
    """Where the client is not installed the sentence says how to install it, also in a dry run."""

    def version(name):
        raise client.PackageNotFoundError(name)

    monkeypatch.setattr(client, "version", version)
    pytester.makepyfile(COIN)
    result = pytester.runpytest_inprocess("--poisson-backend=modal", "--poisson-dry-run")
    assert result.ret == 4
    result.stderr.fnmatch_lines(
        ["ERROR: * needs Modal's client; install it with pip install 'pytest-poisson[[]modal]'."]
    )


def test_worker_processes_are_no_containers(pytester, monkeypatch):
    """`--poisson-workers` beside the Modal backend is refused with the option that was meant."""
    monkeypatch.setattr(client, "version", lambda _: "1.6.4")
    pytester.makepyfile(COIN)
    result = pytester.runpytest_inprocess(
        "--poisson-backend=modal", "--poisson-dry-run", "--poisson-workers=3"
    )
    assert result.ret == 4
    result.stderr.fnmatch_lines(
        ["ERROR: --poisson-workers=3 counts processes * give --poisson-modal-containers."]
    )


def test_a_dry_run_needs_no_client_code_and_no_account(pytester, monkeypatch):
    """The plan has containers, image, project, batches, timeout, names of secrets and cost; Modal is not imported."""
    monkeypatch.setattr(client, "version", lambda _: "1.6.4")
    monkeypatch.setitem(sys.modules, "modal", None)  # an import would fail
    pytester.makepyfile(COIN)
    result = pytester.runpytest_inprocess(
        *("--poisson-backend=modal", "--poisson-dry-run", "--poisson-modal-secret=openai"),
        *("--poisson-est-seconds=2", "--poisson-timeout=30", "--poisson-modal-gpu=L4"),
    )
    result.stdout.fnmatch_lines(
        [
            "workers     16",
            "modal       up to 16 containers of 1 core, 512 MiB, GPU L4",
            "image       Python 3.*, no requirements",
            "            as here: numpy *",
            "project     1 file, * kB, without what git ignores",
            "batches     10 replicates at first, then 5 to 60 s each",
            "timeout     30 s for a replicate",
            "secrets     openai",
            "cost        about $0.0*: 24 x 2 s, prices of 20*",
        ]
    )
    assert not (pytester.path / ".poisson").exists()


class Error(Exception):
    __module__ = "modal.exception"


def modal_error(*names):
    """Return an exception as Modal's client would raise it, by its names from the most general."""
    kind = Error
    for name in names:
        kind = type(name, (kind,), {"__module__": "modal.exception"})
    return kind("something\n happened.")


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (modal_error("InternalFailure"), "crashed"),
        (modal_error("RemoteError"), "crashed"),
        (modal_error("TimeoutError", "FunctionTimeoutError"), "timed_out"),
    ],
)
def test_a_lost_container_is_not_the_end(error, cause):
    """What says that a container is gone means another try, and the cause that is recorded in the end."""
    meaning = failures.meaning_of_call(error)
    assert isinstance(meaning, LostError)
    assert meaning.cause == cause


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (modal_error("AuthError"), "run `modal token new`"),
        (modal_error("ConnectionError"), "Modal cannot be reached: something happened."),
        (modal_error("NotFoundError"), "does not have what the settings name: something happened."),
        (modal_error("UnheardOf"), "Modal's client failed (UnheardOf: something happened)."),
        (ModuleNotFoundError("No module named 'pytest'"), "Containers end before they can run anything"),
    ],
)
def test_what_ends_the_sweep_is_one_sentence(error, words):
    """Every other failure becomes a sentence on one line with the client's own words in it."""
    meaning = failures.meaning_of_call(error)
    assert isinstance(meaning, UserError)
    assert words in str(meaning)
    assert "\n" not in str(meaning)


def test_a_failed_build_is_no_lost_container():
    """The same kind of exception that loses a call means, while the session opens, that the image is at fault."""
    meaning = failures.meaning_of_session(modal_error("RemoteError", "ImageBuildError"))
    assert str(meaning).startswith("The container image could not be built: something happened; check")

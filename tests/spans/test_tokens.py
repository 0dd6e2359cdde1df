"""Token sums by condition, model and arm, and what they cost."""

import json
from pathlib import Path

import pytest

from poisson_store import Store
from poisson_store.records import RunRecord, Tokens
from pytest_poisson.analyses.tokens import Price, Prices, count_tokens
from pytest_poisson.cli import main
from pytest_poisson.errors import UserError
from pytest_poisson.render.sheet import as_text
from pytest_poisson.render.tokens_sheet import models_grid, money, per_outcome_grid, tokens_sheet
from pytest_poisson.render.usage_documents import tokens_document
from tests.golden import assert_golden
from tests.priced_runs import GREETING, REFUND, episode, made, write_priced
from tests.stored_runs import SALT, SUPPORT

GOLDEN = Path(__file__).with_name("golden")
PRICES = Prices(Price(1e-6, 2e-6), {"small": Price(1e-5, 4e-5), "large": Price(1e-4, 4e-4)})


@pytest.fixture
def result(tmp_path):
    store = Store(tmp_path)
    write_priced(store, "before", "small", variant={"model": "small"})
    write_priced(store, "after", "large", tokens_in=900, variant={"model": "large"})
    with store.open("before") as before, store.open("after") as after:
        return count_tokens([before, after], prices=PRICES)


def test_sums_by_condition_and_model(result):
    """Each call counts once, under the model it names; an agent's total and a repeated sum do not."""
    before, after = result.arms
    assert [(row.condition.key, row.model, row.used.calls, row.used.tokens_in) for row in before.rows] == [
        (GREETING.key, "small", 2, 2000),
        (GREETING.key, None, 2, 0),
        (REFUND.key, "small", 2, 2000),
        (REFUND.key, None, 2, 0),
    ]
    assert (after.models["large"].tokens_in, after.models["large"].tokens_out) == (3600, 80)
    assert after.models[None].unknown == after.total.unknown == 4


@pytest.mark.parametrize(
    ("tokens", "attrs", "unknown"),
    [
        (Tokens(10, 2), {}, 0),
        (Tokens(10, None), {}, 1),
        (Tokens(None, 2), {}, 1),
        (Tokens(10, None), {"openinference.span.kind": "EMBEDDING"}, 0),
        (Tokens(10, None), {"gen_ai.operation.name": "embeddings"}, 0),
        (Tokens(None, None), {"gen_ai.operation.name": "embeddings"}, 1),
    ],
)
def test_half_of_a_usage_is_not_the_whole(tmp_path, tokens, attrs, unknown):
    """A call that reported one side alone makes its cost the least there was, and the other is not 0, but where there is none."""
    store = Store(tmp_path)
    writer = store.create(RunRecord(salt=SALT, name="a", rollouts=(SUPPORT,), conditions=(REFUND,)))
    spans = (made("0000", None, "llm", "call", 0, 1, tokens=tokens, attrs=attrs),)
    writer.add([episode(REFUND, 0, "resolved", spans, tokens_in=tokens.input, tokens_out=tokens.output)])
    writer.finish()
    with store.open("a") as reader:
        (arm,) = count_tokens([reader], prices=PRICES).arms
    assert (arm.total.calls, arm.total.unknown) == (1, unknown)
    ((*_, said_in, said_out, _),) = models_grid([arm]).rows
    assert (said_in, said_out) == tuple(
        "-" if side is None and unknown else str(side or 0) for side in (tokens.input, tokens.output)
    )


def test_what_no_stored_span_says_is_counted_apart(result):
    """Tokens of spans beyond the cap are in the total, under no model."""
    before, _ = result.arms
    assert (before.beyond.tokens_in, before.total.tokens_in) == (7, 4007)


def test_cost_is_tokens_times_price_and_per_success(result):
    """Each model at its own price, others at the default; divided by the declared successes."""
    before, _ = result.arms
    small = 4000 * 1e-5 + 80 * 4e-5
    assert before.models["small"].cost == pytest.approx(small)
    assert before.total.cost == pytest.approx(small + 7e-6)
    (resolved,) = before.per
    assert (resolved.outcome, resolved.count) == ("resolved", 2)
    assert resolved.cost == pytest.approx(before.total.cost / 2)


def test_without_a_price_there_is_no_cost(tmp_path):
    """A missing price makes no cost, neither of the model nor of the run; 0 calls of it would."""
    store = Store(tmp_path)
    write_priced(store, "before", "small")
    with store.open("before") as reader:
        (arm,) = count_tokens([reader], prices=Prices(models={"large": Price(1, 1)})).arms
    assert arm.models["small"].cost is None
    assert arm.total.cost is None
    assert arm.per[0].cost is None


def test_what_has_no_model_needs_the_price_of_any(tmp_path):
    """Sums of no model keep the run from having a cost where models alone are priced, which is said."""
    store = Store(tmp_path)
    write_priced(store, "before", "small")
    with store.open("before") as reader:
        found = count_tokens([reader], prices=Prices(models={"small": Price(1, 1)}))
        priced = count_tokens([reader], prices=Prices(Price(1, 1), {"small": Price(1, 1)}))
    assert found.arms[0].total.cost is None
    assert "--price-per-output-token price it" in " ".join(as_text(tokens_sheet(found)).split())
    assert "price it" not in as_text(tokens_sheet(priced))


def test_replicates_without_spans_are_counted(result):
    """What a replicate used that left no span is not known, and is named."""
    before, _ = result.arms
    assert (before.replicates, before.traced) == (5, 4)


def test_a_run_without_any_span_did_not_use_nothing(tmp_path):
    """Its sums and costs are not written as 0, nor taken for whole in the document."""
    store = Store(tmp_path)
    writer = store.create(RunRecord(salt=SALT, name="a", rollouts=(SUPPORT,), conditions=(REFUND,)))
    writer.add([episode(REFUND, 0, "resolved")])
    writer.finish()
    with store.open("a") as reader:
        found = count_tokens([reader], prices=PRICES)
    assert models_grid(found.arms).rows == (("a", "all", "-", "-", "-", "-", "-"),)
    assert per_outcome_grid(found.arms) is None
    assert tokens_document(found)["arms"][0]["total"]["cost_is_a_lower_bound"]


def test_an_outcome_that_no_run_declares_is_refused(tmp_path):
    """The sentence names the outcome and those that are declared."""
    store = Store(tmp_path)
    write_priced(store, "before")
    with (
        store.open("before") as reader,
        pytest.raises(UserError, match=r"Outcome 'solved' is declared by no run"),
    ):
        count_tokens([reader], per=["solved"])


def test_the_report_is_as_it_was(result):
    """What a person reads, with bounds where usage is unknown."""
    assert_golden(as_text(tokens_sheet(result)), GOLDEN / "tokens.txt")


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (0, "0.0000"),
        (1234.5, "1,234.5000"),
        (0.5, "0.5000"),
        (0.0123456, "0.0123"),
        (0.0012, "0.00120"),
        (2e-9, "0.00000000200"),
        (2e-12, "2.00e-12"),
    ],
)
def test_amounts_keep_their_digits(amount, text):
    """A small amount is never written as 0."""
    assert money(amount) == text


def test_the_command(tmp_path, capsys):
    """`tokens RUN...` takes prices by model and in general, in text, Markdown and JSON."""
    store = Store(tmp_path)
    write_priced(store, "before")
    command = ["tokens", "before", "--price=small=1e-5,4e-5", "--per=violated", f"--store={tmp_path}"]
    assert main([*command, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "pytest-poisson.tokens/1"
    (arm,) = document["arms"]
    assert arm["models"][0] == {
        "model": "small",
        "calls": 4,
        "tokens_in": 4000,
        "tokens_out": 80,
        "unknown": 0,
        "cost": pytest.approx(0.0432),
        "cost_is_a_lower_bound": False,
    }
    assert arm["per_outcome"] == [{"outcome": "violated", "count": 1, "cost": None}]
    assert main([*command, "--markdown"]) == 0
    assert "| before | small | 4 | 0 | 4,000 | 80 | 0.0432 |" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("option", "status", "words"),
    [
        ("--price=small", 2, "'small' must have the form MODEL=IN,OUT"),
        ("--price=small=1,-2", 2, "'-2' must be a number from 0"),
        ("--price=small=1e300,1", 2, "'1e300' must be a number from 0 to"),
        ("--price-per-input-token=1", 1, "are given together or not at all"),
        ("--per=solved", 1, "declared by no run"),
    ],
)
def test_bad_prices_are_refused(tmp_path, capsys, option, status, words):
    """Each is refused with its value and what is accepted."""
    write_priced(Store(tmp_path), "before")
    assert main(["tokens", "before", option, f"--store={tmp_path}"]) == status
    assert words in capsys.readouterr().err


def test_two_prices_of_one_model_are_refused(tmp_path, capsys):
    """The last one would decide without a word."""
    write_priced(Store(tmp_path), "before")
    prices = ["--price=small=1,2", "--price=small=3,4"]
    assert main(["tokens", "before", *prices, f"--store={tmp_path}"]) == 1
    assert "--price gives small two prices" in capsys.readouterr().err

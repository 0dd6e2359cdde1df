"""Values of authorization, api-key and cookie headers are never stored, in whatever form they come."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_poisson.secrets import (
    REDACTED,
    attrs_without_secrets,
    beginning_of,
    command_without_secrets,
    end_of,
    is_secret,
    without_secrets,
)

NAMES = (
    "Authorization",
    "proxy-authorization",
    "x-api-key",
    "api_key",
    "openai-api-key",
    "X-Goog-Api-Key",
    "Cookie",
    "set-cookie",
    "x-auth-token",
)
SECRET = st.text("abcXYZ0189._~+/=-; ", min_size=8, max_size=30).filter(lambda text: len(text.strip()) > 7)


def forms(name, secret):
    """Write one header as programs write them."""
    member = json.dumps({"url": "http://x/", "headers": {name: secret, "accept": "*/*"}})
    return {
        "JSON": member,
        "JSON, spaced out": json.dumps({name: secret}, indent=2),
        "JSON inside JSON": json.dumps({"body": member}),
        "JSON, twice inside": json.dumps({"outer": json.dumps({"body": member})}),
        "JSON list of values": json.dumps({name: [secret, "other"]}),
        "a dict": repr({"headers": {name: secret}}),
        "pairs": json.dumps([[name, secret], ["accept", "*/*"]]),
        "tuples of bytes": repr([(name.encode(), secret.encode())]),
        "as sent": f"GET / HTTP/1.1\r\nHost: x\r\n{name}: {secret}\r\nAccept: */*\r\n\r\n",
        "as sent, inside JSON": json.dumps(f"GET / HTTP/1.1\r\n{name}: {secret}\r\nAccept: */*\r\n\r\n"),
        "curl": f"curl -H '{name}: {secret}' http://x/",
        "curl inside JSON": json.dumps({"command": f'curl -H "{name}: {secret}" http://x/'}),
        "last line": f"{name}: {secret}",
        "YAML": f'headers:\n  {name}: "{secret}"\n  accept: any\n',
    }


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=25, deadline=None)
@given(SECRET)
def test_no_form_of_a_secret_header_survives(name, secret):
    """Whatever the form, the value is gone, and what surrounds it is still there."""
    for form, text in forms(name, secret).items():
        clean = without_secrets(text)
        assert secret.strip() not in clean, form
        assert REDACTED in clean, form
        assert name in clean, form


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(NAMES), SECRET)
def test_json_stays_json(name, secret):
    """A body that was JSON is JSON after its secrets are gone, with everything else as it was."""
    found = forms(name, secret)
    assert json.loads(without_secrets(found["JSON"])) == {
        "url": "http://x/",
        "headers": {name: REDACTED, "accept": "*/*"},
    }
    inner = json.loads(without_secrets(found["JSON inside JSON"]))["body"]
    assert json.loads(inner)["headers"] == {name: REDACTED, "accept": "*/*"}
    assert "Accept: */*" in without_secrets(found["as sent"])


@pytest.mark.parametrize(
    "text",
    [
        "The customer asks about their order and wants authorization of the refund.",
        '{"role": "user", "content": "Do you store cookies or tokens?"}',
        '["api_key", "name", "email"]',
        "tokens: 12",
        "see https://x/a:b and mail me@x, or x/?q=1&sort=key",
        "",
    ],
)
def test_what_only_speaks_of_such_things_stays(text):
    """Text that names these words without giving a value is kept as it is."""
    assert without_secrets(text) == text


def test_attributes_named_after_headers_are_redacted_at_any_depth():
    """OpenTelemetry's header attributes, nested headers and texts that hold headers lose their values."""
    attrs = {
        "http.request.header.authorization": ["Bearer s3cret"],
        "http.request.header.accept": ["*/*"],
        "request": {"headers": {"X-Api-Key": "s3cret", "accept": "*/*"}},
        "raw": ["Cookie: id=s3cret"],
        "url.full": "http://x/?a=1&api_key=s3cret&b=2",
        "count": 3,
    }
    clean = attrs_without_secrets(attrs)
    assert "s3cret" not in json.dumps(clean)
    assert clean["http.request.header.accept"] == ["*/*"]
    assert clean["request"]["headers"]["accept"] == "*/*"
    assert clean["url.full"] == f"http://x/?a=1&api_key={REDACTED}&b=2"
    assert clean["count"] == 3


@pytest.mark.parametrize(
    "name", ["accept", "content-type", "user-agent", "llm.token_count.prompt", "gen_ai.usage.input_tokens"]
)
def test_other_names_are_no_secrets(name):
    """Names that only look alike are not redacted."""
    assert not is_secret(name)


@pytest.mark.parametrize(
    "text",
    [
        "https://x/?api_key=s3cret&a=1",
        "api_key=s3cret&a=1",
        "a=1&access_token=s3cret",
        "POST https://x/v1beta/models/m:generateContent?key=s3cret failed",
        "https://x/o?X-Amz-Signature=s3cret&a=1",
        "https://x/o?sv=1&sig=s3cret",
        "git clone https://me:s3cret@x/y.git",
    ],
)
def test_keys_in_addresses_are_redacted(text):
    """A key goes from a whole address, and from the query that stands alone, as OpenTelemetry has it."""
    assert without_secrets(text) == text.replace("s3cret", REDACTED)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=25, deadline=None)
@given(SECRET, st.integers(1, 7))
def test_no_beginning_of_a_secret_survives_where_a_text_was_cut(name, secret, kept):
    """A text that ends in the middle of the value, as a log does that was cut, keeps nothing of it."""
    secret = f"s3cret{secret}"
    for form, text in forms(name, secret).items():
        cut = text[: text.index("s3cret") + 6 + kept]
        assert "s3cret" not in without_secrets(cut), (form, cut)


@pytest.mark.parametrize(
    "part",
    [
        '["cookie", \\"',
        '"cookie": [abc ',
        '\\"cookie\\": \\"',
        "'cookie': ",
        '"cookie: ',
        "\\",
        '"cookie',
        "cookie: '",
    ],
)
def test_a_long_text_of_beginnings_is_searched_once(part):
    """Two megabytes of values that never end take seconds: a search that began again at each would take hours."""
    text = f"cookie {part * (2_000_000 // len(part))}"
    assert without_secrets(text).startswith("cookie ")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (["--api-key=s3cret", "-k", "a"], [f"--api-key={REDACTED}", "-k", "a"]),
        (["--service-token", "s3cret", "x.py"], ["--service-token", REDACTED, "x.py"]),
        (["--base-url=https://me:s3cret@x/"], [f"--base-url=https://me:{REDACTED}@x/"]),
        (["--poisson-token-cap=5", "--token", "--poisson-sweep"],) * 2,
    ],
)
def test_a_command_line_keeps_no_value_of_an_option_named_after_a_secret(given, kept):
    """What a run stores of the command that made it goes into reports."""
    assert command_without_secrets(given) == kept


@given(st.text("ab \n", max_size=60), st.integers(1, 40))
def test_a_cut_leaves_whole_words(text, most):
    """At either end no more is kept than may be, and no half of a word unless no space was seen before it."""
    for whole, kept in ((text, beginning_of(text, most)), (text[::-1], end_of(text, most)[::-1])):
        assert whole.startswith(kept)
        assert len(kept) <= most
        rest = whole[len(kept) :]
        assert not rest or rest[0].isspace() or not any(map(str.isspace, kept[1:]))


def test_the_end_of_a_long_output_holds_no_half_of_a_secret():
    """As the last words of a worker that died: of a secret that does not fit nothing is left."""
    secret = "sk-" + "a" * 40
    for most in range(20, 60):
        assert end_of(f"begin {secret} end", most) in (
            "end",
            " end",
            f"{secret} end",
            f" {secret} end",
            f"begin {secret} end",
        )
    assert end_of("x" * 50, 40) == "x" * 40

"""What is kept of a span's texts: which are left out, redacted, cut, and how that is written down."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from poisson_store.texts import cut_text, describe_text
from pytest_poisson.caps import ERROR_LIMIT
from pytest_poisson.capture.attributes import without_content
from pytest_poisson.secrets import REDACTED, attrs_without_secrets, without_secrets
from pytest_poisson.spans import as_json, as_text, error_line, plain

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from pytest_poisson.spans import Span


class Kept(NamedTuple):
    """The texts of a span's row; full lengths and digests stand where a text was cut or left out."""

    name: str
    input: str | None
    output: str | None
    input_bytes: int | None
    input_digest: str | None
    output_bytes: int | None
    output_digest: str | None
    attrs: str | None
    error: str | None


@dataclass(frozen=True, slots=True)
class ContentRules:
    """What is kept of a span's texts.

    Secret headers go first, then what `redact` matches, then whatever `hook` takes out; only then is a text cut
    and digested, so that neither a half of a secret nor its digest is stored.

    Attributes
    ----------
    capture_content
        Whether input and output are kept, and attributes that are content; without, lengths and digests of both are.
    max_observation_bytes
        The most that is kept of one text, in UTF-8 bytes.
    redact
        What else is taken out of every text.
    hook
        Is handed each span to change it; where it raises, no text of the span is kept.
    """

    capture_content: bool = True
    max_observation_bytes: int = 262_144
    redact: tuple[re.Pattern[str], ...] = ()
    hook: Callable[[Span], object] | None = None

    def keep(self, span: Span) -> Kept:
        """Return what is kept of a span's texts."""
        self._take_secrets_out(span)
        if self.hook is not None:
            try:
                self.hook(span)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # noqa: BLE001  a hook of the suite's may raise anything, pytest.fail() too
                span.input = span.output = None
                span.attrs, span.error = {}, f"pytest_poisson_redact raised {error_line(error)}"
        given, given_bytes, given_digest = self._body(span.input)
        made, made_bytes, made_digest = self._body(span.output)
        return Kept(
            name=as_text(span.name),
            input=given,
            output=made,
            input_bytes=given_bytes,
            input_digest=given_digest,
            output_bytes=made_bytes,
            output_digest=made_digest,
            attrs=as_json(self._attrs(_mapping(span.attrs))) if span.attrs else None,
            error=None if span.error is None else as_text(span.error)[:ERROR_LIMIT],
        )

    def is_long(self, text: object) -> bool:
        """Tell whether a text must be cut, roughly and at once."""
        return isinstance(text, str) and len(text) > self.max_observation_bytes

    def _take_secrets_out(self, span: Span) -> None:
        span.name = self.clean(span.name)
        span.step = self.clean(span.step)
        span.input = self.clean(span.input)
        span.output = self.clean(span.output)
        span.error = self.clean(span.error)
        if span.attrs:
            span.attrs = self._clean_deeply(attrs_without_secrets(_mapping(span.attrs)))

    def clean_json(self, text: str | None) -> str | None:
        """Return a JSON object without secrets and without what `redact` matches; as it is where there is nothing.

        Its texts are looked at as they were before they were escaped; one that nests too deeply for that is not kept.
        """
        if text is None:
            return None
        try:
            given = json.loads(text)
            cleaned = self._clean_deeply(attrs_without_secrets(given))
            return text if cleaned == given else as_json(cleaned)
        except RecursionError:
            return as_json({REDACTED: "nests too deeply to be looked through"})

    def clean(self, text: Any) -> Any:
        """Return a text without the values of secret headers and without what `redact` matches."""
        if text is None:
            return None
        text = without_secrets(as_text(text))
        for pattern in self.redact:
            text = pattern.sub(REDACTED, text)
        return text

    def _clean_deeply(self, value: Any) -> Any:
        """Apply `redact` to every text among attributes."""
        if not self.redact:
            return value
        if isinstance(value, str):
            return self.clean(value)
        if isinstance(value, dict):
            return {self.clean(name): self._clean_deeply(item) for name, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._clean_deeply(item) for item in value]
        return value

    def _body(self, text: Any) -> tuple[str | None, int | None, str | None]:
        if text is None:
            return None, None, None
        text = as_text(text)
        if not self.capture_content:
            cut = describe_text(text)
            return None, cut.bytes, cut.digest
        if len(text) * 4 <= self.max_observation_bytes:  # a character has at most four bytes
            return text, None, None
        kept, beyond = cut_text(text, self.max_observation_bytes)
        return (kept, None, None) if beyond is None else (kept, beyond.bytes, beyond.digest)

    def _attrs(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Leave content out where none is kept, cut what is too long among attributes, and say how long it was."""
        short: dict[str, Any] = {}
        for name, value in (attrs if self.capture_content else without_content(attrs)).items():
            if self.is_long(value):
                short[name] = cut_text(value, self.max_observation_bytes)[0]
                short[f"{name}.bytes"] = describe_text(value).bytes
            else:
                short[name] = value
        return short


def _mapping(attrs: Any) -> dict[str, Any]:
    """Return attributes in plain types, by name; what was put in their place and has no names is `value`."""
    attrs = plain(attrs)
    return attrs if isinstance(attrs, dict) else {"value": attrs}

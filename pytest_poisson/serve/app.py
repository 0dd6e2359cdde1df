"""The application: who may ask, for what, and in which words a refusal is said.

Werkzeug has routing, requests and responses and nothing else, waitress is a server in Python alone; both are small,
typed or plain, long kept, and plain WSGI on threads is what SQLite wants: it has no asynchronous side. A framework
would add nothing that is used here, and a home-made server would be one more parser of HTTP to get wrong.
"""

from __future__ import annotations

import base64
import hashlib
import sys
import traceback
from typing import TYPE_CHECKING

from werkzeug.exceptions import HTTPException, MethodNotAllowed
from werkzeug.routing import Map, Rule
from werkzeug.wrappers import Request, Response

from poisson_store.errors import StoreError, UnknownComparisonError, UnknownRunError
from pytest_poisson.errors import UserError
from pytest_poisson.render.browse.frame import (
    SCRIPT_FILE,
    STYLE_FILE,
    problem_page,
    report_inside,
    script,
    style,
)
from pytest_poisson.serve.views import Views

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from _typeshed.wsgi import StartResponse, WSGIEnvironment

    from poisson_store import Store

METHODS = ("GET", "HEAD")
REPORTS = frozenset({"run_report", "comparison_report"})
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Of every answer: no page loads anything from elsewhere, nor is loaded by anything else."""

ROUTES = Map(
    [
        Rule("/", endpoint="runs"),
        Rule("/runs/<run>", endpoint="run"),
        Rule("/runs/<run>/conditions/<key>", endpoint="condition"),
        Rule("/runs/<run>/conditions/<key>/<replicate>", endpoint="replicate"),
        Rule("/runs/<run>/report", endpoint="run_report"),
        Rule("/compare", endpoint="compare"),
        Rule("/compare/report", endpoint="comparison_report"),
        Rule("/comparisons/<known_as>", endpoint="saved"),
    ],
    merge_slashes=False,
    redirect_defaults=False,
    strict_slashes=True,
)
FILES: dict[str, tuple[Callable[[], str], str]] = {
    STYLE_FILE: (style, "text/css"),
    SCRIPT_FILE: (script, "text/javascript"),
    "/favicon.ico": (str, "image/x-icon"),
}


class Browser:
    """The application, as WSGI calls it.

    Parameters
    ----------
    store
        What is shown.
    port
        Where it is served: a request for any other host was meant for somebody else, as after DNS rebinding.
    named
        The store's directory as commands must name it; None where it is the default.
    """

    def __init__(self, store: Store, port: int, *, named: str | None = None) -> None:
        self.views = Views(store, named)
        self.hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        response = self._answer(environ)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response(environ, start_response)

    def _answer(self, environ: WSGIEnvironment) -> Response:
        if refusal := self._refuse(environ):
            return _problem(*refusal)
        try:
            return self._page(Request(environ))
        except Exception as failure:  # noqa: BLE001 (the last resort: the next request is to be answered)
            return _problem(*_explain(failure))

    def _refuse(self, environ: WSGIEnvironment) -> tuple[str, int] | None:
        """Return why a request is not answered, and with which status; None where it is."""
        host = environ.get("HTTP_HOST", "")
        if host.lower() not in self.hosts:
            return f"The host {host!r} is not served here, but {' and '.join(sorted(self.hosts))}.", 403
        elsewhere = environ.get("HTTP_SEC_FETCH_SITE") in {"cross-site", "same-site"}
        if elsewhere and environ.get("HTTP_SEC_FETCH_MODE") != "navigate":
            return "A page from elsewhere may link to these pages, but not load them.", 403
        if environ["REQUEST_METHOD"] not in METHODS:
            return "This server only shows what is stored: it takes GET and HEAD.", 405
        return None

    def _page(self, request: Request) -> Response:
        if request.path in FILES:
            make, kind = FILES[request.path]
            return Response(make(), mimetype=kind)
        endpoint, values = ROUTES.bind_to_environ(request.environ).match()
        response = Response(getattr(self.views, endpoint)(request.args, **values), mimetype="text/html")
        if endpoint in REPORTS:
            response.headers["Content-Security-Policy"] = _report_policy()
        return response


def _report_policy() -> str:
    """Return the policy of a report, which has its style and its script inside: those two, to the letter, and no other."""
    allowed = [base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in report_inside()]
    return (
        f"default-src 'none'; style-src 'sha256-{allowed[0]}'; script-src 'sha256-{allowed[1]}'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    )


def _explain(failure: Exception) -> tuple[str, int]:
    """Return why there is no page, in one sentence, and the status that says so."""
    if isinstance(failure, HTTPException):
        return "There is no such page.", 404
    if isinstance(failure, (UnknownRunError, UnknownComparisonError, UserError)):
        return str(failure), 404
    if isinstance(failure, StoreError):
        return str(failure), 500
    traceback.print_exception(failure, file=sys.stderr)
    return f"An unexpected {type(failure).__name__}; the terminal shows where.", 500


def _problem(sentence: str, status: int) -> Response:
    response = Response(problem_page(f"Refused ({status})", sentence), status, mimetype="text/html")
    if status == MethodNotAllowed.code:
        response.headers["Allow"] = ", ".join(METHODS)
    return response

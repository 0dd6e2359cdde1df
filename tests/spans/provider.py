"""A model provider on 127.0.0.1: it speaks the wire formats of OpenAI and Anthropic, and fails as asked.

The model's name says what happens: `fine`, `busy-N` (N times 429, then fine), `broken` (always 500), `garbled`
(not JSON), `cut` (the connection ends in mid-body), `silent` (no usage).
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PROMPT_TOKENS, COMPLETION_TOKENS = 11, 3
WORDS = ("It ", "is ", "so.")


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # headers and body go out at once, not 40 ms apart

    def log_message(self, *_):
        """Print nothing."""

    def do_GET(self):
        self.answer(200, {"path": self.path})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, dict(self.headers), body))
        what, _, times = body["model"].rpartition("/")[2].partition("-")
        self.server.tries[body["model"]] += 1
        if what == "busy" and self.server.tries[body["model"]] <= int(times):
            self.answer(429, {"error": {"message": "slow down", "type": "rate_limit"}}, retry_after=True)
        elif what == "broken":
            self.answer(500, {"error": {"message": "out of order", "type": "server_error"}}, retry_after=True)
        elif what == "garbled":
            self.answer_bytes(200, b'{"choices": [', "application/json")
        else:
            self.speak(what, body)

    def speak(self, what, body):
        write = write_anthropic if self.path.endswith("/messages") else write_openai
        usage = what != "silent"
        if body.get("stream"):
            usage = usage and (
                self.path.endswith("/messages") or body.get("stream_options", {}).get("include_usage", False)
            )
            pieces = list(write.stream(body["model"], usage=usage))
            self.answer_stream(pieces[: len(pieces) // 2] if what == "cut" else pieces, cut=what == "cut")
        elif what == "cut":
            self.cut(json.dumps(write.whole(body["model"], usage=usage)).encode())
        else:
            self.answer(200, write.whole(body["model"], usage=usage))

    def answer(self, status, document, *, retry_after=False):
        self.answer_bytes(status, json.dumps(document).encode(), "application/json", retry_after=retry_after)

    def answer_bytes(self, status, data, kind, *, retry_after=False):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        if retry_after:
            self.send_header("Retry-After-Ms", "1")
            self.send_header("Retry-After", "0.01")
        self.end_headers()
        self.wfile.write(data)

    def answer_stream(self, pieces, *, cut):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in pieces:
            data = piece.encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        if cut:
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")

    def cut(self, data):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2])
        self.close_connection = True


class write_openai:  # noqa: N801  a namespace
    """OpenAI's chat completions."""

    @staticmethod
    def whole(model, *, usage):
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": model,
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": "".join(WORDS)},
                }
            ],
            **({"usage": write_openai.usage()} if usage else {}),
        }

    @staticmethod
    def usage():
        total = PROMPT_TOKENS + COMPLETION_TOKENS
        return {
            "prompt_tokens": PROMPT_TOKENS,
            "completion_tokens": COMPLETION_TOKENS,
            "total_tokens": total,
        }

    @staticmethod
    def stream(model, *, usage):
        head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": model}
        for word in WORDS:
            yield _event({**head, "choices": [{"index": 0, "delta": {"role": "assistant", "content": word}}]})
        yield _event({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        if usage:
            yield _event({**head, "choices": [], "usage": write_openai.usage()})
        yield "data: [DONE]\n\n"


class write_anthropic:  # noqa: N801  a namespace
    """Anthropic's messages."""

    @staticmethod
    def whole(model, *, usage):
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [{"type": "text", "text": "".join(WORDS)}],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            **(
                {"usage": {"input_tokens": PROMPT_TOKENS, "output_tokens": COMPLETION_TOKENS}}
                if usage
                else {}
            ),
        }

    @staticmethod
    def stream(model, *, usage):
        start = {**write_anthropic.whole(model, usage=usage), "content": [], "stop_reason": None}
        if usage:
            start["usage"] = {"input_tokens": PROMPT_TOKENS, "output_tokens": 1}
        yield _event({"type": "message_start", "message": start})
        yield _event(
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
        )
        for word in WORDS:
            delta = {"type": "text_delta", "text": word}
            yield _event({"type": "content_block_delta", "index": 0, "delta": delta})
        yield _event({"type": "content_block_stop", "index": 0})
        ended = {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}}
        if usage:
            ended["usage"] = {"output_tokens": COMPLETION_TOKENS}
        yield _event(ended)
        yield _event({"type": "message_stop"})


def _event(document):
    name = f"event: {document['type']}\n" if "type" in document else ""
    return f"{name}data: {json.dumps(document)}\n\n"


class Server(ThreadingHTTPServer):
    """Keeps the requests it was sent."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests = []
        self.tries = Counter()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, *_):
        """Say nothing: a client that went away is no news."""


@contextmanager
def provider():
    """Run a provider for as long as the block lasts."""
    server = Server()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

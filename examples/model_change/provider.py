"""A model provider on this machine: OpenAI's wire format, two models, one cheaper and one that fails less.

What a model answers follows from the request alone, its `seed` included, so that two runs on the same seeds meet the
same luck: the large model is only harder to confuse.
"""

import hashlib
import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CONFUSED = {"small-1": 0.25, "large-1": 0.05}  # how often a model takes the wrong step
WORDINESS = {"small-1": 12, "large-1": 30}  # how many words it takes to say so


def choose(model, seed, messages):
    """Return the next action: that of the ticket's script, or a wrong one."""
    script = json.loads(messages[0]["content"])["script"]
    turn = sum(message["role"] == "assistant" for message in messages)
    digest = hashlib.sha256(f"{seed}:{turn}:{script}".encode()).digest()
    if int.from_bytes(digest[:8], "big") / 2**64 < CONFUSED[model]:
        return "escalate" if digest[8] % 2 else "apologise"
    return script[turn] if turn < len(script) else "close"


def completion(body):
    """Answer a chat completion request."""
    action = choose(body["model"], body["seed"], body["messages"])
    words = sum(len(message["content"].split()) for message in body["messages"])
    content = f"{action} {'because ' * WORDINESS[body['model']]}".strip()
    return {
        "id": "chatcmpl-local",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}
        ],
        "usage": {
            "prompt_tokens": words,
            "completion_tokens": len(content.split()),
            "total_tokens": words + len(content.split()),
        },
    }


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # headers and body go out at once, not 40 ms apart

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        data = json.dumps(completion(body)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        """Print nothing."""


@contextmanager
def local_provider():
    """Run the provider on a free port; give its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()

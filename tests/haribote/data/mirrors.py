"""Mirrors of a small MNIST on loopback, and what they may do with a request."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from haribote.data import mnist

CONTENTS = {
    file.name: bytes(file.header) + bytes(value % 10 for value in range(24 * (784 if len(file.shape) == 3 else 1)))
    for file in mnist.FILES
}


Reply = Callable[[BaseHTTPRequestHandler, bytes], None]


def silent(text: str) -> None:
    """Takes what `load` says."""


class Server:
    """A mirror on loopback. `replies` are what it does with one request after the other, then `good` for ever."""

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self.paths: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.paths.append(self.path)
                content = gzip.compress(CONTENTS[self.path.rsplit("/")[-1].removesuffix(".gz")])
                (outer.replies.pop(0) if outer.replies else good)(self, content)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/mnist"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()


def good(request: BaseHTTPRequestHandler, content: bytes) -> None:
    request.send_response(200)
    request.send_header("Content-Length", str(len(content)))
    request.end_headers()
    request.wfile.write(content)


def cut(request: BaseHTTPRequestHandler, content: bytes) -> None:
    """Promises all, sends half, hangs up."""
    request.send_response(200)
    request.send_header("Content-Length", str(len(content)))
    request.end_headers()
    request.wfile.write(content[: len(content) // 2])


def altered(request: BaseHTTPRequestHandler, content: bytes) -> None:
    good(request, gzip.compress(gzip.decompress(content)[:-1] + b"\xff"))


def page(request: BaseHTTPRequestHandler, content: bytes) -> None:
    """What a Wi-Fi's log-in page does."""
    good(request, b"<html>please log in</html>")


def missing(request: BaseHTTPRequestHandler, content: bytes) -> None:
    request.send_error(404)

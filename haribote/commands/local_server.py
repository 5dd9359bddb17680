"""A web server for one reader on this machine: nobody else's page and no other user reads what it serves.

It listens on 127.0.0.1 only, answers only where the Host header names this machine (a page elsewhere can have its own
name lead here, and then counts as that name's), and only below a path that nobody can guess. A reader that sends
nothing is dropped, and so are more readers than a page needs.
"""

from __future__ import annotations

import errno
import http.server
import secrets
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from urllib.parse import urlsplit

from haribote.errors import HariboteError
from simulator.errors import reason_of
from simulator.messages import tr

SECONDS = 10.0
"""That a reader may be silent while it asks, and while it takes the answer."""
MOST_SECONDS = 60.0
"""That a reader may take in all, however busy it is: a byte now and then keeps no place."""
READERS = 32
"""At the same time; a browser opens six."""
NAMES = ("localhost", "127.0.0.1")

Find = Callable[[str], tuple[str, bytes] | None]
"""From a path below the secret one ("/" for the page) to type and content; None where there is nothing."""


class LocalServer(http.server.ThreadingHTTPServer):
    """Serves until `close`.

    Attributes:
        url: where a browser on this machine finds it.

    Raises:
        HariboteError: the port cannot be used.
    """

    daemon_threads = True

    def __init__(self, find: Find, headers: Mapping[str, str], port: int = 0) -> None:
        self.find, self.headers = find, headers
        self.secret = f"/{secrets.token_urlsafe(16)}"
        self._readers = threading.BoundedSemaphore(READERS)
        try:
            super().__init__(("127.0.0.1", port), _Handler)
        except OverflowError as error:
            raise HariboteError(
                tr("a port is a number from 0 to 65535, received {port}", port), tr("--port 0 for a free one")
            ) from error
        except OSError as error:
            why = (
                tr("is in use")
                if error.errno == errno.EADDRINUSE
                else tr("cannot be used ({strerror})", reason_of(error))
            )
            raise HariboteError(tr("port {port} {why}", port, why), tr("--port 0 for a free one")) from error
        self.url = f"http://localhost:{self.server_port}{self.secret}/"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Stop serving."""
        self.shutdown()
        self.server_close()

    def process_request(self, request: socket.socket | tuple[bytes, socket.socket], address: object) -> None:
        """In a thread of its own, as long as there are not too many."""
        if self._readers.acquire(blocking=False):
            super().process_request(request, address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: socket.socket | tuple[bytes, socket.socket], address: object) -> None:
        """The thread of one reader."""
        end = threading.Timer(MOST_SECONDS, _hang_up, (request,))
        end.daemon = True
        end.start()
        try:
            super().process_request_thread(request, address)
        finally:
            end.cancel()
            self._readers.release()

    def handle_error(self, request: object, address: object) -> None:
        """A reader that leaves early is no error."""


def _hang_up(request: socket.socket) -> None:
    with suppress(OSError):  # it has gone meanwhile
        request.shutdown(socket.SHUT_RDWR)


class _Handler(http.server.BaseHTTPRequestHandler):
    """Answers GET and HEAD."""

    server: LocalServer
    timeout = SECONDS

    def do_GET(self) -> None:
        """Send what was asked for, or 403 or 404."""
        status, kind, body = self._answer()
        self.send_response(status)
        for name, value in self.server.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET

    def _answer(self) -> tuple[int, str, bytes]:
        host, _, port = self.headers.get("Host", "").partition(":")
        if host not in NAMES or port not in ("", str(self.server.server_port)):
            return 403, "text/plain", b"this server is for this machine only"
        before, secret, path = urlsplit(self.path).path.partition(self.server.secret)
        found = self.server.find(path) if secret and not before and path.startswith("/") else None
        return (200, *found) if found else (404, "text/plain", b"not found")

    def log_message(self, format: str, *args: object) -> None:
        """Stay quiet."""

"""`haribote view`: a graph in Netron, served on this machine only and kept off the network, or drawn as SVG.

Netron's own server would let its page ask ipinfo.io for your country (to decide about a cookie notice), send usage
events to Google Analytics (page address, operating system, browser, screen size, a client number kept in a cookie for
1,200 days, the size of the model's file, its format and producer, the number of nodes, error texts), and after 180 days
refuse to work until updated. We serve Netron's files with a Content-Security-Policy that forbids every other host, and
tell the page that it is a development build, which starts no telemetry.
"""

from __future__ import annotations

import mimetypes
import re
import time
from datetime import datetime, timezone
from html import escape
from pathlib import Path
from urllib.parse import quote, unquote

import onnx

from haribote.commands.local_server import LocalServer
from haribote.errors import GraphError, HariboteError
from haribote.graph import load
from simulator.messages import Text, say, tr

HEADERS = {
    "Content-Security-Policy": "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "connect-src 'self'; object-src 'none'; frame-src 'none'; base-uri 'none'; form-action 'none'",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
}
QUIET = "quiet.js"
CONSENT = 'Object.defineProperty(document, "cookie", { get: () => "consent=nothing-is-sent", set: () => undefined });'
"""Our script in Netron's page: with its own cookie `consent` the page neither asks ipinfo.io nor shows a notice about
cookies it could not use. No real cookie, since browsers keep those from a page inside a notebook of another host name.
"""

OFFLINE = Text("""Netron's page works without the network and sends nothing: it may talk to this server only.
(On its own, Netron asks ipinfo.io for your country and sends usage events to Google Analytics.)""")


class Viewer:
    """Netron with one graph, until `close`. In a notebook the object shows the graph below its cell.

    Attributes:
        url: where a browser on this machine finds it.
    """

    def __init__(self, name: str, model: bytes, port: int = 0) -> None:
        self._server = LocalServer(_Content(name, model).find, HEADERS, port)
        self.url = self._server.url

    def close(self) -> None:
        """Stop serving."""
        self._server.close()

    def _repr_html_(self) -> str:
        return f'<iframe src="{self.url}" width="100%" height="600" style="border: 1px solid #8888"></iframe>'


def netron(model: onnx.ModelProto, name: str = "model.onnx", port: int = 0) -> Viewer:
    """Show a graph in Netron; port 0 is a free one. Raises HariboteError where the port cannot be used."""
    return Viewer(name, model.SerializeToString(), port)


def view_command(file: Path, port: int) -> int:
    """Serve the graph on localhost until Ctrl-C; the exit status. Raises GraphError as `read` does."""
    viewer = netron(read(file), file.name, port)
    try:
        say(tr("{file}: open {url} in a browser on this machine; Ctrl-C stops the server", file, viewer.url))
        say(OFFLINE, flush=True)
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        say(tr("\nstopped"))
        return 0
    finally:
        viewer.close()


def draw_command(file: Path, after: Path | None, picture: Path) -> int:
    """Write the drawing of a graph, or of two side by side; the exit status. Raises GraphError as `read` does."""
    from haribote import draw

    before = read(file)
    if after is None:
        drawing, what = draw.svg(before, file.stem), tr("{node} nodes", len(before.graph.node))
    else:
        later = read(after)
        drawing, what = draw.diff(before, later, _captions(file, after)), draw.summary(before, later)
    drawing.save(picture)
    say(tr("wrote {picture}: {what}", picture, what))
    return 0


def read(file: Path) -> onnx.ModelProto:
    """The graph in a file. Raises GraphError, which names the file, for a folder and as `graph.load` does."""
    if file.is_dir():
        inside = sorted(path.name for path in file.glob("*.onnx"))
        raise GraphError(
            tr("{file} is a folder", file),
            tr("one of its graphs: {inside}", ", ".join(inside)) if inside else tr("a file .onnx"),
        )
    return load(file)


def _captions(file: Path, after: Path) -> tuple[str, str]:
    """The names of the files, with their folders where the names are the same."""
    return (str(file), str(after)) if file.stem == after.stem else (file.stem, after.stem)


class _Content:
    """What the server has: Netron's files, its page changed for us, and the model."""

    def __init__(self, name: str, model: bytes) -> None:
        import netron

        self.folder = Path(netron.__file__).resolve().parent
        self.model = model
        self.path = f"data/{quote(name)}"
        self.page = _page((self.folder / "index.html").read_text(encoding="utf-8"), name, self.path).encode()

    def find(self, path: str) -> tuple[str, bytes] | None:
        """Type and content of what a browser asks for, or None."""
        if path == "/":
            return "text/html; charset=utf-8", self.page
        if path == f"/{self.path}":
            return "application/octet-stream", self.model
        if path == f"/{QUIET}":
            return "text/javascript", CONSENT.encode()
        file = (self.folder / unquote(path).lstrip("/")).resolve()
        kind = {".js": "text/javascript"}.get(file.suffix) or mimetypes.guess_type(file.name)[0]
        if kind is None or file.suffix == ".py" or self.folder not in file.parents or not file.is_file():
            return None
        return kind, file.read_bytes()


def _page(text: str, name: str, path: str) -> str:
    """Netron's page for this model: version 0.0.0, its sign for a development build, and built today."""
    now = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M:%S")
    ours = {"type": "Python", "version": "0.0.0", "date": now, "file": path, "name": name, "identifier": name}
    metas = "".join(f'<meta name="{key}" content="{escape(value)}">\n' for key, value in ours.items())
    metas += f'<script src="{QUIET}"></script>\n'
    text, count = re.subn(r'<meta name="version" content="[^"]*">\n?', lambda _: metas, text, count=1)
    if not count:
        raise HariboteError(tr("the installed Netron is of a form that we do not know"), "pip install 'netron<10'")
    head, date, tail = text.partition(metas)
    return head + date + re.sub(r'<meta name="date" content="[^"]*">\n?', "", tail, count=1)

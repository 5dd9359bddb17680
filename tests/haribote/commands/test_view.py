"""`haribote view`: Netron served without the network, drawings from the command line, mistakes told in words."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import onnx
import pytest

from haribote.commands import local_server, view
from haribote.commands.cli import main
from haribote.errors import HariboteError
from haribote.graph import Builder, save

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def graph(operator: str = "Relu") -> onnx.ModelProto:
    builder = Builder("small")
    builder.input("x", (2, 3), np.float32)
    builder.output(builder.op("Add", builder.op(operator, "x", name="a"), "x", name="b"))
    return builder.finish()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A graph of two nodes."""
    save(graph(), tmp_path / "small graph.onnx")
    return tmp_path / "small graph.onnx"


@pytest.fixture
def viewer() -> Iterator[view.Viewer]:
    """Netron with that graph."""
    viewer = view.netron(graph(), "small graph.onnx")
    yield viewer
    viewer.close()


def get(url: str) -> tuple[http.client.HTTPResponse, bytes]:
    with urllib.request.urlopen(url, timeout=10) as response:
        return response, response.read()


# --- the server ---------------------------------------------------------------------------------------------------


def test_page_may_talk_to_this_server_only(viewer: view.Viewer) -> None:
    response, body = get(viewer.url)
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy and "connect-src 'self'" in policy and "http" not in policy
    assert b'<meta name="version" content="0.0.0">' in body and body.count(b'<meta name="version"') == 1
    assert body.count(b'<meta name="date"') == 1
    assert "Set-Cookie" not in response.headers
    assert (
        body.index(b'src="quiet.js"') < body.index(b'src="index.js"') and b"consent=" in get(f"{viewer.url}quiet.js")[1]
    )


def test_server_has_the_model_and_netrons_files_only(viewer: view.Viewer) -> None:
    assert get(f"{viewer.url}data/small%20graph.onnx")[1] == graph().SerializeToString()
    response, body = get(f"{viewer.url}index.js?version=1")
    assert response.headers["Content-Type"] == "text/javascript" and body
    for path in ("data/other.onnx", "server.py", "../onnx/__init__.py", "%2e%2e/numpy/version.py", "nothing.js"):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            get(viewer.url + path)


def test_head_has_no_body(viewer: view.Viewer) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port_of(viewer))
    connection.request("HEAD", urlsplit(viewer.url).path)
    response = connection.getresponse()
    assert response.status == 200 and int(response.headers["Content-Length"]) > 1000 and response.read() == b""


def test_server_is_on_this_machine_only_and_stops(viewer: view.Viewer) -> None:
    assert viewer._server.server_address[0] == "127.0.0.1"
    other = view.netron(graph())
    other.close()
    with pytest.raises(urllib.error.URLError):
        get(other.url)


def port_of(viewer: view.Viewer) -> int:
    port = urlsplit(viewer.url).port
    assert port is not None
    return port


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "localhost:1", "localhost.evil.example", "", "["]
)
def test_a_page_of_another_name_reads_nothing(viewer: view.Viewer, host: str) -> None:
    """A name that its owner lets lead to 127.0.0.1 for a moment (rebinding)."""
    connection = http.client.HTTPConnection("127.0.0.1", port_of(viewer), timeout=10)
    connection.request("GET", urlsplit(viewer.url).path, headers={"Host": host.format(port=port_of(viewer))})
    response = connection.getresponse()
    assert response.status == 403 and b"netron" not in response.read().lower()


@pytest.mark.parametrize(
    "path", ["/", "/data/small%20graph.onnx", "//", "/x{secret}/", "/{secret}", "{secret}x/", "{secret}"]
)
def test_another_user_of_the_machine_has_to_know_the_path(viewer: view.Viewer, path: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port_of(viewer), timeout=10)
    connection.request("GET", path.format(secret=urlsplit(viewer.url).path.rstrip("/")))
    assert connection.getresponse().status == 404
    assert len(urlsplit(viewer.url).path) > 20 and view.netron(graph()).url != viewer.url


@pytest.mark.slow
def test_readers_that_say_nothing_are_dropped(viewer: view.Viewer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_server._Handler, "timeout", 0.5)
    silent = [
        socket.create_connection(("127.0.0.1", port_of(viewer)), timeout=20) for _ in range(3 * local_server.READERS)
    ]
    assert [reader.recv(1) for reader in silent] == [b""] * len(silent)  # closed: at once, or when their time was over
    for reader in silent:
        reader.close()
    assert get(viewer.url)[1]


def test_readers_that_say_a_little_now_and_then_are_dropped(
    viewer: view.Viewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_server, "MOST_SECONDS", 0.5)
    with socket.create_connection(("127.0.0.1", port_of(viewer)), timeout=20) as slow:
        start = time.monotonic()
        with pytest.raises(OSError):
            while time.monotonic() - start < 15:
                slow.sendall(b"G")
                time.sleep(0.1)
        assert time.monotonic() - start < 10


def test_notebooks_show_the_page(viewer: view.Viewer) -> None:
    assert f'<iframe src="{viewer.url}"' in viewer._repr_html_()


def test_a_port_that_cannot_be_used_is_told(viewer: view.Viewer) -> None:
    port = port_of(viewer)
    with pytest.raises(HariboteError, match=f"port {port} is in use"):
        view.netron(graph(), port=port)
    for port in (-1, 65536):
        with pytest.raises(HariboteError, match="from 0 to 65535"):
            view.netron(graph(), port=port)


def test_an_unknown_netron_is_told() -> None:
    with pytest.raises(HariboteError, match="a form that we do not know"):
        view._page("<html></html>", "a.onnx", "/data/a.onnx")


def test_names_are_escaped_in_the_page() -> None:
    text = view._page('<meta name="version" content="1">', '"><script>.onnx', "/data/x")
    assert "<script>" not in text


# --- the command --------------------------------------------------------------------------------------------------


HEARING = """
import signal, sys
from haribote.commands.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main())
"""
"""The command as from a terminal: what a script starts in the background, and all that this starts, ignores Ctrl-C."""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_command_serves_until_interrupted(file: Path) -> None:
    command = [sys.executable, "-c", HEARING, "view", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert "Ctrl-C" in line and "sends nothing" in process.stdout.readline()
            assert "ipinfo.io" in process.stdout.readline()
            url = next(word for word in line.split() if word.startswith("http://localhost:"))
            assert b"Netron" in get(url)[1]
            process.send_signal(signal.SIGINT)
            rest = process.communicate(timeout=20)
        finally:
            process.kill()  # else its end would be waited for whatever has happened
    assert process.returncode == 0 and rest == ("\nstopped\n", "")


def test_svg_of_one_graph(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", str(file), "--svg", str(tmp_path / "new" / "a.svg")]) == 0
    assert "a.svg: 2 nodes" in capsys.readouterr().out
    ElementTree.parse(tmp_path / "new" / "a.svg")


def test_svg_of_two_graphs(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save(graph("Exp"), tmp_path / "later.onnx")
    out = tmp_path / "a.svg"
    assert main(["view", str(file), "--diff", str(tmp_path / "later.onnx"), "--svg", str(out)]) == 0
    assert "1 unchanged, 1 changed, 0 removed, 0 added" in capsys.readouterr().out
    assert "was Relu" in out.read_text(encoding="utf-8")


@pytest.mark.parametrize("arguments", [[], ["--svg", "out.svg"], ["--svg", "out.svg", "--diff", "GOOD"]])
@pytest.mark.parametrize("name", ["absent.onnx", "text.onnx", "empty.onnx", "."])
def test_what_is_no_graph_is_told(
    name: str, arguments: list[str], file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(file.parent)
    Path("text.onnx").write_text("def main(): pass\n")
    Path("empty.onnx").write_text("")
    assert main(["view", name, *(word.replace("GOOD", str(file)) for word in arguments)]) == 2
    told = capsys.readouterr().err
    assert name in told and "Traceback" not in told and not Path("out.svg").exists()


def test_second_graph_must_be_one_too(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", str(file), "--svg", str(tmp_path / "a.svg"), "--diff", str(tmp_path)]) == 2
    told = capsys.readouterr().err
    assert "is a folder" in told and "small graph.onnx" in told


def test_diff_needs_svg(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["view", str(file), "--diff", str(file)])
    assert stopped.value.code == 2 and "--diff needs --svg" in capsys.readouterr().err


# --- in a browser -------------------------------------------------------------------------------------------------


class Browser:
    """Headless Chromium, spoken to by the DevTools protocol; every host but this machine is unknown to it."""

    def __init__(self, folder: Path) -> None:
        websocket = pytest.importorskip("websocket")
        assert CHROMIUM is not None
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
                   "--remote-allow-origins=*",
                   "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
                   f"--user-data-dir={folder}"]  # fmt: skip
        self.process = subprocess.Popen([CHROMIUM, *options, "about:blank"], stderr=subprocess.DEVNULL)
        port_file = folder / "DevToolsActivePort"
        self.wait(lambda: port_file.exists() and "\n" in port_file.read_text())
        port = port_file.read_text().split()[0]
        pages = json.loads(get(f"http://127.0.0.1:{port}/json")[1])
        address = next(page["webSocketDebuggerUrl"] for page in pages if page["type"] == "page")
        self.socket = websocket.create_connection(address, timeout=30)
        self.asked: list[str] = []
        self.number = 0

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command; the addresses that the page asked for in the meantime go to `asked`."""
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("method") == "Network.requestWillBeSent":
                self.asked.append(message["params"]["request"]["url"])
            if message.get("id") == self.number:
                return message["result"]

    def value(self, expression: str) -> Any:
        """What a JavaScript expression gives."""
        return self.call("Runtime.evaluate", expression=expression)["result"].get("value")

    def wait(self, condition: Callable[[], Any]) -> None:
        """Until the condition holds; 30 s at most."""
        end = time.monotonic() + 30
        while not condition():
            assert time.monotonic() < end, "the browser is too slow"
            time.sleep(0.2)

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(20)


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    """Skipped where there is no Chromium."""
    if CHROMIUM is None or os.name != "posix":
        pytest.skip("needs Chromium")
    browser = Browser(tmp_path / "profile")
    yield browser
    browser.close()


def shown(browser: Browser, url: str) -> str:
    """Open a page; the class of its body once Netron shows something for good."""
    browser.call("Network.enable")
    browser.call("Page.navigate", url=url)
    ready = "document.body && !/spinner/.test(document.body.className) && document.readyState == 'complete'"
    browser.wait(lambda: browser.value(ready))
    return str(browser.value("document.body.className"))


@pytest.mark.slow
def test_netron_shows_the_graph_and_asks_nobody(browser: Browser, viewer: view.Viewer) -> None:
    assert shown(browser, viewer.url) == "default"
    text = browser.value("document.getElementById('target').textContent")
    assert "Relu" in text and "Add" in text
    assert (
        browser.asked and {url for url in browser.asked if not url.startswith((viewer.url, "data:", "blob:"))} == set()
    )
    assert browser.value("document.cookie = 'a=b'; document.cookie") == "consent=nothing-is-sent"
    refused = "fetch('https://ipinfo.io/json').then(() => 'sent', () => 'refused')"
    answer = browser.call("Runtime.evaluate", expression=refused, awaitPromise=True)
    assert answer["result"]["value"] == "refused"


@pytest.mark.slow
def test_netrons_own_server_asks_others(browser: Browser, file: Path) -> None:
    """Why we have a server of our own; if this fails, Netron has become quieter and ours may not be needed."""
    import netron

    host, port = netron.start(str(file), browse=False)
    try:
        shown(browser, f"http://{host}:{port}/")
        assert "cookies" in browser.value("document.body.innerText")
        assert any("ipinfo.io" in url for url in browser.asked)
    finally:
        netron.stop()

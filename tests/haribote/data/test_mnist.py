"""Downloads of MNIST that go wrong: tried again, elsewhere, or given up with a reason."""

from __future__ import annotations

import socket
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import numpy as np
import pytest

from haribote.data import mnist
from haribote.data.dataset import DataError
from tests.haribote.data.mirrors import Reply, Server, altered, cut, good, missing, page


@pytest.mark.parametrize("trouble", [cut, altered, page, missing])
def test_a_bad_reply_is_retried(server: Server, tmp_path: Path, trouble: Reply) -> None:
    server.replies = [trouble]
    mnist.fetch(tmp_path / "got", mirrors=[server.url])
    assert len(server.paths) == 5
    assert sorted(path.name for path in (tmp_path / "got").iterdir()) == sorted(f"{f.name}.gz" for f in mnist.FILES)
    assert (mnist.read(tmp_path / "got", mnist.TRAIN_LABELS) == np.arange(24) % 10).all()


def test_the_next_mirror_helps(server: Server, tmp_path: Path) -> None:
    mnist.fetch(tmp_path / "got", mirrors=[f"http://127.0.0.1:{_closed_port()}/", server.url])
    assert len(server.paths) == 4


@pytest.mark.parametrize(("trouble", "reason"), [(cut, "truncated"), (altered, "altered"), (missing, "404")])
def test_giving_up_says_why_and_keeps_what_was_good(
    server: Server, tmp_path: Path, trouble: Reply, reason: str
) -> None:
    server.replies = [good] + [trouble] * mnist.ROUNDS
    with pytest.raises(DataError, match=reason) as caught:
        mnist.fetch(tmp_path / "got", mirrors=[server.url])
    assert server.url in str(caught.value) and "--data FOLDER" in str(caught.value)
    assert [path.name for path in (tmp_path / "got").iterdir()] == [f"{mnist.TRAIN_IMAGES.name}.gz"]


def test_a_silent_network_does_not_hold_us(small: tuple[mnist.File, ...], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:  # accepts, never answers
        mirror = f"http://127.0.0.1:{deaf.getsockname()[1]}/"
        with pytest.raises(DataError, match=r"no mirror of MNIST answered \(waited [0-9] s\)"):  # else it waits 20
            mnist.fetch(tmp_path, mirrors=[mirror], answer_within=0.3)


def test_a_slow_download_is_given_up(server: Server, tmp_path: Path) -> None:
    def slow(request: BaseHTTPRequestHandler, content: bytes) -> None:
        cut(request, content)
        request.wfile.flush()
        time.sleep(1.0)

    server.replies = [slow]
    with pytest.raises(DataError, match="too slow"):
        mnist.fetch(tmp_path / "got", mirrors=[server.url], finish_within=0.3)


def _closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])

"""The page as text: small, alone, with nothing private, and what was given is never HTML."""

from __future__ import annotations

import base64
import json
import re
import socket
import zlib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from haribote.own.ledger import Entry, Ledger
from haribote.share.digit import Digit
from haribote.share.page import page
from simulator.language import spoken
from tests.haribote.share.stories import TRAINED, story

VOID = {"meta", "img", "input"}


class Elements(HTMLParser):
    """What a browser sees: elements with their attributes, and whether all are closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID and tag not in ("rect", "path", "circle"):
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag


def data_of(text: str) -> Any:
    found = re.search(r'id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    return json.loads(found[1])


@pytest.mark.parametrize("language", ["en", "ja"])
def test_page_asks_nothing_of_a_network_and_is_small(language: str) -> None:
    with spoken(language):
        text = page(story(), viewed=True)
    assert len(text.encode()) < 1_000_000
    assert f'<html lang="{language}">' in text
    assert not re.search(r"(?i)https?:|//[a-z0-9-]+\.|@import|fetch\(|XMLHttpRequest|import\(|url\(", text)
    for tag, attributes in Elements(text).found:
        for name in ("src", "href", "action", "data", "srcset"):
            assert (attributes.get(name) or "data:").startswith(("data:", "view.html")), (tag, attributes)
    assert "default-src 'none'" in text


def test_fields_of_the_page_are_those_of_the_recording() -> None:
    told = story()
    text = page(told)
    found = re.search(r'id="fields">(.*?)</script>', text)
    assert found
    packed = np.frombuffer(zlib.decompress(base64.b64decode(found[1])), np.uint8).reshape(-1, 2048)
    fields = np.stack([packed >> 4, packed & 15], axis=-1).reshape(len(packed), 4096)
    for moment, row in zip(told.recording.moments, data_of(text)["moments"], strict=True):
        assert (fields[row[6]] == moment.field).all()
        assert row[:3] == [round(moment.cycle, 1), moment.kernel, moment.text]
        assert row[5] == moment.line + 1  # the viewer's first frame is the start


@pytest.mark.parametrize(
    "name", ["<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>", "\"' &amp; @DATA@"]
)
def test_a_name_is_text(name: str) -> None:
    told = story(name=name, digit=Digit(np.zeros((28, 28), np.uint8), np.zeros((4, 4), np.uint8), None, True))
    text = page(told)
    plain = [tag for tag, _ in Elements(page(story(name="Aki", digit=told.digit))).found]
    assert [tag for tag, _ in Elements(text).found] == plain
    assert data_of(text)["kernels"][0]["label"] == f"DL a<b> · task 5.3 · {name}"


def test_only_the_name_is_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = page(story(name="Aki"), viewed=True)
    assert "Aki" in here
    for variable in ("USER", "LOGNAME", "HOME", "HOSTNAME"):
        monkeypatch.setenv(variable, "somebody-private")
    monkeypatch.setattr(socket, "gethostname", lambda: "somebody-private")
    monkeypatch.chdir(tmp_path)
    assert page(story(name="Aki"), viewed=True) == here
    assert not any(private in here for private in (str(Path(__file__).parents[3]), str(Path.home()) + "/", "/tmp/"))


def test_page_and_its_texts_are_the_same_every_time() -> None:
    assert page(story(name="Aki")) == page(story(name="Aki"))


def test_page_says_what_the_digit_is_and_what_was_said_of_it() -> None:
    shown = page(story())
    assert "the first test picture" in shown and "4x4 pixels" in shown
    assert "wrong, it is 3" in shown or "(right)" in shown
    drawn = story().digit
    mine = page(story(name="Aki", digit=Digit(drawn.picture, drawn.seen, None, True), trained=TRAINED))
    assert "A digit drawn by Aki" in mine and "5 epochs" in mine and "91.3 %" in mine
    assert "No picture was given" not in mine and "(right)" not in mine


def test_page_says_whose_the_step_is() -> None:
    entries = (Entry("kernels", "5.3", "yours", 1, 0, 0, 64, 10, 40.0),)
    assert "All of it is Aki" in page(story(name="Aki", ledger=Ledger(entries)))
    partly = page(story(name="Aki"))
    assert "All of it is" not in partly and "42 %" in partly  # of the cycles, 40 of 96
    course = story(name="Aki", ledger=Ledger((Entry("kernels", "5.3", "reference", 1, 0, 1, 64, 10, 40.0),)))
    assert "Aki shows Haribote at work" in page(course)
    assert "is by the course" in page(course)


def test_viewer_is_linked_only_where_it_was_written() -> None:
    assert "view.html" not in re.sub(r"<script>.*</script>", "", page(story()), flags=re.DOTALL)
    assert '<a id="view" href="view.html">' in page(story(), viewed=True)

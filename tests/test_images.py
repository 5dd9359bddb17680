"""The pictures of README and docs: made by one command, in both languages, small, and without scripts."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
SHOWN = re.compile(r"!\[(?P<alt>[^\]]*)\]\((?P<path>[^)]*)\)")
PAGES = ("README", "docs/frontends/deploy")
MOST = 1_500_000  # bytes of README's pictures in both languages


def shown(page: str) -> list[Path]:
    """The pictures of a page; each has words for those who do not see it."""
    found = list(SHOWN.finditer((ROOT / page).read_text(encoding="utf-8")))
    assert found and all(len(one["alt"]) > 20 for one in found)
    return [((ROOT / page).parent / one["path"]).resolve() for one in found]


@pytest.mark.parametrize("page", PAGES)
def test_each_language_has_pictures_of_its_own(page: str) -> None:
    english, japanese = shown(f"{page}.md"), shown(f"{page}.ja.md")
    assert [path.with_suffix(f".ja{path.suffix}") for path in english] == japanese
    for one, other in zip(english, japanese, strict=True):
        assert one.parent == IMAGES and one.read_bytes() != other.read_bytes()


def test_pictures_are_small_and_whole() -> None:
    files = {path for page in PAGES for path in (*shown(f"{page}.md"), *shown(f"{page}.ja.md"))}
    assert sum(path.stat().st_size for path in files) < MOST
    for path in files:
        if path.suffix == ".svg":
            text = path.read_text(encoding="utf-8")
            assert ElementTree.fromstring(text).tag.endswith("svg") and "<script" not in text
        else:
            with Image.open(path) as picture:
                picture.load()
                assert picture.width >= 600


def test_every_picture_is_made_by_the_command_and_shown() -> None:
    made = importlib.import_module("docs.images.__main__").PICTURES
    names = {path.name.split(".")[0] for path in IMAGES.iterdir() if path.suffix in (".svg", ".png", ".gif")}
    assert names == {"share" if name == "film" else name for name in made}


def test_a_picture_that_there_is_not_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["docs.images", "portrait"])
    assert importlib.import_module("docs.images.__main__").main() == 2
    printed = capsys.readouterr().err
    assert "'portrait'" in printed and "Traceback" not in printed


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pipeline", "cut"])
def test_drawings_are_made_anew(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files, module = (importlib.import_module(f"docs.images.{one}") for one in ("files", name))
    monkeypatch.setattr(files, "HERE", tmp_path)
    assert module.make("en") == tmp_path / f"{name}.svg"
    drawn = ElementTree.fromstring((tmp_path / f"{name}.svg").read_text(encoding="utf-8"))
    kept = ElementTree.fromstring((IMAGES / f"{name}.svg").read_text(encoding="utf-8"))
    assert len(list(drawn.iter())) > 30 and drawn.get("class") == kept.get("class")

"""The Japanese documents say what the English ones say: section for section, with the same commands and numbers.

Above each heading of a Japanese document stands the hash of the English section that it was translated from.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from haribote.answers.tasks import ROOT
from notebooks.translation import FENCE
from simulator.language import digest

FRONTENDS = tuple(f"docs/frontends/{name}" for name in ("deploy", "jax", "lazy", "mlsdk", "onnx", "torch"))
PAGES = tuple(f"docs/{name}" for name in ("instructors", "workshops", "third_edition", "final_project", "gpt"))
DOCUMENTS = ("README", *PAGES, *FRONTENDS)
GENERATED = re.compile(r"^<!-- (?:the table|made by).*?^<!-- end of .*?-->", re.DOTALL | re.MULTILINE)
"""Tables that are made from the rules; the Japanese pages have a link to them."""
HEADING = re.compile(r"^(#+) (.+)$")
MARK = re.compile(r"^<!-- ([0-9a-f]{8}) -->$")
LINK = re.compile(r"\]\(([^)\s]+)\)")
NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
HALF_WIDTH_KANA = re.compile(r"[\uff61-\uff9f]")


class Section(NamedTuple):
    """A heading and what stands below it. original: the hash above it."""

    level: int
    heading: str
    text: str
    original: str


def sections(text: str) -> list[Section]:
    """The sections of a document, from heading to heading."""
    found: list[tuple[str, str, list[str]]] = []
    mark = fence = ""
    for line in text.splitlines():
        opened = FENCE.match(line)
        fence = "" if opened and fence else opened[1] if opened else fence
        if not fence and MARK.match(line):
            mark = MARK.sub(r"\1", line)
        elif not fence and HEADING.match(line):
            found.append((line, mark, []))
            mark = ""
        else:
            found[-1][2].append(line)
    split = [(HEADING.sub(r"\1", line), HEADING.sub(r"\2", line), mark, lines) for line, mark, lines in found]
    return [Section(len(hashes), heading, "\n".join(lines).strip(), mark) for hashes, heading, mark, lines in split]


def english(name: str) -> list[Section]:
    return sections(GENERATED.sub("", (ROOT / f"{name}.md").read_text(encoding="utf-8")))


def japanese(name: str) -> list[Section]:
    return sections((ROOT / f"{name}.ja.md").read_text(encoding="utf-8"))


def pairs(name: str) -> Iterator[tuple[Section, Section]]:
    return zip(english(name), japanese(name), strict=True)


def hash_of(section: Section) -> str:
    return digest(f"{section.heading}\n\n{section.text}")


def without_fences(text: str) -> str:
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def code(text: str) -> list[str]:
    """The fences of a section without the comments, which are translated."""
    blocks = re.findall(r"^```.*?^```", text, re.DOTALL | re.MULTILINE)
    return [re.sub(r"[ ]*# .*$", "", block, flags=re.MULTILINE) for block in blocks]


def names(text: str) -> set[str]:
    """What stands as code between words."""
    return set(re.findall(r"`[^`]+`", " ".join(without_fences(text).split())))


def table(text: str) -> list[list[str]]:
    lines = [line for line in without_fences(text).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def anchor(heading: str) -> str:
    """The anchor that code hosts give a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def in_japanese(target: str, beside: Path) -> str:
    """Where the Japanese document links to, for a link of the English one: to Japanese editions, if there are any."""
    path, _, fragment = target.partition("#")
    edition = re.sub(r"\.(md|ipynb|svg|png|gif)$", r".ja.\1", path)
    if "://" in path or path.endswith(".ja.md") or not (beside / edition).is_file():
        return target
    if not fragment:
        return edition
    name = (beside / path).resolve().relative_to(ROOT).with_suffix("").as_posix()
    (translated,) = [ja.heading for en, ja in pairs(name) if anchor(en.heading) == fragment]
    return f"{edition}#{anchor(translated)}"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_translation_is_stale(name: str) -> None:
    assert [one.level for one in japanese(name)] == [one.level for one in english(name)], "other sections"
    stale = [
        f"{name}.ja.md, {ja.heading}: its English has changed. Translate it; the hash is now {hash_of(en)}"
        for en, ja in pairs(name)
        if ja.original != hash_of(en)
    ]
    assert not stale, "\n".join(stale)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_commands_and_names_are_the_same(name: str) -> None:
    for en, ja in pairs(name):
        assert code(ja.text) == code(en.text)
        assert names(ja.text) >= names(en.text), ja.heading


@pytest.mark.parametrize("name", DOCUMENTS)
def test_tables_have_the_same_numbers(name: str) -> None:
    for en, ja in pairs(name):
        rows = list(zip(table(en.text), table(ja.text), strict=True))
        for original, translated in rows:
            assert len(original) == len(translated), translated
            for cell, said in zip(original, translated, strict=True):
                assert not Counter(NUMBER.findall(cell)) - Counter(NUMBER.findall(said)), (cell, said)
                assert bool(cell) == bool(said) and (cell == said or re.search("[A-Za-z]", cell)), (cell, said)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_to_japanese_editions_and_back(name: str) -> None:
    beside, file = (ROOT / name).parent, Path(name).name
    for en, ja in pairs(name):
        links = Counter(LINK.findall(ja.text))
        wanted = Counter(in_japanese(target, beside) for target in LINK.findall(en.text))
        if ja.level == 1:
            assert f"*[日本語]({file}.ja.md)*" in en.text and f"*[English]({file}.md)*" in ja.text
            wanted -= Counter([f"{file}.ja.md"])
        del links[f"{file}.md"]
        assert not wanted - links, ja.heading
        assert all(in_japanese(target, beside) == target for target in links), ja.heading


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_text_is_japanese(name: str) -> None:
    """No line of prose was left in English, and none has half-width kana."""
    for section in japanese(name):
        for line in without_fences(section.text).splitlines():
            assert not HALF_WIDTH_KANA.search(line)
            words = re.findall(r"[A-Za-z]{2,}", re.sub(r"`[^`]*`|\]\([^)]*\)", "", line))
            assert len(words) < 12 or re.search(r"[\u3041-\u30ff\u4e00-\u9fff]", line), line


def test_sections_are_read_with_their_hashes() -> None:
    text = "<!-- 0123abcd -->\n# A\n\ntext\n\n```sh\n# no heading\n```\n\n## B\n\nmore\n"
    assert sections(text) == [
        Section(1, "A", "text\n\n```sh\n# no heading\n```", "0123abcd"),
        Section(2, "B", "more", ""),
    ]

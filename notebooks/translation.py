"""Translated notebooks: text of their own, below the hash of each English paragraph; all else is the English one's.

A translation, notebooks/source/02_autograd/01_relu.ja.md, holds text only: every paragraph of the English source in its
order, below a comment with the hash of the original. Code cells, and paragraphs without words, come from the original.

    <!-- 3f9a01bc -->
    # 連鎖律

After the English text has changed, `python -m notebooks.translate` marks what is to be done: `<!-- 3f9a01bc stale -->`
above a translation of an earlier text, `<!-- 3f9a01bc missing -->` above English text. Translate it, delete the word.
`python -m notebooks.build --check` lists these places, and translations that are not of the source as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Literal

from haribote.errors import HariboteError
from simulator.language import digest

State = Literal["", "stale", "missing"]
MARKER = re.compile(r"^<!-- ([0-9a-f]{8})(?: (stale|missing))? -->$")
TAG = re.compile(r"<!--.*?-->|</?[a-zA-Z][^>]*>", re.DOTALL)
FENCE = re.compile(r"^(```+|~~~+)")


class TranslationError(HariboteError):
    """A translation is not as it must be; the message names file and line."""


@dataclass(frozen=True)
class Paragraph:
    """A translated paragraph. original: the hash of the English one; state: what is to be done with it."""

    original: str
    text: str
    state: State = ""

    def __str__(self) -> str:
        return f"<!-- {self.original}{self.state and ' ' + self.state} -->\n{self.text}\n"


def paragraphs(text: str) -> list[str]:
    """The paragraphs of Markdown: parts between blank lines, fences whole."""
    found: list[list[str]] = [[]]
    fence = ""
    for line in text.splitlines():
        mark = FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif fence and line.startswith(fence):
            fence = ""
        if line.strip() or fence:
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return ["\n".join(lines) for lines in found if lines]


def has_words(paragraph: str) -> bool:
    """False for what is the same in every language: tags, fences, formulas without a word."""
    if FENCE.match(paragraph):
        return False
    return re.search(r"[A-Za-z]{2}", TAG.sub("", paragraph)) is not None


def read(path: Path) -> list[Paragraph]:
    """The paragraphs of a translation. Raises TranslationError."""
    found: list[tuple[str, State, list[str]]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        mark = MARKER.match(line)
        if mark:
            state: State = "stale" if mark[2] == "stale" else "missing" if mark[2] == "missing" else ""
            found.append((mark[1], state, []))
        elif found:
            found[-1][2].append(line)
        elif line.strip():
            raise TranslationError(
                f"{path.name}:{number}: text without the hash of its original",
                f"python -m notebooks.translate {path.stem}",
            )
    for original, _, lines in found:
        if len(paragraphs("\n".join(lines))) != 1:
            raise TranslationError(
                f"{path.name}: below {original} there must be one paragraph", "one comment above each paragraph"
            )
    return [Paragraph(original, "\n".join(lines).strip("\n"), state) for original, state, lines in found]


def translated(cells: Iterable[str], translation: Sequence[Paragraph]) -> list[str]:
    """Text cells with every paragraph that has a translation in its place; the others stay as they are."""
    by_hash = {paragraph.original: paragraph.text for paragraph in translation}
    return ["\n\n".join(by_hash.get(digest(text), text) for text in paragraphs(cell)) for cell in cells]


def to_do(cells: Iterable[str], translation: Sequence[Paragraph], name: str) -> list[str]:
    """What keeps a translation from being the whole text as it is now, a line each; [] for nothing."""
    wanted = [digest(text) for text in _worded(cells)]
    found = [
        f"{name}: {paragraph.original} is {paragraph.state}: {_beginning(paragraph.text)}"
        for paragraph in translation
        if paragraph.state
    ]
    if [paragraph.original for paragraph in translation] != wanted:
        found.append(f"{name}: the English text has changed\n    try: python -m notebooks.translate {name}")
    return found


def renewed(cells: Iterable[str], translation: Sequence[Paragraph]) -> list[Paragraph]:
    """A translation with the paragraphs of the English text as it is now: translations of paragraphs that are still
    there, translations of what stood there before (stale), and English text (missing).
    """
    texts = list(_worded(cells))
    known = {paragraph.original: paragraph for paragraph in translation}
    before, now = [paragraph.original for paragraph in translation], [digest(text) for text in texts]
    found: list[Paragraph] = []
    for _, start, end, first, last in SequenceMatcher(a=before, b=now, autojunk=False).get_opcodes():
        earlier = [paragraph for paragraph in translation[start:end] if paragraph.original not in now]
        for original, text in zip(now[first:last], texts[first:last], strict=True):
            if original in known:
                found.append(known[original])
            elif earlier:
                found.append(Paragraph(original, earlier.pop(0).text, "stale"))
            else:
                found.append(Paragraph(original, text, "missing"))
    return found


def _worded(cells: Iterable[str]) -> Iterator[str]:
    """The paragraphs that are to be translated, each text once."""
    texts = (text for cell in cells for text in paragraphs(cell) if has_words(text))
    yield from dict.fromkeys(texts)


def _beginning(text: str) -> str:
    return text[:40].replace("\n", " ")

"""Texts by their form: `3 of 8 elements are wrong` is of the form `{count} of {total} elements are wrong`.

A message that says little, such as `{a} of {b}`, has the form of many a sentence. It counts only where what stands in
its places is translated, or looks like names and numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

PLACE = re.compile(r"\{\{|\}\}|\{([^{}]+)\}")
FULL = r"[\u3000-\u30ff\u3400-\u9fff\uff01-\uff60]"
SPACED = re.compile(rf"(?<={FULL}) (?={FULL})")
"""A space that a translation has beside a place for Latin letters, where that place holds Japanese."""
TELLING, TELLING_WORDS = 16, 3
"""Letters, or words, from which on a message is told by its own."""
NAME = re.compile(r"[^\s:]+: ")
ANYTHING, COLUMN = "(.*?)", r"( *(?:(?! {2,}\S).)*? *)"
"""What a place may hold; and what it holds in a line of columns."""
WORD = re.compile(r"(?<![\w.`/$-])[a-z]{3,}(?![\w.`/(=-])")
SENTENCE = re.compile(r"(?<![\w.`/$-])[a-z]{2,} (?:an? )?[a-z]{2,} (?:an? )?[a-z]{2,}(?![\w.`/(=-])")
PROSE = re.compile(r"(?<![\w.`/$-])[a-z]{2,} (?:an? |the )?[a-z]{2,}(?![\w.`/(=-])")
CODE, BAR, SUM = re.compile(r'[;{}"]|\w\(|::|//|[,;:]$'), re.compile("[=|]"), re.compile("[+*]")
CODE_LINE = re.compile("|".join((r"[;{}]\s*$", r"[\w)\]] [-+*/]?= ", r"\)( ->.*)?:\s*$")))
VALUE = re.compile(r"[A-Z0-9._/`$%\[]|[^\x00-\x7f]|^-|^\W*[a-z]\W*$")
APART = tuple(map(re.compile, ("( {2,})", "(; )", "(: )", "(, )", r"((?<= )\(|\)(?=[ ,;.]|$))")))
"""What stands between cells of a table, sentences, a name and what is said of it, items of a list, and remarks."""


@dataclass(frozen=True)
class Message:
    """A message with places, in both languages.

    words: its longest piece of text, by which it is looked for. table: its form where each place is of one column.
    free: which places hold any text, for a colon stands before them. loose: it says little; tiny: a word at most.
    anchored: it begins with one. begins: what it begins with, before its first place. named: it begins with a place and
    a colon. near: its forms where, of places with nothing but a space between, one alone holds more than a word.
    """

    form: re.Pattern[str]
    table: re.Pattern[str]
    near: tuple[re.Pattern[str], ...]
    names: tuple[str, ...]
    free: tuple[bool, ...]
    words: str
    translated: str
    loose: bool
    tiny: bool
    anchored: bool
    begins: str
    named: bool

    def is_whole(self, beginning: str) -> bool:
        """Whether a text that begins so, and is of this form, has that from the message, or in a place of its own."""
        begins = self.begins.startswith(beginning) or (self.begins.strip() and beginning.startswith(self.begins))
        return bool(begins) or (self.named and NAME.fullmatch(beginning) is not None)

    def filled(
        self, text: str, translate: Callable[[str], str], is_known: Callable[[str], bool] = lambda place: False
    ) -> str | None:
        """The translation of a text of this form, None for others.

        translate: what stands in a place. is_known: whether it is translated as a whole, not piece by piece.
        """
        if self.words not in text:
            return None
        table = self.table.fullmatch(text) if "  " in text else None
        match = table or self._phrase(text, is_known) or self.form.fullmatch(text)
        if match is None or text in match.groups():
            return None
        given = match.groups()
        if self.tiny and table is None and any(place.startswith(" ") for place in given):
            return None  # the word is in a column of its own, and may be a name
        if self.loose and not all(
            free or self._may_be(place.strip()) or is_known(place) for place, free in zip(given, self.free, strict=True)
        ):
            return None
        said = (translate(place) if place else "" for place in given)
        places = dict(zip(self.names, said, strict=True))
        whole = PLACE.sub(lambda place: places.get(place[1], "") if place[1] else place[0][0], self.translated)
        return SPACED.sub("", whole)

    def _phrase(self, text: str, is_known: Callable[[str], bool]) -> re.Match[str] | None:
        """The match where a place before another one holds several words that are translated as a whole."""
        for match in filter(None, (form.fullmatch(text) for form in self.near)):
            if any(" " in place and is_known(place) for place in match.groups()):
                return match
        return None

    def _may_be(self, place: str) -> bool:
        """Whether this may stand in a place; what is of another sentence, or code, may not."""
        if re.search(FULL, place):  # it is translated already
            return True
        if not self.anchored and any(mark.search(place) for mark in (BAR, *APART[:3])):
            return False
        if CODE.search(place) or PROSE.search(place):
            return False
        return not self.tiny or all(map(self._is_name, place.split(", ")))

    def _is_name(self, item: str) -> bool:
        """Whether it looks like a name or a number."""
        if (self.anchored or self.named) and item.isidentifier():
            return True
        return bool(VALUE.search(item)) and not WORD.search(item) and (self.anchored or not SUM.search(item))


def message(text: str, translated: str) -> Message:
    """The message of this text in the catalogue."""
    pieces, names, free, literal, end = [], [], [], [""], 0
    for place in PLACE.finditer(text):
        literal.append(text[end : place.start()])
        pieces.append(re.escape(literal[-1]))
        end = place.end()
        if place[1] is None:
            pieces.append(re.escape(place[0][0]))
        elif "|" in place[1]:
            pieces.append(f"(?:{'|'.join(map(re.escape, place[1].split('|')))})")
        elif place[1] in names:
            pieces.append(".*?")
        else:
            names.append(place[1])
            free.append(literal[-1].endswith((": ", ":\n")))
            pieces.append(ANYTHING)
    literal.append(text[end:])
    pieces.append(re.escape(text[end:]))
    form, table = (re.compile("".join(pieces).replace(ANYTHING, place)) for place in (ANYTHING, COLUMN))
    said = " ".join(literal)
    count = len(re.findall("[A-Za-z]{2,}", said))
    telling = sum(map(str.isalpha, said)) >= TELLING or count >= TELLING_WORDS or text[0].isspace()
    return Message(
        form, table, _near(pieces), tuple(names), tuple(free), max(literal, key=len), translated,
        loose=not telling, tiny=count <= 1, anchored=re.match("[A-Za-z]{2}", text) is not None,
        begins=literal[1], named=literal[1] == "" and literal[2].startswith(": "),
    )  # fmt: skip


def _near(pieces: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    """Of pieces of a form, those forms of it in which one of some neighbouring places holds several words."""
    after = {n for n in range(2, len(pieces)) if pieces[n - 2 : n + 1] == [ANYTHING, re.escape(" "), ANYTHING]}
    neighbours = sorted(after | {n - 2 for n in after})
    return tuple(
        re.compile("".join(r"(\S+)" if n in neighbours and n != wide else piece for n, piece in enumerate(pieces)))
        for wide in neighbours
    )

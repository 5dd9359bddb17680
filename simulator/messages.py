"""What people read, in their language.

In the code every text is English, and so is what is stored or sent. Where it is shown, `shown` looks it up in gettext
catalogues (`locale/ja/LC_MESSAGES`), one of the simulator and one of each package that calls `use`. A message there
names what the code puts in: `{count} of {total} elements are wrong`. A text that was put together long ago, or in
another process, is found by its form, and what stands in its places is looked up in turn.

A place with bars, `{is|are}` or `{|s}`, stands for words of English grammar; a translation has no use for it.
Catalogues are made by `python -m notebooks.messages`.
"""

from __future__ import annotations

import builtins
import gettext
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import TextIO

from simulator.columns import columns, visible
from simulator.forms import APART, CODE_LINE, PLACE, SENTENCE, TELLING, Message, message
from simulator.language import LanguageError, language

LETTERS = re.compile(r"[A-Za-z]+")
NUMBERED = re.compile(r"(\d+\.\d+)( +)([a-z]+(?: [a-z]+)*)")
"""The number of a task, and what is said of it: `5.12 passed`."""
WHOLE_WORD = re.compile(r"(?<![A-Za-z\0])[A-Za-z]+(?![A-Za-z\0])")
INDENT = re.compile(
    r"(?P<before>[\s✓✗·*-]*(?:try: )?(?:(?:[A-Za-z]:)?[^\s:]+(?::\d+){1,2}: (?:error: |warning: )?)?(?:[^\s:]+: )?)"
    r"(?P<text>.*)",
    re.DOTALL,
)
"""What stands before the words of a line: marks, `try:`, the place of a finding, `relu.vsm:3:7: error:`, a name."""
MARKS = frozenset("✓✗·*-")
RAISED = re.compile(rf"\b(?:{'|'.join(name for name in dir(builtins) if name.endswith('Error'))}): $")
"""What stands before the words of an error of Python's."""
OF_ONNX = re.compile(r"(?:\(op_type:.*)?\[\w+Error\]")
"""How an error of ONNX begins."""
SHARE, OF_ALL = re.compile(r"(?P<count>[\d,]+) of (?P<total>[\d,]+)"), "{count} of {total}"
"""A number of another one, and its message: without the numbers it would have the form of many a text."""
FRONTS = ("try:", "error:", "warning:")
FRONT = re.compile(rf"(?:{'|'.join(FRONTS)})(?= )")
FOLDERS: dict[str, Path] = {"simulator": Path(__file__).parent / "locale"}
"""Where the catalogue of each domain is."""
Source = Callable[[str], Mapping[str, str]]
SOURCES: list[Source] = []
"""From a language to texts that are translated elsewhere, such as the titles of tasks."""


def use(domain: str, folder: Path) -> None:
    """Texts are looked up in this domain too."""
    if FOLDERS.get(domain) != folder:
        FOLDERS[domain] = folder
        forget()


def use_also(source: Source) -> None:
    """Texts are looked up in what this gives too; it is called when the first text is looked up."""
    SOURCES.append(source)
    forget()


def forget() -> None:
    """Read the catalogues anew when the next text is looked up."""
    _catalogue.cache_clear()
    _shown.cache_clear()


def say(
    *values: object, sep: str | None = " ", end: str | None = "\n", file: TextIO | None = None, flush: bool = False
) -> None:
    """As `print`, in the language of the moment, without what a terminal would obey (`visible`). What programs read,
    such as JSON and assembly, is printed as it is.

    Raises LanguageError.
    """
    text = shown((" " if sep is None else sep).join(map(str, values)))
    print(visible(text), end=end, file=file, flush=flush)


def shown(text: str) -> str:
    """A text in the language of the moment; itself in English, or where there is no translation.

    Lines are looked up together first, then each for itself, without what stands before its words. Raises
    LanguageError.
    """
    into = language()
    return text if into == "en" else _shown(text, into)


def joined(*phrases: str) -> str:
    """Phrases in the language of the moment, with its comma between them; those that are empty are left out."""
    return shown(", ").join(shown(phrase) for phrase in phrases if phrase)


def told(text: str) -> str:
    """The same of an error's message; in English where `HARIBOTE_LANG` names no language, which may be the error."""
    try:
        return shown(text)
    except LanguageError:
        return text


@lru_cache(maxsize=1 << 12)
def _shown(text: str, into: str) -> str:
    find = _catalogue(into).find
    if "\n" in text:
        found = find(text)
        return "\n".join(_shown(line, into) for line in text.split("\n")) if found is None else found
    if OF_ONNX.match(text):
        return text
    if (share := SHARE.fullmatch(text)) and (said := _catalogue(into).plain.get(OF_ALL)):
        return said.format_map(share.groupdict())
    parts = INDENT.fullmatch(text)
    assert parts is not None
    before, rest = parts["before"], parts["text"]
    marked = not rest or not MARKS.isdisjoint(before.split(" ", 1)[0])
    found = find(text, "" if marked else before)
    if found is not None or not before:
        return _pieces(text, into) if found is None else found
    if RAISED.search(before):  # a message of this project begins with some words of its own
        return before + (find(rest, rest[:TELLING]) or rest)
    said = _shown(rest, into) if rest else ""
    if said == rest and not marked and (found := find(text)) is not None:
        return found
    return FRONT.sub(lambda word: _shown(word[0], into), before) + said


def _pieces(text: str, into: str) -> str:
    """A text that is not found as a whole, with those of its pieces that are, unless sentences would be left among
    them, or it is of a program. Single words may be names, and stay. A column begins where it did, if what stands
    before it leaves the room.
    """
    if CODE_LINE.search(text):
        return text
    if (task := NUMBERED.fullmatch(text)) and (state := _catalogue(into).find(task[3])) is not None:
        return task[1] + task[2] + state
    pieces = next((found for mark in APART if len(found := mark.split(text)) > 1), [])
    said, shift = "", 0
    for piece in pieces:
        if len(piece) > 1 and piece.isspace():
            room = max(len(piece) - shift, 2)
            said, shift = said + " " * room, shift + room - len(piece)
            continue
        here = _shown(piece, into) if " " in piece.strip() else piece
        said, shift = said + here, shift + columns(here) - columns(piece)
    return said if said and not SENTENCE.search(said) else text


class _Catalogue:
    """All domains of a language. The messages with most text come first: they say most of what they match.

    Before them come those that lead to another one, such as `the assembler says: {message}`.
    """

    def __init__(self, into: str) -> None:
        self.into, self.plain = into, dict[str, str]()
        for source in SOURCES:
            self.plain |= source(into)
        for domain, folder in FOLDERS.items():
            self.plain |= texts(domain, folder, into)
        for text, found in list(self.plain.items()):
            for line, said in _lines(text, found):
                self.plain.setdefault(line, said)
        with_places = [(text, found) for text, found in self.plain.items() if PLACE.search(text) and _says(text)]
        with_places.sort(key=lambda entry: (_leads(entry[0]), len(PLACE.sub("", entry[0]))), reverse=True)
        self.by_word: dict[str, list[tuple[int, Message]]] = {}
        for rank, (form, said) in enumerate(with_places):
            self.by_word.setdefault(_longest_word(form), []).append((rank, message(form, said)))

    def find(self, text: str, beginning: str = "") -> str | None:
        """The translation. beginning: of the text, what must be of the message itself, not of what is in a place."""
        found = self.plain.get(text)
        if found is not None:
            return found
        words = {"", *LETTERS.findall(text)}
        fitting = sorted(entry for word in words for entry in self.by_word.get(word, ()))
        own = (one for _, one in fitting if one.is_whole(beginning))

        def translate(place: str) -> str:
            return _shown(place, self.into)

        def is_known(place: str) -> bool:
            return self.find(place) is not None

        return next((said for one in own if (said := one.filled(text, translate, is_known)) is not None), None)


def texts(domain: str, folder: Path, into: str) -> dict[str, str]:
    """What the catalogue of a domain has, English to translated; nothing where there is no catalogue."""
    found = gettext.translation(domain, folder, [into], fallback=True)
    catalogue: dict[object, str] = getattr(found, "_catalog", {})  # the standard library has no other way to all of it
    return {text: said for text, said in catalogue.items() if isinstance(text, str) and text and said}


def _lines(text: str, found: str) -> Iterator[tuple[str, str]]:
    """The lines of a message of several, each with its own: a place in it may hold a text of several lines."""
    lines, said = text.split("\n"), found.split("\n")
    if 1 < len(lines) == len(said):
        for line, translated in zip(lines, said, strict=True):
            if re.search("[a-z]", PLACE.sub("", line)):
                yield line.strip(), translated.strip()


def _says(text: str) -> bool:
    """Whether it is looked for by its form: there are words beside the places, else it would be that of any text."""
    return text != OF_ALL and re.search("[A-Za-z]{2}", PLACE.sub("", text)) is not None


def _leads(form: str) -> bool:
    """Whether a message begins with words and a colon, before any place."""
    return re.match(r"[^{}:]+: ", form) is not None


def _longest_word(form: str) -> str:
    """The longest word that every text of this form has; "" where each may be longer by what stands in a place."""
    return max(WHOLE_WORD.findall(PLACE.sub("\0", form)), key=len, default="")


@cache
def _catalogue(into: str) -> _Catalogue:
    return _Catalogue(into)

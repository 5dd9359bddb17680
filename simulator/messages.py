"""What people read, in their language.

A message is a value: a template with what stands in its places, in their order or by their names, marked where it is
written, `tr("{count:,} of {total} are wrong", 3, 8)`. Its translation is looked up by its template in gettext
catalogues (`locale/ja/LC_MESSAGES`), one of the simulator and one of each package that calls `use`; nothing looks into
finished text. Catalogues are made by `python -m notebooks.messages`.
"""

from __future__ import annotations

import gettext
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TextIO

from simulator.columns import visible
from simulator.language import language_or_english
from simulator.terminal import RoleLine, painted

FOLDERS: dict[str, Path] = {"simulator": Path(__file__).parent / "locale"}
"""Where the catalogue of each domain is."""
Source = Callable[[str], Mapping[str, str]]
SOURCES: list[Source] = []
"""From a language to texts that are translated elsewhere, such as the titles of tasks."""
Places = Mapping[str, object]
_PLACE = re.compile(r"\{\{|\}\}|\{(\w+)")


class Text(str):
    """A message that remembers its template and what stands in its places.

    As a `str` it reads as in the language in which it was made: `tr` makes it in the language of the moment; what is
    made when a module is imported, by `Text("wrong rows")`, or is compared with others, reads in English until it is
    shown. What stands in a place is verbatim, unless it is a Text itself. Braces mean places only where places are
    given.
    """

    template: str
    places: Places

    def __new__(cls, template: str, places: Places | None = None, into: str = "en") -> Text:
        """What stands in its places; the language in which it reads."""
        found = str.__new__(cls, _rendered(template, places or {}, into))
        found.template, found.places = template, places or {}
        return found

    def filled(self, **places: object) -> Text:
        """The same with something in its places: of a message that stands in a table before it is known what."""
        return Text(self.template, places)

    def said(self, into: str = "") -> str:
        """The same in a language, of the moment where none is named."""
        return _rendered(self.template, self.places, into or language_or_english())

    def __reduce__(self) -> tuple[object, ...]:
        return (str, (str.__str__(self),)) if self.places else (Text, (self.template,))


def tr(template: str, /, *values: object, **places: object) -> str:
    """A message (a Text) in the language of the moment; in English where `HARIBOTE_LANG` names no language.

    Args:
        values: what stands in the places of the template, in their order.
        places: the same by their names, where that reads better.
    """
    return Text(template, dict(zip(names(template), values, strict=True)) if values else places, language_or_english())


@cache
def names(template: str) -> tuple[str, ...]:
    """The names of a template's places, each once, in the order in which they come."""
    return tuple(dict.fromkeys(found[1] for found in _PLACE.finditer(template) if found[1]))


def shown(text: str) -> str:
    """A message in the language of the moment, whenever it was made; any other text as it is."""
    return text.said() if isinstance(text, Text) else text


def joined(*phrases: str) -> str:
    """Phrases in the language of the moment, with its comma between them; those that are empty are left out."""
    return tr(", ").join(shown(phrase) for phrase in phrases if phrase)


def say(
    *values: object, sep: str | None = " ", end: str | None = "\n", file: TextIO | None = None, flush: bool = False
) -> None:
    """As `print`, messages in the language of the moment, without what a terminal would obey (`visible`); in colours
    where the stream has them (simulator/terminal.py), by the role of a `RoleLine`.
    """
    text = (" " if sep is None else sep).join(
        shown(value) if isinstance(value, str) else str(value) for value in values
    )
    role = values[0].role if len(values) == 1 and isinstance(values[0], RoleLine) else ""
    print(painted(visible(text), role, file), end=end, file=file, flush=flush)


def knows(template: str) -> bool:
    """Whether a message is translated into the language of the moment."""
    into = language_or_english()
    return into != "en" and template in _catalogue(into)


def use(domain: str, folder: Path) -> None:
    """Messages are looked up in this domain too."""
    if FOLDERS.get(domain) != folder:
        FOLDERS[domain] = folder
        forget()


def use_also(source: Source) -> None:
    """Messages are looked up in what this gives too; it is called when the first one is looked up."""
    SOURCES.append(source)
    forget()


def forget() -> None:
    """Read the catalogues anew when the next message is looked up."""
    _catalogue.cache_clear()


def texts(domain: str, folder: Path, into: str) -> dict[str, str]:
    """What the catalogue of a domain has, English to translated; nothing where there is no catalogue."""
    found = gettext.translation(domain, folder, [into], fallback=True)
    catalogue: dict[object, str] = getattr(found, "_catalog", {})  # the standard library has no other way to all of it
    return {text: said for text, said in catalogue.items() if isinstance(text, str) and text and said}


def _rendered(template: str, places: Places, into: str) -> str:
    said = template if into == "en" else _catalogue(into).get(template, template)
    if not places:
        return said
    return said.format_map({name: v.said(into) if isinstance(v, Text) else v for name, v in places.items()})


@cache
def _catalogue(into: str) -> Mapping[str, str]:
    """All domains of a language, template to translation."""
    found: dict[str, str] = {}
    for source in SOURCES:
        found |= source(into)
    for domain, folder in FOLDERS.items():
        found |= texts(domain, folder, into)
    return found

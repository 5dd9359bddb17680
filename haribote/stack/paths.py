"""The paths between two maps: constructed, with the last resort after them; their ways are kept between runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path as File

from haribote.answers.deciding import digest
from haribote.layout import LayoutError
from haribote.stack.chains import Hop, Path, fits_exactly
from haribote.stack.construct import along, constructed
from haribote.stack.maps import PART, BitMap
from haribote.stack.nearby import apart, joined_in_the_end, joined_nearby
from haribote.stack.resort import last_resort
from haribote.stack.shares import choices
from haribote.stack.ways import Way, ways
from simulator.cache import cache_folder
from simulator.files import FileError, write_file


def paths(start: BitMap, wanted: BitMap, combine: str = "") -> Iterator[Path]:
    """The first paths that are constructed, the cheapest first; then the last resort, if there is one.

    combine: what joins the parts of the start. The ways of what was constructed before are read from the cache, also
    where index bits only had other names.
    """
    ends, names = anonymous(start, wanted), _names(start, wanted)
    for find in (_constructed, _resort):
        for path in find(*ends, combine):
            yield tuple(_named(hop, names, start.shape) for hop in path)


def anonymous(start: BitMap, wanted: BitMap) -> tuple[BitMap, BitMap]:
    """Both maps with one axis, its index bits numbered as they come in the maps: what a path depends on."""
    numbers = {name: number for number, name in enumerate(_names(start, wanted))}
    shape = (1 << len(numbers),)
    first, last = (
        BitMap(found.memory, shape, tuple([(bit, numbers.get(c, c)) for bit, c in found.carries]))
        for found in (start, wanted)
    )
    return first, last


def _names(start: BitMap, wanted: BitMap) -> tuple[int, ...]:
    """The index bits in the order of the places in which they stand, first in the wanted map: then maps that differ in
    names only are the same wherever a path begins, and the halves that come down to them are listed once.
    """
    return tuple(dict.fromkeys(carry for found in (wanted, start) for _, carry in found.carries if carry >= 0))


def _named(hop: Hop, names: Sequence[int], shape: tuple[int, ...]) -> Hop:
    """A hop of anonymous maps as one of a tensor of this shape. Parts are numbered above the index bits."""
    source, target = (
        BitMap(
            found.memory,
            (*found.shape[:-1], *shape),
            tuple((bit, names[c] if 0 <= c < len(names) else c) for bit, c in found.carries),
        )
        for found in (hop.source, hop.target)
    )
    return Hop(hop.way, source, target)


@lru_cache(maxsize=1 << 12)
def _constructed(start: BitMap, wanted: BitMap, combine: str) -> tuple[Path, ...]:
    """Paths between anonymous maps, after what is joined nearby; parts that no such path joins travel apart."""
    first = joined_nearby(start, wanted, combine)
    if first:
        start = apart(first[-1].target, start.width)
        if start.satisfies(wanted) and fits_exactly(first[-1].way, wanted):
            return (first,)
    if PART not in start.table.values():
        combine = ""
    found = _kept(start, wanted, combine)
    if not found and combine:
        end = joined_in_the_end(start, wanted, combine, lambda *ends: next(paths(*ends), None))
        found = (end,) if end is not None else ()
    return tuple((*first, *path) for path in found)


@lru_cache(maxsize=1 << 12)
def _resort(start: BitMap, wanted: BitMap, combine: str) -> tuple[Path, ...]:
    path = None if combine else last_resort(start, wanted)
    return () if path is None else (path,)


# --- the cache -------------------------------------------------------------------------------------------------------


_new: dict[str, list[list[str]]] = {}


def _kept(start: BitMap, wanted: BitMap, combine: str) -> tuple[Path, ...]:
    """What is constructed, by the names of its ways where these are in the cache."""
    key = hashlib.sha256(repr((start, wanted, combine)).encode()).hexdigest()[:32]
    try:
        chains = [_ways(names, start, combine) for names in _read()[key]]
        return tuple(along(chain, start, wanted, combine) for chain in chains)
    except (LookupError, TypeError, ValueError, LayoutError):
        pass  # not there, or not as we write it: constructed anew
    found = tuple(constructed(start, wanted, combine))
    _read()[key] = _new[key] = [[hop.way.name for hop in path if hop.way.kind != "clear"] for path in found]
    return found


def _ways(names: Sequence[str], start: BitMap, combine: str) -> list[Way]:
    """Ways by their names, from the start on. Raises LookupError for a name that no way has."""
    found: list[Way] = []
    for name in names:
        found.append(_table(combine)[found[-1].target if found else start.memory, name])
    return found


@cache
def _table(combine: str) -> dict[tuple[str, str], Way]:
    return {(way.source, way.name): way for way in (*ways(combine), *choices())}


def save() -> None:
    """Keep what was constructed for the next run; nothing happens where nothing was."""
    if not _new:
        return
    _read.cache_clear()  # another process may have kept others
    try:
        _file().parent.mkdir(parents=True, exist_ok=True)
        write_file(_file(), json.dumps({**_read(), **_new}), durable=False)
        _new.clear()
    except (OSError, FileError):
        pass  # a cache that cannot be written costs time only


def forget() -> None:
    """Look into the cache on disk again."""
    for kept in (_constructed, _resort, _read):
        kept.cache_clear()


@cache
def _file() -> File:
    """Where the ways are kept that this version of the construction takes."""
    return cache_folder() / "stack" / f"paths-{digest(__name__)[:16]}.json"


@cache
def _read() -> dict[str, list[list[str]]]:
    try:
        found = json.loads(_file().read_text("utf-8"))
    except (OSError, ValueError):  # not there, or not as we write it
        return {}
    return found if isinstance(found, dict) else {}

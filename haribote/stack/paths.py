"""The paths between two maps: found by search, with the last resort after them, and kept between runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path as File
from typing import Any

from haribote.layout import LayoutError
from haribote.stack.maps import PART, Bit, BitMap
from haribote.stack.nearby import apart, joined_in_the_end, joined_nearby
from haribote.stack.resort import last_resort
from haribote.stack.search import LIMIT, Hop, Path, candidates, fits_exactly
from haribote.stack.ways import named, ways
from simulator.cache import cache_folder
from simulator.files import FileError, write_file

TRIED = 2
"""Paths of one search that are written out before the cheapest is taken."""


def paths(
    start: BitMap, wanted: BitMap, through: frozenset[str], assumed: bool = False, combine: str = ""
) -> tuple[tuple[Path, bool], ...]:
    """The first paths that a search finds, the cheapest by estimate first; at the end the last resort (True), if there
    is one.

    through: memories in which a path may pass; assumed: also with what isa.md marks [A]; combine: what joins the parts
    of the start. What was found before is read from the cache, also where index bits only had other names.
    """
    found = _kept(*anonymous(start, wanted), through, assumed, combine)
    names = _names(start, wanted)
    return tuple((tuple(_named(hop, names, start.shape) for hop in path), resort) for path, resort in found)


def anonymous(start: BitMap, wanted: BitMap) -> tuple[BitMap, BitMap]:
    """Both maps with one axis, its index bits numbered as they come in the maps: what a path depends on."""
    numbers = {name: number for number, name in enumerate(_names(start, wanted))}
    first, last = (
        BitMap.of(found.memory, (1 << len(numbers),), {bit: numbers.get(c, c) for bit, c in found.carries})
        for found in (start, wanted)
    )
    return first, last


def _names(start: BitMap, wanted: BitMap) -> tuple[int, ...]:
    """The index bits in the order of the places in which they stand."""
    return tuple(dict.fromkeys(carry for found in (start, wanted) for _, carry in found.carries if carry >= 0))


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
def _kept(
    start: BitMap, wanted: BitMap, through: frozenset[str], assumed: bool, combine: str
) -> tuple[tuple[Path, bool], ...]:
    """The paths between anonymous maps, from the cache where they are there."""
    file = _folder() / f"{_key(start, wanted, through, assumed, combine)}.json"
    try:
        kept = json.loads(file.read_text("utf-8"))
        return tuple((_path(hops, start, wanted, combine), resort) for hops, resort in kept)
    except (OSError, ValueError, LookupError, TypeError, StopIteration, LayoutError):
        pass  # not there, or not as we write it: searched again
    found = [(path, False) for path in _searched(start, wanted, through, assumed, combine)]
    if not combine and (path := last_resort(start, wanted)) is not None:
        found.append((path, True))
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_file(file, json.dumps([(_plain(path), resort) for path, resort in found]), durable=False)
    except (OSError, FileError):
        pass  # a cache that cannot be written costs time only
    return tuple(found)


def _searched(start: BitMap, wanted: BitMap, through: frozenset[str], assumed: bool, combine: str) -> Iterator[Path]:
    """What the search finds, after what is joined nearby."""
    first = joined_nearby(start, wanted, combine)
    if first:
        start = apart(first[-1].target, start.width)
        if start.satisfies(wanted) and fits_exactly(first[-1].way, wanted):
            yield first
            return
    if PART not in start.table.values():
        combine = ""
    found = False
    for path in _further(start, wanted, through, assumed, combine):
        found = True
        yield (*first, *path)
    if not found and combine and (end := joined_in_the_end(start, wanted, combine, last_resort)) is not None:
        yield (*first, *end)


def _further(start: BitMap, wanted: BitMap, through: frozenset[str], assumed: bool, combine: str) -> Iterator[Path]:
    """What the search finds; where it finds nothing, what two wider ones find."""
    found = list(islice(candidates(start, wanted, through, LIMIT, assumed, combine=combine), TRIED))
    yield from found
    if not found:
        wide = 2 * LIMIT
        yield from islice(candidates(start, wanted, through, wide // 4, assumed, single=True, combine=combine), TRIED)
        yield from islice(candidates(start, wanted, through, wide // 2, assumed, turns=1, combine=combine), TRIED)


def forget() -> None:
    """Look into the cache on disk again."""
    _kept.cache_clear()


# --- the cache -------------------------------------------------------------------------------------------------------


@cache
def _folder() -> File:
    """Where paths are kept that this version of the search has found."""
    sources = [
        File(__file__).parent / f"{name}.py"
        for name in ("maps", "demand", "costs", "outlook", "search", "nearby", "resort", "paths")
    ]
    digest = hashlib.sha256(b"".join(source.read_bytes() for source in sources) + repr(ways("fadd")).encode())
    return cache_folder() / f"moves-{digest.hexdigest()[:16]}"


def _key(*parts: Any) -> str:
    start, wanted, through, *rest = parts
    return hashlib.sha256(repr((start, wanted, sorted(through), *rest)).encode()).hexdigest()[:32]


def _plain(path: Path) -> list[Any]:
    """A path as JSON: of every hop its way and its maps."""
    return [
        [
            hop.way.name,
            *(
                [found.memory, found.shape, [[*bit, c] for bit, c in found.carries]]
                for found in (hop.source, hop.target)
            ),
        ]
        for hop in path
    ]


def _path(hops: Sequence[Any], start: BitMap, wanted: BitMap, combine: str) -> Path:
    """A path from JSON. Raises ValueError, among others, where it is none from `start` to `wanted`."""
    found: list[Hop] = []
    for name, *ends in hops:
        source, target = (
            BitMap.of(memory, shape, {Bit(level, number): carry for level, number, carry in carries})
            for memory, shape, carries in ends
        )
        found.append(Hop(named(name, source.memory, target.memory, combine), source, target))
    if not found or not found[-1].target.satisfies(wanted) or found[0].source.memory != start.memory:
        raise ValueError("the path ends elsewhere")
    return tuple(found)

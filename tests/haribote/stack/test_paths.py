"""Constructed paths beside those of a search, and what is kept of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice, pairwise
from pathlib import Path as File

import pytest
from hypothesis import HealthCheck, given, settings

from benchmarks.moved import failure
from haribote.stack import paths
from haribote.stack.chains import Path, cycles, follow
from haribote.stack.collection import collection, pairs
from haribote.stack.construct import _Join, constructed
from haribote.stack.demand import Demand
from haribote.stack.maps import COPY, PART, Bit, BitMap, W, address, unit_bits
from haribote.stack.moves import alone
from haribote.stack.ways import ways
from tests.haribote.stack.astar import candidates
from tests.haribote.stack.random_maps import changes, source_of, target_of

MAPS = collection()
CLOSE = ["256x16.A", "256x16.B", "256x16.P", "256x16.near", "16x16", "16x16.T", "16x16.mab", "16", "16.mab", "16.pe"]


def _found(start: BitMap, wanted: BitMap) -> Iterator[tuple[Path, Path]]:
    """The cheapest constructed path and the cheapest that the search finds."""
    found, searched = constructed(start, wanted), next(candidates(start, wanted, assumed=True), None)
    if searched is not None and not start.satisfies(wanted):
        assert found, f"no halves fit, and the search takes {[hop.way.name for hop in searched]}"
        yield found[0], searched


@pytest.mark.slow
def test_constructed_paths_are_as_cheap_as_those_of_a_search() -> None:
    """Between layouts of the collection; measured of 441 pairs of compiled models: see the note of `construct`."""
    ends = [(a, b) for a, b in pairs() if a in CLOSE and b in CLOSE]
    compared = [pair for a, b in ends for pair in _found(MAPS[a], MAPS[b])]
    assert len(compared) > 15
    ratios = sorted(cycles(path) / cycles(searched) for path, searched in compared)
    assert ratios[-1] <= 1.25 and ratios[int(0.9 * len(ratios))] <= 1.0


def test_halves_that_are_tried_join_all_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where copies may stand in for parts, a half that joins copies only is none."""
    tried: list[list[int] | None] = []
    cleared = _Join.cleared

    def noted(join: _Join, asked: Demand, joined: int) -> list[int] | None:
        tried.append(cleared(join, asked, joined))
        return tried[-1]

    monkeypatch.setattr(_Join, "cleared", noted)
    held = {bit: COPY for bit in unit_bits("LM")} | {Bit("PE", 0): 1, Bit("PE", 1): 2, W: 0}
    held |= {address(number): 3 + number for number in range(5)}
    parts = {Bit("L2B", 0): PART}
    assert constructed(BitMap.of("LM", (16, 16), held | parts), BitMap.of("LM", (16, 16), held), "fadd")
    assert len(tried) > 10 and sum(found is None for found in tried) < len(tried) / 10, "tries that leave parts"


@pytest.mark.slow
@given(changes())
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_constructed_paths_between_any_layouts_are_right(change: tuple[BitMap, BitMap]) -> None:
    start, wanted = change
    for path in constructed(start, wanted):
        assert path[0].source == start and path[-1].target.satisfies(wanted)
        assert all(hop.target == after.source for hop, after in pairwise(path))
    assert failure(alone(source_of(start), target_of(wanted))) == ""


def test_a_path_is_what_its_ways_make_of_the_start() -> None:
    """`follow` on the demands of a search gives the maps that the search went through."""
    start, wanted = MAPS["256x16.A"], MAPS["256x16.B"]
    for path in islice(candidates(start, wanted), 2):
        again = constructed(start, wanted)[0]
        assert path[-1].target.satisfies(wanted) and again[-1].target.satisfies(wanted)
    assert follow((), start) is None


@pytest.mark.parametrize("combine", ["fadd", "fmax", "iadd", "imin"])
def test_a_way_is_known_by_its_name_and_where_it_begins(combine: str) -> None:
    names = [(way.source, way.name) for way in ways(combine)]
    assert len(names) == len(set(names))


def test_the_ways_of_a_path_are_kept_and_a_spoilt_file_is_not_believed(
    kept: File, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, wanted = MAPS["256x16.A"], MAPS["256x16.B"]
    first = tuple(paths.paths(start, wanted))
    assert len(first) > 1
    paths.save()
    ((key, names),) = json.loads(kept.read_text("utf-8")).items()
    assert len(kept.read_bytes()) < 300 and names[0] == [hop.way.name for hop in first[0]]
    with monkeypatch.context() as patched:
        patched.setattr(paths, "constructed", lambda *ends: pytest.fail("constructed twice"))
        paths.forget()
        assert tuple(paths.paths(start, wanted)) == first
    for spoilt in ("", "[[", "[]", f'{{"{key}": 1}}', f'{{"{key}": [["no way"]]}}', f'{{"{key}": [["l1bmd"]]}}'):
        kept.write_text(spoilt)
        paths.forget()
        assert tuple(paths.paths(start, wanted)) == first, spoilt


def test_paths_of_two_processes_are_both_kept(kept: File) -> None:
    next(paths.paths(MAPS["16x16"], MAPS["16x16.T"]))
    paths.save()
    paths.forget()
    next(paths.paths(MAPS["256x16.A"], MAPS["256x16.B"]))
    kept.write_text('{"another": [["l1bmd"]]}')
    paths.save()
    assert len(json.loads(kept.read_text("utf-8"))) == 2

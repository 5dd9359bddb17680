"""Values that lie in DRAM as halves: their maps, how they are packed and rounded, and how they come down."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.errors import HariboteError
from haribote.graph import Builder
from haribote.stack.maps import COPY, Bit, BitMap, W, address
from haribote.stack.plan import Alias, Load, Plan, Store, Version
from haribote.stack.products.pairs import packed, pairs_of, rounded
from haribote.stack.program.packing import BEYOND_HALVES, HalfPacking
from haribote.stack.program.session import session_of
from haribote.stack.program.shortest import build
from simulator import Machine
from simulator.engine.numbers.formats import HALF, SINGLE, narrow, widen


def version(columns: int, fill: float = 0.0) -> Version:
    """32 rows over addresses and L1Bs, columns over words and PEs; copies in all other units."""
    carries = {W: 0, Bit("PE", 0): 1, Bit("PE", 1): 2} | {address(k): 3 + k for k in range(2)}
    carries |= {Bit("L1B", k): 5 + k for k in range(3)}
    units = [Bit("MAB", k) for k in range(4)] + [Bit("group", 0), Bit("group", 1), Bit("L2B", 0)]
    return Version("x", BitMap.of("LM", (32, 8), carries | dict.fromkeys(units, COPY)), ((32,), (8,)), fill)


def test_pairs_have_half_the_columns_and_half_the_room() -> None:
    below = pairs_of(version(8))
    assert below is not None and below.map.shape == (32, 4) and below.split == ((32,), (4,))
    assert below.map.longs == version(8).map.longs // 2 and below.map[W] == 2 and below.map[Bit("PE", 0)] == 0


def test_no_pairs_where_neighbours_lie_apart() -> None:
    found = version(8)
    carries = dict(found.map.carries)
    carries[W], carries[address(1)] = carries[address(1)], carries[W]
    assert pairs_of(Version("x", BitMap.of("LM", (32, 8), carries), found.split, 0.0)) is None


def test_no_pairs_where_neighbours_are_not_neighbours_in_the_value() -> None:
    """Both axes of the map are the value's only one: its neighbours lie along the second."""
    found = version(8)
    carries = {bit: {0: 3, 3: 0}.get(carry, carry) for bit, carry in found.map.carries}
    square = {bit: carry for bit, carry in carries.items() if carry < 6}
    assert pairs_of(Version("x", BitMap.of("LM", (8, 8), square), ((8, 8),), 0.0)) is None


@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e9, 3e-10, 4e9])
def test_rounding_is_the_machines(scale: float) -> None:
    values = (np.random.default_rng(0).standard_normal(5000) * scale).astype(np.float32)
    bits = np.concatenate([values.view(np.uint32), values.view(np.uint32) & 0xFFFFE000, [0, 1 << 31]]).astype(np.uint32)
    halves = narrow(bits, SINGLE, HALF)
    finite = halves & HALF.infinity != HALF.infinity
    expected = widen(halves, HALF, SINGLE)
    assert np.array_equal(rounded(bits.view(np.float32)).view(np.uint32)[finite], expected[finite])
    words = packed(version(8), np.resize(bits.view(np.float32), (32, 8))).view(np.uint32)
    assert np.array_equal(
        words, np.resize(halves, (32, 8))[:, ::2] << np.uint32(16) | np.resize(halves, (32, 8))[:, 1::2]
    )


@pytest.mark.parametrize("columns", [8, 7])
def test_what_is_loaded_as_halves_is_rounded(columns: int) -> None:
    builder = Builder("load")
    builder.output(builder.op("Identity", builder.input("x", (32, columns), np.float32), name="y"))
    here = version(columns)
    there = Version("y", here.map, here.split, here.fill)
    built = build(Plan(builder.finish(), (Load(here, half=True), Alias(here, there), Store(there))))
    session = session_of(built.executable, Machine("numpy"))
    value = np.random.default_rng(1).standard_normal((32, columns)).astype(np.float32)
    session.step({"x": value})
    assert np.array_equal(session.read("y"), rounded(value)) and not np.array_equal(rounded(value), value)


@pytest.mark.parametrize("number", [-5e9, np.inf])
def test_what_no_half_is_near_is_refused(number: float) -> None:
    largest = np.nextafter(np.float32(BEYOND_HALVES), np.float32(0))
    packing = HalfPacking(version(8), one_pair(version(8)), 0, (32, 8))
    value = np.full((32, 8), largest, np.float32)
    assert np.isfinite(rounded(value)).all() and rounded(value).max() < 2.0**32
    packing.write(Machine("native"), value)
    value[3, 5] = number
    with pytest.raises(HariboteError, match=r"'x' has a number of (5e\+09|inf), and here it lies in halves"):
        packing.write(Machine("native"), value)


def one_pair(found: Version) -> BitMap:
    """The map of its pairs."""
    below = pairs_of(found)
    assert below is not None
    return below.map

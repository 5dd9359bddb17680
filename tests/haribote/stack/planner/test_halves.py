"""Operands are halved before they are moved: once for all products that read them, beside what reads the singles."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from haribote.graph import Builder
from haribote.stack import products
from haribote.stack.maps import COPY, Bit, BitMap, W, address
from haribote.stack.moves import joined_in_place
from haribote.stack.plan import Action, Halve, Load, Multiply, Plan, Shift, Store, Version, halves_of
from haribote.stack.planner import halves
from haribote.stack.planner.families import L1BS, L2BS, MABS, PES
from haribote.stack.planner.halves import halved
from haribote.stack.program.ownership import trespasses
from haribote.stack.program.shortest import build
from haribote.stack.program.walk import difference, walk
from tests.haribote.stack.program.small_plans import without

SPEC = "nk,mk->nm"
SUMMED = {L2BS[0]: 3, **dict(zip(L1BS, (4, 5, 6), strict=True))}
"""Bits of k, of which W and the PEs have the lowest, and addresses the highest two."""


def version(name: str, shape: tuple[int, ...], places: dict[Bit, int], *addresses: int) -> Version:
    table = {bit: COPY for bit in (W, *PES, *MABS, *L1BS, *L2BS)} | SUMMED | places
    table |= {address(number): carry for number, carry in enumerate(addresses)}
    return Version(name, BitMap.of("LM", shape, table), tuple((size,) for size in shape), 0.0)


NEAR = dict(zip(PES, (0, 1, 2), strict=True))
GROUPS = dict(zip(L2BS[1:], (12, 13), strict=True))
BEFORE = version("w", (512, 512), {**NEAR, **GROUPS, **dict(zip(MABS, (9, 10, 11, 14), strict=True))}, 15, 16, 17, 7, 8)
"""Weights dealt out over the MABs; AFTER, and SO_TOO in another order: in all of them, as the vectors of products."""
AFTER = version("w", (512, 512), {**NEAR, **GROUPS}, 9, 10, 11, 14, 15, 16, 17, 7, 8)
SO_TOO = version("w", (512, 512), {**NEAR, **GROUPS}, 9, 10, 11, 14, 15, 16, 17, 8, 7)


def multiplied(name: str, vectors: Version) -> Multiply:
    """A product of values of the batch, the matrix, with these vectors."""
    rows = dict(zip((*PES, *MABS), (9, 10, 11, 12, 13, 14, 15), strict=True))
    matrix = version(name, (128, 512), rows, 0, 1, 2, 7, 8)
    core = products.cores(SPEC, matrix.map, vectors.map)[0]
    assert core.matrix == "a" and core.turns[1] is None
    result = Version(f"{name}.w", core.target, tuple((size,) for size in core.target.shape))
    return Multiply(SPEC, matrix, vectors, result)


@pytest.mark.parametrize("also", [False, True], ids=["products only", "the singles too"])
@pytest.mark.parametrize("count", [1, 2])
def test_halves_are_made_once_for_all_products(count: int, also: bool) -> None:
    read: list[Action] = [multiplied(f"x{number}", AFTER) for number in range(count)]
    read += [Store(AFTER)] if also else []
    found = halved([Shift(BEFORE, AFTER), *read])
    (halve,) = (action for action in found if isinstance(action, Halve))
    moved = {action.target for action in found if isinstance(action, Shift)}
    assert halve == Halve(BEFORE, *halves_of(BEFORE))
    assert moved == {*halves_of(AFTER), *([AFTER] if also else [])}
    assert [action.halves for action in found if isinstance(action, Multiply)] == [halves_of(AFTER)] * count


def test_two_moves_from_one_place_share_its_halves() -> None:
    one, other = multiplied("x", AFTER), multiplied("y", SO_TOO)
    found = halved([Shift(BEFORE, AFTER), one, Shift(BEFORE, SO_TOO), other])
    assert [type(action) for action in found] == [Halve, Shift, Shift, Multiply, Shift, Shift, Multiply]
    assert all(action.halves is not None for action in found if isinstance(action, Multiply))


def test_halves_are_no_values_of_a_graph() -> None:
    """Whatever the values of a graph are called."""
    rounded, rest = halves_of(BEFORE)
    assert rounded.other == rest and rest.other == rounded and len({rounded, rest, BEFORE}) == 3
    assert replace(BEFORE, value=str(rounded)) not in (rounded, rest)
    assert pickle.loads(pickle.dumps(rest)) == rest
    assert rest.filled(None) == replace(rest, fill=None)


def test_what_is_not_moved_further_stays_single() -> None:
    actions = (Shift(BEFORE, AFTER), Store(AFTER))
    assert halved(actions) == actions


def test_halves_that_need_more_words_than_a_version_may_have_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    actions = (Shift(BEFORE, AFTER), multiplied("x", AFTER))
    both = 2 * 2 * AFTER.map.longs
    monkeypatch.setattr(halves, "MOST_WORDS", both)
    assert any(isinstance(action, Halve) for action in halved(actions))
    monkeypatch.setattr(halves, "MOST_WORDS", both - 1)
    assert halved(actions) == actions


@pytest.mark.slow
def test_a_program_that_moves_halves_is_right_and_a_line_that_is_missing_is_found() -> None:
    builder = Builder("product")
    builder.input("x", (128, 512), np.float32)
    builder.input("w", (512, 512), np.float32)
    builder.output(builder.op("Gemm", "x", "w", name="x.w", transB=1))
    product = multiplied("x", AFTER)
    result = replace(product.target, map=joined_in_place(product.target.map))
    actions = [Load(BEFORE), Load(product.a), Shift(BEFORE, AFTER), product, Shift(product.target, result, "fadd")]
    built = build(Plan(builder.finish(), halved([*actions, Store(result)])), quick=True)
    random = np.random.default_rng(1)
    feeds = {name: random.normal(size=(size, 512)).astype(np.float32) for name, size in (("x", 128), ("w", 512))}
    assert not walk(built, feeds).wrong and not trespasses(built) and not difference(built)
    number = next(number for number, piece in enumerate(built.pieces) if isinstance(piece.action, Halve))
    for line in range(6):  # those that write the unit matrix, and both halves of four vectors
        assert walk(without(built, number, line), feeds).wrong, built.pieces[number].lines[line]

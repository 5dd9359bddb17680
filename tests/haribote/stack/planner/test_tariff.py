"""What moves cost, by formula, and what a plan knows of it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import pytest

from haribote.stack import moves
from haribote.stack.code import Code
from haribote.stack.maps import COPY, PART, BitMap
from haribote.stack.notation import parse
from haribote.stack.paths import paths
from haribote.stack.places import NoRoom, Place
from haribote.stack.planner.families import candidates, reduced
from haribote.stack.planner.tariff import NEVER, Tariff
from simulator import assemble
from simulator.assembly.checks import fix_nops
from simulator.isa.cost import cost_of
from tests.haribote.stack.copies import one_copy

BEFORE = parse("((8_L1B:1, 4:1, 4_PE:1, 2_W:1), (16_MAB:1))")
AFTER = parse("((8_L1B:1, 2:1, 2:2, 4_PE:1, 2_W:1), (16_MAB:1))")


def test_a_price_is_learnt_once() -> None:
    found = Tariff()
    guessed = found.price(BEFORE, AFTER)
    assert found.learn(BEFORE, AFTER)
    assert not found.learn(BEFORE, AFTER)
    price = found.price(BEFORE, AFTER)
    assert 0 < price < NEVER and price != guessed
    assert Tariff().price(BEFORE, AFTER) == guessed, "what another plan asked for says nothing to this one"


def _written(source: BitMap, target: BitMap, combine: str) -> float:
    """The cycles of a move as it is written, what is set up once left out; twice the masks of shares."""
    code = Code()
    moves.emit(code, Place("LM1", 0, source), Place("LM0", 0, target), combine)
    shares = any(hop.way.kind == "choose" for hop in next(paths(source.padded, target.padded, combine), ()))
    return _cycles(code.lines) + (2 * _cycles(code.setup) if shares else 0)


def _cycles(lines: Sequence[str]) -> float:
    return cost_of(assemble(fix_nops(assemble("\n".join(lines) + "\n")))).cycles


@pytest.mark.parametrize("shape", [(256, 16), (64, 128), (4, 16, 32)])
def test_prices_are_what_moves_cost_as_they_are_written(shape: tuple[int, ...]) -> None:
    """Between layouts of planners, parts joined on the way by some."""
    found = [layout for _, layout in candidates(shape) if layout.shape == shape]
    asks = [(before, after, "") for before, after in list(permutations(found, 2))[3::37]][:12]
    sums = [(reduced(before, (1,), PART), reduced(before, (1,), COPY), "fadd") for before in found[::9]]
    off = []
    for ask in (*asks, *sums):
        written = _written(*ask)
        off.append(abs(moves.price(*ask) / written - 1) if written else 0.0)
    off.sort()
    assert off[len(off) // 2] <= 0.08 and off[int(0.9 * len(off))] <= 0.2 and off[-1] <= 0.5


def test_what_joins_parts_is_part_of_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moves, "price", lambda source, target, combine: {"": 40.0, "fadd": 80.0}[combine])
    found = Tariff()
    found.learn(BEFORE, AFTER)
    found.learn(BEFORE, AFTER, "fadd")
    assert (found.price(BEFORE, AFTER), found.price(BEFORE, AFTER, "fadd")) == (40.0, 80.0)
    assert found.price(BEFORE, AFTER, "fmax") not in (40.0, 80.0)


def test_the_names_of_index_bits_are_no_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moves, "price", lambda source, target, combine: 40.0)
    found = Tariff()
    assert found.learn(BEFORE, AFTER)
    assert not found.learn(BEFORE.transposed(), AFTER.transposed())
    assert found.learn(BEFORE, one_copy(AFTER))


def test_a_move_for_which_there_is_no_room_is_never_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    def price(*ask: object) -> float:
        raise NoRoom("no room on the way")

    monkeypatch.setattr(moves, "price", price)
    found = Tariff()
    found.learn(BEFORE, AFTER)
    assert found.price(BEFORE, AFTER) == NEVER


def test_equal_maps_are_one_question() -> None:
    found = Tariff()
    found.learn(BEFORE, AFTER)
    assert not found.learn(BitMap.of("LM", BEFORE.shape, BEFORE.table), AFTER)

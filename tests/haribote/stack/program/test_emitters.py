"""The emitters of actions that need room of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from haribote.stack import moves, products
from haribote.stack.code import Code
from haribote.stack.maps import COPY, PART, Bit, BitMap, W, address, unit_bits
from haribote.stack.places import NoRoom, Place
from haribote.stack.plan import Multiply, Shift, Version
from haribote.stack.program import emitters
from haribote.stack.program.allocate import Homes
from haribote.stack.program.emitters import Context, emit
from haribote.stack.program.work import Joined
from tests.haribote.stack.products.rig import Rig

NEAR = (W, Bit("PE", 0), Bit("PE", 1), *(Bit("MAB", number) for number in range(4)))
"""128 of what is summed over: eight in a vector, one vector in each MAB."""
OTHERS = [bit for bit in unit_bits("LM") if bit not in NEAR]


def _map(rows: int) -> BitMap:
    """Rows of 128 elements, a row at each address, the same in all L1Bs."""
    table = {bit: number for number, bit in enumerate(NEAR)} | dict.fromkeys(OTHERS, COPY)
    table |= {address(number): 7 + number for number in range(rows.bit_length() - 1)}
    return BitMap.of("LM", (rows, 128), table)


def _swapped(found: BitMap) -> BitMap:
    """With its two lowest address bits exchanged, as no transfer to L1BM has them: the parts wait in a bank."""
    exchanged = {address(0): found[address(1)], address(1): found[address(0)]}
    return BitMap.of(found.memory, found.shape, dict(found.carries) | exchanged)


def summed_on_the_way(parts: BitMap, own_buffers: bool = True) -> Rig:
    """A product of 64 and 8 rows whose parts in the MABs, in this layout, are added up; checked, and the program."""
    rig = Rig()
    rig.code.own_buffers = own_buffers
    whole = {bit: COPY if carry == PART else carry for bit, carry in parts.carries}
    versions = [
        Version(name, found, tuple((size,) for size in found.shape))
        for name, found in (("a", _map(64)), ("b", _map(8)), ("parts", parts), ("y", BitMap.of("LM", (64, 8), whole)))
    ]
    a, b, middle, y = versions
    homes = Homes(rig.code)
    values = []
    for version in (a, b):
        homes.make(version)
        values.append(rig.random.standard_normal(version.map.shape).astype(np.float32))
        for place in homes.of(version):
            rig.store(place, values[-1].view(np.uint32))
    homes.make(y)
    emit(Joined(Multiply("nk,mk->nm", a, b, middle), Shift(middle, y, "fadd")), Context(rig.code, homes, None, {}))
    rig.run()
    wanted = values[0].astype(np.float64) @ values[1].astype(np.float64).T
    for place in homes.of(y):
        for copy in rig.load(place):
            assert np.allclose(copy, wanted, rtol=1e-6, atol=1e-4)
    return rig


CORE = products.cores("nk,mk->nm", _map(64), _map(8))[0]


def test_parts_wait_where_the_product_does_not_write() -> None:
    """Room is handed out in turn: what was free a moment ago is not what the next asks for."""
    summed_on_the_way(_swapped(CORE.target))


def test_sums_that_no_l1bm_holds_are_not_written_there_by_a_product(monkeypatch: pytest.MonkeyPatch) -> None:
    found = CORE.target_above
    assert found is not None
    there = summed_on_the_way(CORE.target).code.lines
    monkeypatch.setattr(emitters, "L1BM_LONGS", found.longs)
    assert summed_on_the_way(CORE.target).code.lines == there
    monkeypatch.setattr(emitters, "L1BM_LONGS", found.longs - 1)
    assert summed_on_the_way(CORE.target).code.lines != there, "the parts wait in a bank"


def test_sums_that_have_no_way_from_l1bm_go_by_way_of_a_bank(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless tensors from DRAM have buffers of their own, which are given up first."""

    def emit_beside(code: Code, source: Place, *others: Any) -> None:
        if source.memory == "L1BM":
            raise NoRoom("no room beside the pieces that are still there")
        emitted(code, source, *others)

    emitted = moves.emit
    there = summed_on_the_way(CORE.target).code.lines
    monkeypatch.setattr(moves, "emit", emit_beside)
    assert summed_on_the_way(CORE.target, own_buffers=False).code.lines != there
    with pytest.raises(NoRoom, match="beside the pieces"):
        summed_on_the_way(CORE.target)

"""Gathers by any known index, on the machine; every copy of the target is compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from haribote.stack.code import Code, constant_word
from haribote.stack.maps import COPY, Bit, BitMap, W, address, unit_bits
from haribote.stack.notation import parse
from haribote.stack.picks import gather
from haribote.stack.places import Place
from tests.haribote.stack.picks.machines import run, taken, wrong

A = parse("((8_L2B:1, 4:2, 8_L1B:1), (2:1, 4_PE:1, 2_W:1))")
NEAR = parse("((8_L1B:1, 4:1, 4_PE:1, 2_W:1), (16_MAB:1))")
SMALL = parse("((16_MAB:1), (2:1, 4_PE:1, 2_W:1))")
ROWS = BitMap.of(
    "LM", (12, 10), {Bit("MAB", 0): COPY, Bit("PE", 1): 2, Bit("PE", 0): 5, W: 0, address(0): 1, address(2): 3}
    | {Bit("L2B", 0): 4, Bit("L1B", 1): COPY, Bit("L1B", 2): COPY, Bit("group", 1): 6, Bit("group", 0): 7},
)  # fmt: skip
"""With copies, holes, units that hold nothing, and axes that are no powers of two."""


def slow(*values: Any) -> list[Any]:
    """Parameters of tests that only long runs take."""
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]


def as_shape(found: BitMap, *shape: int) -> BitMap:
    """The same bits as the map of a tensor of another shape with as many."""
    return BitMap.of(found.memory, shape, dict(found.carries))


def check(
    source: tuple[str, BitMap],
    target: tuple[str, BitMap],
    index: NDArray[np.int64],
    fill: float | int = 0.0,
    blocked: Sequence[tuple[str, int]] = (),
) -> Code:
    """A gather, run and compared. blocked: words of banks that others have."""
    code = Code()
    place, into = taken(code, *source), taken(code, *target)
    for bank, words in blocked:
        code.take(words, (bank,))
    free = {bank: code.largest(bank) for bank in ("LM0", "LM1", "GRF0", "GRF1")}
    gather.emit(code, place, into, index, fill)
    assert code.largest("L2BM") == 32768
    assert all(code.largest(bank) <= free[bank] for bank in free)
    x = np.random.default_rng(0).integers(0, 1 << 32, place.map.shape, np.uint32)
    machine = run(code, {place: x})
    assert wrong(machine, into, np.append(x, np.uint32(constant_word(fill)))[index]) == ""
    assert wrong(machine, place, x) == ""
    return code


NUMBERS = np.arange(256 * 16).reshape(256, 16)


WHOLE = BitMap.of("LM", (16, 16), dict.fromkeys(unit_bits("LM"), COPY) | {W: 0} | {address(k): k + 1 for k in range(7)})
"""All of a tensor in every PE."""


@pytest.mark.parametrize(("bank", "found", "room"), [("LM1", SMALL, 512), ("LM1", SMALL, 12), ("LM0", WHOLE, 64)])
def test_what_is_known_of_a_gather_does_for_any_places(bank: str, found: BitMap, room: int) -> None:
    """The lines are those of a program that knows nothing, whatever lies before the operands. room: words of LM0 before
    the source, for constants, and for all of the source or a part of it at a time, where it is not there already.
    """
    index = np.random.default_rng(2).integers(-1, 256, (16, 16))
    first = Code()
    for words in (0, 4, 12, 256):
        lines = []
        for code in (first.anew(), Code(own_buffers=False)):
            code.take(words, ("LM0",))
            code.take(words, ("GRF1",))
            before = code.take(room, ("LM0",))
            source, target = taken(code, bank, found), taken(code, "GRF1", SMALL)
            code.take(code.largest("LM0"), ("LM0",))
            code.give(before)
            gather.emit(code, source, target, index, 1.0)
            lines.append(code.lines)
        assert lines[0] == lines[1]
    assert len(first.known) == 1


@pytest.mark.parametrize("bank", ["GRF1", *slow("LM0")])
def test_columns_within_a_pe_row(bank: str) -> None:
    check(("LM0", A), (bank, as_shape(A, 256, 10)), NUMBERS[:, 3:13])


@pytest.mark.parametrize(("start", "end"), [("LM0", "LM0"), ("LM1", "GRF0"), ("GRF0", "GRF0")])
def test_what_is_the_same_in_all_pes_is_copied(start: str, end: str) -> None:
    code = check((start, A), (end, as_shape(A, 256, 10)), NUMBERS[:, :10])
    assert len(code.lines) == 1 + (start == end != "GRF0")
    assert not code.uploads


def test_copies_go_through_what_room_there_is() -> None:
    wide = BitMap.of("LM", (64, 16), {W: 0} | {address(k): k + 1 for k in range(9)})
    free = [("LM1", 4096), ("GRF0", 500), ("GRF1", 488)]  # 12 and 24 of 512 words are left
    code = check(("LM0", wide), ("LM0", as_shape(wide, 64, 12)), np.arange(1024).reshape(64, 16)[:, :12], blocked=free)
    assert not code.uploads


def test_rows_move_through_the_whole_chip() -> None:
    check(("LM0", A), ("GRF0", as_shape(A, 200, 16)), NUMBERS[5:205])


@pytest.mark.slow
def test_a_matrix_is_transposed_in_its_own_layout() -> None:
    check(("LM1", SMALL), ("LM0", SMALL), np.arange(256).reshape(16, 16).T)


@pytest.mark.slow
@pytest.mark.parametrize("bank", ["LM0", "LM1"])
def test_fill_of_both_types(bank: str) -> None:
    index = np.full((16, 16), -1)
    index[:10, :6] = np.arange(60).reshape(10, 6) + 16
    for fill in (-7.5, -3):
        check((bank, ROWS), (bank, SMALL), index, fill)


@pytest.mark.parametrize("far", [False, *slow(True)])
def test_random_indices(far: bool) -> None:
    random = np.random.default_rng(1)
    target, bank = (ROWS, "LM0") if far else (SMALL, "GRF1")
    check(("LM0", SMALL), (bank, target), random.integers(-1, 256, target.shape), 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("bank", ["LM0", "LM1"])
def test_rounds_where_lm0_is_short(bank: str) -> None:
    index = np.random.default_rng(2).integers(-1, 4096, (16, 16))
    check(("GRF0", A), (bank, SMALL), index, 2.0, [("LM0", 2700)])


def test_tables_stream_where_no_bank_has_room() -> None:
    target = BitMap.of("LM", (256, 16), {W: 0} | {address(k): k + 1 for k in range(7)}
                       | {Bit("MAB", k): 8 + k for k in range(4)} | {Bit("PE", k): COPY for k in range(2)})  # fmt: skip
    index = np.random.default_rng(3).integers(-1, 256, (256, 16))
    code = check(("LM1", SMALL), ("GRF1", target), index, 0.0, [("LM1", 4072), ("LM0", 3736)])
    assert any(line.startswith("mvp") for line in code.lines)


def test_padding_takes_the_fill_value() -> None:
    code = Code()
    source, target = taken(code, "LM0", SMALL), taken(code, "LM1", as_shape(SMALL, 13, 10))
    gather.emit(code, source, target, np.arange(256).reshape(16, 16)[3:, 6:], 5.0, padding=True)
    x = np.random.default_rng(0).normal(size=(16, 16)).astype(np.float32)
    expected = np.pad(x[3:, 6:], ((0, 3), (0, 6)), constant_values=5.0)
    assert wrong(run(code, {source: x}), Place("LM1", target.address, SMALL), expected) == ""


def test_an_index_out_of_bounds_is_refused() -> None:
    code = Code()
    place = Place("LM0", 0, SMALL)
    with pytest.raises(gather.PickError, match="from 256 elements has indices from 0 to 256"):
        gather.emit(code, place, Place("LM1", 0, SMALL), np.arange(1, 257) * (np.arange(256) > 0))
    with pytest.raises(gather.PickError, match=r"shape \(255,\) for a target"):
        gather.emit(code, place, Place("LM1", 0, SMALL), np.arange(255))


def test_tables_are_the_same_wherever_sources_and_constants_are() -> None:
    index, code = np.random.default_rng(6).integers(-1, 256, (16, 16)), Code()
    source, target = taken(code, "LM1", SMALL), taken(code, "GRF1", SMALL)
    gather.emit(code, source, target, index, 1.0)
    code.take(20, ("LM0",))
    gather.emit(code, source, target, index, 1.0)
    assert len(code.uploads) == 1

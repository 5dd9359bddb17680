"""Products in the matrix unit, on the machine, against float64."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from haribote.stack.code import GRF
from haribote.stack.maps import COPY, Bit, BitMap, W, address, axis_bits, unit_bits
from haribote.stack.products import Core, NoProduct, Precision, cores, emit, matrix
from haribote.stack.products.forms import Form, in_turn
from haribote.stack.products.room import Banks, in_blocks
from haribote.stack.products.split import rounding, split
from simulator import assemble
from simulator.isa.cost import cost_of
from simulator.schedule import schedule_long
from tests.haribote.stack.products.operands import contraction, deal, fitting, targets
from tests.haribote.stack.products.rig import Rig, program, run_core


def of_blocks(rows: int, columns: int, summed: int = 64, precision: Precision = "float") -> Core:
    """A product within a PE, with `a` as the matrix: what is summed over at W and PE, then at addresses."""
    table = dict.fromkeys(unit_bits("LM"), COPY) | {W: 0, Bit("PE", 0): 1, Bit("PE", 1): 2}
    inside = axis_bits(summed) - 3
    a, b = (
        BitMap.of("LM", (n, summed), table | {address(k): 3 + k for k in range(inside + axis_bits(n))})
        for n in (rows, columns)
    )
    return next(core for core in cores("nk,mk->nm", a, b, precision) if core.matrix == "a")


def random_product(seed: int) -> None:
    random = Random(seed)
    spec = contraction(random)
    precision: Precision = ("float", "pseudo", "half", "float")[seed % 4]  # type: ignore[assignment]
    a, b = deal(random, spec, near=True, half=precision == "half")
    core = random.choice([core for core in cores(str(spec), a, b, precision) if core.matrix])
    run_core(core, (fitting(random, a), fitting(random, b)), random.choice(targets(core)), seed)


@pytest.mark.some(2)
@pytest.mark.parametrize("seed", range(8))
def test_random_products(seed: int) -> None:
    random_product(seed)


@pytest.mark.parametrize("kind", ["gbfn", "hbfn"])
def test_what_is_rounded_within_one_lm_takes_two_steps(kind: str) -> None:
    assert len(list(rounding(kind, "$lm8v", "$lm64v"))) == 2
    assert next(iter(rounding(kind, "$lm8v", "$lm64v", "$lr0v"))) == f"{kind} $lm8v $lr0v"
    assert list(rounding(kind, "$llm8v", "$ln64v")) == [f"{kind} $llm8v $ln64v"]
    assert list(rounding(kind, "$lr8v", "$lr64v")) == [f"{kind} $lr8v $lr64v"]


def test_no_copy_lies_in_the_memory_of_what_it_is_a_copy_of() -> None:
    """No step writes two places of a memory."""
    assert next(split("lx", "$lm8v", "$lr64v", "$ln64v", "$lr0v")) == "gbfn $lm8v $lr64v"
    assert next(split("lx", "$lm8v", "$ls64v", "$ln64v", "$lr0v")) == "gbfn $lm8v $ls64v $lr0v"


@pytest.mark.slow
def test_a_matrix_beside_its_blocks_in_one_lm() -> None:
    """LM1 is full, so the blocks of an operand in LM0 lie in LM0."""
    core = of_blocks(128, 8)
    run_core(core, (["LM0"], ["GRF0"]), ["GRF1"], full=("LM1",))


@pytest.mark.some(1)
@pytest.mark.parametrize("precision", ["float", "pseudo"])
def test_blocks_used_once_have_forms_in_turn(precision: Precision, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both operands in LM0, vectors in LM1: there is no room for all blocks in GRF, and none is written to LM0."""
    made: list[int] = []

    def noted(*arguments: Any) -> list[Form]:
        found = in_turn(*arguments)
        made.append(len(found))
        return found

    monkeypatch.setattr(matrix, "in_turn", noted)
    core = of_blocks(16, 8, 512, precision)
    run_core(core, (["LM0"], ["LM0"]), ["GRF0"])
    assert len(made) == 1 and 4 <= made[0] < 64


@pytest.mark.parametrize("rows", [8, 16])
def test_vectors_that_do_not_fit_are_split_block_by_block(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the result LM1 has no room for 32 groups of eight blocks of vectors; one block of some lies in GRF."""
    made: list[Banks | None] = []

    def noted(*arguments: Any) -> Banks | None:
        made.append(in_blocks(*arguments))
        return made[-1]

    monkeypatch.setattr(matrix, "in_blocks", noted)
    core = of_blocks(rows, 128)
    run_core(core, (["GRF0"], ["LM0"]), ["LM1"])
    assert made[0] is not None and made[0].vectors in GRF and made[0].chunk < 32


@pytest.mark.parametrize(("rows", "columns"), [(8, 32), (8, 96), (16, 96)])
def test_the_next_vectors_are_split_beside_products(rows: int, columns: int) -> None:
    """Scheduled, the matrix unit multiplies or subtracts in nearly every step."""
    core = of_blocks(rows, columns)
    rig = Rig()
    places = [rig.place(found, bank) for found, bank in ((core.a, "GRF0"), (core.b, "LM0"), (core.target, "LM1"))]
    emit(rig.code, core, *([place] for place in places))
    plain = assemble(program(rig.code.lines))
    assert schedule_long(plain).steps <= 1.03 * cost_of(plain).units["mau"]


@pytest.mark.some(2)
@pytest.mark.parametrize("target", ["GRF0", "LM1"])
@pytest.mark.parametrize("halves", [("LM0", "LM0"), ("LM1", "LM0"), ("GRF1", "LM0"), ("LM0", "GRF1"), ("GRF1", "GRF1")])
def test_the_halves_of_the_vectors_lie_in_one_memory_or_in_two(halves: tuple[str, str], target: str) -> None:
    run_core(of_blocks(16, 16), (["LM0"], ["LM1"]), [target], halves=halves)


def test_halves_in_both_grfs_leave_no_room_for_sums() -> None:
    with pytest.raises(NoProduct, match="leave a GRF to the sums"):
        run_core(of_blocks(16, 16), (["LM0"], ["LM1"]), ["LM0"], halves=("GRF0", "GRF1"))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 130))
def test_more_random_products(seed: int) -> None:
    random_product(seed)

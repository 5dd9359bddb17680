"""The products of a train step written by hand: they are right, and do not get longer.

Beside each what the step by hand takes for it; the two are not always the same work.
"""

from __future__ import annotations

import pytest

from haribote.stack.code import Code
from haribote.stack.maps import PART, BitMap
from haribote.stack.places import Place
from haribote.stack.products import Core, cores, emit
from haribote.stack.products.split import split
from simulator import assemble
from simulator.schedule import schedule
from tests.haribote.stack.products.maps import COLUMNS, L1B, L2B, MAB, NEAR, at, make
from tests.haribote.stack.products.rig import program, run_core
from tests.haribote.stack.products.test_partners import W1, W2, G, X


def steps(core: Core, target: str) -> int:
    """Scheduled, a in GRF1 and b in GRF0."""
    code = Code()

    def place(found: BitMap, bank: str) -> Place:
        return Place(bank, code.take(2 * found.longs, (bank,)).address, found)

    a, b = place(core.a, "GRF1"), place(core.b, "GRF0")
    above = core.target_above
    goal = Place("L1BM", 0, above) if target == "L1BM" and above else place(core.target, target)
    emit(code, core, [a], [b], goal)
    return schedule(assemble(program(code.lines))).steps


@pytest.mark.parametrize(
    ("spec", "a", "b", "target", "most"),
    [
        ("rm,im->ri", COLUMNS, W2, "L1BM", 17),  # by hand 16, and the last sum over MABs
        ("nk,mk->nm", X, W1, "L1BM", 73),  # by hand 83, the way of x down from L2BM included
        ("ri,rj->ij", COLUMNS, G, "GRF0", 16),  # by hand 16, before the sum over W and PE
        pytest.param("ik,ij->jk", X, G, "GRF0", 97, marks=pytest.mark.slow),  # by hand 22 + 48, vectors split before
    ],
)
def test_products_of_a_step_by_hand(spec: str, a: BitMap, b: BitMap, target: str, most: int) -> None:
    core = cores(spec, a, b)[0]
    assert steps(core, target) <= most
    run_core(core, (["GRF1"], ["GRF0"]), [target])


def test_parts_at_words_and_pes_stay_parts_in_l1bm() -> None:
    a = make((16, 128), copies=L1B + L2B, i=at(0, 1, 2, 3), j=NEAR + MAB)
    b = make((4, 128), copies=L1B + L2B, i=at(0, 1), j=NEAR + MAB)
    (core,) = (core for core in cores("nk,mk->nm", a, b) if not core.matrix)
    assert core.target_above is not None and PART in core.target_above.table.values()
    run_core(core, (["GRF1"], ["GRF0"]), ["L1BM"])


@pytest.mark.parametrize(("hi", "read"), [("$ls8v", "$ls8v"), ("$ln8v", "$aluf"), ("$lm8v", "$aluf")])
def test_a_rounded_value_is_forwarded_where_it_could_not_be_read_soon(hi: str, read: str) -> None:
    (subtracted,) = (line for line in split("lx", "$lm0v", hi, "$lr16v") if line.startswith("gmfma"))
    assert subtracted == f"gmfma $lx -{read} $lm0v $nowrite"

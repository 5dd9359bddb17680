"""The plan as a table and as a picture says everything, and adds up."""

from __future__ import annotations

import re

import numpy as np

from haribote.graph import Builder
from haribote.stack.program.compiled import built
from haribote.stack.program.plan_picture import bars, plan_picture
from haribote.stack.program.plan_table import table
from haribote.stack.program.telling import Letters, piece_costs
from simulator.isa.cost import cost_of, sum_costs
from tests.haribote.stack.program.small_plans import NEAR, TURNED, replaced_built


def test_the_pieces_add_up_to_the_program() -> None:
    built = replaced_built()
    total, plain = sum_costs(piece_costs(built)), cost_of(built.plain)
    assert (total.steps, total.nops, total.move_words) == (plain.steps, plain.nops, plain.move_words)
    assert total.cycles == plain.cycles


def test_the_table_has_a_line_for_every_action_and_both_totals() -> None:
    built = replaced_built()
    text = table(built)
    numbered = [line for line in text.splitlines() if re.match(r" *\d+ ", line)]
    assert len([line for line in numbered if "cycles:" not in line]) == len(built.pieces)
    assert re.search(rf"one after another .* {cost_of(built.plain).cycles:,.0f}\n", text)
    assert re.search(rf"scheduled .* {built.executable.cost.cycles:,.0f}\n", text)
    assert "stays on the chip: w in A, GRF0:0 GRF1:0" in text
    assert "A  256x16  ((8_L1B:1, 2:1, 2:2, 4_PE:1, 2_W:1), (16_MAB:1)), 8 words per PE" in text
    assert re.search(r"x +load +DRAM -> B", text) and re.search(r"x +move x +B -> A", text)


def test_a_product_of_what_stays_says_how_large_it_is() -> None:
    b = Builder("product")
    x, w = b.input("x", (32, 16), np.float32), b.input("w", (16, 8), np.float32)
    b.output(b.op("MatMul", b.op("Relu", x, name="r"), w, name="y"))
    text = table(built(b.finish()))
    assert re.search(r"PEs: y, (32x8|8x32) results of 16 products each, by \w+ units; \S+ cycles, at least 1", text)


def test_letters_name_layouts_in_order() -> None:
    letters = Letters(replaced_built())
    assert (letters[TURNED], letters[NEAR]) == ("A", "B")


def test_the_picture_shows_every_value_as_long_as_it_lives() -> None:
    built = replaced_built()
    found = [(bar.version.value, bar.first, bar.last) for bar in bars(built)]
    assert found == [("w", -1, 1), ("x", 0, 3), ("old", 1, 2), ("x", 3, 4), ("w.next", 4, 5), ("w", 5, 6)]
    svg = str(plan_picture(built, "replaced"))
    for name in ("old", "w.next", "replaced: "):
        assert name in svg
    assert svg.count("<rect") > len(built.pieces) + len(found)

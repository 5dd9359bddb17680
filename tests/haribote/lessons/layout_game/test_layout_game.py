"""The layout game: its bills are sums of real programs, and the figures that 04_memory/07 names hold."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from haribote.errors import HariboteError
from haribote.layout import LAYOUTS as TAGS
from haribote.lessons.layout_game import TABLE, Bill, LayoutGame
from haribote.lessons.layout_game.menus import Menus
from haribote.lessons.layout_game.prices import (
    COLUMNS,
    FIXED,
    LAYOUTS,
    OPERATORS,
    READS,
    map_of,
    prices,
    program,
)
from haribote.lessons.layout_game.whole import softmax_graph, softmax_in_a
from haribote.network import BATCH
from haribote.passes.assign_layouts import run as assign_layouts
from haribote.passes.placement import row_of
from haribote.stack.maps import BitMap
from haribote.stack.program.plan_picture import plan_picture
from haribote.stack.program.walk import walk
from simulator import Machine, assemble
from simulator.assembly.checks import fix_nops
from simulator.language import spoken

ALL_A = dict.fromkeys(OPERATORS, "A")


@pytest.mark.slow
def test_the_figures_of_the_notebook() -> None:
    game = LayoutGame()
    assert (game.choose().cycles, game.choose().moving) == (1244, 656)
    assert (game.choose(**ALL_A).cycles, game.choose().moving) == (280, 0)
    assert game.choose(sum="P").cycles > 280
    assert game.best_so_far is not None and game.best_so_far.cycles == 280
    assert prices().work["exp", "P"].cycles == 1664


def test_the_game_begins_with_the_layouts_of_the_kernel_table() -> None:
    rows = {node.name: row_of(node) for node in assign_layouts(softmax_graph()).graph.node}
    for value, layout in TABLE.items():
        row = rows[value]
        assert row is not None and row.inputs[0] == f"256x16.{layout}", value


@pytest.mark.parametrize("value", OPERATORS)
@pytest.mark.parametrize("layout", ("A", "B"))
def test_a_program_that_is_priced_computes_what_it_says(value: str, layout: str) -> None:
    rng = np.random.default_rng(2)
    x = rng.uniform(0.5, 2, (256, 16))
    column = rng.uniform(0.5, 2, (256, 1))
    inputs = {"max": [x], "shifted": [x, column], "exp": [x], "sum": [x], "softmax": [x, column]}[value]
    expected = {"max": x.max(1, keepdims=True), "shifted": x - column, "exp": np.exp(x),
                "sum": x.sum(1, keepdims=True), "softmax": x / column}[value]  # fmt: skip
    machine, taken = Machine(), 0
    for array in inputs:
        words, pes = _cells(map_of(layout, array.shape == (256, 1)))
        machine.lm0[taken + words, pes] = array.astype(np.float32).view(np.uint32)[..., None]
        taken += int(words.max()) + 1
    for lines in program(value, layout):
        machine.run(assemble(fix_nops(assemble("\n".join(lines) + "\n"))))
    words, pes = _cells(map_of(layout, value in COLUMNS))
    found = machine.lm1[words, pes].view(np.float32)
    assert np.allclose(found, np.repeat(expected[..., None], found.shape[-1], axis=-1), rtol=1e-5, atol=1e-6)


def _cells(found: BitMap) -> tuple[np.ndarray, np.ndarray]:
    """The word and the PE of every copy of every element, of shape [rows, columns, copies]."""
    worth = {"group": 1024, "L2B": 512, "L1B": 64, "MAB": 4, "PE": 1}
    word = 2 * found.positions("address") + found.positions("W")
    pe = sum(found.positions(level) * stride for level, stride in worth.items())
    words, pes = word[..., None], pe[..., None]
    for bit in found.copies():
        more = worth.get(bit.level, 0) << bit.number, {"W": 1, "address": 2}.get(bit.level, 0) << bit.number
        pes = np.concatenate([pes, pes + more[0]], axis=-1)
        words = np.concatenate([words, words + more[1]], axis=-1)
    return words, pes


def test_the_best_plan_is_the_best_of_all_243(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARIBOTE_SOLUTIONS", "1")
    for ends in LAYOUTS:
        game = LayoutGame(logits=ends, end=ends)
        fixed = {"logits": ends, "end": ends}
        plans = (dict(zip(OPERATORS, choice, strict=True)) for choice in product(LAYOUTS, repeat=5))
        assert game.best().cycles == min(Bill({**fixed, **plan}).cycles for plan in plans)


def test_a_value_that_two_read_in_one_layout_moves_once() -> None:
    bill = Bill({**FIXED, **TABLE})
    assert [str(entry) for entry in bill.entries if entry.after and entry.value == "logits"] == ["move logits: A → P"]
    assert str(bill).splitlines()[-1].split() == ["together", "247", "steps", "12", "MV", "1,244", "cycles"]


def test_the_picture_says_the_bill_in_words() -> None:
    picture = Bill({**FIXED, **TABLE}).picture()
    assert "move exp: A → P, 164 cycles" in picture.title and picture.text.count("1,244") == 2


@pytest.mark.slow
def test_softmax_in_a_is_right_everywhere_and_never_moves() -> None:
    built = softmax_in_a()
    found = walk(built, {"logits": np.random.default_rng(0).normal(size=(BATCH, 16)).astype(np.float32)})
    assert not found.wrong and found.words == 1_572_864
    assert built.executable.cost.moves == 4  # two that bring the logits, two that store the result


def test_menus_play_the_same_game() -> None:
    game = LayoutGame()
    menus = Menus(game)
    menus.menus["sum"].value = "A"
    assert game.plan["sum"] == "A"
    assert "<svg" in menus._repr_mimebundle_()["text/html"] and "move sum" in menus._picture.value


def test_mistakes_are_named() -> None:
    with pytest.raises(HariboteError, match="'mean'"):
        LayoutGame().choose(mean="A")
    with pytest.raises(HariboteError, match="'C'"):
        LayoutGame().choose(sum="C")
    assert set(READS) == {*OPERATORS, "end"} and TAGS["256x16.A"].shape == (256, 16)


def test_the_bill_in_japanese_keeps_the_names_of_values() -> None:
    with spoken("ja"):
        text = str(Bill({**FIXED, **TABLE}).picture())
    assert ">sum</text>" in text and ">25ステップ、3 MV</text>" in text and ">22ステップ</text>" in text


def test_the_plan_in_japanese_keeps_the_names_of_values() -> None:
    with spoken("ja"):
        picture = plan_picture(softmax_in_a())
    assert picture.title.startswith("計画：364サイクル") and ">sum</text>" in picture.text
    assert "<title>sum: レイアウト B、PE あたり8ワード、" in picture.text and ">和<" not in picture.text

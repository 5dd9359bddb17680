"""draw.layout: the colours of the tensor and of the machine against what Layout.scatter writes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from haribote import draw
from haribote.errors import HariboteError
from haribote.kernel import Operand
from haribote.layout import LAYOUTS, dram_layout
from simulator import Machine
from simulator.pictures import Picture
from tests.haribote.picture_checks import cells, check_picture, named, texts, tree


def held(tag: str) -> NDArray[np.int64]:
    """Which element (row-major, counted from 1) each word of each PE holds, [word, pe]; 0 for none."""
    layout = LAYOUTS[tag]
    memory = np.zeros((layout.words, 4096), np.uint32)
    layout.scatter(np.arange(1, int(np.prod(layout.shape)) + 1, dtype=np.uint32).reshape(layout.shape), memory, 0)
    return memory.astype(np.int64)


def machine_of(picture: Picture) -> NDArray[np.str_]:
    """The style of every PE of the picture."""
    blocks = [group for group in named(tree(picture), "machine") if group.tag.endswith("g")]
    assert len(blocks) == 64
    return np.array([np.array(cells(block, 4, 16)).T.ravel() for block in blocks]).ravel()


@pytest.mark.parametrize(
    "tag", [pytest.param(tag, marks=[pytest.mark.slow] * (tag in ("256x1024", "1024x16"))) for tag in LAYOUTS]
)
def test_an_element_and_the_pes_that_hold_it_have_one_colour(tag: str) -> None:
    picture = check_picture(lambda: draw.layout(tag))
    shape = LAYOUTS[tag].shape
    rows, columns = (1, *shape) if len(shape) == 1 else shape
    tensor = np.array(cells(named(tree(picture), "tensor"), rows, columns)).ravel()
    machine, memory = machine_of(picture), held(tag)
    holds = memory.any(axis=0)
    assert np.array_equal(machine != "", holds)
    word, pe = np.nonzero(memory)
    assert np.array_equal(tensor[memory[word, pe] - 1], machine[pe])


@pytest.mark.slow
@pytest.mark.parametrize("tag", ["256x16.A", "256x16.P", "256", "16x1024"])
def test_units_that_hold_different_parts_differ_in_colour(tag: str) -> None:
    """As far as eight hues and eight shades go: PEs of one colour hold at most 1/8 of what all hold."""
    machine, memory = machine_of(draw.layout(tag)), held(tag)
    whole = len(np.unique(memory))
    for style in set(machine) - {""}:
        assert len(np.unique(memory[:, machine == style])) <= whole / 4 + 1


def test_a_marked_element_is_where_scatter_puts_it() -> None:
    for tag, element in (("256x16.A", (9, 6)), ("256x16.P", (70, 3)), ("16x1024", (15, 512)), ("256", (100,))):
        picture = check_picture(lambda tag=tag, element=element: draw.layout(tag, element=element))  # type: ignore[misc]
        number = int(np.ravel_multi_index(element, LAYOUTS[tag].shape)) + 1
        memory = held(tag)
        holders = (memory == number).any(axis=0)
        assert np.array_equal(machine_of(picture) == "ink 1", holders)
        word, pe = (int(x) for x in np.argwhere(memory == number)[0])
        units = np.unravel_index(pe, (8, 8, 16, 4))
        where = ", ".join(f"{level} {unit}" for level, unit in zip(("L2B", "L1B", "MAB", "PE"), units, strict=True))
        assert f"{where}, LM word {word}" in texts(picture)[0]


def test_the_words_of_the_marked_pe_are_listed() -> None:
    found = texts(draw.layout("256x16.A", element=(9, 6)))
    memory = held("256x16.A")
    pe = int(np.argwhere(memory == 9 * 16 + 6 + 1)[0][1])
    wanted = [",".join(map(str, divmod(number - 1, 16))) for number in memory[:, pe].tolist()]
    start = found.index(wanted[0])
    assert found[start : start + 32 : 2] == wanted
    assert found[start + 1 : start + 33 : 2] == [str(number) for number in range(16)]


def test_dram_is_the_machines() -> None:
    """write_dram puts the marked element where the picture says."""
    element = (70, 3)
    tensor = np.zeros((256, 16), np.uint32)
    tensor[element] = 5
    machine = Machine()
    machine.write_dram(0, tensor)
    (group,) = (g for g in range(4) if machine.dram[g][0:2048].any())
    (address,) = np.flatnonzero(machine.dram[group][0:2048])
    half = "low" if int(machine.dram[group][0:2048][address]) == 5 else "high"
    picture = check_picture(
        lambda: draw.layout(dram_layout((256, 16)), shape=(256, 16), element=element, memory="DRAM")
    )
    assert f"DRAM group {group}, long word {address} ({half} word)" in texts(picture)[0]


def test_a_layout_has_many_names() -> None:
    layout = LAYOUTS["256x16.A"]
    operand = Operand("x", (256, 16), "float32", layout, "LM0", 0)
    first = draw.layout("256x16.A").text
    assert first == draw.layout(layout).text == draw.layout(str(layout)).text == draw.layout("A", shape=(256, 16)).text
    assert "LM0" in draw.layout(operand).text
    assert "word 20" in texts(draw.layout(Operand("x", (16,), "float32", LAYOUTS["16"], "LM1", 20), element=(0,)))[0]


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: draw.layout("256x17"), "there is no layout '256x17'"),
        (lambda: draw.layout("Q", shape=(256, 16)), "256x16.A, 256x16.P, 256x16.B"),
        (lambda: draw.layout("16x16", element=(16, 0)), r"up to \[15, 15\]"),
        (lambda: draw.layout("16x16", element=(3,)), "no element"),
        (lambda: draw.layout("16x16", shape=(3, 3)), "elements"),
        (lambda: draw.layout("((16:2"), "expected"),
        (lambda: draw.layout("((16_L2B:1))"), "L2B 15"),
    ],
)
def test_mistakes_are_explained(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(HariboteError, match=message):
        call()

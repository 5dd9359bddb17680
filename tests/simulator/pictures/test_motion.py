"""draw.animate: the words that travel in the picture are those that the machine moves, cycle by cycle."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from haribote import draw
from simulator import Machine, assemble
from simulator.errors import SimulatorError
from simulator.pictures.motion import Film
from tests.haribote.picture_checks import check_picture, texts, tree

Words = NDArray[np.uint64]
L2B, L1B = 3, 5
"""What every L2B and L1B does alike is looked at in these."""

DOWN_AND_UP = (
    "l2bmd $lc64 $lb8", "l2bmd $lb8 $lc64", "l2bmb@0,1 $lc0 $lb64", "l2bmb2 $lc0 $lb64", "l2bm@5 $lb0 $lc64",
    "l2bmi@0/3 $lb0 $lb64", "l2bmriiadd $lb0 $lc0", "l2bmr2iiadd $lb0 $lc0",
    "l1bmd $lb64 $lm0v", "l1bmd+2 $lm0v $lb0", "l1bmm $lb0 $lm0v", "l1bmm $llb0 $llm0v", "l1bmm@3 $llm0v $llb32",
    "l1bmp $llb0 $llm0v", "l1bmm4 $lb0 $lm0v", "l1bmriiadd $lm0v $lb0", "l1bmr4iiadd $lm0v $lb0",
    "mvp/n64 $d0@1 $lc128@1.0", "mvp/n128 $lc64@.1 $p0", "mvb/n64 $p0@0 $lc0", "mvd/n256 $p0@0 $d0",
    "mvb4/n64 $d0 $lc0", "mvriiadd/n64 $lc0 $p0@0",
)  # fmt: skip


def numbers(text: str) -> list[int]:
    """`0-3,8` as numbers, in this order."""
    spans = (part.partition("-") for part in text.split(","))
    return [n for first, _, last in spans for n in range(int(first), int(last or first) + 1)]


def packets(film: Film) -> Iterator[tuple[int, str]]:
    """Slot and data-name of everything that travels."""
    for element in tree(film).iter():
        found = re.search(r"\b[giosc](\d+)$", element.get("class", ""))
        for name in filter(None, element.get("data-name", "").split(";")):
            if found:
                yield from ((int(found[1]), one) for one in one_by_one(name))


def one_by_one(name: str) -> Iterator[str]:
    """`0 > m0-15p1` as a name for each MAB."""
    found = re.search(r"m([\d,-]+)p(\d)", name)
    for mab in numbers(found[1]) if found else [0]:
        yield name.replace(found[0], f"m{mab}p{found[2]}") if found else name


def filled() -> Machine:
    """Different long words in every place that is looked at, small enough to be added without carries."""
    machine, random = Machine(), np.random.default_rng(8)

    def noise(shape: tuple[int, ...]) -> Words:
        high, low = random.integers(1, 1 << 24, (2, *shape), np.uint64)
        return np.asarray(high << np.uint64(32) | low)

    machine.l1bm[:, :, :512], machine.l2bm[:, :512], machine.pdm[:, :512] = (
        noise((8, 8, 512)), noise((8, 512)), noise((4, 512)),
    )  # fmt: skip
    for dram in machine.dram:
        dram[0:512] = noise((512,))
    machine.lm0[:16] = random.integers(1, 1 << 24, (16, 4096), np.uint32)
    return machine


def place(machine: Machine, text: str, kind: str, slot: int, wide: int) -> Words:
    """The long words that one side of a packet names. kind: the memory where the picture leaves it out."""
    unit, _, words = text.rpartition(" ")
    if found := re.fullmatch(r"m(\d+)p(\d+)", text):
        pe = ((L2B * 8 + L1B) * 16 + int(found[1])) * 4 + int(found[2])
        own = machine.lm0[2 * wide * slot : 2 * wide * (slot + 1), pe].astype(np.uint64)
        return np.asarray(own[::2] << np.uint64(32) | own[1::2])
    if found := re.fullmatch(r"b(\d+)", unit):
        return np.asarray(machine.l1bm[L2B, int(found[1]), numbers(words)])
    if found := re.fullmatch(r"(DRAM|PDM|L2BM) n(\d)(?:c(\d))?", unit):
        memories: dict[str, Any] = {"PDM": machine.pdm, "L2BM": machine.l2bm}
        if found[1] == "DRAM":
            return np.asarray(machine.dram[int(found[2])][0:512])[numbers(words)]
        number = int(found[2]) if found[1] == "PDM" else 2 * int(found[2]) + int(found[3])
        return np.asarray(memories[found[1]][number][numbers(words)])
    return np.asarray(machine.l1bm[L2B, L1B, numbers(words)] if kind == "L1BM" else machine.l2bm[L2B, numbers(words)])


@pytest.mark.parametrize(
    "line", [pytest.param(x, marks=[pytest.mark.slow] * (n % 3 > 0)) for n, x in enumerate(DOWN_AND_UP)]
)
def test_words_that_travel_are_those_that_arrive(line: str) -> None:
    before, after = filled(), filled()
    after.run(assemble(line))
    wide = 2 if "$ll" in line else 1
    sums: dict[tuple[int, str], Words] = {}
    for slot, name in packets(draw.animate(line)):
        source, _, target = name.partition(" > ")
        kind = "L1BM" if line.startswith("l1bm") else "L2BM"
        words = place(before, source, kind, slot, wide)
        sums[slot, target] = sums.get((slot, target), np.zeros_like(words)) + words
    assert sums
    for (slot, target), words in sums.items():
        assert np.array_equal(place(after, target, kind, slot, wide), words), (slot, target)


def test_every_word_that_changes_has_travelled() -> None:
    """The other half, for one line of each memory; tests of `move` compare the rest."""
    for line in ("l2bmd $lc64 $lb8", "l2bmriiadd $lb0 $lc0"):
        before, after = filled(), filled()
        after.run(assemble(line))
        targets = [name.partition(" > ")[2] for _, name in packets(draw.animate(line))]
        named = {(x.rpartition(" ")[0], n) for x in targets for n in numbers(x.rpartition(" ")[2])}
        l1bm = {(f"b{b}", w) for b, w in np.argwhere((before.l1bm != after.l1bm)[L2B]).tolist()}
        l2bm = {("", w) for (w,) in np.argwhere((before.l2bm != after.l2bm)[L2B]).tolist()}
        assert named == l1bm | l2bm


@pytest.mark.parametrize("line", ["iadd $lm0v $lr8v $ln4v", "iadd $m[6,1,2,9] $r0v $n8v2", "iadd $lm0vj1 $lr0v $ln0v"])
def test_words_read_and_written_by_a_unit_in_each_cycle(line: str) -> None:
    """Every word has a bit of its own, so that a sum says which words were added."""
    machine = Machine()
    machine.lm0[:16] = (1 << np.arange(16, dtype=np.uint32))[:, None]
    machine.grf0[:16] = (1 << np.arange(16, 32, dtype=np.uint32))[:, None]
    machine.run(assemble(line))
    for pe in range(4):
        read: dict[int, int] = {}
        written: dict[int, int] = {}
        for slot, name in packets(draw.animate(line)):
            direction, memory, *words = name.split()
            mine = words[words.index(f"p{pe}") + 1] if len(words) > 1 else words[0]
            for word in numbers(mine):
                if direction == "to":
                    written[slot] = written.get(slot, 0) | int(machine.lm1[word, pe])
                else:
                    read[slot] = read.get(slot, 0) | 1 << word + 16 * (memory == "GRF0")
        assert written == read and len(read) == 4


@pytest.mark.parametrize("line", ["l2bmd $lc0 $lb0", "fmmul $lx $lr0v $ln0v", "msl $lm0v $lr0v", "nop/3"])
def test_a_moving_picture_is_small_and_without_script(line: str) -> None:
    film = draw.animate(line)
    check_picture(lambda: draw.animate(line))
    html = film._repr_html_()
    assert len(html) < 60_000 and "script" not in html and " onclick" not in html
    assert film.labels == (("nop",) if "nop" in line else ("cycle 0", "cycle 1", "cycle 2", "cycle 3"))


def test_nothing_moves_where_a_reader_asks_for_less_motion() -> None:
    text = draw.animate("l1bmm $lb0 $lm0v").text
    before, _, after = text.partition("@media (prefers-reduced-motion: no-preference) {")
    assert "@keyframes" not in before and "animation" not in before
    assert "@keyframes" in after
    assert re.search(r":is\([^)]*\.s0[^)]*\) \{ opacity: 0; \}", before), "what travels is not seen on a still picture"


def test_lines_follow_one_another() -> None:
    film = draw.animate("mvb/n64 $p0@0 $lc0\nl2bmd $lc0 $lb0", "l1bmm $lb0 $lm0v")
    assert film.labels[0] == "line 1, MV" and film.labels[1] == "line 2, cycle 0" and len(film.labels) == 9
    slots = {name.split()[0]: slot for slot, name in packets(film)}
    assert slots["PDM"] == 0 and {"mvb/n64 $p0@0 $lc0", "l1bmm $lb0 $lm0v"} <= set(texts(film))


@pytest.mark.parametrize("text", ["", "# nothing", "\n".join(["nop"] * 9)])
def test_too_few_lines_and_too_many_are_explained(text: str) -> None:
    with pytest.raises(SimulatorError):
        draw.animate(text)

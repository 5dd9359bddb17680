"""draw.move: the words that a picture says are written are those that the machine changes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from haribote import draw
from simulator import Machine, assemble, isa
from simulator.errors import SimulatorError
from simulator.isa import program as p
from simulator.pictures import Picture
from simulator.pictures.canvas import MARGIN, WIDTH, width_of
from simulator.pictures.move_pe import BRIEF
from tests.haribote.picture_checks import check_picture, texts, tree

SIZES = {"n": 4, "c": 2, "b": 8, "m": 16, "p": 4}
LEVELS = {"LM0": "ncbmp", "LM1": "ncbmp", "GRF0": "ncbmp", "GRF1": "ncbmp", "T": "ncbmp", "MX": "ncbm", "MY": "ncbm"}
LEVELS |= {"L1BM": "ncb", "L2BM": "nc", "PDM": "n", "DRAM": "n"}
WORDS = {"LM0": 64, "LM1": 64, "GRF0": 64, "GRF1": 64, "T": 16, "MX": 128, "MY": 128}
WORDS |= {"L1BM": 1024, "L2BM": 1024, "PDM": 1024, "DRAM": 1024}
Bits = NDArray[Any]

MORE = (
    "l1bmm@3 $llm8v $llb32", "l1bmd-3 $lb64 $lm0v", "l1bmd+2 $lm0v $lb0", "l2bmd $lb8 $lc64", "l2bmb@0/3 $lc16 $lb0",
    "l1bmm $lb0 $lr[8,2,4,6] $ln0v/0110", "fvfma $lm0v -$lr0v $t $ln0v/1010", "iadd $peid $lr0v $lm0vj1",
    "fvadd $lm0v $lr0v $ln0v; ipassa $ls0v $lr4v", "ipassa $m0v $n8v2", "lpassa $llm0v $t", "l1bmrffadd $llm0v $llb0",
    "mvp/n128 $lc64@.1 $p0", "mvp/n64 $p0@0 $p64@3", "hmwrite $llr0v $lly8",
)  # fmt: skip
EXAMPLES = [row.example for row in (*isa.INSTRUCTIONS.values(), *isa.MOVES.values()) if row.example]


def numbers(text: str) -> list[int]:
    """`0-3,8` as numbers."""
    spans = (part.partition("-") for part in text.split(","))
    return [n for first, _, last in spans for n in range(int(first), int(last or first) + 1)]


def drawn(picture: Picture) -> dict[str, NDArray[np.bool_]]:
    """By memory, the words that the picture says are written: [units by level …, word]."""
    found = {name: np.zeros((*(SIZES[x] for x in LEVELS[name]), WORDS[name]), np.bool_) for name in LEVELS}
    for group in tree(picture).iter():
        name = group.get("data-name") or ""
        if name.startswith("writes "):
            _, memory, *units, words = name.split()
            wanted = {level: numbers(text) for level, text in re.findall(r"([ncbmp])(\d[\d,-]*)", " ".join(units))}
            axes = [wanted.get(level, list(range(SIZES[level]))) for level in LEVELS[memory]]
            found[memory][np.ix_(*axes, numbers(words))] = True
    return found


def views(machine: Machine) -> Iterator[tuple[str, Bits]]:
    """The memories that are looked at, or the beginning of them, as NumPy views; DRAM as a copy."""
    yield from {
        "LM0": machine.lm0[:64], "LM1": machine.lm1[:64], "GRF0": machine.grf0[:64], "GRF1": machine.grf1[:64],
        "T": machine.t, "MX": machine.mx, "MY": machine.my,
        "L1BM": machine.l1bm[:, :, :1024], "L2BM": machine.l2bm[:, :1024], "PDM": machine.pdm[:, :1024],
        "DRAM": np.stack([dram[0:1024] for dram in machine.dram]),
    }.items()  # fmt: skip


def by_unit(name: str, array: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """An array of a memory as [units by level …, word]."""
    if name in ("MX", "MY"):
        array = array.transpose(1, 0, 2)
    elif WORDS[name] <= 64:
        array = array.reshape(-1, 4096).T
    return array.reshape(*(SIZES[level] for level in LEVELS[name]), WORDS[name])


@pytest.fixture(scope="module")
def noise() -> dict[str, Bits]:
    """Different words for everything that is looked at."""
    random = np.random.default_rng(5)
    found = {
        name: random.integers(1, np.iinfo(array.dtype).max, array.shape, array.dtype)
        for name, array in views(Machine())
    }
    found["T"][:, 0] &= 0x3F  # of an indirect address, not too far
    return found


@pytest.fixture(scope="module")
def filled(noise: dict[str, Bits]) -> Machine:
    machine = Machine()
    random = np.random.default_rng(6)
    machine.omr[1:16] = random.integers(0, 2, machine.omr[1:16].shape).astype(bool)
    return machine


def fill(machine: Machine, noise: dict[str, Bits]) -> None:
    for name, array in views(machine):
        array[:] = noise[name]
    for dram, words in zip(machine.dram, noise["DRAM"], strict=True):
        dram[0:1024] = words
    machine.bar0[:] = machine.bar1[:] = 0
    machine.paths = dict.fromkeys(machine.paths, noise["T"])


def certain(line: str) -> bool:
    """Whether the text alone tells the words that are written."""
    (found,) = assemble(line).lines
    if not isinstance(found, p.Step):
        return not any(isinstance(end.operand, p.DramIndirect) for end in (found.source, found.destination) if end)
    ends = [d for i in found.instructions for d in i.destinations]
    dynamic = any(isinstance(d.operand, p.PeMemory) and d.operand.indirect for d in ends)
    return not dynamic and all(d.mask is None or d.mask.entry >= 16 for d in ends)


@pytest.mark.parametrize(
    "line",
    [
        *MORE,
        *(pytest.param(x, marks=[pytest.mark.slow] * bool(n % 4)) for n, x in enumerate(EXAMPLES) if x not in MORE),
    ],
)
def test_the_words_drawn_as_written_are_those_that_change(line: str, filled: Machine, noise: dict[str, Bits]) -> None:
    fill(filled, noise)
    if "$lbi" in line or "$llbi" in line:
        filled.run(assemble("l1bmm@0 $lm0v $lb0"))
        fill(filled, noise)
    filled.run(assemble(line))
    written = drawn(check_picture(lambda: draw.move(line)))
    for name, after in views(filled):
        changed = by_unit(name, after != noise[name])
        if certain(line):
            assert np.array_equal(changed, written[name]), f"{name} of {line}"
        elif "$di" not in line and "mt" not in line:
            assert not (changed & ~written[name]).any(), f"{name} of {line}"


def test_a_move_that_writes_says_so() -> None:
    """Nothing above would fail if no picture named a word; so many do."""
    count = sum(any(part.any() for part in drawn(draw.move(line)).values()) for line in EXAMPLES[::4])
    assert count > 0.85 * len(EXAMPLES[::4])


def test_every_part_of_a_step_is_drawn() -> None:
    found = " ".join(texts(draw.move("fvadd $lm0v $lr0v $ln0v; ipassa $ls0v $lr4v")))
    assert "MAU" in found and "ALU" in found and "2 instructions in one step" in found
    assert "Nothing moves for 3 steps, 12 cycles" in " ".join(texts(draw.move("nop/3")))


def test_what_goes_where_is_spelled_out() -> None:
    found = texts(draw.move("mvp/n512 $d64 $lc128@.0"))
    for group, l2b in product(range(4), (0,)):
        assert f"DRAM n{group} [64-575] → L2BM n{group}c{l2b} [128-639]" in found
    assert "0, 4 → 0-3" in texts(draw.move("l1bmm $llb0 $llm0v"))


@pytest.mark.parametrize("text", ["", "nop\nnop", "# nothing", "fvad $lm0v $lr0v $ln0v"])
def test_what_cannot_be_drawn_is_explained(text: str) -> None:
    with pytest.raises(SimulatorError):
        draw.move(text)


def test_a_long_line_is_cut_at_the_size_in_which_it_is_shown() -> None:
    parts = ["fvfma $lm[0,2,4,6] $lr[0,2,4,6] $ls[0,2,4,6] $ln[0,2,4,6]", "zero $t", "l1bmd $lb0 $ls[8,10,12,14]"]
    line = "; ".join(parts)
    heading = next(text for text in tree(draw.move(line)).iter() if "font-size" in text.get("style", ""))
    shown = (heading.text or "").strip()
    assert shown.endswith("…") and line.startswith(shown[:-1])
    assert heading.get("class") == "m b" and width_of(shown, size=15, style="m") <= WIDTH - 2 * MARGIN


def test_short_meanings_are_the_beginnings_of_the_meanings() -> None:
    for name, row in isa.INSTRUCTIONS.items():
        brief = BRIEF.get(name, row.meaning)
        assert row.meaning.startswith(brief)
        assert not re.search(r", element|: | \(|, in one|, both", brief)


@pytest.mark.parametrize("line", [*EXAMPLES, *MORE])
def test_nothing_overflows_in_japanese(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARIBOTE_LANG", "ja")
    picture = check_picture(lambda: draw.move(line))
    assert 'lang="ja"' in picture.text and not re.search("[ｦ-ﾟ]", picture.text)

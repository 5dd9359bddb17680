"""The layout notation: against the index formula written out by hand, and against every line of the goldens."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from haribote.layout import LAYOUTS, Layout, LayoutError, dram_layout, dram_long_words, tags_for
from simulator.language import spoken

WORDS = {  # words per PE, design.md section 5
    "16": 4, "16x16": 64, "16x1024": 32, "1024x16": 64, "256x16.A": 16, "256x16.P": 256, "256x16.B": 128,
    "256x1024": 64, "256": 64,
}  # fmt: skip

LINE = re.compile(r"d (?:set|get\w*) \$(l[mn]|d)(\d+)((?:[ncbmp]\d+)*) 1.*@(\[[\d,]+\](?:,\[[\d,]+\])*)")
HEADER = re.compile(r"# =+ (?:In|Out)\(\d+\):\s*(.*?)@(LM0|LM1|DRAM) /")


def test_words_per_pe_are_those_of_the_design() -> None:
    assert {tag: layout.words for tag, layout in LAYOUTS.items()} == WORDS


def test_the_example_of_the_manual() -> None:
    layout = LAYOUTS["256x16.A"]
    row, column = np.indices((256, 16))
    assert np.array_equal(layout.position("L2B"), row // 32)
    assert np.array_equal(layout.position("L1B"), row % 8)
    assert np.array_equal(layout.position(""), 2 * (row // 8 % 4) + column // 8)
    assert np.array_equal(layout.position("PE"), column % 8 // 2)
    assert np.array_equal(layout.position("W"), column % 2)
    assert not layout.names("MAB")


@pytest.mark.parametrize("tag", LAYOUTS)
def test_printing_and_parsing_are_inverse(tag: str) -> None:
    assert Layout.parse(str(LAYOUTS[tag])) == LAYOUTS[tag]


@pytest.mark.parametrize("tag", LAYOUTS)
def test_gather_after_scatter_is_the_tensor(tag: str) -> None:
    layout = LAYOUTS[tag]
    memory = np.zeros((512, 4096), np.uint32)
    values = np.random.default_rng(1).standard_normal(layout.shape).astype(np.float32)
    layout.scatter(values, memory, 64)
    assert np.array_equal(layout.gather(memory, 64), values)
    assert not memory[:64].any() and not memory[64 + layout.words :].any()


def test_a_level_that_is_not_named_holds_a_copy_in_every_unit() -> None:
    memory = np.zeros((4, 4096), np.uint32)
    LAYOUTS["16"].scatter(np.arange(1, 17, dtype=np.int32), memory, 0)
    assert np.array_equal(memory, np.tile(memory[:, :4], 1024))
    assert memory[:, :4].T.tolist() == [[1, 2, 9, 10], [3, 4, 11, 12], [5, 6, 13, 14], [7, 8, 15, 16]]


def test_a_named_level_with_a_stride_leaves_the_units_between_alone() -> None:
    memory = np.zeros((64, 4096), np.uint32)
    LAYOUTS["256"].scatter(np.arange(1, 257, dtype=np.int32), memory, 0)
    groups = memory.reshape(64, 4, 2, 512)
    assert groups[:, :, 0].all() and not groups[:, :, 1].any()


@pytest.mark.parametrize(
    ("text", "names"),
    [("(2:1)", "list"), ("((2_L3B:1))", "L3B"), ("((2))", "2"), ("((0:1))", "at least 1"), ("((2:1) x)", "x")],
)
def test_a_malformed_layout_says_what_is_wrong(text: str, names: str) -> None:
    with pytest.raises(LayoutError, match=names):
        Layout.parse(text)


def test_a_tensor_of_another_size_is_refused() -> None:
    with pytest.raises(LayoutError, match=r"\(16,\)"):
        LAYOUTS["16"].scatter(np.zeros(8, np.float32), np.zeros((4, 4096), np.uint32), 0)


@pytest.mark.parametrize("shape", [(16,), (256,), (16, 16), (256, 16), (16, 1024)])
def test_dram_is_row_major_in_four_equal_parts(shape: tuple[int, ...]) -> None:
    layout, count = dram_layout(shape), int(np.prod(shape))
    flat = np.arange(count)
    part = count // 4 if count > 16 else count
    assert np.array_equal(layout.position("L2B"), 2 * (flat // part))
    assert np.array_equal(layout.position(""), flat % part // 2)
    assert dram_long_words(shape) == layout.position("").max() + 1


def test_a_dram_tensor_that_cannot_be_quartered_is_refused() -> None:
    with pytest.raises(LayoutError, match="multiple of 8"):
        dram_layout((3, 7))


def test_tags_of_a_column_are_those_of_the_vector() -> None:
    assert list(tags_for((256, 1))) == list(tags_for((256,))) == ["256"]
    assert list(tags_for((256, 16))) == ["256x16.A", "256x16.P", "256x16.B"]


def test_the_formula_in_words() -> None:
    assert LAYOUTS["256x16.A"].formula().splitlines() == [
        "L2B = i//32", "long word = 2*(i//8%4) + j//8", "L1B = i%8", "PE = j//2%4", "W = j%2",
    ]  # fmt: skip


def test_the_formula_in_japanese_words() -> None:
    with spoken("ja"):
        assert LAYOUTS["16"].formula().splitlines() == ["長語 = i//8", "PE = i//2%4", "W = i%2"]


@pytest.mark.slow
def test_every_line_of_the_goldens_agrees_with_its_header(shared: Path) -> None:
    files = sorted((shared / "golden").glob("*.vsm"))
    assert files
    lines = sum(_check_file(file) for file in files)
    assert lines > 50_000


def _check_file(path: Path) -> int:
    """Compare the address and units of every debug line with the layout of the header above it; the lines compared."""
    layout, count = Layout.parse("((2:1))"), 0
    for text in path.read_text().splitlines():
        if header := HEADER.match(text):
            layout, base = Layout.parse(header[1]), -1
            positions = {level: layout.position(level) for level in ("", "L2B", "L1B", "MAB", "PE", "W")}
        elif line := LINE.match(text):
            scale = 1 if line[1] == "d" else 2
            units = dict(re.findall(r"([ncbmp])(\d+)", line[3]))
            for word, index in enumerate(re.findall(r"\[([\d,]+)\]", line[4])):
                at = tuple(map(int, index.split(",")))
                here = {level: int(values[at]) for level, values in positions.items()}
                base = int(line[2]) - scale * here[""] if base < 0 else base
                assert int(line[2]) == base + scale * here[""], text
                assert here["W"] == word, text
                _check_units(layout, here, units, text)
            count += 1
    return count


def _check_units(layout: Layout, here: dict[str, int], units: dict[str, str], text: str) -> None:
    if layout.names("L2B") or "n" in units:
        assert 2 * int(units["n"]) + int(units.get("c", 0)) == here["L2B"], text
    for level, letter in (("L1B", "b"), ("MAB", "m"), ("PE", "p")):
        if letter in units:
            assert int(units[letter]) == here[level], text
        else:
            assert not layout.names(level), text

"""Moves: every one is run on random words, and every copy of every element compared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice, product
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.moved import failure
from benchmarks.moves import by_hand
from haribote.layout import LAYOUTS
from haribote.stack.chains import Path
from haribote.stack.code import Code
from haribote.stack.collection import collection, pairs
from haribote.stack.construct import along
from haribote.stack.hops import Serial
from haribote.stack.maps import COPY, PART, Bit, BitMap, W, address, axis_bits, unit_bits
from haribote.stack.moves import Move, alone, beside, emit, from_dram, joined_in_place, of_lines, price
from haribote.stack.notation import parse
from haribote.stack.places import NoRoom, Place
from haribote.stack.planner.families import candidates as planned
from haribote.stack.planner.families import reduced
from haribote.stack.resort import last_resort
from haribote.stack.shares import choice
from simulator import isa
from simulator.assembly.checks import check
from simulator.isa.cost import cost_of
from simulator.schedule import schedule
from tests.haribote.stack.astar import candidates
from tests.haribote.stack.bounds import lower_bound
from tests.haribote.stack.copies import one_copy
from tests.haribote.stack.emitted import loaded, sound, stored
from tests.haribote.stack.random_maps import changes, source_of, target_of

MAPS = collection()


DL = ["16", "256", "16x16", "256x16.A", "256x16.P", "256x16.B", "1024x16"]


UL = ["16", "256", "16x16", "256x16.A", "256x16.P"]


def written(path: Path, source: Place, target: Place) -> Move:
    """A path as a program of its own."""
    code = beside(source, target)
    lines = list(Serial(code, path, source, [target]).lines())
    return replace(of_lines([*code.setup, *lines], source, target), scratch=True)


def _sound(found: Move, engine: str = "native") -> Move:
    """A move that does what it says and in which the checker finds no error."""
    assert failure(found, engine) == ""
    assert [finding for finding in check(found.program) if finding.severity == "error"] == []
    assert found.cost.cycles >= lower_bound(found.source.map, found.target.map)
    return found


def scheduled(found: Move) -> float:
    """What the scheduler leaves of a move, in cycles."""
    return cost_of(schedule(found.program, rename=True)).cycles


def _dl(tag: str) -> tuple[str, str]:
    return f"{'x'.join(map(str, LAYOUTS[tag].shape))}.dram", tag


def test_both_words_of_a_long_word_are_copies() -> None:
    found = MAPS["16x16"]
    twice = BitMap.of("LM", found.shape, {**found.table, W: COPY, address(found.address_bits): found[W]})
    _sound(alone(source_of(found), target_of(twice)))


@pytest.mark.parametrize(("before", "after"), [_dl(tag) for tag in DL] + [_dl(tag)[::-1] for tag in UL])
def test_moves_are_never_behind_the_kernels_written_by_hand(before: str, after: str) -> None:
    start = MAPS[before] if before.endswith("dram") else one_copy(MAPS[before])
    found = _sound(alone(source_of(start), target_of(MAPS[after])))
    hand = by_hand(before, after)
    assert hand is not None and scheduled(found) <= hand.cycles


@pytest.mark.parametrize(
    ("before", "after"),
    [("256x16.A", "256x16.B"), ("256x16.B", "256x16.A"), ("16x16", "16x16.T"), ("16", "16.mab"), ("16", "16.pe")],
)
def test_between_layouts_in_local_memory(before: str, after: str) -> None:
    assert not _sound(alone(source_of(MAPS[before]), target_of(MAPS[after]))).cost.moves


@pytest.mark.slow
@pytest.mark.parametrize(("before", "after"), list(pairs())[::8])
def test_pairs_of_the_table(before: str, after: str) -> None:
    """An eighth of them; `python -m benchmarks.moves --check` runs all."""
    _sound(alone(source_of(MAPS[before]), target_of(MAPS[after])))


def test_both_engines_say_the_same() -> None:
    _sound(alone(source_of(MAPS["256.dram"]), target_of(MAPS["256"])), "numpy")


@pytest.mark.slow
@given(changes())
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_last_resort_serves_any_two_layouts(change: tuple[BitMap, BitMap]) -> None:
    path = last_resort(*change)
    assert path is not None
    _sound(written(path, source_of(change[0]), target_of(change[1])))


@pytest.mark.slow
@given(changes(), st.sampled_from([{}, {"single": True}, {"turns": 1}]))
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
def test_whatever_is_found_between_random_layouts_is_right(
    change: tuple[BitMap, BitMap], options: dict[str, bool]
) -> None:
    found = [*islice(candidates(*change, limit=1000, **options), 2), last_resort(*change)]
    for path in found:
        assert path is not None
        _sound(written(path, source_of(change[0]), target_of(change[1])))


def test_axes_that_are_no_power_of_two() -> None:
    text = "((7_L2B:1, 2:2, 8_L1B:1), ({}, 2_W:1))"
    before, after = parse(text.format("2:1, 4_PE:1")), parse(text.format("4_PE:1, 2:1"))
    assert before.shape == (112, 16)
    _sound(alone(source_of(before), target_of(after)))
    column = parse("((25_MAB:1, 4:1, 2_W:1))".replace("25", "13")), parse("((13:1, 4_PE:1, 2_W:1))")
    _sound(alone(source_of(column[0]), target_of(column[1])))


# --- room, and what is kept ------------------------------------------------------------------------------------------


def test_a_move_that_does_not_fit_says_what_it_needs() -> None:
    full = Code()
    full.take(isa.LM_WORDS, ["LM0"]), full.take(isa.LM_WORDS, ["LM1"])
    full.take(isa.GRF_WORDS, ["GRF0"]), full.take(isa.GRF_WORDS, ["GRF1"])
    with pytest.raises(NoRoom, match=r"\d+ words per PE are needed"):
        emit(full, source_of(MAPS["16"]), target_of(MAPS["16.mab"]))
    with pytest.raises(NoRoom, match="multiple of 4"):
        Place("LM0", 2, MAPS["16"])
    with pytest.raises(NoRoom, match="map for LM"):
        Place("DRAM", 0, MAPS["16"])


@pytest.mark.slow
def test_buffers_are_whole_blocks_and_matrix_registers_are_waited_for() -> None:
    """Two that random layouts found: a block with a hole reached the next buffer; `fm` came too soon after `dm`."""
    holes = parse("((2_MAB:4, 2_PE:2), (2:64, 2_PE:1, 2_MAB:8)) * (4_L2B:2, 2_L1B:1, 4_MAB:1)")
    wanted = parse("((2:1, 2:16), (2_W:1, 2_MAB:1, 2_L2B:1)) * (2_L1B:4, 8_MAB:2)")
    for path in islice(candidates(holes, wanted, limit=1500, single=True), 2):
        _sound(written(path, source_of(holes), target_of(wanted)))
    text = "((2_PE:1, 2:32, 2_MAB:2, 2:4, 2:1, 2:64, 2_W:1, 2:2, 2:8, 2_PE:2)) * (2_L2B:4, 2_L1B:1, 2_MAB:1)"
    twice, row_major = parse(text), parse("((4_L2B:2, 128:1, 2_W:1))", "DRAM")
    found = list(islice(candidates(twice, row_major, limit=1500), 2))
    assert any([hop.way.name for hop in path][:2] == ["dm", "fm"] for path in found)
    for path in found:
        _sound(written(path, source_of(twice), target_of(row_major)))


# --- parts, and programs ---------------------------------------------------------------------------------------------

NEAR, SPREAD = parse("((8_L1B:1, 4:1, 4_PE:1, 2_W:1))"), parse("((8_L1B:1, 4:1, 16_MAB:1))")


def _parts(found: BitMap, *levels: str) -> BitMap:
    """The map with parts where it has copies."""
    spread = {bit: PART for bit in found.copies() if bit.level in levels}
    return BitMap.of(found.memory, found.shape, {**found.table, **spread})


@pytest.mark.parametrize("combine", ["fadd", "fmax", "fmin", "iadd"])
def test_parts_of_mabs_become_copies_in_two_transfers(combine: str) -> None:
    found = sound(Place("LM0", 8, _parts(NEAR, "MAB")), Place("LM1", 4, NEAR), Place("GRF0", 0, NEAR), combine=combine)
    assert found.cost.steps == 4 and found.text.startswith("l1bmr")


@pytest.mark.parametrize(("levels", "combine"), [("PE", "fadd"), ("PE", "imax"), ("W", "iadd"), ("W PE", "imin")])
def test_parts_within_a_mab(levels: str, combine: str) -> None:
    source = BitMap.of("LM", SPREAD.shape, {**SPREAD.table, W: COPY, Bit("PE", 0): COPY, Bit("PE", 1): COPY})
    sound(Place("GRF0", 8, _parts(source, *levels.split())), Place("LM0", 4, SPREAD), combine=combine)


@pytest.mark.parametrize("combine", ["fadd", "imin"])
def test_parts_at_addresses(combine: str) -> None:
    source = BitMap.of("LM", SPREAD.shape, {**SPREAD.table, address(3): PART, address(5): PART})
    sound(Place("LM0", 8, source), Place("LM0", 128, SPREAD), combine=combine)


def test_a_partial_product_is_added_up_and_dealt_out() -> None:
    """Sums of 16 MABs with 16 columns at addresses become one column per MAB."""
    near = MAPS["256x16.near"]
    units = {Bit("L1B", 0): 9, Bit("L1B", 1): 10, Bit("L1B", 2): 11, W: 4, Bit("PE", 0): 5, Bit("PE", 1): 6}
    columns = {address(k): bit for k, bit in enumerate((7, 8, 0, 1, 2, 3))}
    start = BitMap.of("LM", (256, 16), {bit: COPY for bit in near.copies()} | units | columns)
    start = BitMap.of("LM", (256, 16), {**start.table, **{Bit("MAB", k): PART for k in range(4)}})
    found = sound(Place("GRF0", 0, start), Place("GRF1", 0, near), combine="fadd")
    assert found.cost.units["l1bm"] == 17 and found.cost.steps <= 19


FAMILIES = [(256, 16), (64, 128), (16, 785)]
"""Shapes whose axes are summed up in all layouts that a planner looks at."""


def _sums(shape: tuple[int, ...]) -> Iterator[tuple[BitMap, BitMap]]:
    for axis, (_, found) in product(range(len(shape)), planned(shape)):
        if found.shape == shape:
            parts = reduced(found, (axis,), PART)
            yield from ((parts, after) for _, after in planned(parts.shape) if after.shape == parts.shape)


@pytest.mark.parametrize("shape", FAMILIES)
def test_sums_between_layouts_of_planners(shape: tuple[int, ...]) -> None:
    """Some units hold parts, others of the same level copies or other elements."""
    for before, after in list(_sums(shape))[7::61]:
        sound(Place("LM0", 8, before), Place("LM1", 4, after), combine="fadd")


@pytest.mark.slow
@pytest.mark.parametrize("combine", ["fadd", "fmax", "fmin", "iadd"])
@pytest.mark.parametrize("shape", [*FAMILIES, (256, 10), (4, 256, 16)])
def test_many_sums_between_layouts_of_planners(shape: tuple[int, ...], combine: str) -> None:
    for before, after in list(_sums(shape))[::15]:
        sound(Place("LM0", 8, before), Place("LM1", 4, after), combine=combine)


def test_parts_of_l1bs() -> None:
    wanted = parse("((4:1, 4_PE:1, 2_W:1))")
    sound(Place("LM0", 8, _parts(wanted, "L1B")), Place("LM1", 8, wanted), combine="fadd")


def test_the_same_map_in_other_banks() -> None:
    near = MAPS["256x16.near"]
    found = sound(Place("LM0", 8, near), Place("LM0", 16, near), Place("GRF0", 0, near), Place("GRF1", 16, near))
    assert found.cost.steps == 2


# --- free ends in DRAM -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["256x16.near", "256x16.A", "16x16.mab", "1024.columns"])
def test_down_from_dram_and_up_again(name: str) -> None:
    wanted = MAPS[name]
    for found in (loaded(64, Place("LM0", 8, wanted), Place("LM1", 0, wanted)), stored(Place("LM1", 8, wanted), 128)):
        assert failure(found) == "" and check(found.program) == []


def test_what_goes_to_one_l2bm_lies_together_in_dram() -> None:
    """Rows of a batch over groups and L2Bs, of which the L2Bs have the lower index bit; each L1B has all columns."""
    near = [W, Bit("PE", 0), Bit("PE", 1), *(Bit("MAB", k) for k in range(4))]
    units = [Bit("L2B", 0), Bit("group", 0), Bit("group", 1)]
    wanted = BitMap.of(
        "LM", (256, 128), {bit: k for k, bit in enumerate((*near, *units, *(address(k) for k in range(5))))}
    )
    found = loaded(64, Place("LM0", 8, wanted))
    assert failure(found) == ""
    assert found.cost.move_words == 2 * 2048 and found.cost.moves == 2 * 2048 // 512


@pytest.mark.parametrize(("rows", "own"), [(256, True), (8, False)])
def test_where_much_comes_down_nothing_else_does(rows: int, own: bool) -> None:
    """So that it can come before the step begins; not where room is short."""
    units = (W, *reversed(unit_bits("LM")))
    bits = (*units, *(address(k) for k in range(axis_bits(rows * 1024) - len(units))))
    place = Place("LM0", 0, BitMap.of("LM", (rows, 1024), {bit: k for k, bit in enumerate(bits)}))
    for room in (True, False):
        code = Code(own_buffers=room)
        from_dram(code, 64, [place])
        moves = re.findall(r"mvp/n(\d+) \S+ \$lc(\d+)@", "\n".join(code.lines))
        used = {long for count, start in moves for long in range(int(start), int(start) + int(count))}
        others = {code.buffer("L2BM", 256) + k for _ in range(200) for k in range(256)}
        assert used and used.isdisjoint(others) == (own and room)


def test_columns_that_fill_no_power_of_two() -> None:
    """A batch of 256 rows of 8 times 112: padding is neither moved by MV nor left to chance."""
    columns = [W, Bit("PE", 0), Bit("PE", 1), *(Bit("MAB", k) for k in range(4)), Bit("L2B", 0), Bit("group", 0)]
    rows = [*(address(k) for k in range(5)), *(Bit("L1B", k) for k in range(3))]
    wanted = BitMap.of("LM", (256, 8, 112), {bit: k for k, bit in enumerate((*columns, Bit("group", 1), *rows))})
    found = loaded(64, Place("LM0", 8, wanted), Place("GRF0", 0, wanted))
    assert failure(found) == "" and found.cost.move_words == 2 * 32 * 448 and found.cost.steps <= 80
    filled = loaded(64, Place("LM0", 8, wanted), fill=0.0)
    assert failure(filled, fill=0.0) == "" and filled.cost.move_words == 2 * 32 * 448
    ones = loaded(64, Place("LM0", 8, wanted), fill=1.0)
    assert failure(ones, fill=1.0) == "" and ones.cost.move_words == 2 * 16384
    assert failure(stored(Place("LM1", 0, wanted), 128)) == ""


def test_what_is_padded_moves_along() -> None:
    near, wide = parse("((8_L1B:1, 2:1, 4_PE:1, 2_W:1), (10_MAB:1))"), parse("((8_L1B:1, 16:1), (10_MAB:1))")
    assert failure(sound(Place("LM0", 0, near), Place("LM1", 0, wide)), fill=0.0) == ""


SHARES = {
    "l2bid": ("((4:1, 8_L1B:1, 2_W:1), (16_MAB:1))", "((2_L2B:1, 2:1, 8_L1B:1, 2_W:1), (16_MAB:1))"),
    "l1bid": ("((8:1, 4_PE:1, 2_W:1), (16_MAB:1))", "((8_L1B:1, 4_PE:1, 2_W:1), (16_MAB:1))"),
    "peid": ("((16:1, 2_W:1), (8_L1B:1))", "((16_MAB:1, 2_W:1), (8_L1B:1))"),
}


@pytest.mark.parametrize("bank", ["LM0", "LM1"])
@pytest.mark.parametrize("number", SHARES)
def test_each_unit_keeps_its_share_of_what_all_of_them_hold(number: str, bank: str) -> None:
    """By masks, without a word that travels: on both engines, from one memory to another and within one."""
    start, wanted = (parse(text) for text in SHARES[number])
    bits = frozenset(bit for bit, carry in wanted.carries if carry >= 0 and start[bit] == COPY)
    path = along([choice(bits)], start, wanted, "")
    found = written(path, Place("LM0", 0, start), Place(bank, 2048, wanted))
    assert f"${number}" in found.text and not {"l1bm", "l2bm"} & found.cost.units.keys() and found.cost.moves == 0
    for engine in ("numpy", "native"):
        _sound(found, engine)


def test_a_move_that_needs_all_of_the_l2bm_is_priced_as_beside_the_zeros_of_loads() -> None:
    texts = (
        "((2_PE:1, 2_W:1), (8_L1B:1, 2:1, 2_PE:2), (4:2, 16_MAB:1))",
        "((4_MAB:1), (4_PE:1, 2_W:1, 4_MAB:4), (8_L1B:1, 8:1))",
    )
    source, target = (
        BitMap.of(
            found.memory,
            found.shape,
            {bit: COPY if bit in unit_bits("LM")[:3] else carry for bit, carry in found.carries},
        )
        for found in map(parse, texts)
    )
    first, last = Place("LM0", 0, source), Place("LM1", 0, target)
    code = beside(first, last)
    code.take(2048, ["L2BM"])
    emit(code, first, last)
    written = of_lines([*code.setup, *code.lines], first, last).cost.cycles
    assert 0.75 < written / price(source, target) < 1.33


def test_a_sum_that_no_l1bm_holds_is_added_up_in_halves_before_it_is_dealt_out() -> None:
    """256 x 256 sums in all L1Bs, of which each is to keep 1,024: of these two bits of the index stay at addresses."""
    groups, l1bs, mabs, pes = (
        [bit for bit in unit_bits("LM") if bit.level in levels.split()] for levels in ("group L2B", "L1B", "MAB", "PE")
    )
    near = {**dict(zip(mabs, range(4), strict=True)), W: 8, **dict(zip(pes, (9, 10), strict=True))}
    everywhere = {address(k): bit for k, bit in enumerate((4, 5, 6, 7, 11, 12, 13, 14, 15))}
    source = BitMap.of("LM", (256, 256), near | everywhere | dict.fromkeys((*groups, *l1bs), PART))
    own = {address(0): 11, address(1): 12, address(2): 4}
    dealt = dict(zip((*groups, *l1bs), (6, 7, 5, 13, 14, 15), strict=True))
    target = BitMap.of("LM", (256, 256), near | own | dealt)
    found = sound(Place("LM0", 0, source), Place("LM1", 2048 - 2 * target.longs, target), combine="fadd")
    assert found.cost.fewest == pytest.approx(price(source, target, "fadd"), rel=0.3)
    in_halves = joined_in_place(source)
    assert price(source, target, "fadd") == price(source, in_halves, "fadd") + price(in_halves, target)


@pytest.mark.parametrize("shape", [(512, 256), (417, 256), (300, 256)])
def test_sums_that_fill_the_l1bm_move_in_pieces_where_the_l2bm_is_short(shape: tuple[int, int]) -> None:
    """What is still to move lies in a buffer of the L1BM, and what has moved comes down through others: whatever bits
    are at its addresses, the move is right, or there is no room for these buffers."""
    group = [bit for bit in unit_bits("LM") if bit.level in ("group", "L2B")]
    l1bs = [bit for bit in unit_bits("LM") if bit.level == "L1B"]
    near = {bit: k for k, bit in enumerate([W, *(bit for bit in unit_bits("LM") if bit not in group)])}
    target = BitMap.of("LM", shape, near | {address(k): len(near) + k for k in range(7)} | dict.fromkeys(group, COPY))
    at_addresses = sorted(set(range(target.width)).difference(near[bit] for bit in (W, *l1bs)))
    random, end = Random(1), Place("LM0", 0, target)
    written = []
    for free in (12288, 12288, 8192, 4096, 12288, 8192):
        sums = {bit: near[bit] for bit in (W, *l1bs)} | dict.fromkeys(group, PART)
        source = BitMap.of("L1BM", shape, sums | {address(k): bit for k, bit in enumerate(at_addresses)})
        random.shuffle(at_addresses)  # of the first source the pieces lie one behind another
        code = beside(end)
        code.take(isa.L2BM_LONGS - free, ["L2BM"])
        first = Place("L1BM", code.buffer("L1BM", source.longs), source)
        with suppress(NoRoom):
            emit(code, first, end, "fadd")
            written.append(source)
            found = of_lines([*code.setup, *code.lines], first, end)
            assert failure(replace(found, combine="fadd", scratch=True)) == ""
    assert written

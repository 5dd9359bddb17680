"""Words of GRF and LM in turn: what is kept is right."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from benchmarks.fuzz.generate import is_valid
from simulator import assemble
from simulator.assembly.checks import check, fix_nops
from simulator.isa.program import PeMemory, Program
from simulator.schedule import Keep, schedule
from simulator.schedule.keep import SIZES, Kept
from simulator.schedule.nodes import nodes_of
from simulator.schedule.registers import moved_words
from tests.long_runs import long_runs
from tests.simulator.schedule.memories import memories

BANKS = ("grf0", "grf1", "lm0", "lm1")
KEEP: Keep = {
    **{name: [range(size)] for name, size in SIZES.items() if name not in BANKS},
    **{name: [range(24, 64), range(200, 300)] for name in BANKS},
    "l1bm": [range(1024)],
}


def register_program(rng: Random, length: int) -> Program:
    """Few words, used again and again, by operands of every form."""

    def operand() -> str:
        bank, word = rng.choice("mnrs"), 4 * rng.randrange(10)
        forms = f"$l{bank}{word}v", f"$l{bank}{word}v", f"${bank}{word + rng.randrange(4)}", f"$ll{bank}{word}v"
        flat = f"$l{bank}[{word},{word + 2},{word},{word + 6}]"
        return rng.choice((*forms, flat, f"$l{bank}{word}vj{rng.randrange(3)}"))

    def target() -> str:
        return operand() + rng.choice(("", "", "", "/1000", "/0110", "/$imr1"))

    lines: list[str] = []
    while len(lines) < length:
        line = rng.choice(
            (
                f"iinc {operand()} {target()}",
                f"fvpassa {operand()} {target()}",
                f"zero {target()}",
                f"l1bmm $llb{64 * rng.randrange(3)} {target()}",
                f"l1bmm@1 {operand()} $llb{64 * rng.randrange(3)}",
                f"gbfn {operand()} $nowrite; fvpassa $t {target()}",
            )
        )
        lines += [line] * is_valid(line)
    return assemble(fix_nops(assemble("\n".join(lines))))


def _check(seed: int) -> tuple[int, int]:
    before = register_program(Random(seed), 40)
    after = schedule(before, rename=True, keep=KEEP)
    assert not [finding for finding in check(after) if finding.severity == "error"]
    expected, found = memories(before, seed, "native"), memories(after, seed, "native")
    assert not isinstance(expected, str) and not isinstance(found, str)
    for name, value in expected[1].items():
        for words in KEEP[name] if name in (*BANKS, "l1bm") else [range(len(value))]:
            axis = 2 if name == "l1bm" else 0
            kept = (np.moveaxis(memory, axis, 0)[words.start : words.stop] for memory in (found[1][name], value))
            np.testing.assert_array_equal(*kept, err_msg=name)
    return schedule(before, rename=True).steps, after.steps


def test_words_in_turn() -> None:
    counts = [_check(seed) for seed in (2, 10)]
    assert sum(after for _, after in counts) < sum(before for before, _ in counts)


@pytest.mark.slow
@pytest.mark.parametrize("first", [100, *long_runs(120, 140)])
def test_words_in_turn_of_many_programs(first: int) -> None:
    for seed in range(first, first + 20):
        if seed % 3:  # base addresses of every third are not 0, and what is kept is elsewhere then
            _check(seed)


def moved(*lines: str, keep: Keep) -> dict[str, int]:
    """Operands that move, by their text, and by how much."""
    found = moved_words(nodes_of(assemble("\n".join(lines))), Kept(keep))
    return {f"{node.instruction.text} {operand}": more for (node, operand), more in found.items() if node.instruction}


def test_a_value_moves_with_all_that_reads_it() -> None:
    lines = "iinc $lm0v $lr0v", "iinc $lr0v $ln0v", "iinc $lm8v $lr0v", "iinc $lr0v $ln8v"
    kept = {"grf0": [range(8)], "lm1": [range(16)]}
    assert moved(*lines, keep=kept) == {"iinc $lm0v $lr0v 1": 8, "iinc $lr0v $ln0v 0": 8}  # the second value is kept
    assert moved(*lines, keep={"lm1": [range(16)]}) == {"iinc $lm8v $lr0v 1": 8, "iinc $lr0v $ln8v 0": 8}


def test_a_bank_with_unknown_addresses_stays_as_it_is() -> None:
    lines = "iinc $lr0v $lm0v", "iinc $lm0v $lr0v", "iinc $lr0v $lm0v", "iinc $lm0v $lr8v"
    assert moved(*lines, keep={})
    assert not any("$lm" in text.split()[1 + int(text[-1])] for text in moved(*lines, "iinc $lmt0v $lr16v", keep={}))
    assert not moved(*lines, "d get $lr0n0c0b0m0p0 1", keep={})


NAMED = [
    (
        "ulmin $subpeid $m11v $lls36vj3 $t $llr[60,28,44,28]",
        "ulmax $lr50v $m5v $r27j3 $omr2",
        'immu f"1.5" $lr28/ll1101',
    ),
    ("dvfmad $lbf $llr12v $n11 $nowrite", "iand $llm4v24 $s14 $lr6v/l0111"),
]
"""`$r27j3` is word 28 in every PE; of `$lr6v/l0111` words 6 and 7 are not written."""


@pytest.mark.parametrize("lines", NAMED)
def test_addresses_that_no_pe_uses_stay_in_the_bank_too(lines: tuple[str, ...]) -> None:
    program = assemble("\n".join(lines))
    schedule(program, rename=True, keep={"t": [range(1, 2)], "grf1": [range(50, 54)]})
    for (node, operand), more in moved_words(nodes_of(program), Kept({})).items():
        assert node.instruction is not None and isinstance(found := node.instruction.ends[operand].operand, PeMemory)
        assert all(0 <= address + more < SIZES[found.bank] for address in found.addresses)

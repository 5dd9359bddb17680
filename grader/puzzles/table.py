"""The puzzles, by the id of their task. What is wanted is said with NumPy and plain indices."""

from __future__ import annotations

import numpy as np

from grader.puzzles.spec import (
    Array,
    Memories,
    Puzzle,
    l1bm_board,
    l1bm_units,
    l2bm_rows,
    pack,
    pe_board,
    words_of,
)
from simulator.engine.state.elements import join_words
from simulator.isa import ALL_PES, L1BS, L2BS
from simulator.messages import Text

PE, WORD = np.arange(ALL_PES), np.arange(8)[:, None]
L1B_OF_PE = (PE // 512, PE // 64 % 8)  # L2B and L1B


def _with(memory: Array, start: int, words: Array) -> Array:
    """A copy of a memory of PEs with other words [word, PE] from a word on."""
    changed = memory.copy()
    changed[start : start + len(words)] = words
    return changed


# --- the four cycles -------------------------------------------------------------------------------------------------


def _middle(m: Memories) -> Memories:
    return {"lm1": _with(m["lm1"], 2, m["lm0"][2:6])}


def _low_words(m: Memories) -> Memories:
    return {"lm1": _with(m["lm1"], 0, m["lm0"][1:8:2])}


def _again(m: Memories) -> Memories:
    return {"lm1": m["lm0"][np.arange(8) % 4]}


def _upside_down(m: Memories) -> Memories:
    return {"lm1": np.concatenate([m["lm0"][row : row + 4] for row in (12, 8, 4, 0)])}


def _two_units(m: Memories) -> Memories:
    x = m["lm0"]
    return {"lm1": pack("lm1", 2 * x.view(np.float32)), "grf1": x}


# --- down and up -----------------------------------------------------------------------------------------------------


def _everybody(m: Memories) -> Memories:
    words = words_of("l1bm", m["l1bm"])
    return {"lm1": words[(*L1B_OF_PE, 8 + WORD)]}  # long words 4 to 7


def _one_row(m: Memories) -> Memories:
    return {"lm0": _with(m["lm0"], 0, _dealt(m["l1bm"], 16)[:4])}


def _dealt(l1bm: Array, start: int) -> Array:
    """The words of the PEs where 16 long words of L1BM go to the 4 PEs of each MAB in turn."""
    long_word = start + PE % 4 + 4 * (WORD // 2)
    words: Array = words_of("l1bm", l1bm)[(*L1B_OF_PE, 2 * long_word + WORD % 2)]
    return words


def _deal(m: Memories) -> Memories:
    l1bm = m["l1bm"].copy()
    for l1b in range(L1BS):
        for row in range(4):
            start = 256 + 64 * row + 8 * l1b
            l1bm[:, l1b, 32 + 8 * row : 40 + 8 * row] = m["l2bm"][:, start : start + 8]
    return {"l1bm": l1bm}


def _all_together(m: Memories) -> Memories:
    long_words = join_words(m["lm0"][0::2], m["lm0"][1::2])
    return {"l1bm": np.concatenate([cycle.reshape(L2BS, L1BS, 64) for cycle in long_words], axis=-1)}


# --- time ------------------------------------------------------------------------------------------------------------


def _two_numbers(m: Memories) -> Memories:
    x = m["lm0"].view(np.float32)
    return {"lm1": pack("lm1", x[0:8] + x[8:16])}


def _while_waiting(m: Memories) -> Memories:
    lm0 = _dealt(m["l1bm"], 0)
    return {"lm0": lm0, "lm1": np.concatenate([pack("lm1", 2 * lm0.view(np.float32)), m["grf1"]])}


# --- between PEs -----------------------------------------------------------------------------------------------------


def _across(m: Memories) -> Memories:
    return {"lm1": m["lm0"][:, PE // 4 * 4 + (PE + 2) % 4]}


def _only_pe_2(m: Memories) -> Memories:
    return {"lm1": np.where(PE % 4 == 2, m["lm0"], m["lm1"])}


def _turned(m: Memories) -> Memories:
    cycle, half = WORD // 2, WORD % 2
    return {"lm1": m["lm0"][2 * (PE % 4) + half, PE // 4 * 4 + cycle]}


def _staircase(m: Memories) -> Memories:
    return {"lm1": m["lm0"][WORD + 2 * (PE % 4), PE]}


LM0, LM1 = pe_board("lm0", 8), pe_board("lm1", 8)
LM0_WORDS, LM1_WORDS = pe_board("lm0", 8, parts=1), pe_board("lm1", 8, parts=1)
LM0_16, LM1_16 = pe_board("lm0", 16), pe_board("lm1", 16)
SUM0, SUM1, SUM0_16, SUM1_16, GRF1 = (  # numbers, two in a cell
    pe_board(memory, words, width=40)
    for memory, words in (("lm0", 8), ("lm1", 8), ("lm0", 16), ("lm1", 16), ("grf1", 8))
)

PUZZLES = {
    puzzle.task: puzzle
    for puzzle in (
        Puzzle(
            "4.8", {"lm0": 8, "lm1": 8}, _middle, (LM0, LM1),
            {
                "lpassa $lm0v $ln0v": Text("all four cycles write; a mask behind the destination closes some"),
                "lpassa $lm0v $ln0v/1001": Text("a 1 in the mask lets its cycle write, a 0 keeps it from writing"),
                "lpassa $lm0v $ln0v/0100": Text("cycle 2 is to write too"),
                "lpassa $lm0v $ln0v/0010": Text("cycle 1 is to write too"),
                "lpassa $lm2v $ln2v": Text("the right beginning, but four cycles write; a mask closes two of them"),
                "lpassa/0110 $lm0v $ln0v": Text("there, a mask puts zeros; it belongs behind the destination"),
                "lpassa $lm0v $ln0/0110": Text("the destination has to move on from cycle to cycle: `v`"),
            },
        ),
        Puzzle(
            "4.9", {"lm0": 8, "lm1": 8}, _low_words, (LM0_WORDS, LM1_WORDS),
            {
                "ipassa $m0v2 $n0v": Text("these are the first words of the long words; begin one word later"),
                "ipassa $m1v $n0v": Text("`v` goes on by one word per cycle here; a number behind it is the stride"),
                "ipassa $m1v2 $n0v2": Text("the destination has stride 1, which is just `v`"),
                "lpassa $lm0v $ln0v": Text("`l` takes both words of a long word; one is wanted"),
            },
        ),
        Puzzle(
            "4.10", {"lm0": 8, "lm1": 8}, _again, (LM0, LM1),
            {
                "lpassa $lm0v $ln0v": Text("cycle 2 has to read word 0 again: write an address for each cycle"),
                "lpassa $lm[0,0,2,2] $ln0v": Text("the order is 0, 1, 0, 1: which cycle reads what?"),
                "lpassa $lm[0,4,0,4] $ln0v": Text("addresses count words: the second long word begins at word 2"),
            },
        ),
        Puzzle(
            "4.11", {"lm0": 16, "lm1": 16}, _upside_down, (LM0_16, LM1_16),
            {
                "lpassa $llm0v $lln0v": Text("all 16 words in one step; now turn the order, on one side"),
                "lpassa $lm[12,8,4,0] $ln0v": Text("`l` moves two words per cycle; a row has four: `ll`"),
                "lpassa $llm12v $lln0v": Text("`v` counts upwards; write an address for each cycle"),
            },
        ),
        Puzzle(
            "4.12", {"lm0": 8, "lm1": 8, "grf1": 8}, _two_units, (SUM0, SUM1, GRF1),
            {
                "fvadd $lm0v $lm0v $ln0v": Text("the copy in GRF1 is missing; behind a `;` the ALU can make it"),
                "lpassa $lm0v $ls0v": Text("the sum in LM1 is missing; behind a `;` the MAU can make it"),
                "fvadd $lm0v $lm0v $ln0v $ls0v": Text("GRF1 wants x, and this writes the sum there too"),
            },
            numbers=True,
        ),
        Puzzle(
            "4.13", {"l1bm": 16, "lm1": 8}, _everybody, (l1bm_board(16, 4), LM1),
            {
                "l1bmp $lb0 $ln0v": Text("wanted are the long words from 4 on"),
                "l1bmm $lb4 $ln0v": Text("`l1bmm` gives each PE of a MAB another long word; here all get the same"),
                "l1bmm $lb0 $ln0v": Text("`l1bmm` gives each PE of a MAB another long word; here all get the same"),
                "l1bmp $lb4 $lm0v": Text("wanted is LM1, whose letter is `n`"),
                "l1bmp $lb4 $ln0": Text("all cycles write to words 0 and 1; the destination has to move on: `v`"),
            },
        ),
        Puzzle(
            "4.14", {"l1bm": 32, "lm0": 8}, _one_row, (l1bm_board(32, 8), LM0),
            {
                "l1bmm $llb16 $llm0v": Text("all four cycles write; only one row is wanted: a mask with `ll`"),
                "l1bmm $llb0 $llm0v": Text("all four cycles write, and the row wanted is the third"),
                "l1bmm $llb0 $llm0v/ll1000": Text("this is the first row; wanted is the one from long word 16 on"),
                "l1bmm $llb16 $llm0v/1000": Text("with `ll` in the operand the mask has `ll` too: `/ll1000`"),
                "l1bmm $llb0 $llm0v/ll0010": Text("the right row, but `v` has moved its place on to word 8"),
            },
        ),
        Puzzle(
            "4.15", {"l2bm": 512, "l1bm": 64}, _deal, (l2bm_rows(256, 256, 512), l1bm_units(32, 32, 64)),
            {
                "l2bmb $lc256 $lb32": Text("`l2bmb` gives all L1Bs the same; here each gets something else"),
                "l2bmd $lc0 $lb32": Text("wanted are the long words of L2BM from 256 on"),
                "l2bmd $lb32 $lc256": Text("that is the way up: the source comes first, and here it is L2BM, `$lc`"),
                "l2bmd $lc256 $lb0": Text("they belong at long word 32 of each L1BM"),
                "l2bmd $lc0 $lb0": Text("mind both addresses: from long word 256 of L2BM to 32 of L1BM"),
            },
        ),
        Puzzle(
            "4.16", {"lm0": 8, "l1bm": 256}, _all_together,
            (pe_board("lm0", 8, mabs=4, width=34), l1bm_board(256, 64, shown=16)),
            {
                "l1bmm@0 $lm0v $lb0": Text("`l1bmm@0` takes what one MAB has; here all 16 send"),
                "l1bmd $lm0 $lb0": Text("each cycle sends the same long word; the source has to move on: `v`"),
                "l1bmd $lb0 $lm0v": Text("that is the way down: the source comes first"),
            },
        ),
        Puzzle(
            "4.17", {"lm0": 16, "lm1": 8}, _two_numbers, (SUM0_16, SUM1),
            {
                "fvadd $lm0v $lm0v $ln0v": Text("this adds words 0 to 7 to themselves"),
                "lpassa $lm8v $nowrite\nfvadd $lm8v $aluf $ln0v": Text("both operands are words 8 to 15"),
            },
            lines=2, steps=2, numbers=True, early=Text("there is no time for a nop; `$aluf` is ready in the very "
                                                       "next step"),
        ),
        Puzzle(
            "4.18", {"l1bm": 16, "grf1": 8, "lm0": 8, "lm1": 16}, _while_waiting,
            (l1bm_board(16, 4, width=40), GRF1, SUM1_16),
            {
                "nop/2": Text("long enough, but the copy of GRF1 is missing: one of the two steps can make it"),
            },
            lines=2, steps=2, before="l1bmm $lb0 $lm0v", after="fvadd $lm0v $lm0v $ln0v", numbers=True,
        ),
        Puzzle(
            "4.19", {"lm0": 8, "lm1": 8}, _across, (LM0, LM1),
            {
                "msl $lm0v $ln0v": Text("that is one PE further; two are wanted"),
                "msr $lm0v $ln0v": Text("that is one PE further; two are wanted"),
                "msl $lm0v $nowrite\nmsr $aluf $ln0v": Text("to the left and back again: nobody has moved"),
            },
            lines=2, steps=2, early=Text("there is no time for a nop; `$aluf` is ready in the very next step"),
        ),
        Puzzle(
            "4.20", {"lm0": 8, "lm1": 8}, _only_pe_2, (LM0, LM1),
            {
                "lpassa $lm0v $ln0v": Text("all PEs write; a mask from `ixor $subpeid $t` lets one of them"),
                "isub $subpeid $t $omr1\nlpassa $lm0v $ln0v/$imr1":
                    Text("the flag of `isub` is 1 where the result is not negative, so PE 3 writes too"),
                "ixor $mabid $t $omr1\nlpassa $lm0v $ln0v/$imr1": Text("that is all of MAB 2, not PE 2 of each MAB"),
            },
            lines=2, steps=2, before='imm i"2" $t\nnop',
        ),
        Puzzle(
            "4.21", {"lm0": 8, "lm1": 8}, _turned, (LM0, LM1),
            {
                "lpassa $lm0v $ln0v": Text("nothing is turned; the matrix register does it"),
                "dmwrite $lm0v $lx0\ndmread $lx0 $ln0v/1000": Text("only the first row; all four cycles are wanted"),
                "gmwrite $lm0v $lx0\ngmread $lx0 $ln0v":
                    Text("`g` turns a matrix of words, 8 by 8; these are long words, 4 by 4: `d`"),
                "dmwrite $lm0 $lx0\ndmread $lx0 $ln0v": Text("the source has to move on from cycle to cycle: `v`"),
            },
            lines=2, steps=2,
        ),
        Puzzle(
            "4.22", {"lm0": 16, "lm1": 8}, _staircase, (LM0_16, LM1),
            {
                "lpassa $lm0v $ln0v": Text("all PEs read the same addresses; `$lmt` adds T to them"),
                "lpassa $mt0v $ln0v": Text("a long word in each cycle needs `l` on both sides: `$lmt`"),
                "ipassa $mt0v $n0v": Text("a long word in each cycle needs `l` on both sides: `$lmt`, and `lpassa`"),
                "lpassa $lmt0 $ln0v": Text("every cycle reads the same address; it has to move on: `v`"),
            },
            before='imm i"1" $nowrite\nllsl $subpeid $aluf $t\nnop',
        ),
    )
}  # fmt: skip

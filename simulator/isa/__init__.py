"""The instruction set: one table of every PE and MV instruction (isa.md, sections 6 to 10).

A row (see `simulator.isa.rows`) holds what the assembler, the checks, the cost model, `explain`, `trace` and the page
docs/isa.md need to know about an instruction. How its opcode is spelled follows from the row: see
`simulator.assembly.opcodes`.
"""

from __future__ import annotations

from collections.abc import Mapping

from simulator.isa import alu, broadcast, control, mau, mv
from simulator.isa.forms import STEP_CYCLES as STEP_CYCLES
from simulator.isa.rows import MoveRow, Row

# --- sizes (isa.md, section 1) ----------------------------------------------------------------------------------------

LM_WORDS = 4096
GRF_WORDS = 512
BANK_WORDS: Mapping[str, int] = {"lm0": LM_WORDS, "lm1": LM_WORDS, "grf0": GRF_WORDS, "grf1": GRF_WORDS}
L1BM_LONGS = 8192
L2BM_LONGS = 32768
PDM_LONGS = 524288
DRAM_LONGS = 2**29
LONGS: Mapping[str, int] = {"L1BM": L1BM_LONGS, "L2BM": L2BM_LONGS, "PDM": PDM_LONGS, "DRAM": DRAM_LONGS}
TURNAROUND_LONGS = 256
"""Of an L1B: the largest block that a transfer sends, that of l1bmd."""
DAR_ENTRIES = 1024
DAR_UNIT = 16
"""Long words of DRAM that an entry of the table addresses."""
MASK_ENTRIES = 32
CYCLE_MASKS = 16
"""Mask entry 16 + b is the fixed cycle pattern b, cycle 0 in its highest bit."""
MATRIX_ROWS = 16
GROUPS, L2BS_PER_GROUP, L1BS, MABS, PES_PER_MAB = 4, 2, 8, 16, 4
L2BS = GROUPS * L2BS_PER_GROUP  # in the whole machine; l2b = 2 * group + c
ALL_L1BS = L2BS * L1BS
ALL_MABS = ALL_L1BS * MABS
ALL_PES = ALL_MABS * PES_PER_MAB
TREE = (L2BS, L1BS, MABS, PES_PER_MAB)
"""Units below each one of the level above; a PE's number has them as digits: ((l2b * 8 + l1b) * 16 + mab) * 4 + pe."""
SMALL_TENSOR = 16
"""Elements of a tensor in DRAM that lie in group 0; more lie in four equal parts in the four groups (design.md, 5)."""
MV_UNIT = 64
"""The size of an MV instruction is a multiple of this many long words."""
WAIT_TAGS = 0x40

# --- the table --------------------------------------------------------------------------------------------------------

INSTRUCTIONS: Mapping[str, Row] = {row.name: row for row in (*control.ROWS, *alu.ROWS, *mau.ROWS, *broadcast.ROWS)}
MOVES: Mapping[str, MoveRow] = {row.name: row for row in mv.ROWS}

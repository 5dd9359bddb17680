"""MV instructions (isa.md, section 6)."""

from __future__ import annotations

from simulator.isa.rows import MoveForm, MoveRow
from simulator.messages import Text

_MEMORIES = {"p": "PDM[{0}, {2} + x]", "d": "DRAM[{0}, {2} + x]", "c": "L2BM[{0}, {1}, {2} + x]"}
"""One side of a copy. In formulas of MV instructions G, L are group and L2B of the source, H, K those of the
destination, n is the size."""


def _copies() -> dict[tuple[str, str], MoveForm]:
    """mvp: any two different memories, and PDM to PDM; groups named on both sides or on neither."""
    forms: dict[tuple[str, str], MoveForm] = {}
    for a, b in [(a, b) for a in "pdc" for b in "pdc" if a != b] + [("p", "p")]:
        named = f"{_MEMORIES[b].format('H', 'K', 'B')} = {_MEMORIES[a].format('G', 'L', 'A')} | x < n"
        bare = f"{_MEMORIES[b].format('g', 'K', 'B')} = {_MEMORIES[a].format('g', 'L', 'A')} | x < n"
        forms[f"{a}@", f"{b}@"] = MoveForm(named, "G")
        forms[a.replace("c", "c."), b.replace("c", "c.")] = MoveForm(bare, "G")
        forms[a, b] = MoveForm(bare, "A" if "c" in (a, b) else "G")
    return forms


def _pairs(**formulas: str) -> dict[tuple[str, str], MoveForm]:
    """Forms from `source_destination="mark formula"`; P is a PDM whose group is named."""
    forms = {}
    for pair, text in formulas.items():
        source, destination = pair.replace("P", "p@").split("_")
        evidence, _, formula = text.partition(" ")
        forms[source, destination] = MoveForm(formula, evidence)
    return forms


_DEALT = "i < n // 64, h < 4, k < 16"

ROWS = (
    MoveRow("mvp", _copies(), Text("a plain copy"), "mvp/n64 $d0@1 $lc128@1.0"),
    MoveRow(
        "mvb",
        _pairs(
            P_c="G L2BM[g, l, B + x] = PDM[G, A + x] | x < n",
            d_c=f"A L2BM[g, l, B + 64*i + 16*h + k] = DRAM[h, A + 16*i + k] | {_DEALT}",
        ),
        Text("one source to all 8 L2BMs"),
        "mvb/n64 $p0@0 $lc0",
    ),
    MoveRow(
        "mvb2",
        _pairs(d_c="G L2BM[g, l, B + x] = DRAM[g, A + x] | x < n"),
        Text("each group's DRAM to both its L2BMs"),
        "mvb2/n128 $d64 $lc0",
    ),
    MoveRow(
        "mvb4",
        _pairs(d_c=f"G L2BM[g, l, B + 64*i + 16*h + k] = DRAM[h, A + 32*i + 16*l + k] | {_DEALT}"),
        Text("the four DRAMs, interleaved, to the L2BMs of every group"),
        "mvb4/n64 $d0 $lc0",
    ),
    MoveRow(
        "mvd",
        _pairs(
            P_d="G DRAM[g, B + 16*i + k] = PDM[G, A + 64*i + 16*g + k] | i < n // 64, k < 16",
            d_P="G PDM[H, B + 64*i + 16*g + k] = DRAM[g, A + 16*i + k] | i < n // 64, k < 16",
            P_c="A L2BM[g, l, B + 16*i + k] = PDM[G, A + 128*i + 16*(2*g + l) + k] | i < n // 16, k < 16",
            c_P="A PDM[H, B + 128*i + 16*(2*g + l) + k] = L2BM[g, l, A + 16*i + k] | i < n // 16, k < 16",
        ),
        Text("a PDM dealt out to (or gathered from) all groups"),
        "mvd/n256 $p0@0 $d0",
    ),
    MoveRow(
        "mvr",
        _pairs(
            c_P="G PDM[H, B + x] = L2BM[g, l, A + x] | x < n",
            c_d="D DRAM[h, B + 16*i + k] = L2BM[g, l, A + 64*i + 16*h + k] | i < n // 64, h < 4, k < 16",
        ),
        Text("all 8 L2BMs combined"),
        "mvrffadd/n64 $lc0 $p0@0",
        reduces=True,
    ),
    MoveRow(
        "mvr2",
        _pairs(c_d="G DRAM[g, B + x] = L2BM[g, l, A + x] | x < n"),
        Text("the two L2BMs of each group combined"),
        "mvr2iiadd/n64 $lc0 $d0",
        reduces=True,
    ),
    MoveRow(
        "mvr4",
        _pairs(c_d=f"G DRAM[h, B + 32*i + 16*l + k] = L2BM[g, l, A + 64*i + 16*h + k] | {_DEALT}"),
        Text("the four groups combined, for each of the two L2Bs"),
        "mvr4ffadd/n64 $lc0 $d0",
        reduces=True,
    ),
    MoveRow("mvnop", {}, Text("an MV instruction that does nothing"), "mvnop"),
)

"""L1BM and L2BM instructions (isa.md, sections 7 and 8)."""

from __future__ import annotations

from simulator.isa.forms import Form, form
from simulator.isa.rows import Row
from simulator.messages import Text


def _l1bm(name: str, *forms: Form, meaning: str, evidence: str, example: str, reduces: bool = False) -> Row:
    shifts = name == "l1bmd"
    return Row(
        name,
        "l1bm",
        "",
        forms,
        meaning,
        evidence,
        example,
        narrow=reduces,
        reduces=reduces,
        shifts=shifts,
        flush=True,
    )


def _l2bm(name: str, *forms: Form, meaning: str, evidence: str, example: str, reduces: bool = False) -> Row:
    return Row(name, "l2bm", "", forms, meaning, evidence, example, reduces=reduces)


ROWS = (
    _l1bm(
        "l1bmp",
        form("block -> out", "PE[m, p, c, w] = L1BM[A + 4*w + c]", l1bm=1),
        meaning=Text("every PE gets the same long words, one per cycle"),
        evidence="G",
        example="l1bmp $llb0 $llm0v",
    ),
    _l1bm(
        "l1bmm",
        form("lb -> out", "PE[m, p, c, w] = L1BM[A + 4*W*c + 4*w + p]", l1bm=4),
        form("sent -> lb", "L1BM[B + 4*W*c + 4*w + p] = PE[k, p, c, w]", at="mab", units=16, l1bm=4),
        meaning=Text("the 4 PEs of every MAB share out 4 long words per cycle; with @k, MAB k sends them back"),
        evidence="G",
        example="l1bmm@3 $llm0v $llb0",
    ),
    _l1bm(
        "l1bmr",
        form("reduced -> lb", "L1BM[B + 4*W*c + 4*w + p] = PE[m, p, c, w]", l1bm=4),
        meaning=Text("the 16 MABs are combined into 4 long words per cycle"),
        evidence=Text("G, order of the 16-MAB sum A"),
        example="l1bmrffadd $llm0v $llb0",
        reduces=True,
    ),
    _l1bm(
        "l1bmm4",
        form("lb -> out", "PE[m, p, c, w] = L1BM[A + 16*W*c + 4*W*(m // 4) + 4*w + p]", l1bm=16),
        form(
            "sent -> lb",
            "L1BM[B + 16*W*c + 4*W*q + 4*w + p] = PE[4*q + k, p, c, w] | q < 4",
            at="mab",
            units=4,
            l1bm=16,
        ),
        meaning=Text("as l1bmm, with other words for each quarter of the MABs"),
        evidence=Text("D, which MAB `@k` names A"),
        example="l1bmm4 $llb0 $llr0v",
    ),
    _l1bm(
        "l1bmr4",
        form("reduced -> lb", "L1BM[B + 16*W*c + 4*W*q + 4*w + p] = PE[4*q + r, p, c, w] | q < 4, r < 4", l1bm=16),
        meaning=Text("4 MABs of each quarter are combined"),
        evidence="D",
        example="l1bmr4ffadd $lm0v $lb0",
        reduces=True,
    ),
    _l1bm(
        "l1bmd",
        form("lb -> out", "PE[m, p, c, w] = L1BM[A + 64*c + 4*((m - n) % 16) + p]", l1bm=64),
        form("sent -> lb", "L1BM[B + 64*c + 4*((m + n) % 16) + p] = PE[m, p, c, w]", l1bm=64),
        meaning=Text("each of the 64 PEs has a long word of its own per cycle; ±n turns the MABs"),
        evidence=Text("G, ±n from the PEs D"),
        example="l1bmd $lm0v $lb0",
    ),
    _l2bm(
        "l2bmb",
        form("lc -> l1bm", "L1BM[b, B + 16*c + j] = L2BM[A + 16*c + j] | j < 16", "set", l2bm=16, l1bm=16),
        meaning=Text("the L1BMs get the same 16 long words per cycle"),
        evidence="G",
        example="l2bmb@0,1 $lc0 $lb64",
    ),
    _l2bm(
        "l2bmb2",
        form(
            "lc -> l1bm", "L1BM[b, B + 16*c + j] = L2BM[A + 64*c + 16*(b // 2) + j] | j < 16", "set", l2bm=64, l1bm=16
        ),
        meaning=Text("each pair of L1BMs gets 16 long words per cycle"),
        evidence="D",
        example="l2bmb2 $lc0 $lb64",
    ),
    _l2bm(
        "l2bmd",
        form("lc -> l1bm", "L1BM[b, B + 8*c + k] = L2BM[A + 64*c + 8*b + k] | k < 8", "set", l2bm=64, l1bm=8),
        form("l1bm -> lc", "L2BM[B + 64*c + 8*b + k] = L1BM[b, A + 8*c + k] | k < 8", l2bm=64, l1bm=8),
        meaning=Text("64 long words per cycle dealt out to (or gathered from) the 8 L1BMs, 8 each"),
        evidence="G",
        example="l2bmd $lc64 $lb8",
    ),
    _l2bm(
        "l2bm",
        form("l1bm -> lc", "L2BM[B + 16*c + j] = L1BM[b, A + 16*c + j] | j < 16", "l1b", l2bm=16, l1bm=16),
        meaning=Text("16 long words per cycle of one L1BM to the L2BM"),
        evidence="G",
        example="l2bm@5 $lb0 $lc64",
    ),
    _l2bm(
        "l2bmr",
        form("l1bm -> lc", "L2BM[B + 16*c + j] = L1BM[b, A + 16*c + j] | j < 16", "set", l2bm=16, l1bm=16),
        meaning=Text("the L1BMs combined into the L2BM"),
        evidence=Text("G, the set after `@` D"),
        example="l2bmrffadd $lb0 $lc0",
        reduces=True,
    ),
    _l2bm(
        "l2bmr2",
        form(
            "l1bm -> lc",
            "L2BM[B + 64*c + 16*q + j] = L1BM[2*q + r, A + 16*c + j] | j < 16, q < 4, r < 2",
            l2bm=64,
            l1bm=16,
        ),
        meaning=Text("each pair of L1BMs combined"),
        evidence="D",
        example="l2bmr2iiadd $lb0 $lc0",
        reduces=True,
    ),
    _l2bm(
        "l2bmi",
        form(
            "l1bm -> l1bm",
            "L1BM[y, B + 16*c + j] = L1BM[s, A + 16*c + j] | j < 16, y < 8, s < 8, y & i == s & i",
            "indirect",
            l1bm=16,
        ),
        meaning=Text("L1BMs copied to other L1BMs of the same L2B"),
        evidence="D",
        example="l2bmi@0/3 $lb0 $lb64",
    ),
    _l2bm(
        "l2bmdars",
        form("lc -> dar", l2bm=64),
        meaning=Text("DRAM addresses fetched into a buffer, 128 per cycle"),
        evidence=Text("D, which L2B feeds a group A"),
        example="l2bmdars $lc0 $dar0",
    ),
    Row(
        "l2bmdarw",
        "l2bmdarw",
        "",
        (form("->"),),
        Text("writes fetched DRAM addresses to the table, one per cycle"),
        "D",
        "l2bmdarw",
    ),
)

"""The cases of the nop placer, tasks 5.35 and 5.36."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from grader.emitter.values import Value, Values, listed
from grader.judges.program import failure_in, text_in
from grader.trials import Objection, Trial, Trials, Wrong
from haribote.answers.resolve import resolve_row
from haribote.kernel_table import KERNELS, problem
from simulator import assemble
from simulator.assembly.checks import fix_nops
from simulator.messages import Text, tr

_LENGTHS = {"": 1, "l": 2, "ll": 4}
Places = set[tuple[str, int, int]]


def _operand(rng: np.random.Generator, kind: str) -> tuple[str, Places]:
    """An operand of a PE's memory of a kind, and the words that it touches."""
    length, memory = str(rng.choice(list(_LENGTHS))), str(rng.choice(list("mnrs")))
    words, start = _LENGTHS[length], 4 * int(rng.integers(0, 40))
    if kind == "T":
        return f"${length}t", {("t", 0, cycle) for cycle in range(4)}
    stride = {"fixed": 0, "v": words, "stride": 4 * int(rng.integers(1, 9)), "through T": words}.get(kind, 0)
    at = [start + cycle * stride for cycle in range(4)]
    if kind == "list":
        at = [4 * int(number) for number in rng.integers(0, 40, 4)]
    places = {(memory, first + word, cycle) for cycle, first in enumerate(at) for word in range(words)}
    if kind == "list":
        return f"${length}{memory}[{','.join(map(str, at))}]", places
    if kind == "through T":
        places = {("m", address, cycle) for _, address, cycle in places} | {("t", 0, cycle) for cycle in range(4)}
        return f"${length}mt{start}v", places
    return f"${length}{memory}{start}{ {'fixed': '', 'v': 'v'}.get(kind, f'v{stride}') }", places


_NO_MEMORY = ("$aluf", "$mauf", "$lbf", "$mreadf", "$subpeid", "$mabid", "$lx0", "$ly4", "$msb1")
_KINDS = ("v", "fixed", "T", "list", "stride", "through T")


def _lines(rng: np.random.Generator) -> Iterator[Trial]:
    templates = ("lpassa {0} {3}", "fvadd {0} -{1} {3}", "fvfma {0} {1} {2} {3}", "fvpassa {0} {3}/1000",
                 "zero {3}/$imr1", 'imm i"3" {3}', "gmwrite {0} $lx0", "fvmul {0} {1} $omr1 ; zero {3}")  # fmt: skip
    for kind in (*_KINDS, "several", "nothing"):
        for template in rng.permutation(templates)[:3]:
            found = [(str(rng.choice(_NO_MEMORY)), Places()) for _ in range(3)] + [("$nowrite", Places())]
            if kind != "nothing":
                kinds = [str(rng.choice(_KINDS)) if kind == "several" else kind for _ in range(4)]
                found = [_operand(rng, one) for one in kinds]
            line = str(template).format(*(text for text, _ in found))
            used = [number for number in range(3) if f"{{{number}}}" in template]
            reads = set[Any]().union(*(found[number][1] for number in used))
            writes = found[3][1] if "{3}" in template else Places()
            yield Trial(line, {"line": line}, partial(_judge_line, line, reads, writes))
    for line, reads, writes in _TRANSFERS:
        yield Trial(line, {"line": line}, partial(_judge_line, line, reads, writes))


def _l1bm(place: str, step: int, *each: int) -> Places:
    return {(place, step * cycle + word, cycle) for cycle in range(4) for word in each}


_TRANSFERS: tuple[tuple[str, Places, Places], ...] = (
    ("l1bmm $lb0 $lr0v", _l1bm("L1BM to PE", 4, 0, 1, 2, 3), {("r", 2 * c + w, c) for c in range(4) for w in (0, 1)}),
    ("l1bmm@0 $lm0v $lb0", {("m", 2 * c + w, c) for c in range(4) for w in (0, 1)}, _l1bm("PE to L1BM", 4, 0, 1, 2, 3)),
    ("l2bmb $lc0 $lb0", {("L2BM to L1BM", 0, 0)}, _l1bm("L2BM to L1BM", 16, *range(16))),
    ("l2bmd $lb0 $lc0", _l1bm("L1BM to L2BM", 8, *range(8)), {("L1BM to L2BM", 0, 0)}),
)  # fmt: skip


def _judge_line(line: str, reads: Places, writes: Places, answer: Values) -> Objection:
    for side, right in (("reads", reads), ("writes", writes)):
        found = {tuple(access) for access in listed(answer[side])}
        found -= {(way, 0, 0) for way in ("L2BM to L1BM", "L1BM to L2BM")} - right
        missing, more = sorted(right - found), sorted(found - right, key=str)
        if missing or more:
            what = tr("it {side} {missing}, which is missing", side, missing[0]) if missing else ""
            what = what or tr("it does not {side} {more}", side[:-1], more[0])
            return tr("of `{line}`: {what}", line, what)
    return None


_STREAMS = ("relu", "mul", "dl_16", "dl_16x16", "dl_256x16_b", "ul_256x16_a", "ul_16x16", "sum_columns", "gemm_xwt",
            "exp", "max_rows")  # fmt: skip


def _nops(rng: np.random.Generator) -> Iterator[Trial]:
    """Short streams that show one rule each, and kernels of the course without their nops."""
    at, other = (4 * int(number) for number in rng.integers(1, 30, 2))
    short = {
        Text("LM, whatever the address"): [f"lpassa $lm0v $ln{at}v", f"lpassa $ln{at + 64}v $lr0v"],
        Text("LM0 and LM1 are two memories"): [f"lpassa $lr0v $lm{at}v", f"lpassa $ln{other}v $lr8v"],
        Text("GRF, the same address"): [f"lpassa $lm0v $lr{at}v", f"lpassa $lr{at}v $ln0v"],
        Text("GRF, another address"): [f"lpassa $lm0v $lr{at}v", f"lpassa $lr{at + 8}v $ln0v"],
        Text("GRF, one address in all cycles"): [f"lpassa $lm0 $lr{at}", f"lpassa $lr{at} $ln0v"],
        Text("GRF, a block later"): [f"lpassa $lm0v $lr{at}v", f"lpassa $lr{at + 2}v $ln0v"],
        Text("GRF, two blocks later"): [f"lpassa $lm0v $lr{at}v", f"lpassa $lr{at + 4}v $ln0v"],
        "T": ['imm i"3" $t', "ipassa $t $ln0v"],
        Text("a wait that other lines fill"): [
            f"lpassa $lm0v $ln{at}v",
            "lpassa $lm8v $lr0v",
            f"lpassa $ln{at}v $ls0v",
        ],
        Text("a forwarding path"): ["lpassa $lm0v $nowrite", "lpassa $aluf $ln0v"],
        Text("MV takes no step"): ["lpassa $lm0v $ln0v", "mvp/n64 $d0@0 $p0@0", "lpassa $ln8v $lr0v"],
        Text("two instructions in a line"): [
            f"lpassa $lm0v $lr{at}v ; fvpassa $ln0v $ls0v",
            f"fvadd $lr{at}v $ls0v $lm8v",
        ],
        "L1BM, down": ["l2bmb $lc0 $lb0", "l1bmm $lb0 $lr0v"],
        "L1BM, up": ["l1bmm@0 $lm0v $lb0", "l2bm@0 $lb0 $lc0"],
        Text("L1BM, up and down again"): ["l1bmm@0 $lm0v $lb0", "l1bmm $lb0 $ln0v"],
        Text("L2BM, up and down again"): ["l2bm@0 $lb0 $lc0", "l2bmb $lc0 $lb64"],
    }
    for name, lines in short.items():
        yield _stream(name, lines)
    for at in (16, 32, 48):  # what is read in one cycle was written in another, so that every cycle of a wait counts
        yield _stream(tr("L1BM, down, from address {at} on", at), ["l2bmb $lc0 $lb0", f"l1bmm $lb{at} $lr0v"])
        yield _stream(tr("L1BM, up, from address {at} on", at), [f"l1bmm@0 $lm0v $lb{at}", "l2bm@0 $lb0 $lc0"])
    for row in KERNELS:
        if row.name in _STREAMS:
            answer = resolve_row(row, True)
            assert answer is not None
            lines = [line for line in answer.kernel(problem(row)) if not line.startswith("nop")]
            yield _stream(tr("kernel {name} without its nops", row.name), [line for line in lines if line.strip()])


def _stream(name: str, lines: list[str]) -> Trial:
    most = assemble(fix_nops(assemble("\n".join(lines)))).steps

    def judge(answer: Values) -> Objection:
        text = text_in(answer)
        kept = [line for line in text.splitlines() if not line.startswith("nop")]
        if kept != lines:
            return tr("the lines are not those that were given, in their order\n{text}", text)
        early = failure_in(name, text)
        if early is not None:
            return early
        steps = assemble(text).steps
        return tr("{steps} steps, where {most} are enough\n{text}", steps, most, text) if steps > most else ""

    return Trial(name, {"lines": list[Value](lines)}, judge, earns=most > len(lines))


TRIALS: dict[str, Trials] = {"5.35": _lines, "5.36": _nops}

WRONG: dict[str, Wrong] = {
    "5.35": (
        ("int(stride or words)", "words"),  # a stride is ignored
        ("for word in range(words)]", "for word in range(1)]"),  # the first word alone
        ("if t or through_t else", "if t else"),  # T indirection is forgotten
        ("if v else 0", "if True else 0"),  # one address in all cycles
    ),
    "5.36": (
        ("step + 3\n            elif", "step + 2\n            elif"),  # reads LM too early
        ("now + 7\n", "now + 8\n"),  # waits too long
        ("now + 7\n", "now + 6\n"),  # too short for words that are read two cycles before the one that wrote them
        ("now + 11", "now + 10"),
        ("now + 11", "now + 12"),
        ("max(now + 7, ", "max(now + 6, "),
        ("max(now + 7, ", "max(now + 8, "),
        ("for access in writes:", "for access in ():"),  # never waits
        ("        step = first\n", ""),  # forgets its own nops
    ),
}  # fmt: skip

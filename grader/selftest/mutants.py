"""Wrong answers made from a right one: mistakes that learners make, and mutants of the text that a kernel emits."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count

from grader.feedback.causes import HARD_CODED, READS_TOO_EARLY, STRAY
from haribote.kernel import Kernel, Op
from haribote.kernel_table import KernelRow, problem

Lines = tuple[str, ...]

SEED = 7
_NOP = re.compile(r"\s*nop(/\d+)?\s*")
_MASK = re.compile(r"/(ll|l)?([01]{4})\b|/\$\w*imr\d+")
_ADDRESS = re.compile(r"(\$(?:ll|l)?[mnrsbcpd]t?)(\d+)")
_LIST = re.compile(r"\[(\d+(?:,\d+)+)\]")
_UNIT = {"m": 8, "n": 8, "r": 8, "s": 8}  # addresses move by this; those of L1BM, L2BM, PDM and DRAM by 64


@dataclass(frozen=True)
class Wrong:
    """A wrong kernel. cause: what the feedback must call it, "" where several answers are as good."""

    name: str
    kernel: Kernel
    cause: str = ""


def wrong_answers(kernel: Kernel, row: KernelRow) -> Iterator[Wrong]:
    """Deliberate mistakes, at least two for every kernel."""
    at_home = problem(row)
    fixed = [*kernel.emit(at_home)]
    yield Wrong("hard-coded addresses", replace(kernel, emit=lambda op: _at(kernel, at_home, op)), HARD_CODED)
    shift = 64 if at_home.output.memory == "DRAM" else 4
    yield Wrong(
        "its output further on",
        replace(kernel, emit=lambda op: kernel.emit(replace(op, output=op.output.at(shift)))),
    )
    yield Wrong("a word behind its output", replace(kernel, emit=lambda op: _and_beyond(kernel, op)), STRAY)
    calls = count()
    yield Wrong("another text each time", _on_lines(kernel, lambda lines: (*lines, *("nop",) * next(calls))))
    yield Wrong("the last line is missing", _on_lines(kernel, lambda lines: lines[:-1]))
    if any(_NOP.fullmatch(line) for line in fixed):
        without = _on_lines(kernel, lambda lines: tuple(line for line in lines if not _NOP.fullmatch(line)))
        yield Wrong("without its nops", without, READS_TOO_EARLY)


def _at(kernel: Kernel, home: Op, op: Op) -> Iterator[str]:
    """The text for another operator; scratch is asked for as usual."""
    list(kernel.emit(op))
    yield from kernel.emit(replace(home, attributes=op.attributes))


def _and_beyond(kernel: Kernel, op: Op) -> Iterator[str]:
    yield from kernel.emit(op)
    end = op.y.address + op.y.words
    yield "nop/9"
    yield (
        f"mvp/n64 $lc0@0.0 $d{-(-end // 64) * 64}@0" if op.y.memory == "DRAM" else f"zero {op.y.at(op.y.words).word()}"
    )


def mutants_of(kernel: Kernel, row: KernelRow, most: int) -> Iterator[Wrong]:
    """At most `most` mutants of each kind (dropped line, other address, other mask), always the same ones."""
    lines = tuple(kernel.emit(problem(row)))
    chosen = random.Random(f"{row.name} {SEED}")
    for kind, mutate in (("dropped", _dropped), ("other address", _other_address), ("other mask", _other_mask)):
        numbers = [number for number, line in enumerate(lines) if mutate(line) != line]
        for number in sorted(chosen.sample(numbers, min(most, len(numbers)))):
            changed = _on_lines(kernel, _at_line(number, mutate))
            yield Wrong(f"line {number + 1} `{lines[number]}`: {kind}", changed)


def _on_lines(kernel: Kernel, change: Callable[[Lines], Lines]) -> Kernel:
    """The kernel with its text changed."""

    def emit(op: Op) -> Iterator[str]:
        return iter(change(tuple(kernel.emit(op))))

    return replace(kernel, emit=emit)


def _at_line(number: int, mutate: Callable[[str], str]) -> Callable[[Lines], Lines]:
    def change(lines: Lines) -> Lines:
        return tuple(mutate(line) if at == number else line for at, line in enumerate(lines))

    return change


def _dropped(line: str) -> str:
    """A nop in its place, so that the waits between the other lines stay as they are."""
    return line if _NOP.fullmatch(line) else "nop"


def _other_address(line: str) -> str:
    """The last address of the line moved to its neighbour, or two addresses of a list swapped."""
    found = [*_ADDRESS.finditer(line)]
    if found:
        last = found[-1]
        letter = last[1].rstrip("t")[-1]
        moved = int(last[2]) + _UNIT.get(letter, 64)
        return f"{line[: last.start(2)]}{moved}{line[last.end(2) :]}"
    match = _LIST.search(line)
    if match is None:
        return line
    first, *rest = match[1].split(",")
    return f"{line[: match.start(1)]}{','.join([*rest, first])}{line[match.end(1) :]}"


def _other_mask(line: str) -> str:
    """A fixed mask inverted, a mask register left out."""
    match = _MASK.search(line)
    if match is None:
        return line
    inverted = "" if match[2] is None else f"/{match[1] or ''}{match[2].translate(str.maketrans('01', '10'))}"
    return f"{line[: match.start()]}{inverted}{line[match.end() :]}"

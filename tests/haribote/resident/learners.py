"""Kernels as learners may have written them: the reference's, with something that -O0 does not mind."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from haribote.answers.resolve import Answer, resolve_row
from haribote.chip.codegen import Find
from haribote.errors import UnsupportedShape
from haribote.kernel import Kernel, KernelFunction, Op
from haribote.kernel_table import KernelRow

Change = Callable[[Op, KernelFunction], Iterator[str]]


def as_it_is(op: Op, emit: KernelFunction) -> Iterator[str]:
    yield from emit(op)


def junk_in_other_copies(op: Op, emit: KernelFunction) -> Iterator[str]:
    """Adds the number of the MAB to the bits of every word: copy 0, in MAB 0, stays right."""
    yield from emit(op)
    yield "nop/2"
    for at in range(0, op.y.words, 4):
        yield f"iadd $mabid {op.y.word(at)} {op.y.word(at)}"


def clears_other_words(op: Op, emit: KernelFunction) -> Iterator[str]:
    """Clears the first 256 words of LM0 but for its operands."""
    yield from emit(op)
    own = {o.address + word for o in (*op.inputs, op.y) if o.memory == "LM0" for word in range(o.words)}
    yield from (f"zero $m{word}v" for word in range(0, 256, 4) if word not in own)


def stays_where_it_was(op: Op, emit: KernelFunction) -> Iterator[str]:
    """Refuses all places but those of -O0."""
    if (op.x.memory, op.x.address, op.y.address % 64) != ("LM0", 0, 0):
        raise UnsupportedShape("x begins at word 0 of LM0", f"{op.x.memory} {op.x.address}", "move it")
    yield from emit(op)


def takes_its_place_for_granted(op: Op, emit: KernelFunction) -> Iterator[str]:
    """Reads its first input where it is at -O0, wherever it is."""
    for line in emit(op):
        for at in range(0, op.x.words, 8):
            line = line.replace(f" {op.x.long(at)}", f" $lm{at}v")
        yield line


def changed(change: Change, *tasks: str) -> Find:
    """The reference kernels, those of `tasks` changed and a learner's; without tasks all."""

    def find(row: KernelRow, _: bool) -> Answer:
        answer = resolve_row(row, True)
        assert answer is not None
        if tasks and row.task not in tasks:
            return answer
        return Answer(Kernel(row.task, "", lambda op: change(op, answer.kernel.emit)), "yours")

    return find


def without(*tasks: str) -> Find:
    """The reference kernels but for those of `tasks`."""
    return lambda row, _: None if row.task in tasks else resolve_row(row, True)


def only(*names: str) -> Find:
    """The reference kernels of these rows alone."""

    def find(row: KernelRow, _: bool) -> Answer | None:
        return resolve_row(row, True) if row.name in names else None

    return find

"""Kernels in other memories than the usual: operands are copied, so a kernel need know only one arrangement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from haribote.kernel import Emitter, Memory, Op, Operand


def is_elsewhere(op: Op, inputs: Memory = "LM0", output: Memory = "LM1") -> bool:
    """True when an operand of the operator is not in the memory that its kernel works on."""
    return op.y.memory != output or any(operand.memory != inputs for operand in op.inputs)


def elsewhere(op: Op, emit: Emitter, inputs: Memory = "LM0", output: Memory = "LM1") -> Iterator[str]:
    """The kernel with copies around it: inputs to free words of `inputs`, the result from free words of `output`."""
    ends = {memory: op.scratch(0, memory).address for memory in ("LM0", "LM1")}
    moved = []
    for operand in op.inputs:
        spot = operand
        if operand.memory != inputs:
            spot = replace(operand, memory=inputs, address=ends[inputs])
            ends[inputs] += operand.words
            yield from copy(operand, spot)
        moved.append(spot)
    result = op.y if op.y.memory == output else replace(op.y, memory=output, address=ends[output])
    yield "nop/2"  # the copies write what the kernel reads
    yield from emit(replace(op, inputs=tuple(moved), output=result))
    if result != op.y:
        yield "nop/2"
        yield from copy(result, op.y)


def copy(source: Operand, target: Operand) -> Iterator[str]:
    """Copy an operand from one LM to the other, up to 16 words per step."""
    if source.words % 16 == 0:
        take, size = Operand.double, 16
    elif source.words % 8 == 0:
        take, size = Operand.long, 8
    else:
        take, size = Operand.word, 4
    for at in range(0, source.words, size):
        yield f"lpassa {take(source, at)} {take(target, at)}"

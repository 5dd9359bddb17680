"""Kernels in other memories than the usual: operands are copied, so a kernel need know only one arrangement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from haribote.kernel import KernelFunction, Memory, Op, Operand


def is_elsewhere(op: Op, inputs: Memory = "LM0", output: Memory = "LM1") -> bool:
    """True when an operand of the operator is not in the memory that its kernel works on."""
    return op.y.memory != output or any(operand.memory != inputs for operand in op.inputs)


def elsewhere(op: Op, emit: KernelFunction, inputs: Memory = "LM0", output: Memory = "LM1") -> Iterator[str]:
    """The kernel with copies around it: inputs to free words of `inputs`, the result from free words of `output`."""
    moved: list[Operand] = []
    for operand in op.inputs:
        spot = operand
        if operand.memory != inputs:
            spot = _room(replace(op, inputs=(*op.inputs, *moved)), operand, inputs)
            yield from copy(operand, spot)
        moved.append(spot)
    result = op.y if op.y.memory == output else _room(replace(op, inputs=(*op.inputs, *moved)), op.y, output)
    yield "nop/2"  # the copies write what the kernel reads
    yield from emit(replace(op, inputs=tuple(moved), output=result))
    if result != op.y:
        yield "nop/2"
        yield from copy(result, op.y)


def _room(op: Op, operand: Operand, memory: Memory) -> Operand:
    """The operand in scratch of another memory, behind all operands of `op`."""
    assert memory != "DRAM"
    return replace(operand, memory=memory, address=op.scratch(operand.words, memory).address)


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

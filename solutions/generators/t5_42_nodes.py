"""Task 5.42: nodes of an expression (every value in both GRFs, so that any two can be read in one step)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import cycle as endless
from typing import Any

from haribote.errors import UnsupportedShape
from haribote.generators.t5_36_place_nops import place_nops
from haribote.generators.t5_40_down import Text, operand_text
from haribote.generators.t5_41_up import registers
from haribote.kernel import Op, single

Expression = Any
"""What is computed of each element. A number k: input k of the operator. A text: a constant, as the literal of `imm`,
such as `i"23"` or what `single(0.5)` gives. A tuple: a template of assembly and its arguments, all expressions."""
Source = Callable[[Expression, list[int], str], str]
"""(argument, words of the four cycles, bank "r" or "s") → the text of an operand to read."""

RELU = "frelu {0} {0} {to}"
ADD, SUB, MUL = "fvadd {0} {1} {to}", "fvadd {0} -{1} {to}", "fvmul {0} {1} {to}"
COPY = "lpassa {0} {to}"

SIMPLE: dict[str, Expression] = {
    "Relu": (RELU, 0), "Add": (ADD, 0, 1), "Sub": (SUB, 0, 1), "Mul": (MUL, 0, 1), "Copy": (COPY, 0),
}  # fmt: skip
"""What the operators of a network compute, as long as no table of more (task 5.44) is there."""


def elementwise(op: Op) -> Iterator[str]:
    """Relu, Add, Sub, Mul and Mul by a constant of operands that all have the layout of the result."""
    expression = SIMPLE.get(op.kind)
    if len(op.inputs) == 1 and "constant" in op.attributes:
        expression = (MUL, 0, single(op.attributes["constant"]))
    if expression is None:
        raise UnsupportedShape(f"one of {', '.join(SIMPLE)}", op.kind, "the whole emitter, task 5.44")
    yield from chain(op, expression)


def chain(op: Op, expression: Expression) -> Iterator[str]:
    """An element-wise expression of operands that all have the layout of the result, in either LM.

    The first input is read from LM where the result goes to the other LM. Every other input comes to the registers
    first, and every value on the way stays there: in GRF0 and in GRF1, at the same address.
    """
    if any(operand.layout != op.y.layout for operand in op.inputs):
        raise UnsupportedShape("operands in the layout of the result", str(op.x.layout), "the whole emitter, task 5.44")
    length, words = ("l", 2) if op.y.words % 8 == 0 else ("", 1)
    blocks = [[at + words * cycle for cycle in range(4)] for at in range(0, op.y.words, 4 * words)]
    direct = 0 if op.x.memory != op.y.memory else None
    nodes = in_order(expression, direct)
    if len(nodes) * op.y.words > 512:
        raise UnsupportedShape("values that fit in the registers", f"{len(nodes)} of {op.y.words} words", "task 5.44")
    home = {node: number * op.y.words for number, node in enumerate(nodes)}

    def in_lm(argument: Expression, block: list[int], bank: str) -> str:
        return operand_text(op.inputs[argument])(length, block)

    def source(argument: Expression, block: list[int], bank: str) -> str:
        if argument in home:
            return registers(bank, home[argument])(length, block)
        return in_lm(argument, block, bank)

    lines: list[str] = []
    for node in nodes:
        target = operand_text(op.y) if node == expression else both(home[node])
        lines += lines_of(node, blocks, length, source if isinstance(node, tuple) else in_lm, target)
    yield from place_nops(lines)


def both(start: int) -> Text:
    """Words of GRF0 and of GRF1 from a register on, as destinations."""
    return lambda length, offsets: f"{registers('r', start)(length, offsets)} {registers('s', start)(length, offsets)}"


def in_order(expression: Expression, direct: int | None) -> list[Expression]:
    """The nodes to be computed, each once, each after its arguments; the expression itself comes last.

    An input is a node too, since it has to be brought to the registers; but not the one of number `direct`, which is
    read from LM where it is needed. Constants are none. Of nodes that may come next, that of the first argument does.
    """
    found: list[Expression] = []

    def visit(node: Expression) -> None:
        if node in found or isinstance(node, str) or (node == direct and node != expression):
            return
        ### BEGIN HOLE
        if isinstance(node, tuple):
            for argument in node[1:]:
                visit(argument)
        found.append(node)
        ### END HOLE

    visit(expression)
    return found


def lines_of(node: Expression, blocks: Sequence[list[int]], length: str, source: Source, target: Text) -> Iterator[str]:
    """The lines of one node, for one block of words after the other. Its result goes to `target(length, block)`.

    A node is `(template, argument, …)`; an input alone is copied, with COPY. In a template {0}, {1}, … are its
    arguments, {to} is the result's operand, and {masked} the same with mask 1 at each destination. A template of two
    lines has a line end between them. A constant is put into T before the blocks: a node has at most one.
    """
    template, *arguments = node if isinstance(node, tuple) else (COPY, node)
    for constant in [it for it in arguments if isinstance(it, str)][:1]:
        yield f"imm {constant} $t"
    for block in blocks:
        texts = operands(arguments, block, source)
        to = target(length, block)
        masked = " ".join(f"{destination}/$imr1" for destination in to.split())
        yield from template.format(*(texts[it] for it in arguments), to=to, masked=masked).split("\n")


def operands(arguments: Sequence[Expression], block: list[int], source: Source) -> dict[Expression, str]:
    """The text of each argument of a node, for a block of words.

    That of a constant is `$t`, that of another value `source(argument, block, bank)`, with bank "r" for the first that
    is read and "s" for the next (`next(banks)`). The same argument has the same text.
    """
    texts: dict[Expression, str] = {}
    banks = endless("rs")
    for argument in arguments:
        ### BEGIN HOLE
        if isinstance(argument, str):
            texts[argument] = "$t"
        elif argument not in texts:
            texts[argument] = source(argument, block, next(banks))
        ### END HOLE
    return texts

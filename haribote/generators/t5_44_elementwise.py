"""Task 5.44: the emitter.

It is taught in notebooks/05_mncore_ops/07_the_emitter, section 4.
Check it with `grader check 5.44`; if you are stuck, `grader hint 5.44`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from haribote.errors import NotWritten, UnsupportedShape
from haribote.generators.t5_36_place_nops import place_nops
from haribote.generators.t5_40_down import Text, operand_text
from haribote.generators.t5_41_up import registers
from haribote.generators.t5_42_nodes import ADD, COPY, MUL, RELU, SUB, Expression, Source, both, lines_of
from haribote.generators.t5_43_spread import spread
from haribote.kernel import Op, single
from haribote.layout import Layout

REGISTERS = 512
"""Words of each GRF."""
MOST_BLOCKS = 8
"""Blocks that go through a chain of nodes together: enough to hide every wait."""

FMA, LESS_PRODUCT = "fvfma {0} {1} {2} {to}", "fvfma -{0} {1} {2} {to}"
LARGER, SMALLER = "fmax {0} {1} {to}", "fmin {0} {1} {to}"
RSQRT, SHIFT_LEFT = "frsqrt {0} {to}", "ilsl {0} {1} {to}"
POSITIVE = "lpassa {1} {to} ; fvpassa -{0} $omr1\nzero {masked}"
"""{1} where {0} > 0, else 0.0: a flag of the MAU is 1 where the sign is +, so of -x where x <= 0."""
EQUAL = "ixor {0} {1} $omr1 ; fvadd {2} -{2} {to}\nipassa {2} {masked}"
"""{2} where the integers {0} and {1} are equal, else 0.0: a flag of the ALU is 1 where it got 0."""
ONE = single(1)
INDEX = "index"
"""The number of every element along an axis of the result, as an integer: (INDEX, axis)."""


def reciprocal(v: Expression) -> Expression:
    """1 / v for |v| in 2^-60 … 2^60: v * rsqrt(v^2)^2 is right within 6.3 %; r + r (1 - v r) squares the error."""
    s = (RSQRT, (MUL, v, v))
    r: Expression = (MUL, v, (MUL, s, s))
    for _ in range(3):
        r = (FMA, r, (LESS_PRODUCT, v, r, ONE), r)
    return r


def exponential(x: Expression) -> Expression:
    """e^x = 2^n e^r, n = round(x / ln 2), r = x - n ln 2 in two parts, e^r by a polynomial of degree 6."""
    magic = single(1.5 * 2**23 + 127)  # x + magic has no fraction bits: x is rounded, and the low bits are n + 127
    x = (SMALLER, (LARGER, x, single(-88)), single(89))
    t = (ADD, (MUL, x, single(1.4426950408889634)), magic)
    n = (SUB, t, magic)
    r = (FMA, n, single(-1.428606765330187e-06), (FMA, n, single(-0.693145751953125), x))
    p: Expression = (ADD, (MUL, r, single(1 / 720)), single(1 / 120))
    for coefficient in (1 / 24, 1 / 6, 1 / 2, 1.0, 1.0):
        p = (FMA, p, r, single(coefficient))
    return (MUL, p, (SHIFT_LEFT, t, 'i"23"'))


EXPRESSIONS: dict[str, Expression] = {
    "Relu": (RELU, 0),
    "GreaterCast": (POSITIVE, 0, ONE),
    "Add": (ADD, 0, 1),
    "Sub": (SUB, 0, 1),
    "Mul": (MUL, 0, 1),
    "Div": (MUL, 0, reciprocal(1)),
    "Exp": exponential(0),
    "OneHot": (EQUAL, (INDEX, 1), 0, ONE),
    "Copy": (COPY, 0),
}
"""What the operators of a network compute of their elements."""


def elementwise(op: Op) -> Iterator[str]:
    """An element-wise operator of EXPRESSIONS. Inputs and output: in either LM, a matrix, or a vector beside matrices.

    An input has the layout of the output, or is a vector along one of its axes. One that has `constant` among its
    attributes multiplies by it.
    """
    expression = EXPRESSIONS.get(op.kind)
    if "constant" in op.attributes:
        expression = (MUL, 0, single(op.attributes["constant"]))
    if expression is None:
        raise UnsupportedShape(f"one of {', '.join(EXPRESSIONS)}", op.kind, "add it to EXPRESSIONS")
    yield from emit(op, expression)


def emit(op: Op, expression: Expression) -> Iterator[str]:
    """An element-wise expression of the inputs of an operator, in as many parts as the registers ask for."""
    emitter = Emitter(op)
    emitter.compute(expression, op.y.layout, operand_text(op.y))
    yield from place_nops(emitter.lines)


class Emitter:
    """The lines of one expression. home: the first register of a value that is there in all its words.

    free: the first register that is not in use.
    """

    def __init__(self, op: Op) -> None:
        self.op, self.lines, self.free = op, list[str](), 0
        self.home: dict[Expression, int] = {}
        self.direct = 0 if op.x.memory != op.y.memory and op.x.layout == op.y.layout else None

    def layout(self, node: Expression) -> Layout | None:
        """The layout of a value: that of its largest argument; None for a constant."""
        if isinstance(node, int):
            return self.op.inputs[node].layout
        if not isinstance(node, tuple):
            return None
        if node[0] == INDEX:
            return Layout((self.op.y.layout.axes[node[1]],))
        found = [layout for layout in map(self.layout, node[1:]) if layout]
        return max(found, key=lambda layout: (len(layout.shape), layout.words), default=None)

    def is_smaller(self, node: Expression, like: Layout) -> bool:
        """Whether a value is a vector beside a matrix of layout `like`. Raises UnsupportedShape for another layout."""
        own = self.layout(node)
        if own is None or own == like:
            return False
        if len(own.shape) != 1 or len(like.shape) != 2 or own.shape[0] not in like.shape:
            raise UnsupportedShape(f"operands in layout {like}, or vectors beside it", str(own), "the same layout")
        return True

    def room(self, words: int) -> int:
        """So many registers in a row. Raises UnsupportedShape where there are none left."""
        self.free += words
        if self.free > REGISTERS:
            raise UnsupportedShape(f"an expression of {REGISTERS} registers", f"{self.free}", "a smaller tile")
        return self.free - words

    def compute(self, node: Expression, like: Layout, target: Text | None = None) -> None:
        """Lines for a value in all words of a layout, with all that it needs. target: where to; None: to registers."""
        nodes = self.in_order(node, like)
        spreads = {
            it: self.spread(it, like) for it in {a for n in nodes for a in arguments(n)} if self.is_smaller(it, like)
        }
        pairs = all(
            at[word] % 2 == 0 and at[word] + 1 == at[word + 1]
            for at in spreads.values()
            for word in range(0, like.words, 2)
        )
        length, words = ("l", 2) if pairs and like.words % 8 == 0 else ("", 1)
        blocks = [[at + words * cycle for cycle in range(4)] for at in range(0, like.words, 4 * words)]
        if target is None:
            self.home[node] = self.room(like.words)
            target = both(self.home[node])
        start = self.free
        chunk = self.at_a_time(blocks, nodes)
        for first in range(0, len(blocks), chunk):
            part, self.free, temporary = blocks[first : first + chunk], start, dict[Expression, int]()
            for it in nodes:
                if it != node:
                    temporary[it] = self.room(4 * words * chunk) - part[0][0]
                to = target if it == node else both(temporary[it])
                if isinstance(it, tuple) and it[0] == INDEX:
                    for block in part:
                        self.lines += numbers(like, block, to(length, block))
                else:
                    self.lines += lines_of(it, part, length, self.reader(it, length, spreads, temporary), to)
        self.free = start

    def at_a_time(self, blocks: list[list[int]], nodes: list[Expression]) -> int:
        """How many blocks go through the nodes together: as many as there are, as the registers hold, at least one.

        Every node needs registers of its own for each word of a block, and of each cycle: the registers from `free` on
        are there. With more than one node, no more than MOST_BLOCKS. The words of a block are `blocks[0]`; with long
        words there are twice as many.
        """
        words = 4 * (blocks[0][1] - blocks[0][0])
        most = (REGISTERS - self.free) // (words * len(nodes))
        return max(1, min(len(blocks), most, MOST_BLOCKS if len(nodes) > 1 else most))

    def reader(
        self, node: Expression, length: str, spreads: dict[Expression, list[int]], temporary: dict[Expression, int]
    ) -> Source:
        """How the arguments of a node are read. spreads: of a vector, its words as `spread` gives them.

        temporary: the first register of each value of this part; others are at `home`.
        """

        def source(argument: Expression, block: list[int], bank: str) -> str:
            if argument in (self.direct, node):  # in LM; the latter on its way to the registers
                return operand_text(self.op.inputs[argument])(length, block)
            # TODO: about 3 lines.
            raise NotWritten("task 5.44 (the emitter) is not written yet; check it with `grader check 5.44`")

        return source

    def in_order(self, node: Expression, like: Layout) -> list[Expression]:
        """The values to be computed in all words of `like`, each after its arguments; what is smaller is done before.

        Small values first: they stay in their registers, while those of large ones are given back.
        """
        found: list[Expression] = []

        def visit(it: Expression) -> None:
            if it in found or it in self.home or self.layout(it) is None or (it == self.direct and it != node):
                return
            if it != node and self.is_smaller(it, like):
                own = self.layout(it)
                assert own is not None
                self.compute(it, own)
                return
            # TODO: about 3 lines.
            raise NotWritten("task 5.44 (the emitter) is not written yet; check it with `grader check 5.44`")

        visit(node)
        return found

    def spread(self, node: Expression, like: Layout) -> list[int]:
        """Where the words of a vector are needed, see task 5.43; it lies along the last axis of its size."""
        own = self.layout(node)
        assert own is not None
        if isinstance(node, tuple) and node[0] == INDEX:
            return spread(own, like, node[1])
        return spread(own, like, max(axis for axis, size in enumerate(like.shape) if size == own.shape[0]))


def arguments(node: Expression) -> tuple[Expression, ...]:
    """The arguments of a node that are values; an input or an index has none."""
    if not isinstance(node, tuple) or node[0] == INDEX:
        return ()
    return tuple(it for it in node[1:] if not isinstance(it, str))


def numbers(layout: Layout, block: list[int], to: str) -> Iterator[str]:
    """Lines of INDEX: the number in PE 0, different from cycle to cycle, plus a multiple of the PE's own number."""
    word = 2 * layout.position("") + layout.position("W")
    number = {key: i for i, key in enumerate(zip(word.tolist(), layout.position("PE").tolist(), strict=True))}
    shift = int(np.log2(number[block[0], 1] - number[block[0], 0]))
    for cycle, at in enumerate(block):
        yield f'imm i"{number[at, 0]}" $t/{"0" * cycle}1{"0" * (3 - cycle)}'
    yield f'imm i"{shift}" $nowrite'
    yield "ilsl $subpeid $aluf $nowrite"
    yield f"iadd $aluf $t {to}"

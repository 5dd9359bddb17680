"""Products of any form as Einsum of two operands, Gemm or MatMul of matrices; of integers by Mul and ReduceSum.

ii,ij->j      ->  diagonals are picked first
ij,k->ik      ->  axes that no other operand and not the result has are summed first
ij,jk,kl->il  ->  two at a time, from the left
of integers   ->  Mul and ReduceSum: the matrix unit multiplies floats only
Gemm with alpha, beta, C  ->  Gemm, Mul, Add
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from string import ascii_letters, ascii_lowercase

import numpy as np
import onnx

from haribote.core.from_onnx.rules import rule
from haribote.core.rewrite import Rewriter


@dataclass(frozen=True)
class Side:
    """An operand, and the letters of its axes."""

    name: str
    letters: str


@rule("Einsum")
def einsum(g: Rewriter) -> str | bool:
    """Any Einsum; False for products of two float operands that need nothing before."""
    shapes, equation = [g.shapes[name] for name in g.node.input], g.given["equation"].decode()
    sides, result = _parsed(equation, shapes)
    sizes: dict[str, int] = {}
    for letters, shape in zip(sides, shapes, strict=True):
        for letter, size in zip(letters, shape, strict=True):
            sizes[letter] = sizes.get(letter, 1) if size == 1 else size
    writer = _EinsumWriter(g, sizes, g.is_float(g.node.input[0]))
    if writer.plain(sides, shapes, result) and equation == f"{','.join(sides)}->{result}":
        return False
    operands = [
        writer.without_ones(writer.diagonal(Side(name, letters), shape), shape)
        for name, letters, shape in zip(g.node.input, sides, shapes, strict=True)
    ]
    first, *others = operands
    while others:
        wanted = {*result, *(letter for side in others[1:] for letter in side.letters)}
        first = writer.joined(first, others.pop(0), wanted)
    return writer.finish(writer.summed(first, set(result)), result)


def _parsed(equation: str, shapes: Sequence[tuple[int, ...]]) -> tuple[list[str], str]:
    """The letters of the operands and of the result, ellipses written out, in small letters where these are enough."""
    own = "".join(sorted(letter for letter in set(equation) if letter.isalpha()))
    if len(own) <= len(ascii_lowercase) and not own.islower():
        equation = equation.translate(str.maketrans(own, ascii_lowercase[: len(own)]))
    left, arrow, result = equation.replace(" ", "").partition("->")
    free = [letter for letter in ascii_letters if letter not in equation]
    sides = left.split(",")
    most = max((len(s) - len(side) + 3 for side, s in zip(sides, shapes, strict=True) if "..." in side), default=0)
    dots = "".join(free[:most])
    found = [
        side.replace("...", dots[most - (len(shape) - len(side) + 3) :])
        for side, shape in zip(sides, shapes, strict=True)
    ]
    if not arrow:
        letters = "".join(found)
        result = "..." + "".join(sorted(c for c in set(letters) - set(dots) if letters.count(c) == 1))
    return found, result.replace("...", dots)


@dataclass(frozen=True)
class _EinsumWriter:
    """Writes the nodes of one Einsum. sizes: of its letters; real: floats."""

    g: Rewriter
    sizes: Mapping[str, int]
    real: bool

    def plain(self, sides: Sequence[str], shapes: Sequence[tuple[int, ...]], result: str) -> bool:
        """True for a product of two float operands with axes, without diagonals, sums of one operand, or axes of size
        1 that are larger elsewhere.
        """
        if len(sides) != 2 or not all(sides) or not self.real:
            return False
        once = all(len(set(side)) == len(side) for side in sides)
        shared = all(set(side) <= {*result, *other} for side, other in (sides, sides[::-1]))
        wide = all(self._shape(side) == shape for side, shape in zip(sides, shapes, strict=True))
        return once and shared and wide

    def diagonal(self, side: Side, shape: tuple[int, ...]) -> Side:
        """Without letters that come twice."""
        letters = "".join(dict.fromkeys(side.letters))
        if letters == side.letters:
            return side
        found = np.einsum(f"{side.letters}->{letters}", np.arange(prod(shape)).reshape(shape))
        return Side(self.g.pick(side.name, np.ascontiguousarray(found), part="diagonal"), letters)

    def without_ones(self, side: Side, shape: tuple[int, ...]) -> Side:
        """Without axes of size 1 that are larger elsewhere."""
        sizes = dict(zip(side.letters, shape, strict=False)) if len(side.letters) == len(shape) else self.sizes
        gone = [axis for axis, letter in enumerate(side.letters) if sizes[letter] != self.sizes[letter]]
        if not gone:
            return side
        name = self.g.op("Squeeze", side.name, self.g.ints(gone, "axes"), part="squeezed")
        return Side(name, "".join(letter for axis, letter in enumerate(side.letters) if axis not in gone))

    def summed(self, side: Side, wanted: set[str]) -> Side:
        """With the axes summed that nothing else asks for."""
        axes = [axis for axis, letter in enumerate(side.letters) if letter not in wanted]
        if not axes:
            return side
        name = self.g.reduced("ReduceSum", side.name, axes, part="summed")
        return Side(name, "".join(letter for letter in side.letters if letter in wanted))

    def joined(self, a: Side, b: Side, wanted: set[str]) -> Side:
        """The product of two operands."""
        a, b = self.summed(a, wanted | set(b.letters)), self.summed(b, wanted | set(a.letters))
        every = "".join(dict.fromkeys(a.letters + b.letters))
        letters = "".join(letter for letter in every if letter in wanted)
        if self.real and a.letters and b.letters:
            equation = f"{a.letters},{b.letters}->{letters}"
            return Side(self.g.op("Einsum", a.name, b.name, part="product", equation=equation), letters)
        wide = [self._spread(side, every) for side in (a, b)]
        return self.summed(Side(self.g.op("Mul", *wide, part="product"), every), wanted)

    def finish(self, side: Side, result: str) -> str:
        """The result, its axes in their order."""
        order = [side.letters.index(letter) for letter in result]
        if order == sorted(order):
            return self.g.op("Identity", side.name)
        return self.g.op("Transpose", side.name, perm=order)

    def _spread(self, side: Side, every: str) -> str:
        """An operand with all of these axes, of size 1 where it has none."""
        order = sorted(range(len(side.letters)), key=lambda axis: every.index(side.letters[axis]))
        name = side.name if order == sorted(order) else self.g.op("Transpose", side.name, part="turned", perm=order)
        missing = [axis for axis, letter in enumerate(every) if letter not in side.letters]
        return self.g.wide(name, missing, part="wide") if missing else name

    def _shape(self, letters: str) -> tuple[int, ...]:
        return tuple(self.sizes[letter] for letter in letters)


def _as_einsum(g: Rewriter, inputs: Sequence[str], output: str, equation: str) -> str | bool:
    """Some value as an Einsum, written further."""
    return einsum(g.of(onnx.helper.make_node("Einsum", inputs, [output], equation=equation)))


@rule("Gemm")
def gemm(g: Rewriter) -> str | bool:
    """Gemm with a factor or an addend, or of integers."""
    return _whole_gemm(g) or _gemm_in_steps(g)


def _whole_gemm(g: Rewriter) -> str | bool:
    """Gemm of integers, with factors 1."""
    if g.is_float(g.result) or (g.given.get("alpha", 1.0), g.given.get("beta", 1.0)) != (1, 1):
        return False
    addend = g.input(2)
    product = g.builder.fresh(f"{g.result}.product") if addend else g.result
    equation = f"{'kn' if g.given.get('transA') else 'nk'},{'mk' if g.given.get('transB') else 'km'}->nm"
    _as_einsum(g, g.node.input[:2], product, equation)
    return g.op("Add", product, addend) if addend else True


def _gemm_in_steps(g: Rewriter) -> str | bool:
    """Gemm with a factor or an addend as several nodes."""
    given, addend = dict(g.given), g.input(2)
    alpha, beta = given.pop("alpha", 1.0), given.pop("beta", 1.0)
    if alpha == 1.0 and not addend:
        return False
    if addend and beta != 1.0:
        addend = g.op("Mul", addend, g.number(beta, g.result), part="beta")
    found = g.op("Gemm", *g.node.input[:2], part="product", **given)
    if alpha != 1.0:
        found = g.op("Mul", found, g.number(alpha, g.result), part="scaled" if addend else "")
    return g.op("Add", found, addend) if addend else found


@rule("MatMul")
def mat_mul(g: Rewriter) -> str | bool:
    """MatMul of integers, or of operands that are no matrices."""
    return _whole_mat_mul(g) or _stacked(g)


def _whole_mat_mul(g: Rewriter) -> str | bool:
    """MatMul of integers."""
    if g.is_float(g.result):
        return False
    ranks = [len(g.shapes[name]) for name in g.node.input]
    inner = [("k", "nk")[min(ranks[0], 2) - 1], ("k", "km")[min(ranks[1], 2) - 1]]
    free = ("n" if ranks[0] > 1 else "") + ("m" if ranks[1] > 1 else "")
    batch = "..." if max(ranks) > 2 else ""
    sides = [("..." if rank > 2 else "") + letters for rank, letters in zip(ranks, inner, strict=True)]
    return _as_einsum(g, g.node.input, g.result, f"{sides[0]},{sides[1]}->{batch}{free}")


def _stacked(g: Rewriter) -> str | bool:
    """MatMul of operands of any rank, as Einsum; axes of size 1 that are broadcast are left out."""
    a, b = (g.shapes[name] for name in g.node.input)
    if len(a) == len(b) == 2:
        return False
    if 1 in (len(a), len(b)) or any(x != y and 1 in (x, y) for x, y in zip(a[-3::-1], b[-3::-1], strict=False)):
        return _einsum_squeezed(g)
    batch = "abcdefgh"[: max(len(a), len(b)) - 2]
    own = [batch[len(batch) - (len(shape) - 2) :] for shape in (a, b)]
    return g.op("Einsum", *g.node.input, equation=f"{own[0]}nk,{own[1]}km->{batch}nm")


def _einsum_squeezed(g: Rewriter) -> str:
    """MatMul with vectors, or with batch axes of size 1 that the other operand broadcasts."""
    shapes = [g.shapes[name] for name in g.node.input]
    batch = "abcdefgh"[: max(0, *(len(shape) - 2 for shape in shapes))]
    letters, operands = [], []
    for number, (name, shape) in enumerate(zip(g.node.input, shapes, strict=True)):
        inner = "k" if len(shape) == 1 else ("nk", "km")[number]
        own = batch[len(batch) - max(len(shape) - 2, 0) :]
        gone = [axis for axis in range(len(own)) if shape[axis] == 1]
        letters.append("".join(letter for axis, letter in enumerate(own) if axis not in gone) + inner)
        operands.append(g.op("Squeeze", name, g.ints(gone, "axes"), part=f"operand{number}") if gone else name)
    free = ("n" if len(shapes[0]) > 1 else "") + ("m" if len(shapes[1]) > 1 else "")
    there = [letter for letter in batch if any(letter in side for side in letters)]
    found = f"{letters[0]},{letters[1]}->{''.join(there)}{free}"
    if len(there) == len(batch):
        return g.op("Einsum", *operands, equation=found)
    part = g.op("Einsum", *operands, part="product", equation=found)
    return g.op("Unsqueeze", part, g.ints([k for k, letter in enumerate(batch) if letter not in there], "axes"))

"""Einsum of any form, as sums, transposes and products of two operands; products of integers.

ii,ij->j      ->  diagonals are picked first
ij,k->ik      ->  axes that no other operand and not the result has are summed first
ij,jk,kl->il  ->  two at a time, from the left
of integers   ->  Mul and ReduceSum: the matrix unit multiplies floats only
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from string import ascii_letters, ascii_lowercase

import numpy as np
import onnx

from haribote.graph import Builder, Index, attributes
from haribote.stack.elementary.indexing import pick
from haribote.stack.elementary.reductions import reduce
from haribote.stack.elementary.rules import Rule


@dataclass(frozen=True)
class Side:
    """An operand, and the letters of its axes."""

    name: str
    letters: str


def einsum(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """Any Einsum; False for products of two float operands that need nothing before."""
    shapes = [index.shape[name] for name in node.input]
    sides, result = _parsed(attributes(node)["equation"].decode(), shapes)
    sizes: dict[str, int] = {}
    for letters, shape in zip(sides, shapes, strict=True):
        for letter, size in zip(letters, shape, strict=True):
            sizes[letter] = max(size, sizes.get(letter, 1))
    writer = _Writer(builder, sizes, node.output[0], np.issubdtype(index.dtype[node.input[0]], np.floating))
    if writer.plain(sides, shapes, result) and attributes(node)["equation"].decode() == f"{','.join(sides)}->{result}":
        return False
    operands = [
        writer.without_ones(writer.diagonal(Side(name, letters), shape), shape)
        for name, letters, shape in zip(node.input, sides, shapes, strict=True)
    ]
    first, *others = operands
    while others:
        wanted = {*result, *(letter for side in others[1:] for letter in side.letters)}
        first = writer.joined(first, others.pop(0), wanted)
    writer.finish(writer.summed(first, set(result)), result)
    return True


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
class _Writer:
    """Writes the nodes of one Einsum. sizes: of its letters; real: floats."""

    builder: Builder
    sizes: Mapping[str, int]
    result: str
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
        name = self.builder.fresh(f"{self.result}.diagonal")
        pick(self.builder, side.name, np.ascontiguousarray(found), name)
        return Side(name, letters)

    def without_ones(self, side: Side, shape: tuple[int, ...]) -> Side:
        """Without axes of size 1 that are larger elsewhere."""
        sizes = dict(zip(side.letters, shape, strict=False)) if len(side.letters) == len(shape) else self.sizes
        gone = [axis for axis, letter in enumerate(side.letters) if sizes[letter] != self.sizes[letter]]
        if not gone:
            return side
        axes = self._axes(gone)
        name = self.builder.op("Squeeze", side.name, axes, name=f"{self.result}.squeezed")
        return Side(name, "".join(letter for axis, letter in enumerate(side.letters) if axis not in gone))

    def summed(self, side: Side, wanted: set[str]) -> Side:
        """With the axes summed that nothing else asks for."""
        axes = [axis for axis, letter in enumerate(side.letters) if letter not in wanted]
        if not axes:
            return side
        name = reduce(self.builder, "ReduceSum", side.name, axes, f"{self.result}.summed")
        return Side(name, "".join(letter for letter in side.letters if letter in wanted))

    def joined(self, a: Side, b: Side, wanted: set[str]) -> Side:
        """The product of two operands."""
        a, b = self.summed(a, wanted | set(b.letters)), self.summed(b, wanted | set(a.letters))
        every = "".join(dict.fromkeys(a.letters + b.letters))
        letters = "".join(letter for letter in every if letter in wanted)
        if self.real and a.letters and b.letters:
            equation = f"{a.letters},{b.letters}->{letters}"
            name = self.builder.op("Einsum", a.name, b.name, name=f"{self.result}.product", equation=equation)
            return Side(name, letters)
        wide = [self._spread(side, every) for side in (a, b)]
        product = Side(self.builder.op("Mul", *wide, name=f"{self.result}.product"), every)
        return self.summed(product, wanted)

    def finish(self, side: Side, result: str) -> None:
        """The result, its axes in their order."""
        order = [side.letters.index(letter) for letter in result]
        if order == list(range(len(order))):
            self.builder.op("Identity", side.name, name=self.result, reserved=True)
        else:
            self.builder.op("Transpose", side.name, name=self.result, reserved=True, perm=order)

    def _spread(self, side: Side, every: str) -> str:
        """An operand with all of these axes, of size 1 where it has none."""
        order = sorted(range(len(side.letters)), key=lambda axis: every.index(side.letters[axis]))
        name = side.name
        if order != sorted(order):
            name = self.builder.op("Transpose", name, name=f"{self.result}.turned", perm=order)
        missing = [axis for axis, letter in enumerate(every) if letter not in side.letters]
        return self.builder.op("Unsqueeze", name, self._axes(missing), name=f"{self.result}.wide") if missing else name

    def _axes(self, axes: Sequence[int]) -> str:
        return self.builder.constant(np.array(axes, np.int64), f"axes_{'_'.join(map(str, axes))}")

    def _shape(self, letters: str) -> tuple[int, ...]:
        return tuple(self.sizes[letter] for letter in letters)


def whole_mat_mul(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """MatMul of integers."""
    if np.issubdtype(index.dtype[node.output[0]], np.floating):
        return False
    ranks = [len(index.shape[name]) for name in node.input]
    inner = [("k", "nk")[min(ranks[0], 2) - 1], ("k", "km")[min(ranks[1], 2) - 1]]
    free = ("n" if ranks[0] > 1 else "") + ("m" if ranks[1] > 1 else "")
    batch = "..." if max(ranks) > 2 else ""
    sides = [("..." if rank > 2 else "") + letters for rank, letters in zip(ranks, inner, strict=True)]
    equation = f"{sides[0]},{sides[1]}->{batch}{free}"
    asked = onnx.helper.make_node("Einsum", node.input, node.output, equation=equation)
    return einsum(builder, index, asked)


def whole_gemm(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """Gemm of integers, with factors 1."""
    given, result = attributes(node), node.output[0]
    if np.issubdtype(index.dtype[result], np.floating) or (given.get("alpha", 1.0), given.get("beta", 1.0)) != (1, 1):
        return False
    addend = node.input[2] if len(node.input) > 2 else ""
    product = builder.fresh(f"{result}.product") if addend else result
    equation = f"{'kn' if given.get('transA') else 'nk'},{'mk' if given.get('transB') else 'km'}->nm"
    einsum(builder, index, onnx.helper.make_node("Einsum", node.input[:2], [product], equation=equation))
    if addend:
        builder.op("Add", product, addend, name=result, reserved=True)
    return True


EINSUMS: Mapping[str, Rule] = {"Einsum": einsum, "Gemm": whole_gemm, "MatMul": whole_mat_mul}

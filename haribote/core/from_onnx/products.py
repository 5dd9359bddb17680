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

from haribote.core.from_onnx.indexing import pick
from haribote.core.from_onnx.reductions import reduce
from haribote.core.from_onnx.rules import rule
from haribote.graph import Builder, Index, attributes


@dataclass(frozen=True)
class Side:
    """An operand, and the letters of its axes."""

    name: str
    letters: str


@rule("Einsum")
def einsum(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """Any Einsum; False for products of two float operands that need nothing before."""
    shapes = [index.shape[name] for name in node.input]
    sides, result = _parsed(attributes(node)["equation"].decode(), shapes)
    sizes: dict[str, int] = {}
    for letters, shape in zip(sides, shapes, strict=True):
        for letter, size in zip(letters, shape, strict=True):
            sizes[letter] = max(size, sizes.get(letter, 1))
    writer = _EinsumWriter(builder, sizes, node.output[0], np.issubdtype(index.dtype[node.input[0]], np.floating))
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
class _EinsumWriter:
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


@rule("Gemm")
def gemm(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """Gemm with a factor or an addend, or of integers."""
    return _whole_gemm(builder, index, node) or _gemm_in_steps(builder, index, node)


def _whole_gemm(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
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


def _gemm_in_steps(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """Gemm with a factor or an addend as several nodes."""
    given, result = attributes(node), node.output[0]
    dtype = index.dtype[result]
    alpha, beta = given.pop("alpha", 1.0), given.pop("beta", 1.0)
    addend = node.input[2] if len(node.input) > 2 and node.input[2] else ""
    if alpha == 1.0 and not addend:
        return False
    steps: list[tuple[str, float | str]] = [("Mul", alpha)] if alpha != 1.0 else []
    if addend and beta != 1.0:
        addend = builder.op("Mul", addend, builder.scalar(beta, dtype), name=f"{result}.beta")
    steps += [("Add", addend)] if addend else []
    found = builder.op("Gemm", *node.input[:2], name=f"{result}.product", **given)
    for number, (op_type, other) in enumerate(steps):
        operand = other if isinstance(other, str) else builder.scalar(other, dtype)
        last = number == len(steps) - 1
        found = builder.op(op_type, found, operand, name=result if last else f"{result}.scaled", reserved=last)
    return True


@rule("MatMul")
def mat_mul(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """MatMul of integers, or of operands that are no matrices."""
    return _whole_mat_mul(builder, index, node) or _stacked(builder, index, node)


def _whole_mat_mul(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
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


def _stacked(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """MatMul of operands of any rank, as Einsum; axes of size 1 that are broadcast are left out."""
    a, b = (index.shape[name] for name in node.input)
    if len(a) == len(b) == 2:
        return False
    if 1 in (len(a), len(b)) or any(x != y and 1 in (x, y) for x, y in zip(a[-3::-1], b[-3::-1], strict=False)):
        return _einsum_squeezed(builder, index, node)
    batch = "abcdefgh"[: max(len(a), len(b)) - 2]
    own = [batch[len(batch) - (len(shape) - 2) :] for shape in (a, b)]
    equation = f"{own[0]}nk,{own[1]}km->{batch}nm"
    builder.op("Einsum", *node.input, name=node.output[0], reserved=True, equation=equation)
    return True


def _einsum_squeezed(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """MatMul with vectors, or with batch axes of size 1 that the other operand broadcasts."""
    shapes = [index.shape[name] for name in node.input]
    rank = max(len(shape) - 2 for shape in shapes)
    batch = "abcdefgh"[: max(rank, 0)]
    letters, operands = [], []
    for number, (name, shape) in enumerate(zip(node.input, shapes, strict=True)):
        inner = "k" if len(shape) == 1 else ("nk", "km")[number]
        own = batch[len(batch) - max(len(shape) - 2, 0) :]
        gone = [axis for axis in range(len(own)) if shape[axis] == 1]
        if gone:
            shape_of = builder.constant(np.array(gone, np.int64), f"{node.output[0]}.axes{number}")
            name = builder.op("Squeeze", name, shape_of, name=f"{node.output[0]}.operand{number}")
        letters.append("".join(letter for axis, letter in enumerate(own) if axis not in gone) + inner)
        operands.append(name)
    free = ("n" if len(shapes[0]) > 1 else "") + ("m" if len(shapes[1]) > 1 else "")
    there = [letter for letter in batch if any(letter in side for side in letters)]
    found = f"{letters[0]},{letters[1]}->{''.join(there)}{free}"
    if len(there) == len(batch):
        builder.op("Einsum", *operands, name=node.output[0], reserved=True, equation=found)
        return True
    part = builder.op("Einsum", *operands, name=f"{node.output[0]}.product", equation=found)
    axes = np.array([axis for axis, letter in enumerate(batch) if letter not in there], np.int64)
    builder.op("Unsqueeze", part, builder.constant(axes, f"{node.output[0]}.axes"), name=node.output[0], reserved=True)
    return True

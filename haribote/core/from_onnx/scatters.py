"""Scatters, as picks of what each element of the result gets:

known indices      ->  data joined with the updates that each element gets, one term after another
computed indices   ->  the same, the terms found by comparing indices with numbers along an axis
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, prod
from typing import NamedTuple

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.core.from_onnx.indexing import pick
from haribote.core.from_onnx.labels import wrapped_index
from haribote.core.from_onnx.lookups import tuple_numbers
from haribote.core.from_onnx.reductions import multiplied, reduce
from haribote.core.from_onnx.rules import rule
from haribote.graph import Builder, Index, attributes
from haribote.stack.picks.indices import adjoint, scattered


class Join(NamedTuple):
    """How a reduction of updates is written; neutral: what changes nothing."""

    reduce: str
    join: str
    neutral: float


JOINS = {
    "none": Join("ReduceSum", "", 0.0),
    "add": Join("ReduceSum", "Add", 0.0),
    "mul": Join("ReduceProd", "Mul", 1.0),
    "max": Join("ReduceMax", "Max", -inf),
    "min": Join("ReduceMin", "Min", inf),
}


@rule("ScatterElements", "ScatterND")
def scatter(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """ScatterElements and ScatterND. Without a reduction the last update wins."""
    data, rows, _ = node.input
    given = attributes(node)
    reduction, axis = given.get("reduction", b"none").decode(), None
    if reduction not in JOINS or (index.dtype[data] == np.bool_ and reduction != "none"):
        return False
    shape = index.shape[data]
    if node.op_type == "ScatterElements":
        axis = given.get("axis", 0) % len(shape)
    if rows in index.constants:
        return _known(builder, index, node, scattered(shape, index.constants[rows], axis), reduction)
    writer = _Computed(builder, index, node, reduction)
    if axis is None:
        writer.by_rows()
    else:
        writer.along(axis)
    return True


def _known(builder: Builder, index: Index, node: onnx.NodeProto, places: NDArray[np.int64], reduction: str) -> bool:
    """Where each update goes is known."""
    data, result = node.input[0], node.output[0]
    shape = index.shape[data]
    terms = adjoint(places, prod(shape))
    if reduction == "none":  # the last one only
        terms = terms.max(axis=0, keepdims=True)
    join, part = JOINS[reduction], builder.fresh(f"{result}.updates")
    if len(terms) == 1:
        _terms(builder, index, node, terms.reshape(shape), part, reduction)
    else:
        every = builder.fresh(f"{result}.terms")
        _terms(builder, index, node, terms.reshape(-1, *shape), every, reduction)
        _reduced(builder, join, every, (len(terms), *shape), 0, part)
    if join.join:
        builder.op(join.join, data, part, name=result, reserved=True)
    else:
        there = builder.constant((terms[0] >= 0).reshape(shape), f"{result}.there")
        builder.op("Where", there, part, data, name=result, reserved=True)
    return True


def _terms(
    builder: Builder, index: Index, node: onnx.NodeProto, found: NDArray[np.int64], name: str, reduction: str
) -> None:
    """The updates of these numbers; what changes nothing where there is none, -1."""
    data, _, updates = node.input
    neutral = _neutral(index, data, reduction)
    if np.issubdtype(index.dtype[data], np.floating) or abs(neutral) <= 1:
        pick(builder, updates, found, name, neutral)
        return
    picked = builder.fresh(f"{name}.picked")  # an extreme integer is no single, which the fill of a Pick is
    pick(builder, updates, found, picked)
    there = builder.constant(found >= 0, f"{name}.there")
    builder.op("Where", there, picked, builder.scalar(neutral, index.dtype[data]), name=name, reserved=True)


def _neutral(index: Index, data: str, reduction: str) -> float:
    """What changes nothing when it is joined."""
    found, dtype = JOINS[reduction].neutral, index.dtype[data]
    if np.issubdtype(dtype, np.floating) or abs(found) <= 1:
        return found
    limits = np.iinfo(np.uint32 if np.issubdtype(dtype, np.unsignedinteger) else np.int32)  # as the chip has them
    return limits.min if found < 0 else limits.max


def _reduced(builder: Builder, join: Join, name: str, shape: tuple[int, ...], axis: int, result: str) -> str:
    """Terms along an axis as one."""
    left = shape[:axis] + shape[axis + 1 :]
    if join.reduce == "ReduceProd":
        multiplied(builder, name, shape, [axis], left, result)
        return result
    return reduce(builder, join.reduce, name, [axis], result, reserved=True)


@dataclass(frozen=True)
class _Computed:
    """A scatter to places that are computed: every element of the data looks at all updates that may be for it. Of
    several that would replace it, the last one does.
    """

    builder: Builder
    index: Index
    node: onnx.NodeProto
    reduction: str

    @property
    def _shape(self) -> tuple[int, ...]:
        return self.index.shape[self.node.input[0]]

    def along(self, axis: int) -> None:
        """Updates that stay in their row along an axis: [..., place, update, ...]."""
        count = self._shape[axis]
        rows = self._all_rows(self.node.input[1], axis, count)  # where there is no update, an index of no place
        updates = self._all_rows(self.node.input[2], axis, 0)
        wrapped = wrapped_index(self.builder, self.index, rows, count, self._name("rows"))
        place = self._numbers(count, axis, len(self._shape) + 1)
        equal = self._op("Equal", self._wide(wrapped, [axis]), place, "equal")
        terms = self.index.shape[rows][axis]
        sizes = (*self._shape[: axis + 1], terms, *self._shape[axis + 1 :])
        self._join(equal, self._wide(updates, [axis]), sizes, axis + 1)

    def _all_rows(self, name: str, axis: int, fill: int) -> str:
        """Indices or updates, which may be in a part of the rows only, as of all of them."""
        own = self.index.shape[name]
        wanted = tuple(own[axis] if k == axis else size for k, size in enumerate(self._shape))
        if own == wanted:
            return name
        beyond = [(0, there - size) for size, there in zip(own, wanted, strict=True)]
        result = self.builder.fresh(f"{self._name('all')}.{name}")
        pick(
            self.builder,
            name,
            np.pad(np.arange(prod(own)).reshape(own), beyond, constant_values=-1),
            result,
            float(fill),
        )
        self.index.shape[result], self.index.dtype[result] = wanted, self.index.dtype[name]
        return result

    def by_rows(self) -> None:
        """ScatterND: every row of the indices names a place in the first axes."""
        rows, updates = self.node.input[1:]
        asked = self.index.shape[rows]
        depth, count = asked[-1], prod(asked[:-1])
        number = tuple_numbers(self.builder, self.index, rows, self._shape[:depth], 0, self._name("number"))
        self._by_number(self._flat(number, [count]), self._flat(updates, [count, *self._shape[depth:]]), count, depth)

    def _by_number(self, number: str, updates: str, count: int, depth: int) -> None:
        """number [count]: of the place in the first `depth` axes; updates [count, other axes]."""
        outer, inner = self._shape[:depth], self._shape[depth:]
        dtype = self.index.dtype[self.node.input[1]]
        places = np.arange(prod(outer), dtype=dtype).reshape(*outer, *[1] * (1 + len(inner)))
        equal = self._op(
            "Equal",
            self._wide(number, list(range(1, 1 + len(inner)))),
            self.builder.constant(places, self._name("places")),
            "equal",
        )
        self._join(equal, updates, (*outer, count, *inner), depth)

    def _join(self, equal: str, updates: str, sizes: tuple[int, ...], axis: int) -> None:
        """equal: whether an update is for an element, with the updates along `axis`; sizes: with all axes."""
        builder, (data, *_), result = self.builder, self.node.input, self.node.output[0]
        join, dtype = JOINS[self.reduction], self.index.dtype[data]
        last = ""
        if not join.join:
            numbers = self._numbers(sizes[axis], axis, len(sizes), np.dtype(np.int32))
            none = builder.scalar(-1, np.int32)
            hits = self._op("Where", equal, numbers, none, "hits")
            last = reduce(builder, "ReduceMax", hits, [axis], self._name("last"), keepdims=1)
            equal = self._op("Equal", numbers, last, "is_last")
        neutral = builder.scalar(_neutral(self.index, data, self.reduction), dtype)
        chosen = self._op("Where", equal, updates, neutral, "chosen")
        truths = dtype == np.bool_  # of which there are no sums
        if truths:
            chosen = builder.op("Cast", chosen, name=self._name("numbers"), to=onnx.TensorProto.INT32)
        part = _reduced(builder, join, chosen, sizes, axis, builder.fresh(f"{result}.updates"))
        if truths:
            part = builder.op("Cast", part, name=self._name("truths"), to=onnx.TensorProto.BOOL)
        if join.join:
            builder.op(join.join, data, part, name=result, reserved=True)
            return
        squeezed = self._op("Squeeze", last, builder.constant(np.array([axis], np.int64), f"axes_{axis}"), "last_of")
        there = self._op("GreaterOrEqual", squeezed, builder.scalar(0, np.int32), "there")
        builder.op("Where", there, part, data, name=result, reserved=True)

    # --- nodes --------------------------------------------------------------------------------------------------------

    def _name(self, part: str) -> str:
        return f"{self.node.output[0]}.{part}"

    def _op(self, op_type: str, *names: str) -> str:
        *inputs, part = names
        return self.builder.op(op_type, *inputs, name=self._name(part))

    def _wide(self, name: str, axes: list[int]) -> str:
        if not axes:
            return name
        numbers = self.builder.constant(np.array(axes, np.int64), f"axes_{'_'.join(map(str, axes))}")
        return self._op("Unsqueeze", name, numbers, "wide")

    def _flat(self, name: str, sizes: list[int]) -> str:
        return self._op("Reshape", name, self.builder.constant(np.array(sizes, np.int64), self._name("sizes")), "flat")

    def _numbers(self, count: int, axis: int, rank: int, dtype: np.dtype[np.generic] | None = None) -> str:
        """0, 1, 2, … along an axis."""
        dtype = dtype or self.index.dtype[self.node.input[1]]
        along = np.arange(count, dtype=dtype).reshape([count if k == axis else 1 for k in range(rank)])
        return self.builder.constant(along, self._name("numbers"))

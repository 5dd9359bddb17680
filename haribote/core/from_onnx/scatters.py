"""Scatters, as picks of what each element of the result gets:

known indices      ->  data joined with the updates that each element gets, one term after another
computed indices   ->  the same, the terms found by comparing indices with numbers along an axis
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from haribote.core.from_onnx.labels import wrapped_index
from haribote.core.from_onnx.lookups import tuple_numbers
from haribote.core.from_onnx.reductions import multiplied
from haribote.core.from_onnx.rules import rule
from haribote.core.rewrite import Rewriter
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
def scatter(g: Rewriter) -> str | bool:
    """ScatterElements and ScatterND. Without a reduction the last update wins."""
    data, rows, _ = g.node.input
    reduction, axis, shape = g.given.get("reduction", b"none").decode(), None, g.shapes[data]
    if reduction not in JOINS or (g.dtypes[data] == np.bool_ and reduction != "none"):
        return False
    if g.node.op_type == "ScatterElements":
        axis = g.given.get("axis", 0) % len(shape)
    if rows in g.index.constants:
        return _known(g, scattered(shape, g.index.constants[rows], axis), JOINS[reduction])
    writer = _Computed(g, JOINS[reduction])
    return writer.by_rows() if axis is None else writer.along(axis)


def _known(g: Rewriter, places: NDArray[np.int64], join: Join) -> str:
    """Where each update goes is known."""
    data = g.node.input[0]
    shape = g.shapes[data]
    terms = adjoint(places, prod(shape))
    if not join.join:  # the last one only
        terms = terms.max(axis=0, keepdims=True)
    if len(terms) == 1:
        part = _terms(g, terms.reshape(shape), "updates", join)
    else:
        every = _terms(g, terms.reshape(-1, *shape), "terms", join)
        part = _reduced(g, join, every, (len(terms), *shape), 0)
    if join.join:
        return g.op(join.join, data, part)
    return g.op("Where", g.constant((terms[0] >= 0).reshape(shape), "there"), part, data)


def _terms(g: Rewriter, found: NDArray[np.int64], part: str, join: Join) -> str:
    """The updates of these numbers; what changes nothing where there is none, -1."""
    data, _, updates = g.node.input
    return g.pick(updates, found, part=part, fill=_neutral(g, data, join))


def _neutral(g: Rewriter, data: str, join: Join) -> float:
    """What changes nothing when it is joined."""
    found, dtype = join.neutral, g.dtypes[data]
    if g.is_float(data) or abs(found) <= 1:
        return found
    limits = np.iinfo(np.uint32 if np.issubdtype(dtype, np.unsignedinteger) else np.int32)  # as the chip has them
    return limits.min if found < 0 else limits.max


def _reduced(g: Rewriter, join: Join, name: str, shape: tuple[int, ...], axis: int) -> str:
    """Terms along an axis as one."""
    if join.reduce == "ReduceProd":
        left = shape[:axis] + shape[axis + 1 :]
        return multiplied(g, name, shape, [axis], left, g.builder.fresh(f"{g.result}.updates"))
    return g.reduced(join.reduce, name, [axis], part="updates")


@dataclass(frozen=True)
class _Computed:
    """A scatter to places that are computed: every element of the data looks at all updates that may be for it. Of
    several that would replace it, the last one does.
    """

    g: Rewriter
    join: Join

    @property
    def _shape(self) -> tuple[int, ...]:
        return self.g.shapes[self.g.node.input[0]]

    def along(self, axis: int) -> str:
        """Updates that stay in their row along an axis: [..., place, update, ...]."""
        g, count = self.g, self._shape[axis]
        rows = self._all_rows(g.node.input[1], axis, count)  # where there is no update, an index of no place
        updates = self._all_rows(g.node.input[2], axis, 0)
        place = g.numbers(count, axis, len(self._shape) + 1, g.dtypes[rows])
        equal = g.op("Equal", self._wide(wrapped_index(g, rows, count, "rows"), [axis]), place, part="equal")
        sizes = (*self._shape[: axis + 1], g.shapes[rows][axis], *self._shape[axis + 1 :])
        return self._joined(equal, self._wide(updates, [axis]), sizes, axis + 1)

    def _all_rows(self, name: str, axis: int, fill: int) -> str:
        """Indices or updates, which may be in a part of the rows only, as of all of them."""
        g, own = self.g, self.g.shapes[name]
        wanted = tuple(own[axis] if k == axis else size for k, size in enumerate(self._shape))
        if own == wanted:
            return name
        beyond = [(0, there - size) for size, there in zip(own, wanted, strict=True)]
        numbers = np.pad(np.arange(prod(own)).reshape(own), beyond, constant_values=-1)
        result = g.pick(name, numbers, part="all", fill=float(fill))
        g.shapes[result], g.dtypes[result] = wanted, g.dtypes[name]
        return result

    def by_rows(self) -> str:
        """ScatterND: every row of the indices names a place in the first axes."""
        g, (rows, updates) = self.g, self.g.node.input[1:]
        *asked, depth = g.shapes[rows]
        count, outer, inner = prod(asked), self._shape[:depth], self._shape[depth:]
        number = g.shaped(tuple_numbers(g, rows, outer, 0), [count], part="flat")
        places = np.arange(prod(outer), dtype=g.dtypes[rows]).reshape(*outer, *[1] * (1 + len(inner)))
        wide = self._wide(number, range(1, 1 + len(inner)))
        equal = g.op("Equal", wide, g.constant(places, "places"), part="equal")
        return self._joined(equal, g.shaped(updates, [count, *inner], part="flat"), (*outer, count, *inner), depth)

    def _joined(self, equal: str, updates: str, sizes: tuple[int, ...], axis: int) -> str:
        """equal: whether an update is for an element, with the updates along `axis`; sizes: with all axes."""
        g, data, last = self.g, self.g.node.input[0], ""
        if not self.join.join:
            numbers = g.numbers(sizes[axis], axis, len(sizes), np.int32)
            hits = g.op("Where", equal, numbers, g.builder.scalar(-1, np.int32), part="hits")
            last = g.reduced("ReduceMax", hits, [axis], part="last", keepdims=1)
            equal = g.op("Equal", numbers, last, part="is_last")
        chosen = g.op("Where", equal, updates, g.number(_neutral(g, data, self.join), data), part="chosen")
        truths = g.dtypes[data] == np.bool_  # of which there are no sums
        if truths:
            chosen = g.cast(chosen, np.int32, part="numbers")
        part = _reduced(g, self.join, chosen, sizes, axis)
        if truths:
            part = g.cast(part, np.bool_, part="truths")
        if self.join.join:
            return g.op(self.join.join, data, part)
        squeezed = g.op("Squeeze", last, g.ints([axis], "axes"), part="last_of")
        there = g.op("GreaterOrEqual", squeezed, g.builder.scalar(0, np.int32), part="there")
        return g.op("Where", there, part, data)

    def _wide(self, name: str, axes: Sequence[int]) -> str:
        return self.g.wide(name, axes, part="wide") if axes else name

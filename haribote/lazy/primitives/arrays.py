"""Arrays as expressions. Nothing is computed here; what does not fit is said where it is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from haribote.core.cells import BOOL, FLOAT, INT, Cell, DType, trace
from haribote.core.notation import Operators
from haribote.lazy.primitives.indices import Index, LazyError, axes
from simulator.messages import tr

Shape = tuple[int, ...]
REDUCTIONS = {"Add": "sum", "Mul": "product", "Max": "max", "Min": "min"}


@dataclass(frozen=True, eq=False)
class Array(Operators):
    """An array that is not computed yet: shape, type, and the arrays that it is made of."""

    shape: Shape
    dtype: DType
    operands: tuple[Array, ...]

    def apply(self, op: str, *operands: Any) -> Array:
        """Operators between arrays are maps; numbers become part of the map."""
        arrays = [value for value in operands if isinstance(value, Array)]

        def one(*cells: Cell) -> Any:
            rest = iter(cells)
            return cells[0].apply(op, *(next(rest) if isinstance(value, Array) else value for value in operands))

        return lazy_map(one, *arrays)

    def __bool__(self) -> bool:
        raise LazyError(tr("an array has no truth before it is computed"), tr("evaluate it, or where(condition, a, b)"))

    def __str__(self) -> str:
        return f"{self.dtype}{list(self.shape)}"


@dataclass(frozen=True, eq=False)
class Input(Array):
    """An array that is given when the expression is evaluated."""

    name: str


@dataclass(frozen=True, eq=False)
class Constant(Array):
    """An array that is known now."""

    value: NDArray[Any]


@dataclass(frozen=True, eq=False)
class Map(Array):
    """Every element is `cell` of the operands' elements at the same place."""

    cell: Cell


@dataclass(frozen=True, eq=False)
class Reduce(Array):
    """The elements along `axes` as one, by an operation of REDUCTIONS. A sum is rounded once, at its end."""

    op: str
    axes: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class View(Array):
    """Element (i, j, …) is the operand's at the indices that the expressions `index` give."""

    index: tuple[Index, ...]

    @cached_property
    def positions(self) -> NDArray[np.int64]:
        """For every element the number of the operand's element, counted row by row."""
        grids = np.indices(self.shape, dtype=np.int64)
        result = np.zeros(self.shape, np.int64)
        for index, size in zip(self.index, self.operands[0].shape, strict=True):
            result = result * size + index.at([*grids])
        return result


@dataclass(frozen=True, eq=False)
class Stack(Array):
    """The operands one after another along a new axis."""

    axis: int


@dataclass(frozen=True, eq=False)
class Product(Array):
    """Matrix products, [n, rows, columns] = [n, rows, depth] times [n, depth, columns]. Found by `fuse`."""


def array(name: str, shape: Sequence[int], dtype: DTypeLike = np.float32) -> Array:
    """An input. Raises LazyError for a type that is not float32, int64 or bool."""
    if np.dtype(dtype) not in (FLOAT, INT, BOOL):
        raise LazyError(tr("array {name!r} cannot be {dtype}", name, np.dtype(dtype)), tr("float32, int64 or bool"))
    return Input(_shape(shape), np.dtype(dtype), (), name)


def constant(value: Any) -> Array:
    """A known array; floating-point numbers become float32, whole numbers int64."""
    found = np.asarray(value)
    kinds: dict[str, DType] = {"f": FLOAT, "i": INT, "u": INT, "b": BOOL}
    if found.dtype.kind not in kinds:
        raise LazyError(tr("a constant cannot be {dtype}", found.dtype), tr("numbers or truth values"))
    dtype = kinds[found.dtype.kind]
    return Constant(found.shape, dtype, (), np.array(found, dtype, order="C"))


def lazy_map(function: Callable[..., Any], *arrays: Array) -> Array:
    """`function` of the elements at the same place of arrays of one shape, for every place."""
    for other in arrays[1:]:
        if other.shape != arrays[0].shape:
            what = tr(
                "a map needs arrays of one shape, received {shape} and {shape2}",
                list(arrays[0].shape),
                list(other.shape),
            )
            raise LazyError(what, tr("broadcast the smaller one"))
    if not arrays:
        raise LazyError(tr("a map needs an array"))
    cell = trace(function, [a.dtype for a in arrays])
    return Map(arrays[0].shape, cell.dtype, arrays, cell)


def lazy_reduce(function: Callable[..., Any], x: Array, along: Sequence[int]) -> Array:
    """The elements along these axes as one: `lambda a, b: a + b` for their sum; also `*`, maximum, minimum."""
    chosen = {axis + len(x.shape) if axis < 0 else axis for axis in along}
    if len(chosen) != len(along) or not chosen <= set(range(len(x.shape))):
        raise LazyError(
            tr("cannot reduce {x} along {along}", x, list(along)),
            tr("different axes of {shape}", list(range(len(x.shape)))),
        )
    cell = trace(function, [x.dtype, x.dtype])
    if cell.op not in REDUCTIONS or [operand.op for operand in cell.operands] != ["argument"] * 2:
        raise LazyError(
            tr("a reduction is one of {reductions} of its two elements, received {op}", ", ".join(REDUCTIONS), cell.op)
        )
    if not chosen:
        return x
    kept = tuple(size for axis, size in enumerate(x.shape) if axis not in chosen)
    if 0 in x.shape and 0 not in kept and cell.op in ("Max", "Min"):
        raise LazyError(tr("{x} has no {reductions} along {along}: it is empty", x, REDUCTIONS[cell.op], list(along)))
    return Reduce(kept, x.dtype, (x,), cell.op, tuple(sorted(chosen)))


def reshape(x: Array, shape: Sequence[int], where: Callable[..., Any]) -> Array:
    """An array of this shape whose element (i, j, …) is x's at where(i, j, …): `lambda i, j: (j, i)` turns a matrix."""
    wanted = _shape(shape)
    found = where(*axes(len(wanted)))
    index = tuple(Index("number") + part for part in (found if isinstance(found, tuple) else (found,)))
    if len(index) != len(x.shape):
        raise LazyError(
            tr(
                "{x} has {shape} indices, received {index} for a view of {wanted}",
                x=x,
                shape=len(x.shape),
                index=len(index),
                wanted=list(wanted),
            )
        )
    for axis, (part, size) in enumerate(zip(index, x.shape, strict=True)):
        low, high = part.bounds(wanted)
        if prod(wanted) and not 0 <= low <= high < size:
            read = tr("axis {axis} of {x} at {low} to {high}", axis, x, low, high)
            raise LazyError(
                tr("a view of {wanted} would read {read}", list(wanted), read),
                tr("indices from 0 to {value}", size - 1),
            )
    return View(wanted, x.dtype, (x,), index)


def broadcast(x: Array, shape: Sequence[int], to: Sequence[int] | None = None) -> Array:
    """x repeated: its axes are the axes `to` of the result, by default the last; an axis of 1 is repeated as well."""
    wanted, count = _shape(shape), len(x.shape)
    places = tuple(range(len(wanted) - count, len(wanted)) if to is None else to)
    fits = len(places) == count == len(set(places)) and all(0 <= place < len(wanted) for place in places)
    if not fits or any(size not in (1, wanted[place]) for size, place in zip(x.shape, places, strict=True)):
        sizes = tr("equal sizes, or 1")
        raise LazyError(
            tr("cannot repeat {shape} to {wanted} at axes {places}", list(x.shape), list(wanted), list(places)), sizes
        )
    return reshape(
        x, wanted, lambda *i: tuple(i[at] if size > 1 else 0 for size, at in zip(x.shape, places, strict=True))
    )


def stack(arrays: Sequence[Array], axis: int = 0) -> Array:
    """Arrays of one shape and type one after another along a new axis."""
    if not arrays or not 0 <= axis <= len(arrays[0].shape):
        raise LazyError(
            tr("cannot stack {arrays} arrays along a new axis {axis}", len(arrays), axis),
            tr("one array or more, axis from 0"),
        )
    for other in arrays[1:]:
        if (other.shape, other.dtype) != (arrays[0].shape, arrays[0].dtype):
            raise LazyError(
                tr("a stack needs arrays of one shape and type, received {arrays} and {other}", arrays[0], other)
            )
    shape = (*arrays[0].shape[:axis], len(arrays), *arrays[0].shape[axis:])
    return Stack(shape, arrays[0].dtype, tuple(arrays), axis)


def walk(*outputs: Array) -> Iterator[Array]:
    """Every array of some expressions once, operands first."""
    seen: set[int] = set()
    waiting = [(output, False) for output in reversed(outputs)]
    while waiting:
        found, ready = waiting.pop()
        if ready:
            yield found
        elif id(found) not in seen:
            seen.add(id(found))
            waiting += [(found, True), *((operand, False) for operand in reversed(found.operands))]


def depends(output: Array) -> bool:
    """Whether an expression depends on an input."""
    return any(isinstance(found, Input) for found in walk(output))


def _shape(shape: Sequence[int]) -> Shape:
    if any(isinstance(size, bool) or not hasattr(size, "__index__") or size < 0 for size in shape):
        raise LazyError(tr("a shape is made of whole numbers from 0 on, received {shape}", list(shape)))
    return tuple(int(size) for size in shape)

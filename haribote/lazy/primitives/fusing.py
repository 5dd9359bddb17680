"""The same arrays by fewer steps: views of views, maps of maps, and matrix products, which are found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod

import numpy as np

from haribote.core.cells import FLOAT, Cell
from haribote.lazy.primitives.arrays import Array, Constant, Map, Product, Reduce, View, walk
from haribote.lazy.primitives.indices import Index, axes, digits, flat


def fuse(*outputs: Array) -> tuple[Array, ...]:
    """The same expressions in fewer steps, one for each; only sums may be rounded in another order."""
    outputs = _rewritten(outputs, lambda found, _: _product(_one_view(found)))
    uses = Counter(id(operand) for found in walk(*outputs) for operand in found.operands)
    shared = {id(output) for output in outputs} | {found for found, count in uses.items() if count > 1}
    return _rewritten(outputs, lambda found, before: _one_map(found, [id(x) in shared for x in before.operands]))


def _rewritten(outputs: Sequence[Array], rule: Callable[[Array, Array], Array]) -> tuple[Array, ...]:
    """The expressions with rule(array with new operands, as it was before) in place of every array, operands first."""
    now: dict[int, Array] = {}
    for found in walk(*outputs):
        operands = tuple(now[id(operand)] for operand in found.operands)
        same = all(a is b for a, b in zip(operands, found.operands, strict=True))
        now[id(found)] = rule(found if same else replace(found, operands=operands), found)
    return tuple(now[id(output)] for output in outputs)


def _one_view(found: Array) -> Array:
    """A view of a view reads what that one reads."""
    if not isinstance(found, View) or not isinstance(found.operands[0], View):
        return found
    inner = found.operands[0]
    return replace(found, operands=inner.operands, index=tuple(part.of(found.index) for part in inner.index))


def _one_map(found: Array, shared: Sequence[bool]) -> Array:
    """A map of maps does at once what they do; one that others read too stays as it is."""
    if not isinstance(found, Map):
        return found
    operands: list[Array] = []

    def argument(x: Array) -> Cell:
        if not any(x is known for known in operands):
            operands.append(x)
        return Cell("argument", x.dtype, (), next(n for n, known in enumerate(operands) if known is x))

    def again(cell: Cell, parts: list[Cell]) -> Cell:
        return replace(cell, operands=tuple(parts))

    cells = [
        x.cell.at([argument(inner) for inner in x.operands], again) if isinstance(x, Map) and not stays else argument(x)
        for x, stays in zip(found.operands, shared, strict=True)
    ]
    cell = found.cell.at(cells, again)
    if cell.op == "number":
        return Constant(found.shape, found.dtype, (), np.full(found.shape, cell.value))
    return Map(found.shape, found.dtype, tuple(operands), cell)


def _product(found: Array) -> Array:
    """A sum of products of two views is a matrix product if each of them has axes that the other has not.

    The axes of the sum are `depth`; those of the result are `rows` where only the first factor reads them, `columns`
    where only the second does, `batch` where both do. Several axes of a kind become one.
    """
    factors = _factors(found)
    if not isinstance(found, Reduce) or not factors:
        return found
    full = found.operands[0].shape
    single = frozenset(axis for axis in found.axes if full[axis] == 1)  # both factors have one element there
    reads = [single.union(*(part.axes for part in index)) for _, index in factors]
    kept = [axis for axis in range(len(full)) if axis not in found.axes]
    batch = [axis for axis in kept if axis in reads[0] & reads[1]]
    rows, columns = ([axis for axis in kept if axis in reads[0] and axis not in reads[1]],
                     [axis for axis in kept if axis in reads[1] and axis not in reads[0]])  # fmt: skip
    if not rows or not columns or {*kept} != {*batch, *rows, *columns} or not {*found.axes} <= reads[0] & reads[1]:
        return found
    groups = {"batch": batch, "rows": rows, "depth": list(found.axes), "columns": columns}
    sizes = {name: [full[axis] for axis in group] for name, group in groups.items()}

    def matrix(factor: tuple[Array, tuple[Index, ...]], *names: str) -> Array:
        places = dict.fromkeys(range(len(full)), Index("number", 0))
        for name, merged in zip(names, axes(3), strict=True):
            places |= dict(zip(groups[name], digits(merged, sizes[name]), strict=True))
        source, index = factor
        shape = tuple(prod(sizes[name]) for name in names)
        return View(shape, FLOAT, (source,), tuple(part.of([*places.values()]) for part in index))

    operands = matrix(factors[0], "batch", "rows", "depth"), matrix(factors[1], "batch", "depth", "columns")
    shape = tuple(prod(sizes[name]) for name in ("batch", "rows", "columns"))
    variable = dict(zip(kept, axes(len(kept)), strict=True))
    back = tuple(flat([variable[axis] for axis in groups[name]], sizes[name]) for name in ("batch", "rows", "columns"))
    return View(found.shape, FLOAT, (Product(shape, FLOAT, operands),), back)


def _factors(found: Array) -> list[tuple[Array, tuple[Index, ...]]]:
    """What a sum of products multiplies: two arrays, and where each is read; nothing for other arrays."""
    if not isinstance(found, Reduce) or found.op != "Add" or found.dtype != FLOAT:
        return []
    terms = found.operands[0]
    if not isinstance(terms, Map) or terms.cell.op != "Mul":
        return []
    if any(cell.op != "argument" for cell in terms.cell.operands):
        return []
    factors = [terms.operands[cell.value] for cell in terms.cell.operands]
    return [(x.operands[0], x.index) if isinstance(x, View) else (x, axes(len(x.shape))) for x in factors]

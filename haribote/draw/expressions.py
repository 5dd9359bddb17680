"""An expression as a picture: a box for every array, with what it does, and wires with the shapes."""

from __future__ import annotations

from haribote.core.cells import Cell
from haribote.draw.picture import Box, Edge, Picture
from haribote.draw.render import render
from haribote.draw.words import short
from haribote.lazy.primitives.arrays import Array, Constant, Input, Map, Product, Reduce, Stack, View, walk
from haribote.lazy.primitives.indices import Index
from simulator import pictures as svg
from simulator.messages import Text, shown, tr

SIGNS = {"Add": "{} + {}", "Sub": "{} − {}", "Mul": "{} × {}", "Div": "{} ÷ {}", "Neg": "−{}", "Less": "{} < {}",
         "Greater": "{} > {}"}  # fmt: skip
ALONG = {"Add": Text("sum along"), "Mul": Text("product along"), "Max": Text("max along"), "Min": Text("min along")}
LETTERS = "ijklmnpqrs"


def draw(*outputs: Array, caption: str = "expression") -> svg.Picture:
    """The expressions as SVG; in a notebook, the last line of a cell shows it."""
    order = list(walk(*outputs))
    number = {id(found): place for place, found in enumerate(order)}
    readers: dict[int, list[int]] = {}
    for found in order:
        for operand in dict.fromkeys(found.operands):
            readers.setdefault(number[id(operand)], []).append(number[id(found)])
    boxes = [_box(found) for found in order]
    for place, output in enumerate(outputs):
        readers.setdefault(number[id(output)], []).append(len(boxes))
        boxes.append(
            Box(
                "output",
                f"output{place}",
                (tr("result") if len(outputs) == 1 else tr("result {value}", place + 1)),
            )
        )
    values = [
        Edge(str(place), place, tuple(readers[place]), "×".join(map(str, found.shape)) or tr("scalar"))
        for place, found in enumerate(order)
    ]
    return render(Picture(f"{shown(caption)} · {tr('{order} arrays', len(order))}", boxes, values))


def _box(found: Array) -> Box:
    if isinstance(found, Input):
        return Box("input", found.name, found.name, (), "", str(found))
    kind = type(found).__name__
    paint = {Map: "elementwise", Reduce: "reduction", Product: "matrix"}.get(type(found), "shape")
    does = text(found)
    return Box("node", kind, kind, (short(does),), paint, f"{kind} {found}: {does}")


def text(found: Array) -> str:
    """What an array does, in the language of the moment: `a × b`, `sum along 1`, `at j, i`."""
    if isinstance(found, Map):
        return str(found.cell.at([chr(ord("a") + place) for place in range(len(found.operands))], _written))
    if isinstance(found, Reduce):
        return f"{shown(ALONG[found.op])} {', '.join(map(str, found.axes))}"
    if isinstance(found, View):
        return f"{tr('at')} {', '.join(_where(part, 0) for part in found.index) or tr('one place')}"
    if isinstance(found, Stack):
        return tr("new axis {axis}", found.axis)
    return shown(
        tr("matrix product") if isinstance(found, Product) else tr("known") if isinstance(found, Constant) else ""
    )


def _written(cell: Cell, parts: list[str]) -> str:
    if cell.op == "number":
        return f"{cell.value:g}" if cell.dtype.kind == "f" else str(cell.value)
    inside = [cell.op in SIGNS and operand.op in SIGNS for operand in cell.operands]
    inner = [f"({part})" if wrapped else part for part, wrapped in zip(parts, inside, strict=True)]
    return SIGNS[cell.op].format(*inner) if cell.op in SIGNS else f"{cell.op.lower()}({', '.join(inner)})"


def _where(index: Index, inside: int) -> str:
    if index.left is None or index.right is None:
        return LETTERS[index.value % len(LETTERS)] if index.op == "axis" else str(index.value)
    rank = 1 if index.op == "+" else 2
    written = f"{_where(index.left, rank)} {index.op} {_where(index.right, rank)}"
    return f"({written})" if rank < inside or (rank == inside == 2) else written

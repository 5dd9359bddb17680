"""A layout for each operator of a chain, so that work and moves together cost the least; and what such chains cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise

import numpy as np
import onnx
from onnx import helper

from haribote.answers.ownership import exercise
from haribote.stack import moves
from haribote.stack.code import Code
from haribote.stack.collection import collection
from haribote.stack.maps import COPY, PART, BitMap, address
from haribote.stack.paths import paths
from haribote.stack.places import Place
from haribote.stack.planner.families import reduced
from haribote.stack.vectors.emit import emit
from simulator import assemble
from simulator.assembly.checks import fix_nops
from simulator.isa.cost import Cost, cost_of

LAYOUTS = ("A", "P", "B", "near", "mab", "rows")
"""Layouts of a 256x16 tensor, see `haribote.stack.collection`."""
OPERATORS = ("relu", "exp", "rows", "columns")
"""Of a chain: the first two element by element, the others take the sum of its row, or column, off every element."""


@exercise("7.7")
def cheapest_layouts(
    work: Sequence[Mapping[str, float]], move: Mapping[tuple[str, str], float], start: str, end: str
) -> list[str]:
    """The layout of each operator of a chain in the cheapest plan. work: cycles of each operator in each layout. move:
    from a layout to another, 0 to the same. start, end: of the first operand, and in which the last result is wanted.
    """
    raise NotImplementedError


def cost_of_plan(
    plan: Sequence[str],
    work: Sequence[Mapping[str, float]],
    move: Mapping[tuple[str, str], float],
    start: str,
    end: str,
) -> float:
    """Cycles of a plan, moves included."""
    places = [start, *plan, end]
    moved = sum(move[a, b] for a, b in pairwise(places))
    return moved + sum(prices[layout] for prices, layout in zip(work, plan, strict=True))


# --- prices ----------------------------------------------------------------------------------------------------------


@cache
def map_of(layout: str) -> BitMap:
    """A layout of a 256x16 tensor by its name."""
    return collection()[f"256x16.{layout}"]


def sinkhorn(rounds: int) -> tuple[str, ...]:
    """Two layers, then rows and columns normalised in turn, then another layer. A `product` works in layout A alone."""
    return ("product", "relu", "product", "exp", *("rows", "columns") * rounds, "product")


@cache
def work_of(operator: str) -> Mapping[str, float]:
    """The cycles of an operator in each layout, by a program that the compiler writes for it; of a product none, for
    it costs the same in every plan."""
    if operator == "product":
        return {"A": 0.0}
    return {layout: _cost(_work(operator, map_of(layout))).cycles for layout in LAYOUTS}


@cache
def moves_between() -> Mapping[tuple[str, str], float]:
    """The cycles of every move between two layouts, by the cheapest way that is found."""
    return {(a, b): 0.0 if a == b else move_between(a, b).cost.cycles for a in LAYOUTS for b in LAYOUTS}


@cache
def move_between(before: str, after: str) -> moves.Move:
    """The cheapest move of a 256x16 tensor from LM1 to LM0 that is found."""
    return moves.alone(Place("LM1", 0, map_of(before)), Place("LM0", 0, map_of(after)))


def ways_between(before: str, after: str) -> list[str]:
    """The names of the instructions of that move, in their order."""
    return [hop.way.name for hop in next(paths(map_of(before), map_of(after)))]


def fused(*op_types: str, layout: str = "A", together: bool = True) -> Cost:
    """The cost of a chain of element-wise ONNX operators on a 256x16 tensor: as one loop, or one after another."""
    names = [f"v{number}" for number in range(len(op_types) + 1)]
    nodes = [helper.make_node(op, [a], [b], name=b) for op, (a, b) in zip(op_types, pairwise(names), strict=True)]
    chains = [nodes] if together else [[node] for node in nodes]
    lines = [line for number, chain in enumerate(chains) for line in _element_wise(chain, map_of(layout), number % 2)]
    return _cost(lines)


def _work(operator: str, found: BitMap) -> list[str]:
    if operator in ("relu", "exp"):
        return _element_wise([helper.make_node(operator.capitalize(), ["x"], ["y"], name="y")], found)
    axis, code = {"rows": 1, "columns": 0}[operator], Code()
    source, sums = Place("LM0", 0, found), without_copies(reduced(found, (axis,), COPY))
    total = Place("LM1", 0, sums)
    moves.emit(code, Place("LM0", 0, reduced(found, (axis,), PART)), total, "fadd")
    node = helper.make_node("Sub", ["x", "s"], ["y"], name="y")
    target = Place("LM1", -(-total.words // 8) * 8, found)
    emit(code, [node], {"x": (source,), "s": (total,)}, {"y": (target,)}, _single("x", "s"), {})
    return code.lines


def _element_wise(nodes: Sequence[onnx.NodeProto], found: BitMap, number: int = 0) -> list[str]:
    code, first, last = Code(), nodes[0].input[0], nodes[-1].output[0]
    places = Place("LM0", 0, found), Place("LM1", 0, found)
    source, target = places[:: -1 if number else 1]
    emit(code, nodes, {first: (source,)}, {last: (target,)}, _single(first), {})
    return code.lines


def _single(*names: str) -> dict[str, np.dtype[np.float32]]:
    return dict.fromkeys(names, np.dtype(np.float32))


def without_copies(found: BitMap) -> BitMap:
    """Without copies at different addresses of a PE."""
    table = {bit: carry for bit, carry in found.carries if bit.level != "address"}
    kept = [carry for bit, carry in found.carries if bit.level == "address" and carry != COPY]
    return BitMap.of(found.memory, found.shape, table | {address(n): carry for n, carry in enumerate(kept)})


def _cost(lines: Sequence[str]) -> Cost:
    return cost_of(assemble(fix_nops(assemble("\n".join(lines) + "\n"))))

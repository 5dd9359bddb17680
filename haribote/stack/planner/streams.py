"""Products by the streaming template: where both operands come from DRAM, and the result may stay there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import onnx

from haribote.graph import Index
from haribote.stack.plan import Stream, Version
from haribote.stack.planner.facts import Facts
from haribote.stack.planner.states import State
from haribote.stack.products.stream import Panels
from haribote.stack.tilings import Tiling, tilings

Letters = tuple[str, str, str]
TRIED = 2
"""Tilings of a product, the cheapest ones."""


def streamed(state: State, node: onnx.NodeProto, letters: Letters) -> Iterator[State]:
    """The states after a product that goes by the streaming template (`streams`)."""
    shape = state.facts.index.shape
    (common,) = set(letters[0]) & set(letters[1])
    length = dict(zip(letters[0] + letters[1], (*shape[node.input[0]], *shape[node.input[1]]), strict=True))
    m, n = (length[side.replace(common, "")] for side in letters[:2])
    for tiling in islice(tilings(m, length[common], n), TRIED):
        action = _action(node, letters, tiling)
        after, matrix = state.get(action.matrix)
        after, vectors = after.get(action.vectors)
        done = Stream(matrix, vectors, action.target, tiling)
        yield after.did(done, tiling.serial, action.target)


def streams(facts: Facts, node: onnx.NodeProto, letters: Letters) -> bool:
    """Whether a product goes by the streaming template."""
    moving = is_plain(letters) and facts.parameters.isdisjoint(node.input)
    return moving and between_host(facts.index, node) and "float" in facts.ways(node)


def between_host(index: Index, node: onnx.NodeProto) -> bool:
    """Whether the host gives both operands of a product, and only the host reads the result."""
    given = all(name in index.inputs for name in node.input)
    return given and node.output[0] in index.outputs and not index.consumers[node.output[0]]


def is_plain(letters: Letters) -> bool:
    """Whether a product sums over one axis of two matrices."""
    a, b, result = letters
    return len(a) == len(b) == len(result) == 2 and len(set(a) & set(b)) == 1 and set(result) == set(a) ^ set(b)


def _action(node: onnx.NodeProto, letters: Letters, tiling: Tiling) -> Stream:
    """The product with a tiling: which operand is the matrix, and where all three are in DRAM."""
    sides: Sequence[int] = (1, 0) if tiling.turned else (0, 1)
    (common,) = set(letters[0]) & set(letters[1])
    first = letters[sides[0]][0] == common, letters[sides[1]][0] == common
    panels = Panels(tiling, first, letters[2][0] in letters[sides[1]])
    names = node.input[sides[0]], node.input[sides[1]], node.output[0]
    matrix, vectors, result = (
        Version(name, panel.map, tuple((size,) for size in panel.map.shape), fill)
        for name, panel, fill in zip(
            names, (panels.matrix, panels.vectors, panels.result), (0.0, 0.0, None), strict=True
        )
    )
    return Stream(matrix, vectors, result, tiling)

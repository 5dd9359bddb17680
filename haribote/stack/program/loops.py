"""Element-wise loops in parts: what mends padding is computed only where there is any, and words that are padding in
every PE are not computed at all, but filled where something is wanted of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.stack.code import Code
from haribote.stack.maps import BitMap
from haribote.stack.places import Place
from haribote.stack.plan import Compute, Version
from haribote.stack.vectors.emit import emit
from haribote.stack.vectors.presence import presence

Constants = Mapping[str, NDArray[Any]]
Places = Sequence[Place]


@dataclass(frozen=True)
class PartedLoop:
    """nodes: each with names of its own for what it makes. reads: the homes of its inputs; writes: of its outputs, with
    the versions that they are. masks: as `masks_of` gives them. scalars: constants of one element.
    """

    nodes: Sequence[onnx.NodeProto]
    reads: Mapping[str, Places]
    writes: Mapping[str, tuple[Version, Places]]
    masks: Constants
    scalars: Constants
    dtypes: Mapping[str, np.dtype[Any]]
    shapes: Mapping[str, tuple[int, ...]]

    def emit(self, code: Code) -> None:
        """Add the lines. Raises as `vectors.emit.emit` does."""
        for part, chosen in self._parts():
            homes = {name: places for name, (_, places) in part.writes.items()}
            emit(code, part.nodes, part.reads, homes, part.dtypes, part.scalars, chosen)

    def _parts(self) -> Iterator[tuple[PartedLoop, Sequence[int]]]:
        """With the groups of words for which each is."""
        (found, *others) = dict.fromkeys(version.map for version, _ in self.writes.values())
        parts: list[tuple[PartedLoop, list[int]]] = []
        for kind, some in presence(found).items():
            part = self if others else self._fills() if kind is None else self._mending(found, kind)
            for known, chosen in parts:
                if known.nodes == part.nodes:
                    chosen += some
                    break
            else:
                parts.append((part, list(some)))
        yield from ((part, sorted(chosen)) for part, chosen in parts if part.writes)

    def _mending(self, found: BitMap, axes: Set[int]) -> PartedLoop:
        """For words that are padding along these axes only: without what mends others, which leaves elements as they
        are."""
        if any(prod(prod(parts) for parts in v.split) != prod(self.shapes[v.value]) for v, _ in self.writes.values()):
            return self  # places that the map takes for elements are padding
        idle = {name: mask for name, mask in self.masks.items() if axes.isdisjoint(self._along(name, found))}
        nodes = [_unmended(node, idle) for node in self.nodes]
        same: dict[str, str] = {}
        for node in nodes:
            if node.op_type == "Identity":
                same[node.output[0]] = same.get(node.input[0], node.input[0])
        used = {name for node in nodes for name in node.input}
        reads = {name: homes for name, homes in self.reads.items() if name in used}
        writes = {n: found for n, found in self.writes.items() if found[1] != self.reads.get(same.get(n, ""))}
        return replace(self, nodes=nodes, reads=reads, writes=writes)

    def _along(self, name: str, found: BitMap) -> set[int]:
        """The axes of a map along which an input has different elements."""
        shape = self.reads[name][0].map.shape
        return {len(found.shape) - len(shape) + axis for axis, size in enumerate(shape) if size > 1}

    def _fills(self) -> PartedLoop:
        """For words that are padding in all PEs."""
        nodes: list[onnx.NodeProto] = []
        fills: dict[str, NDArray[Any]] = {}
        for name, (version, _) in self.writes.items():
            if version.fill is not None:
                fills[f"{name}.fill"] = np.array(version.fill).astype(self.dtypes[version.value])
                nodes.append(onnx.helper.make_node("Identity", [f"{name}.fill"], [name], name=name))
        writes = {name: found for name, found in self.writes.items() if found[0].fill is not None}
        return replace(self, nodes=nodes, reads={}, writes=writes, scalars=fills)


def masks_of(reads: Iterable[Version], constants: Constants) -> Constants:
    """The constants among what a loop reads that hold something else in their padding than in any element: those by
    which padding is mended. Whatever else a graph adds or multiplies by stays: -0 + 0 is 0."""
    known = {version.value: version.fill for version in reads if version.value in constants}
    return {n: constants[n] for n, fill in known.items() if fill is not None and (constants[n] != fill).all()}


def mended(action: Compute, constants: Constants) -> Version | None:
    """The version of which a loop makes one with other padding in the same layout, and nothing else; None where it does
    more. constants: of the graph."""
    masks = masks_of(action.reads, constants)
    sources = [version for version in action.reads if version.value not in masks]
    if [version.map for version in action.writes] != [version.map for version in sources]:
        return None
    mends = len(sources) == 1 and all(_unmended(node, masks) is not node for node in action.nodes)
    return sources[0] if mends else None


_MENDS: Mapping[str, Callable[[Sequence[str], Constants], str | None]] = {
    "Mul": lambda names, masks: _other(names, masks, 1),
    "Add": lambda names, masks: _other(names, masks, 0),
    "Where": lambda names, masks: names[1] if names[0] in masks and masks[names[0]].all() else None,
}
"""Of operators that mend padding (`planner.padding`) the operand that they leave as it is where there are elements, or
None."""


def _other(names: Sequence[str], masks: Constants, value: int) -> str | None:
    """The operand beside a constant that has only this value."""
    first, second = names
    for mask, other in ((second, first), (first, second)):
        if mask in masks and (masks[mask] == value).all():
            return other
    return None


def _unmended(node: onnx.NodeProto, masks: Constants) -> onnx.NodeProto:
    """A node for elements only: the identity, where that is what it is to them."""
    kept = _MENDS[node.op_type](node.input, masks) if node.op_type in _MENDS else None
    return node if kept is None else onnx.helper.make_node("Identity", [kept], node.output, name=node.name)

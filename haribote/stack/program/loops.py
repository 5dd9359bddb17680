"""Element-wise loops in parts: what mends padding is computed only where there is any, and words that are padding in
every PE are not computed at all, but filled where something is wanted of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.stack.code import Code
from haribote.stack.maps import BitMap
from haribote.stack.places import Place
from haribote.stack.plan import Compute, Version
from haribote.stack.planner.padding import Constants, masks_of, unmended
from haribote.stack.vectors.emit import emit
from haribote.stack.vectors.presence import presence

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

    def _parts(self) -> Iterator[tuple[PartedLoop, Sequence[int] | None]]:
        """With the groups of words for which each is; None: all."""
        (found, *others) = dict.fromkeys(version.map for version, _ in self.writes.values())
        if others:
            yield self, None
            return
        mends, kinds = self._mends(found), dict[frozenset[str] | None, list[int]]()
        for axes, some in presence(found).items():
            idle = None if axes is None else frozenset(name for name, along in mends.items() if along.isdisjoint(axes))
            kinds.setdefault(idle, []).extend(some)
        for idle, chosen in kinds.items():
            part = self._fills() if idle is None else self._without(idle)
            if part.writes:
                yield part, sorted(chosen)

    def _mends(self, found: BitMap) -> dict[str, set[int]]:
        """The results of nodes that mend padding, and along which axes of a map. None where the map takes places for
        elements that are padding."""
        if any(version.exceeds(self.shapes[version.value]) for version, _ in self.writes.values()):
            return {}
        known = {node.output[0]: unmended(node, self.masks) for node in self.nodes}
        return {name: self._along(mend[1], found) for name, mend in known.items() if mend is not None}

    def _along(self, name: str, found: BitMap) -> set[int]:
        """The axes of a map along which an input has different elements."""
        shape = self.reads[name][0].map.shape
        return {len(found.shape) - len(shape) + axis for axis, size in enumerate(shape) if size > 1}

    def _without(self, idle: Set[str]) -> PartedLoop:
        """For words in which the nodes with these results mend nothing: there each is the identity. A result that is
        already where it is to be is not written."""
        nodes: list[onnx.NodeProto] = []
        same: dict[str, str] = {}
        for node in self.nodes:
            mend = unmended(node, self.masks) if node.output[0] in idle else None
            if mend is not None:
                node = onnx.helper.make_node("Identity", [mend[0]], node.output, name=node.name)
            if node.op_type == "Identity":
                same[node.output[0]] = same.get(node.input[0], node.input[0])
            nodes.append(node)
        used = {name for node in nodes for name in node.input}
        reads = {name: homes for name, homes in self.reads.items() if name in used}
        writes = {n: found for n, found in self.writes.items() if found[1] != self.reads.get(same.get(n, ""))}
        return replace(self, nodes=nodes, reads=reads, writes=writes)

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


def mended(action: Compute, constants: Constants) -> Version | None:
    """The version of which a loop makes one with other padding in the same layout, and nothing else; None where it does
    more. constants: of the graph."""
    masks = masks_of(action.reads, constants)
    sources = [version for version in action.reads if version.value not in masks]
    if [version.map for version in action.writes] != [version.map for version in sources]:
        return None
    mends = len(sources) == 1 and all(unmended(node, masks) is not None for node in action.nodes)
    return sources[0] if mends else None

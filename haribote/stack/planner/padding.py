"""What makes the padding of a version hold what is wanted there, and how to tell it from what computes elements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.stack.plan import Version, view_shape
from haribote.stack.planner.facts import Facts, operand_split
from haribote.stack.planner.families import projected

MASK_LONGS = 16
"""Long words that a constant for all padded axes may take; above, every axis has its own."""


def mended(facts: Facts, found: Version, fill: float) -> tuple[list[onnx.NodeProto], list[Version]]:
    """The nodes that make padding hold `fill`, and the constants that they read: x * 1, with zeros in the padding (0
    times anything is 0 on this machine), x + 0, with the fill in the padding where x has 0, else Where.
    """
    padded, floating = facts.padded_axes(found), facts.kind(found.value) == "float"
    op_type = "Where" if not floating else "Mul" if fill == 0.0 else "Add" if found.fill == 0.0 else "Where"
    together = op_type == "Add" or _mask(facts, found, padded, "", 0.0).map.longs <= MASK_LONGS
    nodes: list[onnx.NodeProto] = []
    masks: list[Version] = []
    for axes in [padded] if together else [(axis,) for axis in padded]:
        last = axes[-1] == padded[-1]
        name = nodes[-1].output[0] if nodes else found.value
        result = facts.same(found.value, f"{found.value}.filled.{fill:g}{'' if last else f'.{axes[-1]}'}")
        mask = _mask(facts, found, axes, *{"Mul": ("ones", 0.0), "Add": ("zeros", fill)}.get(op_type, ("there", 0.0)))
        inputs = [name, mask.value]
        if op_type == "Where":
            dtype = facts.index.dtype[found.value]
            inputs = [mask.value, name, facts.constant(f"fill.{fill:g}.{dtype}", np.array(fill, dtype))]
        nodes.append(onnx.helper.make_node(op_type, inputs, [result], name=result))
        masks.append(mask)
    return nodes, masks


Constants = Mapping[str, NDArray[Any]]
OF_ELEMENTS = {"Mul": 1.0, "Add": 0.0, "Where": True}
"""What the masks of these nodes are for elements, which then stay as they are."""


def masks_of(reads: Iterable[Version], constants: Constants) -> Constants:
    """The constants among what a loop reads that hold something else in their padding than in any element: those by
    which padding is mended. Whatever else a graph adds or multiplies by stays: -0 + 0 is 0."""
    known = {version.value: version.fill for version in reads if version.value in constants}
    return {n: constants[n] for n, fill in known.items() if fill is not None and (constants[n] != fill).all()}


def unmended(node: onnx.NodeProto, masks: Constants) -> tuple[str, str] | None:
    """The operand that a node of `mended` leaves as it is where there are elements, and its mask; None for a node that
    changes elements. masks: as `masks_of` gives them."""
    if node.op_type not in OF_ELEMENTS:
        return None
    mask, operand, *_ = node.input if node.op_type == "Where" else reversed(node.input)
    leaves = mask in masks and (masks[mask] == OF_ELEMENTS[node.op_type]).all()
    return (operand, mask) if leaves else None


def _mask(facts: Facts, found: Version, axes: tuple[int, ...], kind: str, beside: float) -> Version:
    """A constant that is broadcast along all but some axes: `ones`, `zeros`, or `there`, truth values; beside: what its
    padding holds. Without a kind only where it would be.
    """
    shape = facts.index.shape[found.value]
    sizes = tuple(size if axis in axes else 1 for axis, size in enumerate(shape))
    dtype = np.dtype(np.bool_) if kind == "there" else facts.index.dtype[found.value]
    name = f"{kind}.{'x'.join(map(str, sizes))}"
    if kind:
        facts.constant(name, np.zeros(sizes, dtype) if kind == "zeros" else np.ones(sizes, dtype))
    split = operand_split(found.split, sizes)
    return Version(name, projected(found.map, view_shape(split)), split, beside)

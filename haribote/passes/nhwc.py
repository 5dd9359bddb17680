"""NCHW to NHWC: images lie in memory with their channels side by side, as vector units like to read them.

    Conv(x, w)            ->  Transpose, ConvNHWC(x', w'), Transpose
    Relu(Transpose(x'))   ->  Transpose(Relu(x'))
    Transpose(Transpose)  ->  one Transpose, or none

A Transpose is not written where it arises; it waits (`Images.waiting`) until an operator needs the value in its first
order. On the way most of them meet their opposite and are never written. `convert` says this in ten lines; `Images`
keeps the books.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper

from haribote.answers.ownership import exercise
from haribote.graph import Builder, Index, attributes, turned
from haribote.passes.dead_code import remove_dead_code

Perm = tuple[int, ...]

NHWC: Perm = (0, 2, 3, 1)
"""The axes of an NCHW tensor in the order in which NHWC has them."""
NCHW: Perm = (0, 3, 1, 2)

OPERATORS = {"Conv": 2, "ConvTranspose": 2, "MaxPool": 1, "MaxPoolGrad": 2}
"""Operators of images to the number of their image inputs; kernels are images too. `<name>NHWC` does the same."""

_DEFAULTS: dict[str, Any] = {"strides": [1, 1], "pads": [0, 0, 0, 0], "dilations": [1, 1], "output_padding": [0, 0]}


def run(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same graph with images in NHWC inside. Inputs and outputs of the graph stay as they are."""
    images = Images(model)
    for node in model.graph.node:
        images.visit(node)
    for name in images.index.outputs:
        images.finish_output(name)
    remove_dead_code(images.builder.model)
    return images.builder.finish()


@exercise("3.4")
def convert(g: Images, node: onnx.NodeProto) -> None:
    """Write the node on images in NHWC if that is possible, and let the Transpose behind it wait."""
    raise NotImplementedError


class Images:
    """The graph so far.

    Attributes:
        waiting: value to (source, perm): it is Transpose(source, perm), where source is in the graph already.
        written: (source, perm) to the Transpose that is in the graph.
    """

    def __init__(self, model: onnx.ModelProto) -> None:
        self.index = Index(model)
        self.builder = Builder.like(model)
        self.waiting: dict[str, tuple[str, Perm]] = {}
        self.written: dict[tuple[str, Perm], str] = {}

    def visit(self, node: onnx.NodeProto) -> None:
        """Let a Transpose wait, take a sum on what waits, and leave the rest to `convert`."""
        if node.op_type == "Transpose":
            rank = len(self.index.shape[node.input[0]])
            perm = turned(node, rank)
            self.waiting[node.output[0]] = self.composed(node.input[0], perm)
        elif node.op_type == "ReduceSum" and node.input[0] in self.waiting and self.kept_axes_stay_in_order(node):
            self.reduce_sum(node)
        else:
            convert(self, node)

    def turned(self, name: str, perm: Sequence[int]) -> str:
        """The name of Transpose(value, perm), in the graph once; where two turns cancel, no Transpose is added."""
        return self.write(*self.composed(name, perm), f"{name}.nhwc")

    def postpone(self, name: str, source: str, perm: Perm) -> None:
        """Note that the value is Transpose(source, perm); it is written only if somebody needs it in that order."""
        self.waiting[name] = source, perm

    def composed(self, name: str, perm: Sequence[int]) -> tuple[str, Perm]:
        """Transpose(value, perm) as a source in the graph and one perm."""
        source, first = self.waiting.get(name, (name, tuple(range(len(perm)))))
        return source, tuple(first[axis] for axis in perm)

    def write(self, source: str, perm: Perm, name: str) -> str:
        """The value Transpose(source, perm), in the graph once; the source itself where nothing turns."""
        if _stays(perm):
            return source
        if (source, perm) not in self.written:
            self.written[source, perm] = self.builder.op("Transpose", source, name=name, perm=perm)
        return self.written[source, perm]

    def plain(self, name: str) -> str:
        """A value in its first order, in the graph."""
        return self.write(*self.waiting[name], f"{name}.nchw") if name in self.waiting else name

    def keep(self, node: onnx.NodeProto) -> None:
        """The node as it was."""
        self.builder.keep(node, [self.plain(name) for name in node.input])

    def finish_output(self, name: str) -> None:
        """Write an output of the graph that still waits."""
        if name in self.waiting:
            source, perm = self.waiting[name]
            attrs: dict[str, Any] = {} if _stays(perm) else {"perm": perm}
            self.builder.op("Identity" if _stays(perm) else "Transpose", source, name=name, reserved=True, **attrs)

    def has_nhwc_form(self, node: onnx.NodeProto) -> bool:
        """Whether there is an NHWC form of the node."""
        attrs = attributes(node)
        common = attrs.get("group", 1) == 1 and attrs.get("auto_pad", b"NOTSET") == b"NOTSET"
        pool = attrs.get("ceil_mode", 0) == 0 and set(attrs.get("dilations", [1])) == {1} and len(node.output) == 1
        return (
            node.op_type in OPERATORS
            and len(self.index.shape[node.input[0]]) == 4
            and common
            and (not node.op_type.startswith("MaxPool") or pool)
        )

    def nhwc(self, node: onnx.NodeProto, images: Sequence[str]) -> str:
        """Add the operator's NHWC form on these images in NHWC, and its bias along the last axis; the result's name."""
        names = ["kernel_shape", "strides", "pads"]
        given = _DEFAULTS | attributes(node)
        if node.op_type.startswith("Conv"):
            names.append("dilations")
            given["kernel_shape"] = self.index.shape[node.input[1]][2:]
        if node.op_type == "ConvTranspose":
            names.append("output_padding")
        result = f"{node.output[0]}.nhwc"
        bias = node.input[OPERATORS[node.op_type] :][:1]
        attrs: dict[str, Any] = {name: list(given[name]) for name in names}
        value = self.builder.op(f"{node.op_type}NHWC", *images, name=f"{result}.product" if bias else result, **attrs)
        return self.builder.op("Add", value, self.plain(bias[0]), name=result) if bias else value

    def common_perm(self, node: onnx.NodeProto) -> Perm | None:
        """The perm of all inputs of the output's shape, if they wait with the same one and the others are smaller."""
        shape = self.index.shape[node.output[0]]
        perms = {
            self.waiting[name][1] if name in self.waiting else None
            for name in node.input
            if self.index.shape[name] == shape
        }
        repeated = (name for name in node.input if self.index.shape[name] != shape)
        if len(perms) != 1 or any(name in self.waiting for name in repeated):
            return None
        perm = perms.pop()
        return None if perm is None or _stays(perm) else perm

    def same_operator(self, node: onnx.NodeProto, inputs: Sequence[str]) -> str:
        """Add the node's operator on other inputs; the result's name."""
        return self.builder.op(node.op_type, *inputs, name=f"{node.output[0]}.nhwc", **attributes(node))

    def source(self, name: str, perm: Perm) -> str:
        """What a value is the Transpose by `perm` of; of a smaller value, one that is repeated as its source is."""
        return self.waiting[name][0] if name in self.waiting else self.small(name, perm)

    def small(self, name: str, perm: Perm) -> str:
        """A value that is repeated to a turned shape."""
        shape = self.index.shape[name]
        if int(np.prod(shape)) == 1 or not shape:
            return name
        full = [1] * (len(perm) - len(shape)) + list(shape)
        target = self.builder.constant(np.array(full, np.int64), f"shape_{'x'.join(map(str, full))}")
        value = name if len(shape) == len(perm) else self.builder.op("Reshape", name, target, name=f"{name}.full")
        return self.write(value, tuple(int(axis) for axis in np.argsort(perm)), f"{name}.nhwc")

    def kept_axes_stay_in_order(self, node: onnx.NodeProto) -> bool:
        """Whether a sum of the source has its axes in the order that the sum of the turned value has."""
        axes = self.index.constants.get(node.input[1]) if len(node.input) > 1 else None
        if axes is None or attributes(node).get("keepdims", 1):
            return False
        perm = self.waiting[node.input[0]][1]
        kept = [axis for number, axis in enumerate(perm) if number not in axes % len(perm)]
        return kept == sorted(kept)

    def reduce_sum(self, node: onnx.NodeProto) -> None:
        """The sum over the same axes of the source."""
        source, perm = self.waiting[node.input[0]]
        axes = sorted(perm[axis] for axis in self.index.constants[node.input[1]] % len(perm))
        name = self.builder.constant(np.array(axes, np.int64), f"axes_{'x'.join(map(str, axes))}")
        self.builder.keep(
            helper.make_node("ReduceSum", [source, name], node.output, name=node.name, **attributes(node))
        )


def _stays(perm: Perm) -> bool:
    """Whether the axes stay where they are."""
    return perm == tuple(range(len(perm)))

"""A product in the manner of einsum: the axes of its operands and of its result."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from math import prod

import onnx

from haribote.errors import HariboteError
from haribote.graph import Index, attributes
from haribote.stack.planner.errors import NotPlanned
from simulator.messages import tr

PRODUCTS = ("Einsum", "Gemm", "MatMul")


def letters_of(index: Index, node: onnx.NodeProto) -> tuple[str, str, str]:
    """A product in the manner of einsum: the axes of both operands and the result. Raises NotPlanned."""
    given = attributes(node)
    if node.op_type == "Einsum":
        sides, result = given["equation"].decode().replace(" ", "").split("->")
        a, b = sides.split(",")
        return a, b, result
    if node.op_type == "Gemm":
        if given.get("alpha", 1.0) != 1.0 or len(node.input) > 2:
            raise NotPlanned(
                tr("node {name}: a Gemm with alpha or C", node.name), tr("the pass `elementary` before the planner")
            )
        return ("kn" if given.get("transA") else "nk", "mk" if given.get("transB") else "km", "nm")
    a, b = (index.shape[name] for name in node.input)
    if len(a) < 2 or len(b) < 2 or (len(b) > 2 and a[:-2] != b[:-2]):
        raise NotPlanned(
            tr("node {name}: a MatMul of {a} and {b}", node.name, a, b),
            tr("the same batch in both, or none in the second"),
        )
    batch = "abcdefgh"[: len(a) - 2]
    return f"{batch}nk", f"{batch if len(b) > 2 else ''}km", f"{batch}nm"


def most_work(index: Index, nodes: Iterable[onnx.NodeProto]) -> int:
    """Multiply-adds of the largest product."""
    most = 0
    for node in nodes:
        if node.op_type in PRODUCTS:
            with suppress(HariboteError):
                sides = zip(letters_of(index, node), node.input, strict=False)
                sizes = {
                    letter: size for side, name in sides for letter, size in zip(side, index.shape[name], strict=True)
                }
                most = max(most, prod(sizes.values()))
    return most

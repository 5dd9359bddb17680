"""What products cost at least, by the machine's rates (isa.md, sections 9 and 13), whatever writes them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from typing import NamedTuple

import onnx

from haribote.graph import Index, updates
from simulator import isa

PER_STEP = 256 / 3
"""Multiply-adds of singles of a MAB and step: three products of pseudo-singles, hi*hi + hi*lo + lo*hi."""
DRAM_RATE = 16 * isa.GROUPS
"""Long words per cycle between the DRAM of all groups and all L2BMs."""


class Bound(NamedTuple):
    """Cycles that are needed at least: of the matrix units, and of what crosses to or from DRAM. Neither is avoidable,
    and both may run at once."""

    mac: float
    dram: float

    @property
    def cycles(self) -> float:
        """Of what binds."""
        return max(self.mac, self.dram)


def bound(multiply_adds: float, singles: float) -> Bound:
    """Of so many multiply-adds of singles, with so many singles from or to DRAM."""
    mabs = isa.ALL_PES // 4
    return Bound(isa.STEP_CYCLES * multiply_adds / mabs / PER_STEP, singles / 2 / DRAM_RATE)


def gemm_bound(m: int, k: int, n: int) -> Bound:
    """Of A [m, k] times B [k, n]: both operands from DRAM, the result back, each once and without padding."""
    return bound(m * k * n, m * k + k * n + m * n)


def mlp_bound(widths: Sequence[int], batch: int) -> Bound:
    """Of a train step with resident weights: forward, gradients of the weights, and of all inputs but the first."""
    layers = list(pairwise(widths))
    multiply_adds = sum(batch * a * b * (2 if number == 0 else 3) for number, (a, b) in enumerate(layers))
    return bound(multiply_adds, batch * (widths[0] + 1))


def model_bound(model: onnx.ModelProto) -> Bound:
    """Of a graph with its shapes inferred: its products and convolutions, its inputs and outputs that do not stay on
    the chip from step to step."""
    index, kept = Index(model), updates(model)
    crossing = [name for name in index.inputs if name not in kept]
    crossing += [name for name in index.outputs if name not in kept.values()]
    return bound(
        sum(_multiply_adds(index, node) for node in model.graph.node), sum(prod(index.shape[n]) for n in crossing)
    )


def _multiply_adds(index: Index, node: onnx.NodeProto) -> int:
    """0 for a node that is no product."""
    if node.op_type not in ("MatMul", "Gemm", "Conv", "ConvTranspose") or node.output[0] not in index.shape:
        return 0
    first, second = (index.shape[name] for name in node.input[:2])
    if node.op_type == "Conv":
        return prod(index.shape[node.output[0]]) * prod(second[1:])
    if node.op_type == "ConvTranspose":
        return prod(first) * prod(second[1:])
    turned = any(attribute.name == "transA" and attribute.i for attribute in node.attribute)
    return prod(index.shape[node.output[0]]) * first[0 if turned else -1]

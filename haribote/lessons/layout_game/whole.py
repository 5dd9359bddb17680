"""Softmax that never leaves layout A, as a whole program: planned by hand, written by the stack's generators."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import onnx

from haribote.chip.codegen import ChipPiece
from haribote.compiler import compile_for_sim
from haribote.graph import Builder, Index
from haribote.lessons.layout_game.prices import COLUMNS, JOIN, OPERATORS, READS, map_of
from haribote.stack.plan import Action, Compute, Load, Plan, Shift, Store, Version
from haribote.stack.program.builder import Built
from haribote.stack.program.shortest import build
from simulator import assemble
from simulator.isa.cost import Cost, cost_of, sum_costs

SHAPE = (256, 16)


def softmax_graph() -> onnx.ModelProto:
    """The five operators, from `logits` to `softmax`."""
    builder = Builder("softmax")
    builder.input("logits", SHAPE, np.float32)
    axes = builder.constant(np.array([1], np.int64), "axes")
    for value, operator in OPERATORS.items():
        if value in COLUMNS:
            builder.op(operator, *READS[value], axes, name=value, keepdims=1)
        else:
            builder.op(operator, *READS[value], name=value)
    builder.output("softmax")
    return builder.finish()


def softmax_in_a() -> Built:
    """The program that loads the logits, computes softmax in layout A, and stores it."""
    graph = softmax_graph()
    return build(Plan(graph, tuple(_actions(graph))))


def _actions(graph: onnx.ModelProto) -> Iterator[Action]:
    yield Load(_version("logits"))
    for node in Index(graph).node.values():
        (value,) = node.output
        reads = tuple(_version(name) for name in READS[value])
        if value in COLUMNS:
            yield Shift(reads[0], _version(value), JOIN[value], axes=(1,))
        else:
            yield Compute((node,), reads, (_version(value),))
    yield Store(_version("softmax"))


def _version(value: str) -> Version:
    found = map_of("A", value in COLUMNS)
    return Version(value, found, tuple((size,) for size in found.shape))


def through_dram(step: onnx.ModelProto) -> Cost:
    """What softmax costs in a compiled training step at -O0, transfers included, with the reference kernels."""
    wanted = ("softmax", *(f"softmax.{value}" for value in OPERATORS))
    pieces = compile_for_sim(step, solutions=True).pieces
    chip = [piece.lines for piece in pieces if isinstance(piece, ChipPiece) and _operator(piece.node.name) in wanted]
    return sum_costs([cost_of(assemble("\n".join(lines))) for lines in chip])


def _operator(name: str) -> str:
    """Whom a transfer serves: softmax.max.dl0 is of softmax.max."""
    head, _, last = name.rpartition(".")
    return head if last == "ul" or last[:2] == "dl" else name

"""Stage 03: C++ as text, and passes whose graph comes out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import onnx

from grader.emitter.forms import Form, Function
from grader.emitter.graphs import bytes_of, graph_given, returned_graph
from grader.emitter.loading import AnswerError, required
from grader.emitter.values import Value, Values
from haribote.answers.ownership import standing_in
from haribote.graph import Builder
from haribote.graphs.writer import NodeWriter
from simulator.messages import tr

MOST_LINES = 10_000


def gemm(function: Function, given: Values) -> dict[str, Value]:
    """Given m, n, k, trans_a and trans_b: the C++ lines. They are compiled and run by who judges them."""
    m, n, k = (int(str(given[name])) for name in ("m", "n", "k"))
    return {"text": "\n".join(_lines(function(m, n, k, bool(given["trans_a"]), bool(given["trans_b"]))))}


def softmax(function: Function, given: Values) -> dict[str, Value]:
    """Given a shape [N, classes]: a graph with input `logits` and the four parts as outputs, and their names."""
    from haribote.passes.decompose import Softmax

    shape = given["shape"]
    assert isinstance(shape, list)
    builder = Builder("softmax")
    g = NodeWriter(builder)
    logits = builder.input("logits", tuple(int(str(size)) for size in shape), np.float32)
    g.shapes, g.result = {logits: tuple(int(str(size)) for size in shape)}, "softmax"
    parts = required(function(g, logits), Softmax, tr("the function must return Softmax(shifted, exp, sum, p)"))
    names = {name: str(value) for name, value in vars(parts).items()}
    for part, name in names.items():
        if all(node.output[0] != name for node in builder.model.graph.node):
            raise AnswerError(
                tr("{part} must be the name of a node's result, received {name!r}", part, name),
                tr("what `g.op(…)` returns"),
            )
    for name in dict.fromkeys(names.values()):
        builder.output(name)
    return {"model": builder.finish().SerializeToString(), "names": dict(names)}


def decompose(function: Function, given: Values) -> dict[str, Value]:
    """Given a training step: the same in canonical operators."""
    from haribote.passes import decompose

    with standing_in("3.2", function):
        return {"model": decompose.run(graph_given(given["model"])).SerializeToString()}


def softmax_or_step(function: Function, given: Values) -> dict[str, Value]:
    """Task 3.2: one softmax, or a whole step."""
    return decompose(function, given) if "model" in given else softmax(function, given)


def fuse(function: Function, given: Values) -> dict[str, Value]:
    """Given a graph: the fused one, and the clusters as lists of node names."""
    from haribote.passes import fuse

    found: list[dict[str, list[onnx.NodeProto]]] = []

    def noted(model: onnx.ModelProto) -> Any:
        members = function(model)
        if not isinstance(members, dict) or not all(isinstance(cluster, list) for cluster in members.values()):
            raise AnswerError(tr("the function must return a dictionary from node name to list of nodes"))
        found.append(members)
        return members

    with standing_in("3.3", noted):
        fused = fuse.fuse_clusters(graph_given(given["model"]))
    unique = {id(cluster): [node.name for node in cluster] for cluster in found[0].values()}
    return {"model": fused.SerializeToString(), "clusters": [list(names) for names in unique.values()]}


def nhwc(function: Function, given: Values) -> dict[str, Value]:
    """Given a graph: the same with its images in NHWC."""
    from haribote.passes import nhwc

    with standing_in("3.4", function):
        return {"model": nhwc.run(graph_given(given["model"])).SerializeToString()}


def mixed_precision(function: Function, given: Values) -> dict[str, Value]:
    """Given a graph and a short format: the mixed graph, and whether the given one stayed as it was."""
    model = graph_given(given["model"])
    before = bytes_of(model)
    result = function(model, given["short"])
    return {"model": returned_graph(result).SerializeToString(), "kept": bytes_of(model) == before}


FORMS: dict[str, Form] = {"3.1": gemm, "3.2": softmax_or_step, "3.3": fuse, "3.4": nhwc, "3.5": mixed_precision}


def _lines(items: Any) -> Iterator[str]:
    """The lines of C++ that an answer gave."""
    if isinstance(items, str) or not isinstance(items, Iterable):
        raise AnswerError(
            tr("the function gave {name}, not lines of C++", type(items).__name__), 'yield every line: yield "…"'
        )
    for number, item in enumerate(items):
        if not isinstance(item, str):
            raise AnswerError(
                tr("lines of C++ are text, received {name} {item!r}", type(item).__name__, str(item)[:80]), 'yield f"…"'
            )
        if number >= MOST_LINES:
            raise AnswerError(
                tr("more than {most_lines} lines", MOST_LINES), tr("loops in C++, not one line for each element")
            )
        yield from item.splitlines() or [""]

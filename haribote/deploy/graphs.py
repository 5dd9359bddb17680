"""What is deployed: graphs as C++ gets them, and the arrays that become files beside the program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper

from haribote.compiler import lower_for_cpp
from haribote.cpp import expand
from haribote.errors import GraphError, HariboteError
from haribote.graph import Index, clone, complete, evaluate, kind, tensor_info, updates
from haribote.graphs.parts import leading_to, part_of
from simulator.messages import tr

Array = NDArray[Any]

DATA = ("x", "labels")
"""Inputs of a graph that `haribote.frontend` made which are no parameters."""
LOGITS = "logits"
"""The value of a training step that is the model's answer."""
TRAIN, INFER = "train", "infer"


@dataclass(frozen=True)
class Deployable:
    """graphs: by what they do, `infer` and `train`, as C++ gets them; parameters: every other input of theirs.

    rows: graphs whose first axes count rows that know nothing of each other, so that any number may be given.
    """

    graphs: dict[str, onnx.ModelProto]
    parameters: dict[str, Array]
    rows: frozenset[str]

    def data(self, name: str) -> list[str]:
        """The inputs of a graph that a user gives."""
        return [value for value in Index(self.graphs[name]).inputs if value not in self.parameters]


def deployable(model: onnx.ModelProto, values: Mapping[str, Array], data: Sequence[str] = ()) -> Deployable:
    """The graphs of a model: a training step and what of it gives the logits, or the model as it is.

    Args:
        values: of the inputs that are no data.
        data: names of inputs that a user gives; by default `x` and `labels` of our own graphs, all of other ones.

    Raises:
        HariboteError: there is no such input, or a parameter has no value; UnsupportedOp where C++ has no template.
    """
    index, updated = Index(model), updates(model)
    texts = [name for name, dtype in index.dtype.items() if dtype.kind in "OSU"]
    if texts:
        raise HariboteError(
            tr("the value {texts!r} is of strings; programs have numbers only", texts[0]), tr("a graph of numbers")
        )
    unknown = [name for name in data if name not in index.inputs]
    if unknown:
        raise HariboteError(
            tr("the graph has no input {unknown!r}", unknown[0]), tr("one of {inputs}", ", ".join(index.inputs))
        )
    if not data:
        data = [name for name in index.inputs if name not in updated and (not kind(model) or name in DATA)]
    parameters = {name: values[name] for name in index.inputs if name not in data and name in values}
    missing = [name for name in index.inputs if name not in data and name not in values]
    if missing:
        raise HariboteError(
            tr("the parameter {missing!r} has no value", missing[0]), tr("a folder that `haribote export` wrote")
        )
    graphs = {TRAIN: model} if updated else {INFER: model}
    if updated and LOGITS in index.producer:
        graphs[INFER] = part_of(model, leading_to(model, [LOGITS]), [LOGITS], INFER)
    for name, graph in graphs.items():
        graphs[name], lifted = _lifted(_lowered(graph), {info.name for info in model.graph.initializer})
        parameters |= lifted
    rows = frozenset(name for name, graph in graphs.items() if _by_rows(graph, set(data), parameters, name == TRAIN))
    return Deployable(graphs, parameters, rows)


def _lowered(model: onnx.ModelProto) -> onnx.ModelProto:
    return lower_for_cpp(expand.run(model))


def _lifted(model: onnx.ModelProto, kept: set[str]) -> tuple[onnx.ModelProto, dict[str, Array]]:
    """The graph with its constant arrays of floats as inputs, and their values; what became of constants under another
    name than `kept` is lifted only where it is large.
    """
    lifted = {}
    model = clone(model)
    for init in list(model.graph.initializer):
        array = numpy_helper.to_array(init)
        if array.ndim and array.dtype.kind == "f" and (init.name in kept or array.size > SMALL):
            lifted[init.name] = array
            model.graph.initializer.remove(init)
            model.graph.input.append(tensor_info(init.name, array.shape, array.dtype))
    return complete(model), lifted


SMALL = 64
"""Elements of a constant that is written into the source."""


def _by_rows(model: onnx.ModelProto, data: set[str], parameters: Mapping[str, Array], train: bool) -> bool:
    """Whether the first axis of all data counts rows; of inference also of all results, each row by itself."""
    index = Index(model)
    given = [name for name in index.inputs if name in data]
    firsts = {index.shape[name][:1] for name in given}
    if len(firsts) != 1 or firsts == {()}:
        return False
    if train:
        return True
    firsts |= {index.shape[name][:1] for name in index.outputs}
    return len(firsts) == 1 and (firsts == {(1,)} or _independent(model, given, parameters))


_TRIED = 1 << 24
"""Elements of all values of a graph that is run to see whether its rows are independent; a larger one is not."""


def _independent(model: onnx.ModelProto, given: Sequence[str], parameters: Mapping[str, Array]) -> bool:
    """Whether every row of all results goes along with its row of the data, to another place and among other rows;
    tried with random values.
    """
    random, index = np.random.default_rng(0), Index(model)
    if sum(map(prod, index.shape.values())) > _TRIED:
        return False

    def drawn(name: str) -> Array:
        if index.dtype[name].kind == "f":
            return random.standard_normal(index.shape[name]).astype(index.dtype[name])
        return random.integers(0, 2, index.shape[name]).astype(index.dtype[name])

    feeds = {name: parameters[name] if name in parameters else drawn(name) for name in index.inputs}
    halves = slice(0, None, 2), slice(1, None, 2)

    def moved(rows: slice) -> Mapping[str, Array]:
        """These rows at the next place, among others."""
        others = {name: drawn(name) for name in given}
        for name, value in others.items():
            value[rows] = np.roll(feeds[name], 1, 0)[rows]
        return feeds | others

    try:
        first, *seconds = (evaluate(model, values) for values in (feeds, *map(moved, halves)))
    except GraphError:  # not every graph takes such values: they may be indices
        return False
    return all(
        np.allclose(second[name][rows], np.roll(first[name], 1, 0)[rows], rtol=1e-4, atol=1e-5)
        for rows, second in zip(halves, seconds, strict=True)
        for name in index.outputs
    )

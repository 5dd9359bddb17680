"""A graph on the host: by ONNX's reference operators, the definition, or by the fastest that is installed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.cpp import expand
from haribote.cpp.session import sessions
from haribote.errors import HariboteError
from haribote.graph import Index, attributes, evaluate

Array = NDArray[Any]
Run = Callable[[Mapping[str, Array]], dict[str, Array]]
"""All inputs by name -> all outputs by name, none of which a later run changes."""
WRONG_IN_ONNXRUNTIME = {"Bernoulli"}
"""It runs ONNX's body of it, which compares the other way round: 1 with probability 1 - p."""

WRONG_WITH_VECTORS = ["MatmulTransposeFusion"]
"""Its optimisation that multiplies a vector by the matrix itself where its transpose is meant."""


def reference(model: onnx.ModelProto) -> Run:
    """Node by node, by the reference operators."""
    return lambda feeds: evaluate(model, feeds)


def fastest(model: onnx.ModelProto) -> tuple[str, Run]:
    """onnxruntime where it is installed and takes the graph, else generated C++, else the reference; with its name."""
    for name, make in (("onnxruntime", _onnxruntime), ("C++", generated)):
        run = make(model)
        if run is not None:
            return name, run
    return "reference", reference(model)


def engines() -> dict[str, Callable[[onnx.ModelProto], Run | None]]:
    """What pieces of a cut may run on: onnxruntime where it is installed, and the reference. None: it takes it not."""
    found: dict[str, Callable[[onnx.ModelProto], Run | None]] = {"reference": reference}
    return ({"onnxruntime": _onnxruntime} if find_spec("onnxruntime") else {}) | found


def _onnxruntime(model: onnx.ModelProto) -> Run | None:
    try:
        import onnxruntime
    except ImportError:
        return None
    if WRONG_IN_ONNXRUNTIME.intersection(node.op_type for node in model.graph.node) or _pads_by_dilation(model):
        return None
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # it shares the machine with torch
    try:
        session = onnxruntime.InferenceSession(
            model.SerializeToString(),
            options,
            providers=["CPUExecutionProvider"],
            disabled_optimizers=WRONG_WITH_VECTORS if _multiplies_vectors(model) else [],
        )
    except Exception:  # its errors have no common class: an operator or a type that it has not
        return None
    names = [info.name for info in model.graph.output]
    return lambda feeds: dict(zip(names, map(np.asarray, session.run(names, _arrays(feeds))), strict=True))


def _pads_by_dilation(model: onnx.ModelProto) -> bool:
    """Whether a transposed convolution adds as much as its stride to its result, which a dilation allows: onnxruntime
    refuses it when it runs.
    """
    for given in [attributes(node) for node in model.graph.node if node.op_type == "ConvTranspose"]:
        added = given.get("output_padding", [])
        strides = given.get("strides", [1] * len(added)) if added else []
        if any(more >= stride for more, stride in zip(added, strides, strict=True)):
            return True
    return False


def _multiplies_vectors(model: onnx.ModelProto) -> bool:
    """Whether a product has a vector, or what may be one, as its second operand."""
    shape = Index(model).shape
    products = [node for node in model.graph.node if node.op_type == "MatMul"]
    return any(len(shape.get(node.input[1], ())) < 2 for node in products)


def _arrays(feeds: Mapping[str, Array]) -> dict[str, Array]:
    """What onnxruntime takes: it knows no numbers of NumPy, such as `evaluate` gives for values without axes."""
    return {name: np.asarray(value) for name, value in feeds.items()}


def generated(model: onnx.ModelProto) -> Run | None:
    """Generated C++; None where it has no template for a node, or there is no compiler."""
    from haribote.compiler import lower_for_cpp

    try:
        session = sessions({"graph": lower_for_cpp(expand.run(model))})["graph"]
    except HariboteError:  # no template, or no compiler
        return None
    known = set(Index(model).inputs)

    def run(feeds: Mapping[str, Array]) -> dict[str, Array]:
        for name in known:
            session.write(name, feeds[name])
        session.run()
        return session.outputs()

    return run

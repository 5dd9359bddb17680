"""The one way in for ONNX files: read whole, within limits that are said, before anything is inferred or planned.

A file that anyone may have made reaches the compiler by `parsed`, then by whatever brings it to our form, then by
`within_limits`, which looks at what inference has found. `frontend.onnx_file.read` and `graph.load` both do so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from math import prod
from pathlib import Path

import onnx
from onnx import checker, external_data_helper, helper, numpy_helper, shape_inference

from haribote.errors import GraphError
from simulator.errors import SimulatorError
from simulator.files import read_bytes
from simulator.messages import Text, tr

FILE_BYTES = 1 << 30
"""Of a file; protobuf itself ends at twice as much."""
NODES = 20_000
"""Of a graph; a language model with 48 blocks has some 3,000."""
ELEMENTS = 1 << 27
"""Of one value: half a gibibyte of singles."""
LETTERS = 1000
"""Of a name."""
DEPTH = 100
"""Of functions that call each other, and of graphs inside of nodes."""
AXES = 16
"""Of one value; more than any operator needs, fewer than NumPy takes."""

NOTES = {"haribote.updates": str, "haribote.padding": dict, "haribote.tiles": dict, "haribote.dram": int}
"""Our own metadata of graphs and what they say of a value; see `graph`."""
KINDS = {0, *helper.get_all_tensor_dtypes()}
"""Types of elements; 0 where a file leaves it open."""
CHECK = Text("export it anew; `onnx.checker.check_model` says whether a file is a valid one")
ANEW = Text("export the file anew")
SMALLER = Text("a smaller batch, smaller shapes, or a part of the graph")
EXPORTED = Text("a file that a framework exported, or `haribote export` to make one")


def parsed(path: Path) -> onnx.ModelProto:
    """The model in a file, nothing of it computed yet.

    Raises:
        GraphError: it cannot be read, is not ONNX, is larger than the limits, or its constants are not whole.
    """
    try:
        model = onnx.load_model_from_string(read_bytes(path, FILE_BYTES))
    except SimulatorError as error:
        raise GraphError(error.message, EXPORTED) from error
    except Exception as error:  # protobuf's DecodeError has no public home
        raise GraphError(tr("{path} is not an ONNX file: {error}", path, reason(error)), EXPORTED) from error
    with about(path):
        _check_graph(model)
        _check_functions(model)
        _check_metadata(model)
        _check_constants(model, path.parent)
    return model


@contextmanager
def about(path: Path) -> Iterator[None]:
    """Inside, what is wrong with a graph is told with the name of its file."""
    try:
        yield
    except GraphError as error:
        if str(path) in error.message:
            raise
        raise GraphError(f"{path}: {error.message}", error.try_ or CHECK) from error
    except (checker.ValidationError, shape_inference.InferenceError) as error:
        raise GraphError(f"{path}: {reason(error)}", CHECK) from error


def reason(error: Exception) -> str:
    """Why ONNX refuses something, in at most 300 characters: without places and assertions of its C++ sources."""
    text = re.sub(r"[\w/.-]{1,300}\.(?:h|hpp|cc|cpp):\d+:?\s*", "", str(error).strip()[:3000])
    text = re.sub(r"(?:\w+:\s*)?Assertion `[^`]*` failed(?:\.|:)?\s*", "", text).strip()
    return text[:300].strip() or type(error).__name__


def _check_graph(model: onnx.ModelProto) -> None:
    graph = model.graph
    if not graph.node and not graph.output:
        raise GraphError(tr("it holds no graph"), EXPORTED)
    if not graph.node:
        raise GraphError(tr("its graph has no nodes, so there is nothing to compute"), EXPORTED)
    if not graph.output:
        raise GraphError(tr("its graph has no output, so nothing of it is wanted"), EXPORTED)
    if len(graph.node) > NODES:
        raise GraphError(
            tr("the graph has {node:,} nodes; at most {nodes:,} are taken", len(graph.node), NODES),
            tr("a part of the graph"),
        )
    if not any(entry.domain in ("", "ai.onnx") for entry in model.opset_import):
        raise GraphError(tr("it does not say which opset of ONNX its operators are of"), tr("export it with an opset"))
    names = [tensor.name for tensor in graph.initializer]
    if twice := next((name for name, later in pairwise(sorted(names)) if name == later), ""):
        raise GraphError(tr("the constant {twice!r} is there twice", twice), ANEW)
    for node in graph.node:
        for name in (node.name, node.op_type, *node.input, *node.output):
            if len(name) > LETTERS:
                raise GraphError(
                    tr("a name has {name:,} letters; at most {letters:,} are taken", len(name), LETTERS),
                    tr("shorter names"),
                )
        if not any(node.output):
            raise GraphError(tr("node {value!r} has no output", node.name or node.op_type), EXPORTED)
    for info in [*graph.input, *graph.value_info, *graph.output]:
        if not info.type.WhichOneof("value"):
            continue  # inference says it
        if info.type.WhichOneof("value") != "tensor_type":
            raise GraphError(tr("the value {name!r} is no tensor", info.name), tr("a graph of tensors alone"))
        kind, dimensions = info.type.tensor_type.elem_type, info.type.tensor_type.shape.dim
        if kind not in KINDS:
            raise GraphError(
                tr("the value {name!r} is of the type {kind}, which ONNX does not know", info.name, kind), ANEW
            )
        check_size(info.name, [d.dim_value for d in dimensions if d.HasField("dim_value") and d.dim_value > 0])


def _check_functions(model: onnx.ModelProto) -> None:
    """Raises GraphError where a file's functions are too many nodes when they are put in their places: each may call
    another one twice.
    """
    bodies = {(function.domain, function.name): function.node for function in model.functions}
    known: dict[tuple[str, str], int] = {}

    def size(nodes: Iterable[onnx.NodeProto], depth: int) -> int:
        if depth > DEPTH:
            raise GraphError(tr("its functions call each other more than {depth} deep", DEPTH), EXPORTED)
        count = 0
        for node in nodes:
            key = node.domain, node.op_type
            if key in bodies and key not in known:
                known[key] = size(bodies[key], depth + 1)
            count += known.get(key, 1) + sum(size(graph.node, depth + 1) for graph in inner_graphs(node))
        return count

    if bodies and (count := size(model.graph.node, 0)) > NODES:
        raise GraphError(
            tr("with its functions in their places it has {count:,} nodes; at most {nodes:,} are taken", count, NODES),
            tr("a part of the graph"),
        )


def _check_metadata(model: onnx.ModelProto) -> None:
    """Our own notes about a graph are objects in JSON, with names of its values as keys."""
    for prop in model.metadata_props:
        if prop.key not in NOTES:
            continue
        try:
            notes = json.loads(prop.value)
            fits = isinstance(notes, dict) and all(isinstance(note, NOTES[prop.key]) for note in notes.values())
        except (ValueError, RecursionError):
            fits = False
        if not fits:
            raise GraphError(
                tr("its entry {key} is not as `haribote` writes it: {value!r}", prop.key, prop.value[:60]), ANEW
            )


def _tensors(graph: onnx.GraphProto) -> Iterator[onnx.TensorProto]:
    """The constants: initializers, and those in attributes."""
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            yield from ([attribute.t] if attribute.type == onnx.AttributeProto.TENSOR else attribute.tensors)


def inner_graphs(node: onnx.NodeProto) -> Iterator[onnx.GraphProto]:
    """The graphs inside of a node, such as the branches of an If."""
    for attribute in node.attribute:
        yield from [attribute.g] if attribute.type == onnx.AttributeProto.GRAPH else attribute.graphs


def _check_constants(model: onnx.ModelProto, folder: Path) -> None:
    """Reads the constants that lie in files of their own. Raises GraphError where one is too large or not whole."""
    total = 0
    for tensor in _tensors(model.graph):
        if any(size < 0 for size in tensor.dims):
            raise GraphError(tr("the constant {name!r} has the shape {dims}", tensor.name, list(tensor.dims)), EXPORTED)
        check_size(tensor.name, tensor.dims)
        total += prod(tensor.dims)
    if total > ELEMENTS:
        raise GraphError(
            tr("its constants have {total:,} elements; at most {elements:,} are taken", total, ELEMENTS), SMALLER
        )
    try:
        external_data_helper.load_external_data_for_model(model, str(folder))
    except Exception as error:  # a path that leads elsewhere, a file that is absent or too short
        raise GraphError(tr("its constants in other files cannot be read: {error}", reason(error)), ANEW) from error
    for tensor in _tensors(model.graph):
        if tensor.data_type != onnx.TensorProto.STRING:  # those are refused by whoever would run them
            _check_whole(tensor)


def _check_whole(tensor: onnx.TensorProto) -> None:
    try:
        array = numpy_helper.to_array(tensor)
    except Exception as error:  # ONNX raises what comes up
        raise GraphError(tr("the constant {name!r} is not whole: {error}", tensor.name, reason(error)), ANEW) from error
    if array.shape != tuple(tensor.dims):
        raise GraphError(
            tr(
                "the constant {name!r} of the shape {dims} has {size} elements",
                tensor.name,
                list(tensor.dims),
                array.size,
            ),
            ANEW,
        )


def check_size(name: str, shape: Iterable[int]) -> None:
    """Raises GraphError where a value has more axes or elements than any is allowed."""
    sizes = list(shape)
    if len(sizes) > AXES:
        raise GraphError(
            tr("the value {name!r} has {sizes} axes; at most {axes} are taken", name, len(sizes), AXES),
            tr("fewer axes"),
        )
    if (elements := prod(sizes)) > ELEMENTS:
        text = " x ".join(map(str, sizes))
        raise GraphError(
            tr(
                "the value {name!r} ({text}) has {elements:,} elements; at most {elements2:,} are taken",
                name=name,
                text=text,
                elements=elements,
                elements2=ELEMENTS,
            ),
            SMALLER,
        )


def within_limits(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model, all of whose values have a size that is allowed. Raises GraphError."""
    for info in [*model.graph.input, *model.graph.value_info, *model.graph.output]:
        check_size(info.name, [d.dim_value for d in info.type.tensor_type.shape.dim])
    return model


Declared = dict[str, tuple[int, list[int | None]]]
"""Type and shape by value, as a file says them; None for an axis that it leaves open."""


def declared(graph: onnx.GraphProto) -> Declared:
    """What a file says of its values, as far as it says it."""
    found: Declared = {}
    for info in [*graph.value_info, *graph.output]:
        tensor = info.type.tensor_type
        if tensor.elem_type and tensor.HasField("shape"):
            sizes = [d.dim_value if d.HasField("dim_value") else None for d in tensor.shape.dim]
            found[info.name] = tensor.elem_type, sizes
    return found


def give_names(model: onnx.ModelProto) -> None:
    """Every node a name of its own; ONNX asks for none."""
    model.graph.name = model.graph.name or "graph"
    taken: set[str] = set()
    for node in model.graph.node:
        base = node.name or next((name for name in node.output if name), node.op_type)
        name, number = base, 0
        while name in taken:
            number += 1
            name = f"{base}_{number}"
        node.name = name
        taken.add(name)


def check_declared(said: Declared, model: onnx.ModelProto) -> None:
    """Raises GraphError where a file says another type or shape of a value than follows from its nodes."""
    found = declared(model.graph)
    for name, (kind, shape) in said.items():
        if name not in found:
            continue
        true_kind, true_shape = found[name]
        fits = not shape or (  # files say `[]`, too, where they leave the shape open
            len(shape) == len(true_shape)
            and all(size is None or size == true for size, true in zip(shape, true_shape, strict=True))
        )
        if kind != true_kind or not fits:
            made = _typed(true_kind, true_shape)
            raise GraphError(
                tr("the file says that {name!r} is {kind}, but its nodes make {made}", name, _typed(kind, shape), made),
                ANEW,
            )


def _typed(kind: int, shape: list[int | None]) -> str:
    try:
        name = str(helper.tensor_dtype_to_np_dtype(kind))
    except (KeyError, ValueError):
        name = tr("of type {kind}", kind)
    return f"{name}[{', '.join('?' if size is None else str(size) for size in shape)}]"

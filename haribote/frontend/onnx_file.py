"""Any ONNX file as a graph of ours: one opset, static shapes, names for all nodes, no computations on shapes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import onnx
from onnx import inliner

from haribote.core.from_onnx.inline import settled
from haribote.errors import GraphError
from haribote.frontend.ceil_mode import without_ceil_mode
from haribote.graph import IR_VERSION, clone, complete, inferred, remove_unused_constants
from haribote.misfit import miscounted
from haribote.model_file import ANEW, about, check_declared, declared, give_names, parsed, reason, within_limits
from haribote.operators.einsums import with_equal_sizes
from haribote.operators.functions import DOMAIN, OPSET
from haribote.operators.opset import at_our_opset, known
from simulator.messages import tr

KNOWN_DOMAINS = ("", "ai.onnx", DOMAIN)


def read(path: Path, sizes: Mapping[str, int] | None = None) -> onnx.ModelProto:
    """The graph of a file, or of the `model.onnx` in a folder.

    Args:
        sizes: of the axes that the file leaves open, by their names.

    Raises:
        GraphError: it cannot be read, is not ONNX, is larger than `model_file` allows, cannot be converted to our
            opset, has an open axis without a size, an operator of a foreign domain, or a node with a graph inside.
    """
    file = path / "model.onnx" if path.is_dir() else path
    model = parsed(file)
    with about(file):
        return adapted(model, sizes or {})


def adapted(model: onnx.ModelProto, sizes: Mapping[str, int]) -> onnx.ModelProto:
    """A model of any origin as a graph of ours; as `read`."""
    model = at_our_opset(_without_functions(model) if _foreign_functions(model) else clone(model))
    said = declared(model.graph)
    model.ir_version = IR_VERSION
    _check_operators(model)
    _without_default_inputs(model)
    _with_default_attributes(model)
    _give_sizes(model, sizes)
    give_names(model)
    without_ceil_mode(model)
    del model.graph.value_info[:]
    model = settled(within_limits(inferred(with_equal_sizes(model))))  # axes that were open have sizes now
    remove_unused_constants(model.graph)
    model = complete(model)
    check_declared(said, model)
    return within_limits(model)


def _foreign_functions(model: onnx.ModelProto) -> bool:
    return any(function.domain != DOMAIN for function in model.functions)


def _without_functions(model: onnx.ModelProto) -> onnx.ModelProto:
    try:
        return inliner.inline_local_functions(clone(model))
    except Exception as error:  # its errors have no common class
        raise GraphError(
            tr("the functions in the file cannot be put in their places: {error}", reason(error)), ANEW
        ) from error


def _check_operators(model: onnx.ModelProto) -> None:
    for node in model.graph.node:
        where = tr("node {name!r} ({op_type})", node.name or node.output[0], node.op_type)
        if node.domain not in KNOWN_DOMAINS:
            raise GraphError(
                tr("{where} is of the domain {domain!r}", where, node.domain), tr("a graph of ONNX's own operators")
            )
        if any(
            attribute.type in (onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS) for attribute in node.attribute
        ):
            raise GraphError(
                tr("{where} has a graph inside; such operators are not supported", where), tr("export without it")
            )
        if node.domain == "ai.onnx":
            node.domain = ""
        if not node.domain and not known(node.op_type, OPSET):
            what = tr("{where}: ONNX has no such operator in opset {opset}", where, OPSET)
            raise GraphError(what, tr("a graph of ONNX's own operators"))
        if not node.domain:
            _check_whole(node, where)


def _check_whole(node: onnx.NodeProto, where: str) -> None:
    """Raises GraphError where a node of ONNX's lacks an operand or an attribute that it must have."""
    if text := miscounted(node):
        raise GraphError(text, ANEW)
    given = {attribute.name for attribute in node.attribute}
    schema = onnx.defs.get_schema(node.op_type, OPSET)
    missing = [name for name, attribute in schema.attributes.items() if attribute.required and name not in given]
    if missing:
        raise GraphError(tr("{where}: its attribute {name!r} is missing", where, missing[0]), ANEW)


def _without_default_inputs(model: onnx.ModelProto) -> None:
    """Old files list constants as inputs too."""
    constants = {init.name for init in model.graph.initializer}
    for info in [info for info in model.graph.input if info.name in constants]:
        model.graph.input.remove(info)


def _with_default_attributes(model: onnx.ModelProto) -> None:
    """Operators say what they mean by default where ONNX, which writes their body or infers their shape, does not."""
    for node in model.graph.node:
        schema: Any = onnx.defs.get_schema(node.op_type, OPSET) if not node.domain else None
        if schema is None or not (schema.has_function or node.op_type == "STFT"):
            continue
        given = {attribute.name for attribute in node.attribute}
        defaults = [entry.default_value for name, entry in schema.attributes.items() if name not in given]
        node.attribute.extend(value for value in defaults if value.name)


def _open_axes(model: onnx.ModelProto) -> Iterator[tuple[str, onnx.TensorShapeProto.Dimension]]:
    """The axes of inputs without a size, by their names; one without a name is called INPUT.AXIS."""
    for info in model.graph.input:
        if not info.type.tensor_type.HasField("shape"):
            raise GraphError(
                tr("the number of axes of input {name!r} is not known", info.name), tr("export it with static shapes")
            )
        for axis, dimension in enumerate(info.type.tensor_type.shape.dim):
            if not dimension.HasField("dim_value") or dimension.dim_value <= 0:
                yield dimension.dim_param or f"{info.name}.{axis}", dimension


def _give_sizes(model: onnx.ModelProto, sizes: Mapping[str, int]) -> None:
    for name, dimension in _open_axes(model):
        if name in sizes:
            dimension.dim_value = sizes[name]
        elif dimension.HasField("dim_value") and dimension.dim_value == 0:
            raise GraphError(
                tr("the axis {name!r} has size 0: there is nothing to compute", name),
                tr("--size {name}=1, where the file means a size that is open", name),
            )
        else:
            raise GraphError(tr("the size of the axis {name!r} is not known", name), f"--size {name}=1")

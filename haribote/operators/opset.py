"""Graphs of other opsets as graphs of ours, operator by operator and version by version.

In older opsets the same operators have other attributes, and Softmax another meaning; ONNX converts those upwards.
From newer ones most operators come over as they are, since only types were added to them; those that are new there, or
mean something else, come as the function bodies by which ONNX defines them.
"""

from __future__ import annotations

from typing import Any

import onnx
from onnx import defs, helper, inliner, shape_inference, version_converter

from haribote.constants import clone
from haribote.errors import GraphError
from haribote.model_file import CHECK, reason
from haribote.operators import newer
from haribote.operators.bodies import body_by_schema, types_of
from haribote.operators.einsums import with_equal_sizes
from haribote.operators.functions import OPSET
from haribote.operators.subgraphs import written_out
from simulator.errors import UserError
from simulator.messages import tr

CHANGED = ("GroupNormalization",)
"""Operators that mean something else in opsets after ours: scale and bias are one per channel, no longer per group."""
WRITTEN_OUT = "haribote.written_out"
"""The domain of bodies on their way into the graph."""
SAME_WITHOUT = {
    ("Cast", "round_mode"): None,
    ("CastLike", "round_mode"): None,
    ("GroupNormalization", "stash_type"): None,
    ("Range", "stash_type"): None,
    ("SpaceToDepth", "mode"): b"DCR",
    ("QuantizeLinear", "block_size"): 0,
    ("QuantizeLinear", "output_dtype"): 0,
    ("QuantizeLinear", "precision"): 0,
    ("DequantizeLinear", "block_size"): 0,
    ("DequantizeLinear", "output_dtype"): 0,
}
"""Newer attributes and the value with which the operator is ours; None: any, since it tells apart no types of ours."""


def at_our_opset(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same function in the operators of our opset; the model itself where it says no other. Raises GraphError."""
    try:
        return with_equal_sizes(_converted(model))
    except UserError:
        raise
    except Exception as error:  # nodes and graphs inside of them may have any form: nothing was looked at yet
        raise GraphError(
            tr("its operators cannot be written in those of opset {opset}: {error}", OPSET, reason(error)), CHECK
        ) from error


def _converted(model: onnx.ModelProto) -> onnx.ModelProto:
    version = next((entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")), OPSET)
    model = written_out(model)
    if version == OPSET:
        return model
    model = _from_newer(model, version) if version > OPSET else _from_older(model, version)
    for node in model.graph.node:
        node.name = node.name or next((name for name in node.output if name), node.op_type)  # ONNX leaves new ones bare
    return shape_inference.infer_shapes(model)


def _from_older(model: onnx.ModelProto, version: int) -> onnx.ModelProto:
    try:
        return version_converter.convert_version(model, OPSET)
    except Exception as error:  # its errors have no common class
        raise GraphError(
            tr("ONNX cannot convert the graph from opset {version} to {opset}: {error}", version, OPSET, reason(error)),
            tr("export it with opset {opset}", OPSET),
        ) from error


def _from_newer(model: onnx.ModelProto, version: int) -> onnx.ModelProto:
    if version > defs.onnx_opset_version():
        raise GraphError(
            tr(
                "the graph is of opset {version}; the newest that the installed onnx {version2} knows is "
                "{opset_version}",
                version,
                onnx.__version__,
                defs.onnx_opset_version(),
            ),
            tr("a newer onnx, or an export with an older opset"),
        )
    model = newer.written(_with_bodies(clone(model), version))
    for node in model.graph.node:
        if node.domain in ("", "ai.onnx"):
            _as_ours(node, version)
    for entry in model.opset_import:
        if entry.domain in ("", "ai.onnx"):
            entry.version = OPSET
    return model


def _with_bodies(model: onnx.ModelProto, version: int) -> onnx.ModelProto:
    """The model in which operators that our opset lacks, or has with another meaning, are their function bodies."""
    while nodes := [node for node in model.graph.node if _comes_as_body(node, version)]:
        types, names = types_of(shape_inference.infer_shapes(model)), []
        for number, node in enumerate(nodes):
            try:
                body = body_by_schema(node, types, version)
            except Exception as error:  # its errors have no common class
                raise GraphError(
                    tr("ONNX cannot write out {op_type}: {strip}", node.op_type, str(error).strip()[:300])
                ) from error
            if body is None:
                raise GraphError(
                    tr(
                        "{op_type} is not in opset {opset}, and ONNX has no body of it for these types",
                        node.op_type,
                        OPSET,
                    )
                )
            body.name, body.domain = f"{node.op_type}_{number}", WRITTEN_OUT
            node.op_type, node.domain = body.name, WRITTEN_OUT
            model.functions.append(body)
            names.append((WRITTEN_OUT, body.name))
        model.opset_import.append(helper.make_opsetid(WRITTEN_OUT, 1))
        for body in model.functions:
            for entry in body.opset_import:
                entry.version = version if entry.domain == "" else entry.version  # older bodies hold the same nodes
        model = written_out(inliner.inline_selected_functions(model, names))
    return model


def _comes_as_body(node: onnx.NodeProto, version: int) -> bool:
    if node.domain not in ("", "ai.onnx") or not known(node.op_type, version):
        return False
    schema: Any = defs.get_schema(node.op_type, version)
    has_body = schema.has_function or schema.has_context_dependent_function
    changed = node.op_type in CHANGED and schema.since_version > OPSET
    return has_body and (changed or not known(node.op_type, OPSET))


def known(op_type: str, version: int) -> bool:
    """Whether ONNX has such an operator in an opset."""
    try:
        defs.get_schema(op_type, version)
    except defs.SchemaError:
        return False
    return True


def _as_ours(node: onnx.NodeProto, version: int) -> None:
    """Take off what the operator of our opset does not know. In place. Raises GraphError where that says something."""
    where = tr("node {name!r} ({op_type})", node.name or node.output[0], node.op_type)
    if not known(node.op_type, OPSET):
        raise GraphError(
            tr("{where} is not in opset {opset}, and ONNX has no body of it", where, OPSET), tr("other operators")
        )
    ours = defs.get_schema(node.op_type, OPSET).attributes
    for attribute in [attribute for attribute in node.attribute if attribute.name not in ours]:
        value, key = helper.get_attribute_value(attribute), (node.op_type, attribute.name)
        if key not in SAME_WITHOUT or SAME_WITHOUT[key] not in (None, value):
            raise GraphError(
                tr("{where}: {name}={value} of opset {version} is not supported", where, attribute.name, value, version)
            )
        node.attribute.remove(attribute)

"""Graphs as answers: read safely, evaluated by the reference, compared with what is right.

A graph comes from code that is not trusted. It is refused where it refers to files, has graphs inside its nodes, uses
an operator that the course does not, or would take more memory than any right answer does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod
from typing import Any

import onnx
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from numpy.typing import NDArray
from onnx import inliner

from grader.emitter.graphs import MODEL
from grader.emitter.loading import REFUSED
from grader.emitter.values import Values
from grader.trials import NEAR, Objection, Trial, compare, refused
from haribote.errors import GraphError
from haribote.graph import Index, complete, evaluate
from haribote.operators.functions import DOMAIN, FUNCTIONS
from simulator.messages import tr

Array = NDArray[Any]

MOST_BYTES, MOST_NODES, MOST_ELEMENTS = 16 * 2**20, 5000, 2**24  # elements: of all values of the graph together
_NAMES = (
    "Abs Add And Cast CastLike Ceil Clip Concat Constant ConstantOfShape Conv ConvTranspose Div Equal Erf Exp "
    "Expand Flatten Floor Gather GatherElements Gemm Greater GreaterOrEqual Identity Less LessOrEqual Log LogSoftmax "
    "MatMul Max MaxPool Min Mul Neg NegativeLogLikelihoodLoss Not OneHot Or Pad Pow Reciprocal ReduceMax ReduceMean "
    "ReduceMin ReduceSum Relu Reshape Round ScatterElements Shape Sigmoid Sign Slice Softmax SoftmaxCrossEntropyLoss "
    "Split Sqrt Squeeze Sub Sum Tanh Transpose Unsqueeze Where Xor"
)
OPERATORS = frozenset(_NAMES.split())


def must_give(
    name: str,
    given: Values,
    feeds: Mapping[str, Array],
    expected: Mapping[str, Array],
    near: float = NEAR,
    earns: bool = True,
) -> Trial:
    """A case whose answer is a graph that gives these outputs for these inputs; others may be there too."""

    def judge(answer: Values) -> Objection:
        if REFUSED in answer:
            return refused(name, answer[REFUSED])
        received = evaluate(model_in(answer), feeds)
        for output, values in expected.items():
            if output not in received:
                return tr("the graph must have an output {output!r}, it has {received}", output, ", ".join(received))
            failure = compare(name, feeds, values, received[output], near, what=repr(output))
            if failure:
                return failure
        return None

    return Trial(name, given, judge, earns=earns)


def must_refuse(name: str, given: Values) -> Trial:
    """A case that the contract asks to refuse with `g.require`."""

    def judge(answer: Values) -> Objection:
        if REFUSED in answer:
            return None
        return tr("this must be refused with g.require(condition, …), but a graph was made of it")

    return Trial(name, given, judge, earns=False)


def model_in(answer: Values, name: str = MODEL) -> onnx.ModelProto:
    """The graph of an answer, its shapes inferred anew, valid, and safe to evaluate. Raises GraphError."""
    content = answer.get(name)
    if not isinstance(content, bytes) or len(content) > MOST_BYTES:
        raise GraphError(tr("the answer must be a graph of at most {most_bytes} bytes", MOST_BYTES))
    model = onnx.ModelProto()
    try:
        model.ParseFromString(content)
    except DecodeError as error:
        raise GraphError(tr("the answer's bytes are no ONNX graph")) from error
    _check(model)
    model = complete(model)
    _check_sizes(model)
    return model


def _check(model: onnx.ModelProto) -> None:
    graph = model.graph
    own = {function.name for function in model.functions}
    bodies = [node for function in model.functions for node in function.node]
    _require(len(graph.node) + len(bodies) <= MOST_NODES, tr("a graph has at most {most_nodes} nodes", MOST_NODES))
    _require(
        not graph.sparse_initializer and not model.training_info, tr("sparse constants and training_info are not used")
    )
    _require(
        all(function.domain == DOMAIN for function in model.functions),
        tr("functions are of the domain {domain}", DOMAIN),
    )
    for tensor in graph.initializer:
        _check_tensor(tensor)
    for node in graph.node:
        _check_node(node, own | FUNCTIONS.keys())
    for node in bodies:  # no function of the answer's calls another: a chain of them could grow without end
        _check_node(node, FUNCTIONS.keys())


def _check_node(node: onnx.NodeProto, functions: Iterable[str]) -> None:
    known = node.op_type in functions if node.domain == DOMAIN else node.domain == "" and node.op_type in OPERATORS
    where = f"node {node.name!r} ({node.domain + '.' if node.domain else ''}{node.op_type})"
    _require(known, tr("{where}: this operator is not used in the course", where))
    for attribute in node.attribute:
        plain = attribute.type not in (
            onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS, onnx.AttributeProto.SPARSE_TENSOR,
            onnx.AttributeProto.SPARSE_TENSORS, onnx.AttributeProto.TYPE_PROTO, onnx.AttributeProto.TYPE_PROTOS,
        )  # fmt: skip
        empty = not (attribute.HasField("g") or attribute.graphs or attribute.HasField("sparse_tensor"))
        _require(
            plain and empty,
            tr("{where}: attribute {name!r} is of a kind that the course does not use", where, attribute.name),
        )
        for tensor in (*([attribute.t] if attribute.HasField("t") else []), *attribute.tensors):
            _check_tensor(tensor)


def _check_tensor(tensor: onnx.TensorProto) -> None:
    outside = tensor.data_location == onnx.TensorProto.EXTERNAL or tensor.external_data
    _require(not outside, tr("constant {name!r} refers to a file; constants are part of the graph", tensor.name))
    _require(tensor.data_type != onnx.TensorProto.STRING, tr("constant {name!r} is of text", tensor.name))
    size = prod(tensor.dims)
    _require(
        min([0, *tensor.dims]) >= 0 and size <= MOST_ELEMENTS,
        tr("constant {name!r} has a shape too large", tensor.name),
    )


def _check_sizes(model: onnx.ModelProto) -> None:
    """Every value has a static shape by now; those inside the answer's own functions are looked at too."""
    own = [(DOMAIN, function.name) for function in model.functions if function.name not in FUNCTIONS]
    if own:
        flat = inliner.inline_selected_functions(model, own)
        for number, node in enumerate(flat.graph.node):
            node.name = f"node_{number}"  # those that came out of functions have none
        flat = complete(flat)
        _require(len(flat.graph.node) <= MOST_NODES, tr("a graph has at most {most_nodes} nodes", MOST_NODES))
        _check_sizes(flat)
    sizes = sum(prod(shape) for shape in Index(model).shape.values())
    _require(
        sizes <= MOST_ELEMENTS,
        tr("the values of the graph have at most {most_elements} elements, not {sizes}", MOST_ELEMENTS, sizes),
    )


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise GraphError(message)

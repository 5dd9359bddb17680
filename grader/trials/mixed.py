"""Task 3.5: which numbers a mixed graph rounds, told by following its wires, and what it then computes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import onnx

from grader.emitter.values import Values
from grader.trials import Objection, Trial, compare
from grader.trials.fusion_graphs import Array, cnn_step, feeds_of, mlp_step
from grader.trials.graphs import model_in
from haribote.graph import Index, evaluate
from haribote.graphs.textual import parsed
from haribote.operators.functions import DOMAIN
from haribote.passes.mixed_precision import FORMATS, PRODUCTS
from simulator.engine.numbers import HALF, from_float64, to_float64
from simulator.messages import Text, tr

FACTORS = "(float[4,3] x, float[4,3] v, float[2,3] w, float[2] b)"
LAYER, STEP = Text("a layer with bias"), Text("a training step")
DOUBLES, INTEGERS = Text("a product of doubles stays"), Text("a product of whole numbers stays")
GRAPHS = {
    LAYER: f"{FACTORS} => (float[4,2] y) {{ y = Gemm<transB=1>(x, w, b) }}",
    Text("batch 1"): "(float[1,3] x, float[3,2] w) => (float[1,2] y) { p = MatMul(x, w) y = Relu(p) }",
    Text("a factor that two products read"): (
        f"{FACTORS} => (float[4,2] y) {{ p = Gemm<transB=1>(x, w) q = Gemm<transB=1>(v, w) y = Sub(p, q) }}"),
    Text("a factor that others read too"): (
        f"{FACTORS} => (float[4,3] r, float[4,3] y) "
        "{ r = Relu(x) p = Gemm<transB=1>(r, r) s = MatMul(p, r) y = Add(s, r) }"),
    Text("a convolution"): (
        "(float[1,2,4,4] x, float[3,2,3,3] w, float[3] b) => (float[1,3,2,2] y) "
        "{ y = Conv<kernel_shape=[3,3]>(x, w, b) }"),
    DOUBLES: "(double[2,3] x, double[3,2] w) => (double[2,2] y) { y = MatMul(x, w) }",
    INTEGERS: "(int32[2,3] x, int32[3,2] w) => (int32[2,2] y) { y = MatMul(x, w) }",
}  # fmt: skip
STEPS: dict[str, Callable[[], onnx.ModelProto]] = {
    STEP: mlp_step,
    Text("a training step with convolutions"): cnn_step,
}


def mixed_precision(rng: np.random.Generator) -> Iterator[Trial]:
    """Every graph in half, two of them in bfloat16."""
    models = {name: parsed(body) for name, body in GRAPHS.items()} | {name: make() for name, make in STEPS.items()}
    for name, model in models.items():
        yield _mixed(name, model, "half", rng, layer=name == LAYER, earns=name not in (DOUBLES, INTEGERS))
    for name in (LAYER, STEP):
        yield _mixed(tr("{name}, bfloat16", name), models[name], "bfloat16", rng, layer=name == LAYER)


def _mixed(
    name: str, model: onnx.ModelProto, short: str, rng: np.random.Generator, layer: bool, earns: bool = True
) -> Trial:
    """layer: whether it is the one whose result is computed here too."""
    feeds = feeds_of(model, rng)

    def judge(answer: Values) -> Objection:
        if answer.get("kept") is not True:
            return tr("the model that was given has changed; change copies of its nodes")
        mixed = model_in(answer)
        if problem := _wires(model, mixed, FORMATS[short]):
            return problem
        received = evaluate(mixed, feeds)
        if layer:
            expected = _rounded(feeds["x"], short) @ _rounded(feeds["w"], short).T + feeds["b"]
            return compare(name, feeds, expected, received["y"], what="'y'")
        return None

    return Trial(name, {"model": model.SerializeToString(), "short": short}, judge, earns=earns)


def _wires(before: onnx.ModelProto, after: onnx.ModelProto, operator: str) -> str:
    """What is wrong with who reads what, or "" where all is as it must be."""
    index, made = Index(before), {node.output[0]: node for node in after.graph.node if node.output}
    source = {name: node.input[0] for name, node in made.items() if (node.domain, node.op_type) == (DOMAIN, operator)}
    if [info.name for info in after.graph.output] != index.outputs:
        return tr("the outputs must be {outputs}, in this order", ", ".join(index.outputs))
    for node in before.graph.node:
        result = made.get(node.output[0])
        if result is None or (result.op_type, _attributes(result)) != (node.op_type, _attributes(node)):
            return tr("node {name!r} ({op_type}) is missing or has become another", node.name, node.op_type)
        single = all(index.dtype[name] == np.float32 for name in node.input[:2])
        factors = 2 if node.op_type in PRODUCTS and single else 0
        for position, name in enumerate(node.input):
            if problem := _reads(node, name, result.input[position], source, position < factors):
                return problem
    own = {node.output[0] for node in before.graph.node}
    twice = [name for name in source.values() if [*source.values()].count(name) > 1]
    if twice:
        return tr("{twice!r} is rounded {twice2} times; once is enough", twice[0], [*source.values()].count(twice[0]))
    extra = [node for name, node in made.items() if name not in own and name not in source]
    if not extra:
        return ""
    name, op_type = extra[0].output[0], extra[0].op_type
    return tr("node {extra!r} ({op_type}) belongs neither to the graph nor to rounding", name, op_type)


def _reads(node: onnx.NodeProto, name: str, received: str, source: Mapping[str, str], rounded: bool) -> str:
    if rounded and source.get(received) != name:
        return tr(
            "node {name!r} ({op_type}) must read {name2!r} rounded, but it reads {received!r}",
            node.name,
            node.op_type,
            name,
            received,
        )
    if not rounded and received != name:
        return tr(
            "node {name!r} ({op_type}) must read {name2!r} as it was, but it reads {received!r}",
            node.name,
            node.op_type,
            name,
            received,
        )
    return ""


def _attributes(node: onnx.NodeProto) -> list[bytes]:
    return sorted(attribute.SerializeToString(deterministic=True) for attribute in node.attribute)


def _rounded(values: Array, short: str) -> Array:
    """To the nearest number of the format, ties to even; float64."""
    if short == "half":
        return to_float64(from_float64(values.astype(np.float64), HALF), HALF)
    bits = values.astype(np.float32).view(np.uint32).astype(np.uint64)
    nearest = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16
    return nearest.astype(np.uint32).view(np.float32).astype(np.float64)

"""Stage 03: the cases of its tasks. A graph is judged by what it means, and by what the pass was to achieve."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import onnx

from grader.emitter.values import Value, Values
from grader.feedback.causes import STALE, WRONG_INPUTS
from grader.rigs.native_run import NativeStopped, run_lines
from grader.trials import Objection, Trial, Trials, Wrong, compare, first_of
from grader.trials.fusion_graphs import Array, cnn_step, feeds_of, mlp_step
from grader.trials.graphs import model_in
from grader.trials.mixed import mixed_precision
from haribote.cpp.build import CompilerMissing, compiler
from haribote.graph import evaluate, is_loss
from haribote.graphs.textual import parsed
from haribote.passes.nhwc import OPERATORS
from haribote.passes.report import counts
from simulator.messages import Text, tr

FIRST_PRODUCT = "5x3 by 3x4"
SECONDS = 5.0  # for the C++ compiler and for the program, each
NEAR = 1e-4  # a product or a sum in another order


def gemm(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 3.1: products of all forms. Raises CompilerMissing where there is none."""
    endless: list[str] = []
    try:
        compiler()
    except CompilerMissing as error:
        text = tr("task 3.1 cannot be checked here: there is no C++ compiler")
        raise CompilerMissing(text, tr("install one, or set CXX to it; the other tasks need none")) from error
    for m, n, k, forms in (
        (5, 4, 3, "NN"), (4, 6, 5, "NT"), (3, 5, 7, "TN"), (6, 3, 4, "TT"), (1, 10, 16, "NT"), (33, 1, 1, "TN"),
        (16, 16, 16, "NN"), (2, 900, 3, "NN"),
    ):  # fmt: skip
        a, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((m, k), (k, n)))
        stored_a, stored_b = (np.ascontiguousarray(x.T) if f == "T" else x for x, f in ((a, forms[0]), (b, forms[1])))
        given: dict[str, Value] = {
            "m": m, "n": n, "k": k, "trans_a": forms[0] == "T", "trans_b": forms[1] == "T",
        }  # fmt: skip
        inputs = {"a": stored_a, "b": stored_b}
        shapes = tr("{m}x{k} by {k}x{n}", m, k, n)
        name = {
            "NN": shapes, "TN": tr("{shapes}, a transposed", shapes),
            "NT": tr("{shapes}, b transposed", shapes),
            "TT": tr("{shapes}, a transposed, b transposed", shapes),
        }[forms]  # fmt: skip
        yield _product(name, given, inputs, a.astype(np.float64) @ b, endless, f"{m}x{k} by {k}x{n}" == FIRST_PRODUCT)


def _product(
    name: str,
    given: Mapping[str, Value],
    inputs: Mapping[str, Array],
    expected: Array,
    endless: list[str],
    first: bool,
) -> Trial:
    """A case. endless: those of this answer that had to be stopped; where there is one, the others are not run.

    first: whether it is an answer's first case.
    """

    def judge(answer: Values) -> Objection:
        if first:  # another answer
            endless.clear()
        if endless:
            return tr("it was not run, since it had to be stopped in the case {endless}", endless[0])
        try:
            received = run_lines(str(answer["text"]), inputs, expected.shape, SECONDS)
        except NativeStopped:
            endless.append(name)
            raise
        failure = compare(name, inputs, expected, received, what="y")
        if failure and received.shape == expected.shape and np.isnan(received).any():
            count = int(np.isnan(received).sum())
            text = tr(
                "y holds NaN before your lines run, and {count} elements of it still are NaN: "
                "set each before you add to it",
                count,
            )
            return replace(failure, explanation=f"{failure.explanation}\n{text}", cause=STALE)
        return failure

    return Trial(name, given, judge)


def softmax(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 3.2: rows of several kinds, and whole steps."""
    for name, shape, scale in (
        (tr("6 rows of 10"), (6, 10), 1.0), (tr("one row"), (1, 10), 1.0), (tr("as many rows as classes"), (4, 4), 1.0),
        (tr("large logits: exp(200) is no single"), (3, 5), 200.0), (tr("one class"), (3, 1), 1.0),
    ):  # fmt: skip
        logits = (scale * rng.standard_normal(shape)).astype(np.float32)
        yield _softmax(name, logits)
    yield _softmax(tr("all logits far below 0"), (rng.standard_normal((4, 6)) - 500).astype(np.float32))
    for batch in (6, 1):
        yield _step_in_canonical_operators(batch, rng)


def _softmax(name: str, logits: Array) -> Trial:
    wide = logits.astype(np.float64)
    shifted = wide - wide.max(1, keepdims=True)
    exp = np.exp(shifted)
    total = exp.sum(1, keepdims=True)
    wanted = {"shifted": shifted, "exp": exp, "sum": total, "p": exp / total}
    words = tr("the largest of each column is taken away: it should be that of each row, along axis 1")
    instead = [(WRONG_INPUTS, words, wide - wide.max(0))]

    def judge(answer: Values) -> Objection:
        model, names = model_in(answer), answer["names"]
        assert isinstance(names, dict)
        outputs = evaluate(model, {"logits": logits})
        for part, expected in wanted.items():
            received, known = outputs[str(names[part])], instead if part == "shifted" else []
            failure = compare(name, {"logits": logits}, expected, received, what=part, instead=known)
            if failure:
                return failure
        found = counts(model)
        if found != dict.fromkeys(("ReduceMax", "Sub", "Exp", "ReduceSum", "Div"), 1):
            return tr(
                "the values are right, but the nodes must be ReduceMax, Sub, Exp, ReduceSum and Div, each once;\n"
                "received {found}",
                _listed(found),
            )
        return None

    return Trial(name, {"shape": list(logits.shape)}, judge, shown={"logits": logits})


def _step_in_canonical_operators(batch: int, rng: np.random.Generator) -> Trial:
    name, model = tr("a training step, batch {batch}", batch), mlp_step(batch)
    feeds = feeds_of(model, rng)
    expected = evaluate(model, feeds)
    machines = {**feeds, "labels": feeds["labels"].astype(np.int32)}

    def judge(answer: Values) -> Objection:
        step = model_in(answer)
        failure = _same_values(name, step, machines, expected)
        left = [n for n in step.graph.node if "Softmax" in n.op_type or (n.op_type == "Log" and not is_loss(n))]
        if failure or not left:
            return failure
        return tr("node {name!r} ({op_type}) is left; the chip has no kernel for it", left[0].name, left[0].op_type)

    return Trial(name, {"model": model.SerializeToString()}, judge)


HEAD = "(float[3,2] x, float[2] b, float[2,2] w) => (float[3,2] y)"
CLUSTERS = {
    Text("a chain of three"): (f"{HEAD} {{ s = Mul(x, b) t = Sub(x, s) y = Relu(t) }}", ("s t y",)),
    Text("a value that two nodes of one cluster read"): (
        f"{HEAD} {{ s = Neg(x) t = Relu(s) u = Add(s, t) y = Exp(u) }}", ("s t u y",)),
    Text("a value that two clusters read"): (
        f"{HEAD} {{ r = Relu(x) p = MatMul(r, w) q = Neg(r) t = Exp(q) y = Add(p, t) }}", ("r", "p", "q t y")),
    Text("a value that a chain and a product read"): (
        f"{HEAD} {{ r = Relu(x) q = Neg(r) p = MatMul(r, w) y = Add(q, p) }}", ("r", "p", "q y")),
    Text("a way out of the cluster and back"): (f"{HEAD} {{ s = Neg(x) p = MatMul(s, w) y = "
                                                 "Add(s, p) }", ("s", "p", "y")),
    Text("an output of the graph on the way"): (
        "(float[2] x) => (float[2] r, float[2] y) { r = Relu(x) y = Neg(r) }", ("r", "y")),
    Text("a smaller value, repeated"): (f"{HEAD} {{ c = Exp(b) y = Add(x, c) }}", ("c", "y")),
    Text("Gemm, then two nodes"): (f"{HEAD} {{ p = Gemm(x, w) q = Relu(p) y = Add(p, q) }}", ("p q y",)),
    Text("nothing joins a Gemm from above"): (f"{HEAD} {{ r = Relu(x) p = Gemm(r, w) y = Neg(p) }}", ("r", "p y")),
    Text("two Gemms"): (f"{HEAD} {{ p = Gemm(x, w) q = Gemm(x, w) y = Add(p, q) }}", ("p", "q y")),
    Text("a value that nobody reads"): (f"{HEAD} {{ u = Neg(x) s = Relu(x) y = Exp(s) }}", ("u", "s y")),
    Text("batch 1"): ("(float[1,4] x) => (float[1,4] y) { s = Tanh(x) t = Sigmoid(s) y = Mul(s, t) }", ("s t y",)),
}  # fmt: skip
STEP_NODES = {6: 13, 1: 13}  # of `mlp_step` behind fusion, by batch; 23 before


def fuse(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 3.3: graphs whose clusters are known, and whole steps."""
    for name, (body, clusters) in CLUSTERS.items():
        model = parsed(body)
        yield _fusion(name, model, rng, {frozenset(names.split()) for names in clusters})
    for batch, nodes in STEP_NODES.items():
        yield _fusion(tr("a training step, batch {batch}", batch), mlp_step(batch), rng, nodes=nodes)


def _fusion(
    name: str,
    model: onnx.ModelProto,
    rng: np.random.Generator,
    clusters: set[frozenset[str]] | None = None,
    nodes: int = 0,
) -> Trial:
    feeds = feeds_of(model, rng)
    expected = evaluate(model, feeds)

    def judge(answer: Values) -> Objection:
        fused, found = model_in(answer), answer["clusters"]
        assert isinstance(found, list)
        received = {frozenset(map(str, names)) for names in found if isinstance(names, list)}
        failure = _same_values(name, fused, feeds, expected)
        if failure:
            return failure
        if clusters is not None and received != clusters:
            wanted, given = _grouped(clusters), _grouped(received)
            text = tr("the clusters must be {clusters}\nreceived are the clusters {received}", wanted, given)
            return tr("{text}\nof the graph {model}", text, _lines(model))
        if nodes and len(fused.graph.node) != nodes:
            return tr("{nodes} nodes must be left, received {node}", nodes, len(fused.graph.node))
        return None

    both = clusters is None or 1 < len(clusters) < len(model.graph.node)  # neither all alone nor all together is right
    return Trial(name, {"model": model.SerializeToString()}, judge, earns=both)


CONV = "Conv<kernel_shape=[3,3], pads=[1,1,1,1]>"
POOL = "MaxPool<kernel_shape=[2,2], strides=[2,2]>"
IMAGES = "(float[2,3,4,4] x, float[3,3,3,3] w, float[3] b, float[3,1,1] s)"
TRANSPOSES: dict[str, tuple[str, int]] = {
    Text("one convolution"): (f"{IMAGES} => (float[2,3,4,4] y) {{ y = {CONV}(x, w) }}", 3),
    Text("Relu behind it"): (f"{IMAGES} => (float[2,3,4,4] y) {{ c = {CONV}(x, w) y = Relu(c) }}", 3),
    Text("two convolutions, and a sum of both"): (
        f"{IMAGES} => (float[2,3,4,4] y) {{ c = {CONV}(x, w) r = Relu(c) d = {CONV}(r, w) y = Add(d, c) }}", 3),
    Text("a bias"): (f"{IMAGES} => (float[2,3,4,4] y) {{ c = {CONV}(x, w, b) y = Tanh(c) }}", 3),
    Text("a factor for each channel"): (f"{IMAGES} => (float[2,3,4,4] y) {{ c = {CONV}(x, w) y = Mul(c, s) }}", 4),
    Text("Softmax over the channels"): (
        f"{IMAGES} => (float[2,3,4,4] y) {{ c = {CONV}(x, w) y = Softmax<axis=1>(c) }}", 3),
    Text("pooling, batch 1"): (
        f"(float[1,2,4,4] x, float[3,2,3,3] w) => (float[1,3,2,2] y) {{ c = {CONV}(x, w) y = {POOL}(c) }}", 3),
    Text("a result that is read both ways"): (
        f"{IMAGES} => (float[2,3,4,4] c, float[2,3,4,4] y) {{ c = {CONV}(x, w) y = {CONV}(c, w) }}", 4),
    Text("images that only Relu sees"): ("(float[2,3,4,4] x) => (float[2,3,4,4] y) { y = Relu(x) }", 0),
    Text("no images"): ("(float[3,2] x, float[2,2] w) => (float[3,2] y) { p = MatMul(x, w) y = Relu(p) }", 0),
}  # fmt: skip
STEP_TRANSPOSES = 12  # of `cnn_step`


def nhwc(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 3.4: graphs of which is known how many transposes must be left."""
    for name, (body, most) in TRANSPOSES.items():
        yield _layout(name, parsed(body), most, rng)
    yield _layout(tr("a training step with two convolutions"), cnn_step(), STEP_TRANSPOSES, rng)


def _layout(name: str, model: onnx.ModelProto, most: int, rng: np.random.Generator) -> Trial:
    feeds = feeds_of(model, rng)
    expected = evaluate(model, feeds)

    def judge(answer: Values) -> Objection:
        turned = model_in(answer)
        failure = _same_values(name, turned, feeds, expected)
        if failure:
            return failure
        left = [node for node in turned.graph.node if node.op_type in OPERATORS]
        if left:
            return tr("node {name!r} ({op_type}) still works on NCHW", left[0].name, left[0].op_type)
        transposes = counts(turned)["Transpose"]
        if transposes > most:
            text = tr(
                "{most} transposes are enough, received {transposes}; those that meet their opposite must go",
                most,
                transposes,
            )
            return tr("{text}\nof the graph {turned}", text, _lines(turned))
        return None

    return Trial(name, {"model": model.SerializeToString()}, judge, earns=most > 0)


def _same_values(
    name: str, model: onnx.ModelProto, feeds: Mapping[str, Array], expected: Mapping[str, Array]
) -> Objection:
    """The first output of a graph that has another value than before the pass."""
    received = evaluate(model, feeds)
    if list(received) != list(expected):
        return tr("the outputs must be {expected}, received {received}", ", ".join(expected), ", ".join(received))
    failures = (compare(name, feeds, expected[out], received[out], NEAR, what=repr(out)) for out in expected)
    return first_of(failures)


def _listed(found: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {op_type}" for op_type, number in sorted(found.items()))


def _grouped(clusters: set[frozenset[str]]) -> str:
    return " | ".join(sorted(" ".join(sorted(names)) for names in clusters))


def _lines(model: onnx.ModelProto) -> str:
    nodes: list[Any] = list(model.graph.node)
    return "; ".join(f"{node.output[0]} = {node.op_type}({', '.join(node.input)})" for node in nodes)


TRIALS: dict[str, Trials] = {"3.1": gemm, "3.2": softmax, "3.3": fuse, "3.4": nhwc, "3.5": mixed_precision}

_MEMBERS = "all(member.op_type in ELEMENTWISE for member in readers[0])"
_READERS = "any(cluster is not readers[0] for cluster in readers)"
WRONG: dict[str, Wrong] = {
    "3.1": (
        ('yield f"for (int i = 0; i < {m * n}; ++i) y[i] = 0;"', "pass"),  # adds to what was there
        ("if trans_b else", "if not trans_b else"),
        ("a[p * {m} + i]", "a[p * {k} + i]"),  # right for square shapes
        ("y[i * {n} + j]", "y[i * {m} + j]"),
        ("+= factor", "= factor"),
        ("j < {n}; ++j) y", "j <= {n}; ++j) y"),  # one too far
        ('yield "    }"', "pass"),  # no C++
    ),
    "3.2": (
        ('g.op("Sub", logits, largest, part="shifted")', "logits"),  # overflows
        ('"ReduceMax"', '"ReduceMin"'),
        ('g.ints([1], "axes")', 'g.ints([0], "axes")'),
        ('g.op("Div", exp, total)', 'g.op("Softmax", logits)'),  # nothing decomposed
        ("Softmax(shifted, exp, total", "Softmax(logits, exp, total"),
        ('part="sum", keepdims=1', 'part="sum", keepdims=0'),  # right for one row
    ),
    "3.3": (
        ("if not readers or", "if True or"),  # fuses nothing
        ("not readers or ", ""),  # a value without readers
        ("result in index.outputs or ", ""),
        ("same_shape and ", ""),
        (_MEMBERS, "True"),
        (_READERS, "len(readers) > 1"),  # chains only
        (_READERS, "False"),
    ),
    "3.4": (
        ("if g.has_nhwc_form(node):", "if False:"),  # changes nothing
        ("g.nhwc(node, images), NCHW", "g.nhwc(node, images), NHWC"),
        ("g.common_perm(node) if node.op_type in ELEMENTWISE else None", "None"),  # leaves every transpose
        ("node.input[: OPERATORS[node.op_type]]", "node.input[:1]"),
        ("g.common_perm(node) if node.op_type in ELEMENTWISE else None", "g.common_perm(node)"),
        ("g.same_operator(node, sources), perm)", "g.same_operator(node, sources), NHWC)"),
    ),
    "3.5": (
        ("node.op_type in PRODUCTS and", "False and"),  # rounds nothing
        ("enumerate(node.input[:2])", "enumerate(node.input)"),  # the bias too
        ("if name not in rounded:", "if True:"),  # every time anew
        ("node.op_type in PRODUCTS and", "node.op_type != 'OneHot' and"),  # the update too
        ("all(index.dtype[name] == np.float32 for name in node.input[:2])", "True"),
        ("index.dtype[name] == np.float32 for", "index.dtype[name] != np.float64 for"),
        ("FORMATS[short], name", '"RoundHalf", name'),
        ("        node = onnx.NodeProto()\n        node.CopyFrom(original)", "        node = original"),
    ),
}

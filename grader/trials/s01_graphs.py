"""Stage 01: the cases of its tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import onnx
from onnx import helper, numpy_helper

from grader.emitter.values import Value, Values
from grader.trials import Array, Objection, Trial, Trials, Wrong, array_in, compare, first_of
from grader.trials.fusion_graphs import CLASSES, feeds_of, mlp_step
from grader.trials.graphs import must_give, must_refuse
from grader.trials.product import trains
from haribote.errors import HariboteError
from haribote.graph import evaluate
from haribote.operators.functions import DOMAIN, FUNCTIONS, OPSET
from simulator.messages import tr


def addmm(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 1.1: layers of two shapes, and factors that must be refused."""
    for rows, features, outputs in ((5, 4, 3), (7, 7, 7)):
        given: dict[str, Value] = {"rows": rows, "features": features, "outputs": outputs, "beta": 1, "alpha": 1}
        x = rng.standard_normal((rows, features)).astype(np.float32)
        weight = rng.standard_normal((outputs, features)).astype(np.float32)
        bias = rng.standard_normal(outputs).astype(np.float32)
        expected = x.astype(np.float64) @ weight.T + bias
        feeds = {"x": x, "weight": weight, "bias": bias}
        yield must_give(f"Linear({features}, {outputs})", given, feeds, {"logits": expected})
    for beta, alpha in ((2, 1), (1, 0.5), (2, 2)):
        yield must_refuse(f"beta = {beta}, alpha = {alpha}", {**given, "beta": beta, "alpha": alpha})
    layers = {f"{kind[0]}{number}": f"{2 * number}.{kind}" for number in (0, 1) for kind in ("weight", "bias")}
    yield trains({"rows": 6, "widths": [5, 3, CLASSES]}, rng, layers)


def run_nodes(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 1.2: a chain, a value read often, an operator of ours, several outputs, and names that are left out."""
    x, y = (rng.standard_normal((3, 4)).astype(np.float32) for _ in range(2))
    a, b = (helper.make_node(op, read, [made]) for op, read, made in (("Neg", ["x"], "a"), ("Relu", ["a"], "b")))
    yield _gives_all(tr("a chain of two nodes"), [a, b], {"x": x}, {"a": -x, "b": np.maximum(-x, 0)})
    nodes = [
        helper.make_node("Sub", ["y", "x"], ["difference"]),
        helper.make_node("Mul", ["difference", "difference"], ["square"]),
        helper.make_node("Sub", ["square", "difference"], ["last"]),
    ]
    d = y - x
    yield _gives_all(tr("values that are read twice"), nodes, {"x": x, "y": y}, {
        "difference": d, "square": d * d, "last": d * d - d
    })  # fmt: skip
    yield _gives_all(tr("no node at all"), [], {"x": x}, {})
    first, second = x[:, :1], x[:, 1:]
    split = helper.make_node("Split", ["x", "sizes"], ["first", "second"], axis=1)
    sizes = np.array([1, 3])
    yield _gives_all(
        tr("a node with two outputs"), [split], {"x": x, "sizes": sizes}, {"first": first, "second": second}
    )
    split = helper.make_node("Split", ["x", "sizes"], ["", "second"], axis=1)
    clip = helper.make_node("Clip", ["second", "", "high"], ["limited"])
    given = {"x": x, "sizes": sizes, "high": np.array(0.25, np.float32)}
    limited = np.minimum(second, 0.25)
    yield _gives_all(tr("a left-out output and input"), [split, clip], given, {"second": second, "limited": limited})
    ours = helper.make_node("DL", ["x"], ["moved"], domain=DOMAIN)
    yield _gives_all(tr("an operator of our own domain"), [ours], {"x": x}, {"moved": x})
    step = mlp_step()
    feeds = feeds_of(step, rng)
    known = {tensor.name: numpy_helper.to_array(tensor) for tensor in step.graph.initializer}
    made = evaluate(step, feeds)
    yield _gives_all(tr("in the product: a training step"), step.graph.node, feeds | known, made, all_of_it=False)


def _gives_all(
    name: str,
    nodes: Sequence[onnx.NodeProto],
    values: Mapping[str, Array],
    made: Mapping[str, Array],
    all_of_it: bool = True,
) -> Trial:
    """A case whose answer has the given values and those that the nodes make, no others, under their names.

    made: by the nodes; where not `all_of_it`, other values too.
    """
    expected = {**values, **made}

    def judge(answer: Values) -> Objection:
        received = answer.get("values")
        if not isinstance(received, dict):
            raise HariboteError(tr("the answer must have values by name"))
        if missing := [value for value in expected if value not in received]:
            return tr("the value {missing!r} is missing, there are {repr}", missing[0], ", ".join(map(repr, received)))
        if all_of_it and (strange := [value for value in received if value not in expected]):
            return tr("nothing in this graph is called {strange!r}, so it must not be in the result", strange[0])
        if answer.get("given") != sorted(values):
            return tr("the dictionary that was given has changed; begin with a copy of it")
        failures = (
            compare(name, values, array, array_in(received, value), what=repr(value))
            for value, array in expected.items()
        )
        return first_of(failures)

    imports = [helper.make_opsetid("", OPSET), helper.make_opsetid(DOMAIN, 1)]
    info = [helper.make_tensor_value_info(key, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            for key, array in values.items()]  # fmt: skip
    graph = helper.make_graph(nodes, "evaluate", info, [])
    model = helper.make_model(graph, opset_imports=imports, functions=[*FUNCTIONS.values()])
    given: dict[str, Value] = {"graph": model.SerializeToString(), "values": dict(values)}
    return Trial(name, given, judge, earns=bool(made))


TRIALS: dict[str, Trials] = {"1.1": addmm, "1.2": run_nodes}
WRONG: dict[str, Wrong] = {
    "1.1": (
        ("beta == 1 and alpha == 1", "beta == alpha"),
        ('"Add"', '"Sub"'),
        ("a, b, part", "b, a, part"),
        ("beta == 1 and alpha == 1", "True"),
    ),
    "1.2": (
        ("known = dict(values)", "known = values"),
        ("if name else None", ""),
        ("            if name:\n                known[name] = array", "            known[name] = array"),
        ("for name in node.input", "for name in sorted(node.input)"),
        ("compute(node, arrays), strict=True", "compute(node, arrays)[:1]"),
        ("return known", "return {name: known[name] for name in node.output}"),
    ),
}

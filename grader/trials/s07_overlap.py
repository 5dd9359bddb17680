"""Stage 07: the cases of the tasks about precision and overlap."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import onnx

from grader.emitter.values import Value, Values
from grader.trials import Objection, Trial, Trials, Wrong, gives
from grader.trials.fusion_graphs import mlp_step
from haribote.graph import Builder, Index, set_metadata, updates
from haribote.passes import decompose
from simulator.messages import tr

# --- 7.8 where half is allowed ---------------------------------------------------------------------------------------

ONE_TO_ONE = ("Add", "Sub", "Neg", "ReduceMax", "Identity", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Transpose")
SHAPE = (4, 4)


def precision(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 7.8: one reason each, ways through several nodes, new values of parameters, and whole training steps."""
    for name, lines in (
        (tr("an exponential reads one, a Relu the other"), "a=MatMul(x,w) b=Exp(a) c=MatMul(x,v) y=Relu(c) !b !y"),
        (tr("through additions and a scale"), "a=MatMul(x,w) b=Add(a,v) c=Mul(b,2) d=Log(c) e=MatMul(d,w) y=Abs(e) !y"),
        (tr("an addition whose second summand is a product"), "a=MatMul(x,w) b=Add(v,a) y=Exp(b) !y"),
        (tr("an output is a product"), "a=MatMul(x,w) b=Abs(a) y=MatMul(b,v) !y"),
        (tr("scaled by a value, not by a constant"), "a=MatMul(x,w) b=Mul(a,v) y=Exp(b) !y"),
        (tr("a new value of a parameter"), "a=MatMul(x,w) n=Sub(w,a) b=MatMul(x,v) y=Exp(b) !n=w !y"),
        (tr("one reader of two is delicate"), "a=MatMul(x,w) b=Relu(a) c=Neg(a) y=Exp(c) z=MatMul(b,v) u=Abs(z) !y !u"),
        (tr("an exponential that is read by a product"), "a=Abs(x) b=Exp(a) c=MatMul(b,w) y=Sigmoid(c) !y"),
        (tr("the second output is a product"), "a=MatMul(x,w) b=Abs(a) y=MatMul(b,v) !b !y"),
        (tr("a new value that an exponential reads"), "a=MatMul(x,w) n=Sub(w,a) y=Exp(n) !n=w !y"),
        (tr("the product is an `Einsum`"), "a=Einsum(x,w) b=Add(a,v) y=Exp(b) !y"),
    ):  # fmt: skip
        yield _graph(name, _built(lines))
    for batch, widths in ((6, (5, 3, 4)), (4, (6, 5, 3, 4))):
        yield _graph(tr("a training step, {value}", "-".join(map(str, widths))), decompose.run(mlp_step(batch, widths)))
    order = [str(word) for word in rng.permutation(["Neg", "Identity", "Transpose"])]
    middle = " ".join(f"m{k}={op}({'a' if k == 0 else f'm{k - 1}'})" for k, op in enumerate(order))
    yield _graph(tr("a long way"), _built(f"a=MatMul(x,w) {middle} y=Exp(m2) b=MatMul(x,v) z=Relu(b) !y !z"))


def _built(lines: str) -> onnx.ModelProto:
    """A graph of 4x4 values: `a=MatMul(x,w)`, a node called A; `!y` is an output, `!n=w` the new value of w. A number
    is a constant."""
    builder = Builder("graph")
    new: dict[str, str] = {}
    for name in "xwv":
        builder.input(name, SHAPE, np.float32)
    for part in lines.split():
        if part.startswith("!"):
            result, _, parameter = part[1:].partition("=")
            builder.output(result)
            new |= {parameter: result} if parameter else {}
            continue
        result, _, call = part.partition("=")
        op, _, arguments = call.rstrip(")").partition("(")
        inputs = [builder.scalar(float(a)) if a.isdigit() else a for a in arguments.split(",")]
        attributes: dict[str, Any] = {"equation": "ij,jk->ik"} if op == "Einsum" else {}
        builder.op(op, *inputs, name=result, **attributes)
    model = builder.finish()
    for node in model.graph.node:
        node.name = node.name.upper()
    set_metadata(model, updates=json.dumps(new))
    return model


def _graph(name: str, model: onnx.ModelProto) -> Trial:
    wanted = sorted(by_following(model))
    lines = [f"{', '.join(n.output)} = {n.op_type}({', '.join(n.input)})" for n in model.graph.node]
    shown = {"nodes": np.array(lines), "outputs": np.array(Index(model).outputs)}

    def judge(answer: Values) -> Objection:
        found = answer["names"]
        assert isinstance(found, list)
        if found == wanted:
            return None
        return tr(
            "the delicate products are {value}; received {value2}",
            ", ".join(wanted) or tr("none"),
            ", ".join(map(str, found)) or tr("none"),
        )

    return Trial(name, {"model": model.SerializeToString()}, judge, earns=bool(wanted), shown=shown)


def by_following(model: onnx.ModelProto) -> set[str]:
    """The products from which some way of nodes that hand on leads to a delicate place: every way is followed."""
    index, new = Index(model), set(updates(model).values())

    def delicate(value: str) -> bool:
        if value in index.outputs and value not in new:
            return True
        return any(
            reader.op_type in ("Exp", "Log") or (_hands_on(reader, index) and any(map(delicate, reader.output)))
            for reader in index.consumers.get(value, ())
        )

    products = (node for node in model.graph.node if node.op_type in ("MatMul", "Gemm", "Einsum"))
    return {node.name for node in products if delicate(node.output[0])}


def _hands_on(node: onnx.NodeProto, index: Index) -> bool:
    scaled = node.op_type in ("Mul", "Div") and any(name in index.constants for name in node.input)
    return node.op_type in ONE_TO_ONE or scaled


# --- 7.9 overlap -----------------------------------------------------------------------------------------------------

Item = tuple[str, float, Sequence[int]]


def overlap(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 7.9: each rule alone, then random works."""
    yield _works(tr("a move beside steps"), [("steps", 4, ()), ("moves", 64, ()), ("steps", 8, ())])
    yield _works(tr("a step waits for a move"), [("moves", 64, ()), ("steps", 4, (0,)), ("steps", 4, ())])
    yield _works(tr("moves wait for each other"), [("moves", 16, ()), ("moves", 32, ()), ("steps", 4, (1,))])
    yield _works(tr("a later move goes first"), [("steps", 40, ()), ("moves", 16, (0,)), ("moves", 32, ())])
    yield _works(
        tr("steps stay in order"), [("moves", 64, ()), ("steps", 4, (0,)), ("steps", 20, ()), ("moves", 16, (2,))]
    )
    yield _works(tr("a need that stands later"), [("moves", 16, (1,)), ("steps", 12, ()), ("moves", 8, ())])
    yield _works(tr("nothing but steps"), [("steps", 4, ()), ("steps", 8, ())], earns=False)
    for number in range(5):
        count = int(rng.integers(8, 24))
        place = rng.permutation(count)  # a move may stand before what it needs; steps are in order
        units = [str(unit) for unit in rng.choice(["steps", "moves"], count)]
        steps = sorted(int(place[k]) for k in range(count) if units[k] == "steps")
        for k in range(count):
            if units[k] == "steps":
                place[k] = steps.pop(0)
        items: list[Item] = [("steps", 4.0, ())] * count
        for k in range(count):
            needs = [int(place[other]) for other in range(k) if rng.random() < 0.15]
            items[int(place[k])] = (units[k], float(rng.integers(1, 80)) / 2, needs)
        yield _works(tr("random works, {value}", number + 1), items)


def _works(name: str, items: Sequence[Item], earns: bool = True) -> Trial:
    ends = by_the_clock(items)
    given: dict[str, Value] = {"work": [[unit, cycles, list[Value](needs)] for unit, cycles, needs in items]}
    shown = {
        tr("work {k}", k): np.array(
            tr("{unit!r}, {cycles:g} cycles, needs {value}", unit, cycles, ", ".join(map(str, needs)) or tr("none"))
        )
        for k, (unit, cycles, needs) in enumerate(items[:12])
    }
    return gives(name, given, shown, "ends", ends, tr("the cycle at which each work ends"), earns=earns)


def by_the_clock(items: Sequence[Item]) -> list[float]:
    """The same, by letting time pass in halves of a cycle; a unit that is free takes what may begin now."""
    ends = [float("inf")] * len(items)
    begun: set[int] = set()
    free = {"steps": 0.0, "moves": 0.0}
    now = 0.0
    while len(begun) < len(items):
        for unit in free:
            left = [k for k, item in enumerate(items) if item[0] == unit and k not in begun]
            for k in left[:1] if unit == "steps" else left:
                if free[unit] <= now and all(ends[need] <= now for need in items[k][2]):
                    begun.add(k)
                    ends[k] = free[unit] = now + items[k][1]
        now += 0.5
    return ends


TRIALS: dict[str, Trials] = {"7.8": precision, "7.9": overlap}
WRONG: dict[str, Wrong] = {
    "7.8": (
        ('seen.update(node.input)', 'seen.update(node.input[:1])'),
        (" - set(updates(model).values())", ""), ("reversed(model.graph.node)", "model.graph.node"),
            (" and hands_on(node, index)", ""), ('("Exp", "Log")', '("Exp",)'),
            ("reaches and node.op_type", "node.op_type"),
            ("set(index.outputs) - set(updates(model).values())", "set()"),
            ("set(index.outputs) -", "set(index.outputs[:1]) -"), ("in PRODUCTS", "in ('MatMul', 'Gemm')"),
            ("hands_on(node, index)", "hands_on(node, index) and node.output[0] not in updates(model).values()"),
            ("found.add(node.name)", "found.add(node.output[0])")),
    "7.9": (("steps[:1] + moves", "steps + moves"), ("steps[:1] + moves", "left[:1]"),
            ("if all(need in ends for need in work[number].needs)", ""),
            ("free[work[number].unit] = ends[number]", "pass"), ("free[work[number].unit], *(", "*("),
            ("key=lambda number: (begins[number], number)", "key=lambda number: number"),
            ("begins[number] + work[number].cycles", "int(begins[number] + work[number].cycles)")),
}  # fmt: skip

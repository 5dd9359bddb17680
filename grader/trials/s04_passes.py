"""Stage 04: the cases of the tasks about the compiler. A graph with transfers is judged by following its wires."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np
import onnx

from grader.emitter.loading import REFUSED
from grader.emitter.values import Value, Values
from grader.trials import Objection, Trial, Trials, Wrong
from grader.trials.fusion_graphs import mlp_step
from grader.trials.graphs import model_in
from haribote.compiler import lower
from haribote.graph import Index, metadata
from haribote.graphs.textual import parsed
from haribote.kernel_table import BY_NAME, BY_TRANSFER
from simulator.messages import Text, tr

X, MATRIX, VECTOR = "float[256,16]", "float[16,16]", "float[16]"
GRAPHS = {
    Text("one operator"): f"({X} x) => ({X} y) {{ y = Relu(x) }}",
    Text("two operands"): f"({X} x, {VECTOR} b) => ({X} y) {{ y = Add(x, b) }}",
    Text("one operator after another"): f"({X} x) => ({X} z) {{ y = Relu(x) z = Exp(y) }}",
    Text("a value that is read twice"): f"({X} x) => ({X} y) {{ y = Mul(x, x) }}",
    Text("a number that is no operand"): f"({X} x) => ({X} y) <float tenth = {{0.1}}> {{ y = Mul(tenth, x) }}",
    Text("axes that are no operand"): (
        f"({X} x) => (float[256,1] y) <int64[1] axes = {{1}}> {{ y = ReduceSum<keepdims=1>(x, axes) }}"),
    Text("a kernel that writes to DRAM"): f"({X} g, {X} x) => ({MATRIX} y) {{ y = Gemm<transA=1>(g, x) }}",
    Text("a node of the host between two of the chip"): (
        f"({X} x) => ({X} z) {{ y = Relu(x) t = Tanh(y) z = Exp(t) }}"),
    Text("an output that another node reads"): f"({X} x) => ({X} y, {X} z) {{ y = Relu(x) z = Sub(y, x) }}",
    Text("nothing for the chip"): "(float[3,5] x) => (float[3,5] y) { y = Tanh(x) }",
}  # fmt: skip


def transfers(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 4.6: small graphs with layouts, and the step of a network."""
    for name, text in GRAPHS.items():
        yield _transfers(name, lower(parsed(text), "layout", "layout"))
    yield _transfers(tr("a training step"), lower(mlp_step(256, (16, 16, 16)), "pad", "layout"))


def _transfers(name: str, model: onnx.ModelProto) -> Trial:
    def judge(answer: Values) -> Objection:
        if REFUSED in answer:
            return str(answer[REFUSED])
        if answer.get("kept") is not True:
            return tr("the model that was given has changed; change the copies that `builder.keep` gives")
        return _problem(model, model_in(answer))

    return Trial(name, {"model": model.SerializeToString()}, judge, earns=name != "nothing for the chip")


def _problem(before: onnx.ModelProto, after: onnx.ModelProto) -> str:
    """What is wrong with the wires, or ""."""
    constants, made = Index(before).constants, {node.output[0]: node for node in after.graph.node}
    if [info.name for info in after.graph.output] != [info.name for info in before.graph.output]:
        return tr("the outputs must be {value}, in this order", ", ".join(info.name for info in before.graph.output))
    expected = [wanted for node in before.graph.node for wanted in _wanted(node, constants)]
    for wanted in expected:
        found = made.get(wanted.output[0])
        problem = tr("no node makes {output!r}", wanted.output[0]) if found is None else _difference(wanted, found)
        if problem:
            return problem
    names = {wanted.output[0] for wanted in expected}
    extra = [node for name, node in made.items() if name not in names]
    return tr("node {name!r} ({op_type}) should not be there", extra[0].name, extra[0].op_type) if extra else ""


def _wanted(node: onnx.NodeProto, constants: Collection[str]) -> Iterator[onnx.NodeProto]:
    """What must become of a node: itself, and its transfers."""
    row = BY_NAME.get(metadata(node).get("haribote.kernel", ""))
    copy = onnx.NodeProto()
    copy.CopyFrom(node)
    if row is not None:
        operands = [position for position, name in enumerate(node.input) if name not in constants]
        for number, (position, tag) in enumerate(zip(operands, row.inputs, strict=True)):
            copy.input[position] = f"{node.name}.dl{number}"
            yield _transfer("DL", tag, node.input[position], copy.input[position], copy.input[position])
        if row.output_memory != "DRAM":
            copy.output[0] = f"{node.name}.lm"
            yield _transfer("UL", row.output, copy.output[0], node.output[0], f"{node.name}.ul")
    yield copy


def _transfer(op: str, tag: str, source: str, target: str, name: str) -> onnx.NodeProto:
    node = onnx.NodeProto(op_type=op, domain="haribote", name=name, input=[source], output=[target])
    node.metadata_props.add(key="haribote.kernel", value=BY_TRANSFER[op, tag].name)
    return node


def _difference(wanted: onnx.NodeProto, found: onnx.NodeProto) -> str:
    """How a node differs from the one that must be there, or ""."""
    who = tr("node {name!r} ({op_type}), which makes {output!r},", found.name, found.op_type, found.output[0])
    if found.op_type != wanted.op_type or found.domain != wanted.domain:
        return tr("{who} must be a {op_type}", who, wanted.op_type)
    if found.name != wanted.name:
        return tr("{who} must be called {name!r}", who, wanted.name)
    if list(found.input) != list(wanted.input):
        return tr("{who} must read {input}; it reads {input2}", who, ", ".join(wanted.input), ", ".join(found.input))
    kernels = [metadata(node).get("haribote.kernel", "") for node in (wanted, found)]
    if kernels[0] != kernels[1]:
        return tr(
            "{who} must be done by the kernel {value}, not by {value2}: another layout",
            who,
            kernels[0] or tr("none"),
            kernels[1] or tr("none"),
        )
    attributes = [sorted(a.SerializeToString(deterministic=True) for a in node.attribute) for node in (wanted, found)]
    return "" if attributes[0] == attributes[1] else tr("{who} has other attributes than before", who)


SOFTMAX = {"max": "logits", "shifted": "logits max", "exp": "shifted", "sum": "exp", "softmax": "exp sum",
           "end": "softmax"}  # fmt: skip
CHAIN = {"b": "a", "c": "b", "d": "c"}
FAN = {"b": "a", "c": "a", "d": "a", "e": "b c d"}


def cheapest(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 4.7: graphs with random prices; in the last ones moves are so dear, or so cheap, that they decide."""
    ends = {"logits": "A", "end": "A"}
    yield _cheapest("softmax", SOFTMAX, "APB", ends, rng)
    yield _cheapest(tr("softmax from P to B"), SOFTMAX, "APB", {"logits": "P", "end": "B"}, rng)
    yield _cheapest(tr("a chain with nothing fixed but its start"), CHAIN, "APB", {"a": "P"}, rng)
    for number in range(4):
        yield _cheapest(tr("one value for three readers, {number}", number), FAN, "XY", {"a": "X", "d": "Y"}, rng, 3)
    yield _cheapest(tr("moves are dear"), SOFTMAX, "APB", ends, rng, 50)
    yield _cheapest(tr("moves cost next to nothing"), SOFTMAX, "APB", ends, rng, 0.01)
    yield _cheapest(tr("dear moves, of which one is needed"), SOFTMAX, "APB", {"logits": "P", "end": "B"}, rng, 1000)
    yield _cheapest(tr("all moves cost the same"), FAN, "XYZ", {"a": "X", "d": "Y"}, rng, 0, 60)
    yield _cheapest(tr("one layout"), CHAIN, "A", {"a": "A"}, rng)


def _cheapest(
    name: str,
    reads: dict[str, str],
    layouts: str,
    fixed: dict[str, str],
    rng: np.random.Generator,
    scale: float = 1,
    more: float = 0,
) -> Trial:
    """scale, more: a move costs `scale` times a random number and `more`."""
    values = list(dict.fromkeys([*(name for names in reads.values() for name in names.split()), *reads]))
    work = {f"{value} {to}": float(rng.integers(10, 200)) for value in reads for to in layouts}
    move = {f"{value} {a} {b}": 0.0 if a == b else float(rng.integers(10, 200)) * scale + more
            for value in values for a in layouts for b in layouts}  # fmt: skip
    given: dict[str, Value] = {
        "reads": dict(reads), "layouts": list(layouts), "fixed": dict(fixed), "work": dict(work), "move": dict(move),
    }  # fmt: skip

    def cycles(plan: dict[str, str]) -> float:
        total = sum(work[f"{value} {plan[value]}"] for value in reads)
        for value in values:
            wanted = {plan[reader] for reader, names in reads.items() if value in names.split()}
            total += sum(move[f"{value} {plan[value]} {layout}"] for layout in wanted)
        return total

    def judge(answer: Values) -> Objection:
        plan = answer.get("plan")
        if not isinstance(plan, dict) or plan.keys() != set(values):
            return tr("the plan must name the values {values}, and no others", ", ".join(values))
        found = {value: str(layout) for value, layout in plan.items()}
        for value, layout in found.items():
            allowed = fixed.get(value, layouts)
            if layout not in allowed:
                return tr("{value} is in {layout!r}, but may be in {allowed}", value, layout, " or ".join(allowed))
        best, paid = min(map(cycles, _plans(values, layouts, fixed))), cycles(found)
        if paid > best + 1e-6:
            return tr("the plan {found} costs {paid:g} cycles; there is one for {best:g}", found, paid, best)
        return None

    return Trial(name, given, judge, earns=len(layouts) > 1)


def _plans(values: list[str], layouts: str, fixed: dict[str, str]) -> Iterator[dict[str, str]]:
    """All plans, one value after another."""
    if not values:
        yield {}
        return
    first, *rest = values
    for layout in fixed.get(first, layouts):
        for plan in _plans(rest, layouts, fixed):
            yield {first: layout, **plan}


TRIALS: dict[str, Trials] = {"4.6": transfers, "4.7": cheapest}
WRONG: dict[str, Wrong] = {
    "4.6": (
        ("inputs[inputs.index(value)] = loaded", "pass"),  # the node still reads DRAM
        ("inputs[inputs.index(value)] = loaded", "inputs[list(node.input).index(value)] = loaded"),  # once of twice
        ("enumerate(zip(row.inputs, tensor_inputs(node, index), strict=True))",
         "enumerate(zip(row.inputs[:1], tensor_inputs(node, index)))"),  # the first operand only
        ("tensor_inputs(node, index), strict=True", "node.input"),  # numbers count as operands
        ('row.output_memory != "DRAM"', "True"),  # a UL too many
        ('"UL", row.output', '"UL", "256x16.A"'),
        ('"DL", tag', '"DL", row.inputs[0]'),
        ("            builder.keep(node)\n            continue", "            continue"),  # the host's nodes are lost
    ),
    "4.7": (
        ('sum(move[each] for each in moved)', 'sum({move[each] for each in moved})'),
        ('float("inf")', '2000.0'),
        ("moved = {(value", "moved = [(value"),  # no Python
        ("{(value, plan[value], plan[reader]) for reader in reads for value in reads[reader]}",
         "[(value, plan[value], plan[reader]) for reader in reads for value in reads[reader]]"),  # counts twice
        (" + sum(move[each] for each in moved)", ""),
        ("sum(work[value, plan[value]] for value in reads) + ", ""),
        ("cycles < least", "cycles > -1"),  # the last plan
        ("(value, plan[value], plan[reader])", "(value, plan[reader], plan[value])"),  # the other way
        ("{**fixed, **dict", "{**dict.fromkeys(fixed, layouts[0]), **dict"),
    ),
}  # fmt: skip

"""What the notebooks of stage 03 measure: where the time of a step goes, in PyTorch and in generated C++."""

from __future__ import annotations

import math
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.course import skip_unwritten
from haribote.cpp.build import CompilerMissing, headers
from haribote.cpp.gemm import Product
from haribote.cpp.operators import ALGORITHMS
from haribote.cpp.session import Session, sessions
from haribote.errors import HariboteError
from haribote.graph import Builder, Index, attributes, evaluate, turned
from haribote.graphs.cases import unit_cases
from haribote.network import BATCH, CLASSES, HIDDEN, LEARNING_RATE, PIXELS
from haribote.passes.mixed_precision import FORMATS
from haribote.passes.nhwc import NCHW, NHWC, OPERATORS
from simulator.messages import say, tr

Array = NDArray[Any]
ROUNDS = 15
PAUSE = 1e-3  # seconds that one timing takes at least


@contextmanager
def compiling() -> Iterator[None]:
    """Run the rest of a notebook's cell; go on where there is no C++ compiler, and where a task is not written yet."""
    with skip_unwritten():
        try:
            yield
        except CompilerMissing as error:
            say(tr("{error}\n    the rest of this cell is skipped", error))


def ready(model: onnx.ModelProto, feeds: Mapping[str, Array], gemm: str = "") -> Session:
    """The graph in C++ with its inputs written, ready to run. Raises as `cpp.session.sessions`."""
    session = sessions({"graph": model}, gemm)["graph"]
    for name, value in feeds.items():
        session.write(name, value)
    return session


def node_times(model: onnx.ModelProto, feeds: Mapping[str, Array], gemm: str = "") -> dict[str, float]:
    """Microseconds of each node in C++, run by itself, the longest first: "Gemm 0.out" and the like."""
    cases = [*unit_cases(model, feeds)]
    built = sessions({f"node{number}": case.model for number, case in enumerate(cases)}, gemm)
    for session, case in zip(built.values(), cases, strict=True):
        for name, value in case.inputs.items():
            session.write(name, value)
    names = [f"{node.op_type} {node.output[0]}" for node in model.graph.node]
    found = measured(dict(zip(names, (session.prepared() for session in built.values()), strict=True)))
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def measured(actions: Mapping[str, Callable[[], object]], rounds: int = ROUNDS) -> dict[str, float]:
    """Microseconds of each action: the least of some rounds in which they take turns, for other programs only add."""
    repeats = {name: max(1, int(PAUSE / max(seconds(action), 1e-9))) for name, action in actions.items()}
    found = dict.fromkeys(actions, math.inf)
    for _ in range(rounds):
        for name, action in actions.items():
            start = time.perf_counter()
            for _ in range(repeats[name]):
                action()
            found[name] = min(found[name], 1e6 * (time.perf_counter() - start) / repeats[name])
    return found


def torch_times(step: Callable[[], object], repeats: int = 20) -> dict[str, float]:
    """Microseconds by ATen operation of one call of a PyTorch step, the longest first, and "Python, autograd"."""
    import torch

    step()
    with _quiet(), torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
        for _ in range(repeats):
            step()
    calls: dict[str, list[float]] = {}
    for event in sorted(profiler.events(), key=lambda event: event.time_range.start):
        calls.setdefault(event.name, []).append(event.self_cpu_time_total)
    spent: dict[str, float] = {}
    for name, values in calls.items():
        each = np.reshape(values[: len(values) // repeats * repeats], (repeats, -1))  # [repeat, call within a step]
        kind = name if name.startswith("aten::") else "Python, autograd"
        spent[kind] = spent.get(kind, 0.0) + float(np.median(each, axis=0).sum())  # a slow moment hits few repeats
    return dict(sorted(spent.items(), key=lambda item: -item[1]))


@contextmanager
def _quiet() -> Iterator[None]:
    """What libraries print about themselves, past Python's own streams, is not shown."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(number) for number in (1, 2)]
    nothing = os.open(os.devnull, os.O_WRONLY)
    try:
        for number in (1, 2):
            os.dup2(nothing, number)
        yield
    finally:
        for number, before in zip((1, 2), kept, strict=True):
            os.dup2(before, number)
            os.close(before)
        os.close(nothing)


def work(model: onnx.ModelProto) -> dict[str, int]:
    """Multiplications and additions of each Gemm, and elements written by every other node, the most first."""
    index, found = Index(model), {}
    for node in model.graph.node:
        size = int(np.prod(index.shape[node.output[0]]))
        shape = index.shape[node.input[0]]
        depth = shape[0 if attributes(node).get("transA", 0) else 1] if node.op_type == "Gemm" else 1
        found[f"{node.op_type} {node.output[0]}"] = size * depth
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def template_text(name: str) -> str:
    """The C++ of a Gemm template, as it stands in its header, with the comment in front of it."""
    text = "\n".join(content.decode() for content in headers().values())
    found = re.search(rf"((?://[^\n]*\n)+)struct {name} \{{\n.*?\n\}};\n", text, re.DOTALL)
    if found is None:
        raise HariboteError(tr("there is no template {name!r}", name), tr("one of {algorithms}", ", ".join(ALGORITHMS)))
    return found[0]


def product_times(gemms: Mapping[str, str], hidden: int = HIDDEN, batch: int = BATCH) -> dict[str, dict[str, float]]:
    """Microseconds of the two large products of a step of 784-hidden, with each of some Gemms.

    gemms: what to call it in the table, to one of `gemm.CHOICES`. Raises as `cpp.session.sessions`.
    """
    shapes: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, int]]] = {
        "x Wt": ((batch, PIXELS), (hidden, PIXELS), {"transB": 1}),
        "gt x": ((batch, hidden), (batch, PIXELS), {"transA": 1}),
    }
    result = {}
    for title, (a, b, forms) in shapes.items():
        ready_to_run = {name: product(a, b, forms, gemm).prepared() for name, gemm in gemms.items()}
        result[title] = measured(ready_to_run)
    return result


def product(a: tuple[int, ...], b: tuple[int, ...], forms: Mapping[str, Any], algorithm: str) -> Session:
    """One Gemm of random matrices of these shapes, ready to run."""
    builder = Builder("product")
    builder.output(
        builder.op("Gemm", builder.input("a", a, "float32"), builder.input("b", b, "float32"), name="y", **forms)
    )
    session = sessions({"product": builder.finish()}, algorithm)["product"]
    random = np.random.default_rng(1)
    for name, shape in (("a", a), ("b", b)):
        session.write(name, random.standard_normal(shape).astype(np.float32))
    return session


def written_by(function: Callable[..., Any], m: int, n: int, k: int, trans_a: bool, trans_b: bool) -> str:
    """The C++ that an answer to task 3.1 gives for a product, as a whole function."""
    return Product(m, n, k, trans_a, trans_b).definition(function(m, n, k, trans_a, trans_b))


def seconds(action: Callable[[], object]) -> float:
    """Of one call."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def chain(nodes: int, size: int = 2**20) -> onnx.ModelProto:
    """`nodes` element-wise nodes, Add and Mul in turn, one behind the other, on `size` numbers; input x."""
    builder = Builder("chain")
    value = builder.input("x", (size,), np.float32)
    for number in range(nodes):
        value = builder.op("Mul" if number % 2 else "Add", value, builder.scalar(1.01), name=f"v{number + 1}")
    builder.output(value)
    return builder.finish()


def digits_step(batch: int = BATCH, hidden: int = HIDDEN) -> tuple[onnx.ModelProto, dict[str, Array]]:
    """The simplified training step of 784-hidden-10, and a batch of drawn digits with the first parameters."""
    from haribote.compiler import CPP_STAGES, lower
    from haribote.data.dataset import load, normalise
    from haribote.frontend.torch import trace_step
    from haribote.training.backends import example_batch
    from haribote.training.models import mlp

    model = mlp(PIXELS, hidden, CLASSES)
    step = lower(trace_step(model, *example_batch(model, batch, LEARNING_RATE)), stop_after="cse", stages=CPP_STAGES)
    data = load("synthetic")
    feeds: dict[str, Array] = {name: value.detach().numpy() for name, value in model.named_parameters()}
    feeds["x"] = np.ascontiguousarray(normalise(data.train_images[:batch]))
    feeds["labels"] = data.train_labels[:batch].astype(np.int64)
    return step, feeds


def lenet_step(batch: int = 16) -> onnx.ModelProto:
    """The simplified training step of LeNet on 28x28 images."""
    from haribote.compiler import CPP_STAGES, lower
    from haribote.frontend.torch import trace_step
    from haribote.training.backends import example_batch
    from haribote.training.models import lenet

    model = lenet()
    return lower(trace_step(model, *example_batch(model, batch, LEARNING_RATE)), stop_after="cse", stages=CPP_STAGES)


def turns(model: onnx.ModelProto) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """(shape, perm) of every Transpose of a graph."""
    index = Index(model)
    nodes = [node for node in model.graph.node if node.op_type == "Transpose"]
    shapes = [index.shape[node.input[0]] for node in nodes]
    return [(shape, tuple(turned(node, len(shape)))) for shape, node in zip(shapes, nodes, strict=True)]


def turns_around(model: onnx.ModelProto) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The same if every image operator had its inputs turned to NHWC and its result back, and those that are there."""
    index, found = Index(model), turns(model)
    for node in model.graph.node:
        if node.op_type in OPERATORS:
            found += [(index.shape[name], NHWC) for name in node.input[: OPERATORS[node.op_type]]]
            n, c, h, w = index.shape[node.output[0]]
            found.append(((n, h, w, c), NCHW))
    return found


def turning(found: list[tuple[tuple[int, ...], tuple[int, ...]]]) -> Session:
    """A graph of these Transposes alone, in C++, ready to run. Raises as `cpp.session.sessions`."""
    builder = Builder("turns")
    for number, (shape, perm) in enumerate(found):
        builder.output(builder.op("Transpose", builder.input(f"x{number}", shape, "float32"), name="y", perm=perm))
    return ready(builder.finish(), {f"x{i}": np.zeros(shape, np.float32) for i, (shape, _) in enumerate(found)})


def rounded(values: Any, short: str = "half") -> Array:
    """Numbers as the short format has them, one of `mixed_precision.FORMATS`; float32."""
    array = np.atleast_1d(np.asarray(values, np.float32))
    builder = Builder("rounding")
    builder.output(builder.op(FORMATS[short], builder.input("x", array.shape, np.float32), name="y"))
    return evaluate(builder.finish(), {"x": array})["y"]

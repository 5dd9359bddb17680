"""Stage 08: the cases of its tasks. What is right is computed with NumPy, or by trying everything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from grader.emitter.loading import REFUSED
from grader.emitter.values import Value, Values
from grader.feedback.failure import Failure
from grader.trials import Array, Objection, Trial, Trials, Wrong, array_in, compare, refused
from grader.trials.graphs import model_in, must_give
from haribote.errors import HariboteError
from simulator.messages import Text, tr

NEAR = 1e-4  # products and sums in another order


def _with_at_most(trial: Trial, op_type: str, most: int, why: str) -> Trial:
    """The case, with a limit for the nodes of an operator."""

    def judge(answer: Values) -> Objection:
        failure = trial.judge(answer)
        if failure:
            return failure
        count = [node.op_type for node in model_in(answer).graph.node].count(op_type)
        text = tr("{count} {op_type} nodes, where {most} do: {why}", count, op_type, most, why)
        return text if count > most else None

    return replace(trial, judge=judge)


# --- 8.1 --------------------------------------------------------------------------------------------------------------


def cumprod(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 8.1: sizes that are powers of two and others, each axis, counted from either end, and a single element;
    whole numbers, whose products have more bits."""
    for shape, dim, dtype in (
        ((5,), 0, "float32"), ((8, 3), 0, "float32"), ((3, 8), 1, "float32"), ((2, 5, 4), -2, "float32"),
        ((2, 7), -1, "float32"), ((4, 2), 1, "float32"), ((3, 1), 1, "float32"), ((3, 4), 0, "int32"),
    ):  # fmt: skip
        x = (rng.uniform(1, 3, shape) * rng.choice([-1, 1], shape)).astype(dtype).astype(np.float32)
        given: dict[str, Value] = {"shape": list(shape), "dim": dim, "dtype": dtype}
        size = shape[dim]
        rounds = (size - 1).bit_length()
        wanted = {"logits": np.cumprod(x.astype(np.float64), axis=dim)}
        name = tr("{shape} along axis {dim}", list(shape), dim)
        if dtype != "float32":
            name = tr("{name}, whole numbers", name)
        trial = must_give(name, given, {"x": x}, wanted, NEAR, earns=size > 1)
        why = tr("doubling makes running products of {size} in {rounds}", size, rounds)
        yield _with_at_most(trial, "Mul", rounds, why)


# --- 8.2 --------------------------------------------------------------------------------------------------------------


SHOWN = {"parameter": "parameter", "grads": Text("grad of each step"), "rates": Text("rate of each step"),
         "roots": Text("root of each step")}  # fmt: skip
"""What is given, and how it is called where it is shown."""


def adam(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 8.2: one step, several, and the largest square so far; eps so large that it counts."""
    for name, steps, shape, amsgrad in (
        (tr("one step"), 1, (3, 4), False), (tr("four steps"), 4, (5,), False),
        (tr("amsgrad, five steps"), 5, (2, 3), True),
    ):  # fmt: skip
        beta1, beta2 = float(rng.uniform(0.5, 0.8)), float(rng.uniform(0.3, 0.6))
        grads = rng.standard_normal((steps, *shape)).astype(np.float32)
        grads[0] *= 3  # so that the largest square is not the last
        given: dict[str, Value] = {
            "parameter": rng.standard_normal(shape).astype(np.float32), "grads": grads,
            "rates": rng.uniform(0.1, 0.5, steps).astype(np.float32),
            "roots": rng.uniform(1.0, 2.0, steps).astype(np.float32),
            "beta1": beta1, "beta2": beta2, "eps": 0.25, "amsgrad": amsgrad,
        }  # fmt: skip
        yield _adam(name, given)


def _adam(name: str, given: dict[str, Value]) -> Trial:
    shown = {words: given[key] for key, words in SHOWN.items()}

    def judge(answer: Values) -> Objection:
        for what, expected in _after(given).items():
            words = tr("the parameter after the steps")
            if what != "parameter":
                words = tr("state[{what!r}] after the steps", what)
            failure = compare(name, shown, expected, array_in(answer, what), NEAR, what=words)
            if failure:
                return failure
        if not np.array_equal(array_in(answer, "grads"), np.asarray(given["grads"])):
            return tr("the gradient has been changed; only the parameter and its state may")
        return None

    return Trial(name, given, judge)


def _after(given: Mapping[str, Any]) -> dict[str, Array]:
    """What is there after all steps, element by element, in double precision."""
    p = given["parameter"].astype(np.float64)
    m, v, largest = np.zeros_like(p), np.zeros_like(p), np.zeros_like(p)
    b1, b2 = given["beta1"], given["beta2"]
    for grad, rate, root in zip(given["grads"].astype(np.float64), given["rates"], given["roots"], strict=True):
        for at in np.ndindex(p.shape):
            m[at] += (1 - b1) * (grad[at] - m[at])
            v[at] += (1 - b2) * (grad[at] ** 2 - v[at])
            largest[at] = max(largest[at], v[at])
            p[at] -= rate * m[at] / (root * np.sqrt(largest[at] if given["amsgrad"] else v[at]) + given["eps"])
    states = {"exp_avg": m, "exp_avg_sq": v} | ({"max_exp_avg_sq": largest} if given["amsgrad"] else {})
    return states | {"parameter": p}


# --- 8.3 --------------------------------------------------------------------------------------------------------------


def integer_pow(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 8.3: exponents of every kind, of floats and of integers."""
    for exponent, shape in (
        (12, (3, 4)), (2, (5,)), (7, (2, 3)), (21, (3,)), (1, (4,)), (0, (2, 3)), (-1, (3,)), (-6, (2, 2)),
    ):  # fmt: skip
        x = (rng.uniform(0.6, 1.5, shape) * rng.choice([-1, 1], shape)).astype(np.float32)
        yield _power(x, exponent)
    yield _power(rng.integers(-3, 4, (2, 5)), 5)


def _power(x: Array, exponent: int) -> Trial:
    expected = np.ones(x.shape)
    for _ in range(abs(exponent)):
        expected = expected * x
    expected = 1 / expected if exponent < 0 else expected
    bits = f"{abs(exponent):b}"
    most = max(len(bits) - 1 + bits.count("1") - 1, 0)
    given: dict[str, Value] = {"shape": list(x.shape), "dtype": x.dtype.name, "exponent": exponent}
    name = f"{x.dtype} ** {exponent}"
    trial = must_give(name, given, {"x": x}, {"y": expected}, NEAR, earns=abs(exponent) > 1)
    trial = _with_at_most(trial, "Mul", most, tr("{exponent} is {bits} in bits", abs(exponent), bits))
    return _with_at_most(trial, "Reciprocal", int(exponent < 0), tr("only a negative exponent needs one"))


# --- 8.4 --------------------------------------------------------------------------------------------------------------


def convolution(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 8.4: all sizes different, steps, a kernel as large as the image, and what must be refused."""
    for images, kernels, step in (
        ((2, 3, 6, 5), (4, 3, 3, 2), 1), ((1, 2, 7, 9), (3, 2, 2, 3), 2), ((2, 1, 8, 7), (2, 1, 2, 4), 3),
        ((3, 2, 4, 3), (2, 2, 4, 3), 1),
    ):  # fmt: skip
        yield _convolution(_drawn(images, kernels, step, rng))
    for name, images, kernels in (
        (tr("images of 3 channels, kernels of 1"), (2, 3, 6, 5), (4, 1, 3, 2)),
        (tr("images of 1 channel, kernels of 3"), (2, 1, 6, 5), (4, 3, 3, 2)),
        (tr("a kernel higher than the image"), (2, 3, 6, 5), (4, 3, 7, 2)),
        (tr("a kernel wider than the image"), (2, 3, 6, 5), (4, 3, 3, 6)),
    ):  # fmt: skip
        yield _refused(name, _drawn(images, kernels, 1, rng))


def _drawn(images: Sequence[int], kernels: Sequence[int], step: int, rng: np.random.Generator) -> dict[str, Value]:
    x, w = (rng.standard_normal(tuple(shape)).astype(np.float32) for shape in (images, kernels))
    return {"x": x, "w": w, "step": step}


def _convolution(given: dict[str, Any]) -> Trial:
    x, w, step = given["x"], given["w"], given["step"]
    (n, _, height, width), (o, _, kh, kw) = x.shape, w.shape
    name = tr("{shape} by {shape2}, step {step}", list(x.shape), list(w.shape), step)

    def judge(answer: Values) -> Objection:
        if REFUSED in answer:
            return refused(name, answer[REFUSED])
        expected = np.zeros((n, o, (height - kh) // step + 1, (width - kw) // step + 1))
        for i, j in np.ndindex(expected.shape[2:]):
            window = x[:, None, :, i * step : i * step + kh, j * step : j * step + kw].astype(np.float64)
            expected[:, :, i, j] = (window * w).sum((2, 3, 4))
        failure = compare(name, {"x": x, "w": w}, expected, array_in(answer, "y"))
        if failure or answer.get("product") is True:
            return failure
        return tr(
            "the values are right, but `fuse` finds no matrix product: it is not one sum of one product of two views"
        )

    return Trial(name, given, judge)


def _refused(name: str, given: Values) -> Trial:
    def judge(answer: Values) -> Objection:
        return None if REFUSED in answer else tr("this must be refused with LazyError, but it was built")

    return Trial(name, given, judge, earns=False)


# --- 8.5 --------------------------------------------------------------------------------------------------------------


def stretches(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 8.5: a chain that changes sides, two ways that meet, nodes that read nothing, and random graphs."""
    chain = {"a": [], "b": ["a"], "c": ["b"], "d": ["c"]}
    yield _stretches(tr("a chain"), chain, {"a": "chip", "b": "host", "c": "chip", "d": "chip"}, "chip")
    yield _stretches(tr("the same, beginning on the host"), chain, dict.fromkeys("acd", "chip") | {"b": "host"}, "host")
    meet = {"a": [], "b": ["a"], "c": ["a"], "d": ["b"], "e": ["c", "d"]}
    yield _stretches(tr("two ways that meet"), meet, dict.fromkeys("ade", "chip") | dict.fromkeys("bc", "host"), "chip")
    yield _stretches(tr("nobody reads anything"), {"a": [], "b": []}, {"a": "host", "b": "chip"}, "chip")
    for number in range(4):
        nodes = [f"n{at}" for at in range(6 + 3 * number)]
        reads = {node: [other for other in nodes[:at] if rng.random() < 0.3] for at, node in enumerate(nodes)}
        sides = {node: str(rng.choice(["chip", "host"])) for node in nodes}
        yield _stretches(tr("{count} nodes", len(nodes)), reads, sides, ("chip", "host")[number % 2])


def _stretches(name: str, reads: Mapping[str, list[str]], sides: Mapping[str, str], first: str) -> Trial:
    def judge(answer: Values) -> Objection:
        found = answer.get("found")
        if not isinstance(found, dict):
            raise HariboteError(tr("the answer must have a stretch for each node"))
        numbers = {node: int(str(number)) for node, number in found.items()}
        text = next(filter(None, (_misplaced(node, numbers, reads, sides, first) for node in reads)), "")
        if not text:
            return None
        arrows = {node: f" <- {' '.join(before)}" if before else "" for node, before in reads.items()}
        graph = ", ".join(f"{node} ({sides[node]!r}){arrow}" for node, arrow in arrows.items())
        return tr("{text}\nthe graph: {graph}; stretch 0 is the {first}'s", text, graph, first)

    given: dict[str, Value] = {"reads": {node: list(before) for node, before in reads.items()}, "sides": dict(sides)}
    return Trial(name, {**given, "first": first}, judge)


def _misplaced(
    node: str, numbers: Mapping[str, int], reads: Mapping[str, list[str]], sides: Mapping[str, str], first: str
) -> str:
    """What is wrong with the stretch of a node, or "". numbers: the stretches that were received."""
    if node not in numbers:
        return tr("node {node!r} has no stretch", node)
    number, side, least = numbers[node], sides[node], _least(node, reads, sides, first)
    owner = first if number % 2 == 0 else {"chip": "host", "host": "chip"}[first]
    if number < 0 or owner != side:
        return tr("node {node!r} is for the {sides}, stretch {number} is the {side}'s", node, side, number, owner)
    for read in reads[node]:
        later = numbers[read]
        if later > number:
            return tr(
                "node {node!r} in stretch {number} reads {late!r}, of stretch {numbers}", node, number, read, later
            )
    if number != least:
        return tr("node {node!r} is in stretch {number}, it could be in stretch {least}", node, number, least)
    return ""


def _least(node: str, reads: Mapping[str, list[str]], sides: Mapping[str, str], first: str) -> int:
    """The least stretch: of all paths that end in the node, the one along which the side changes most often."""
    before = (_least(other, reads, sides, first) + (sides[other] != sides[node]) for other in reads[node])
    return max([int(sides[node] != first), *before])


# --- 8.6 --------------------------------------------------------------------------------------------------------------


def place(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 8.6: chains, gaps that fit and gaps that do not, and random lifetimes."""
    yield _place(tr("a chain: two places are enough"), [(64, 0, 1), (64, 1, 2), (64, 2, 3), (64, 3, 4)])
    yield _place(tr("all needed until the end"), [(128, 0, 4), (64, 1, 4), (192, 2, 4)])
    yield _place(tr("a gap that is too small"), [(64, 0, 1), (128, 0, 5), (192, 2, 5), (64, 3, 5)])
    yield _place(tr("a gap that fits exactly"), [(64, 0, 5), (128, 0, 1), (64, 1, 5), (128, 2, 5), (64, 3, 5)])
    yield _place(tr("nothing to place"), [])
    for count in (8, 20, 40):
        first = np.sort(rng.integers(0, count, count))
        lasts = first + rng.integers(0, 6, count)
        sizes = 64 * rng.integers(1, 9, count)
        buffers = list(zip(sizes.tolist(), first.tolist(), lasts.tolist(), strict=True))
        yield _place(tr("{count} random values", count), buffers)


def _place(name: str, buffers: Sequence[tuple[int, int, int]]) -> Trial:
    rows = np.array(buffers, np.int64).reshape(-1, 3)

    def judge(answer: Values) -> Objection:
        offsets = [int(at) for at in array_in(answer, "offsets")]
        text = _clash(buffers, offsets)
        most = max((at + size for at, (size, _, _) in zip(_lowest(tuple(buffers)), buffers, strict=True)), default=0)
        size = max((at + size for at, (size, _, _) in zip(offsets, buffers, strict=True)), default=0)
        if not text and size > most:
            text = tr("the block has {size:,} bytes, {most:,} are enough", size, most)
        shown = {tr("size, first, last"): rows, tr("offsets received"): np.array(offsets)}
        return Failure(name, "", text, "", shown) if text else None

    return Trial(name, {"buffers": rows}, judge, earns=bool(buffers))


def _clash(buffers: Sequence[tuple[int, int, int]], offsets: Sequence[int]) -> str:
    """What is wrong with offsets, whatever the size of the block; "" where nothing is."""
    for number, (at, (size, first, last)) in enumerate(zip(offsets, buffers, strict=True)):
        if at < 0 or at % 64:
            return tr("buffer {number} begins at {at}, which is no multiple of 64 from 0 on", number, at)
        for other, (start, (length, begin, end)) in enumerate(zip(offsets[:number], buffers, strict=False)):
            byte, node = max(at, start), max(first, begin)
            if byte < min(at + size, start + length) and node <= min(last, end):
                return tr(
                    "buffers {other} and {number} share byte {byte}, and both are needed while node {node} runs",
                    other,
                    number,
                    byte,
                    node,
                )
    return ""


@lru_cache(maxsize=64)
def _lowest(buffers: tuple[tuple[int, int, int], ...]) -> list[int]:
    """Each buffer at the lowest place that is free, found by trying all; once for all answers."""
    offsets: list[int] = []
    for _ in buffers:
        at = 0
        while _clash(buffers[: len(offsets) + 1], [*offsets, at]):
            at += 64
        offsets.append(at)
    return offsets


TRIALS: dict[str, Trials] = {
    "8.1": cumprod, "8.2": adam, "8.3": integer_pow, "8.4": convolution, "8.5": stretches, "8.6": place,
}  # fmt: skip
LARGEST = 'state["max_exp_avg_sq"].copy_(torch.maximum(state["max_exp_avg_sq"], square))'
WRONG: dict[str, Wrong] = {
    "8.1": (
        ("places *= 2", "places += 1"),
        ("dim % len(g.shape)", "len(g.shape) - 1"),
        ("shifted(g, total, axis", "shifted(g, g.value(x), axis"),
    ),
    "8.2": (
        ('square = state["max_exp_avg_sq"].copy_(', 'square = state["max_exp_avg_sq"] = ('),
        ("grad * grad", "grad"),
        (' * scalar("mncore_root_correction")', ""),
        ("mean.mul_(beta1).add_(grad", "(mean * beta1).add_(grad"),
        (LARGEST, LARGEST.replace(".copy_", " + 0 * ")),
    ),
    "8.3": (
        ("g.small(x), abs(y)", "g.small(x), min(abs(y), 15)"),
        ("abs(y)", "y if y > 0 else 1"),
        ('g.each("Reciprocal", total) if y < 0 else total', "total"),
        ("        if rest:\n            square", "        square"),
        ("g.scalar(1, x)", "g.scalar(0, x)"),
    ),
    "8.4": (
        ("i * step + u", "i + u"),
        ("(height - kh) // step + 1", "height // step"),
        ("(1, 4, 5, 6)", "(1, 4, 6, 5)"),
        ("c != channels or ", ""),
    ),
    "8.5": (
        ("    return found", "    reads.clear()\n    return found"),
        ("earliest + wrong_side", "earliest + 1"),
        ("default=0", "default=1"),
        ("max((", "min(("),
    ),
    "8.6": (
        (">= buffer.first", "> buffer.first"),
        ("start + buffer.size <= begin", "start < begin"),
        ("max(start, end)", "start + end"),
        ("sorted(alive)", "alive[-1:]"),
    ),
}

"""Products whose results are only added to each other: their parts are added in place, and one sum travels."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

from haribote.graph import evaluate
from haribote.graphs.textual import parsed
from haribote.stack.maps import PART
from haribote.stack.plan import Action, Compute, Shift, writes
from haribote.stack.program.builder import Built
from haribote.stack.program.compiled import built
from haribote.stack.program.session import session_of
from haribote.stack.program.walk import walk
from simulator import Machine

INPUTS = "float[128,512] a, float[512,32] b, float[128,512] c, float[512,32] d, float[128,512] e, float[512,32] f"
PRODUCTS = "p = MatMul(a, b) q = MatMul(c, d) r = MatMul(e, f)"
SUMS = {
    "one after another": (f"{PRODUCTS} s = Add(p, q) t = Add(s, r) y = Relu(t)", 1),
    "the other way round": (f"{PRODUCTS} s = Add(q, p) t = Add(r, s) y = Relu(t)", 1),
    "one is read elsewhere": (f"{PRODUCTS} s = Add(p, q) t = Add(s, r) u = Mul(t, p) y = Relu(u)", 3),
    "one is read twice": (f"{PRODUCTS} s = Add(p, p) t = Add(q, r) u = Add(s, t) y = Relu(u)", 2),
    "a difference": (f"{PRODUCTS} s = Sub(p, q) t = Add(s, r) y = Relu(t)", 3),
}


def graph(name: str) -> onnx.ModelProto:
    return parsed(f"({INPUTS}) => (float[128,32] y) {{ {SUMS[name][0]} }}")


def feeds(model: onnx.ModelProto) -> Mapping[str, NDArray[np.float32]]:
    random = np.random.default_rng(3)
    sizes = {info.name: [dim.dim_value for dim in info.type.tensor_type.shape.dim] for info in model.graph.input}
    return {name: random.standard_normal(shape).astype(np.float32) for name, shape in sizes.items()}


def travelling(found: Built) -> list[Shift]:
    """The sums of parts that units hold."""
    return [one for one in found.plan.actions if isinstance(one, Shift) and PART in one.source.map.table.values()]


def _adds_parts(action: Action) -> bool:
    return isinstance(action, Compute) and any(PART in version.map.table.values() for version in writes(action))


@pytest.mark.parametrize("name", SUMS)
def test_one_sum_travels_where_nothing_else_reads_the_others(name: str) -> None:
    model = graph(name)
    found, given = built(model), feeds(model)
    assert len(travelling(found)) == SUMS[name][1]
    session = session_of(found.executable, Machine("native"))
    for key, value in given.items():
        session.write(key, value)
    session.run()
    wanted = evaluate(model, given)["y"]
    assert np.abs(session.read("y") - wanted).max() < 1e-6 * wanted.max()


def test_the_walk_knows_parts_that_are_added() -> None:
    model = graph("one after another")
    found = built(model)
    assert sum(map(_adds_parts, found.plan.actions)) == 2
    report = walk(found, feeds(model))
    assert not report.wrong and not report.unknown

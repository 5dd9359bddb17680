"""The last resort of the planner puts every element where it is wanted, and graphs that need it run."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.graphs import compared
from haribote.graph import Builder, evaluate
from haribote.stack.maps import BitMap
from haribote.stack.plan import Pick, Version
from haribote.stack.planner import elementary
from haribote.stack.planner.facts import Facts
from haribote.stack.planner.families import candidates, wide
from haribote.stack.planner.resort import picked
from haribote.stack.planner.search import plans
from haribote.stack.planner.tariff import NEVER, Tariff
from haribote.stack.program.session import session_of
from haribote.stack.program.shortest import build
from simulator import Machine


def test_from_every_layout_to_every_other() -> None:
    builder = Builder("g")
    builder.input("x", (3, 300), np.float32)
    turned = builder.op("Transpose", "x", name="turned", perm=[1, 0])
    builder.output(builder.op("Reshape", turned, builder.constant(np.array([2, 450]), "sizes"), name="y"))
    facts = Facts(builder.finish(), Tariff())
    x = np.arange(900, dtype=np.float32).reshape(3, 300)
    y = x.T.reshape(2, 450)
    sources = [Version("x", found, split) for split, found in candidates((3, 300))]
    cut = wide((3, 4, 80), range(9, 11), range(9), "columns")  # 300 as 4x80
    sources = [Version("x", cut, ((3,), (4, 80))), *sources]
    for source in sources[::3]:
        for name, value in (("x", x), ("y", y)):
            for split, found in candidates(value.shape)[::3]:
                wanted = Version(name, found, split, fill=7.0)
                action, _ = picked(facts, source, wanted)
                assert isinstance(action.index, np.ndarray)
                there = source.pack(value if name == source.value else x).reshape(-1)
                made = np.where(action.index < 0, action.fill, there[action.index])
                np.testing.assert_array_equal(made, wanted.pack(value))


def test_a_graph_whose_moves_cannot_be_had_runs_by_picks(monkeypatch: pytest.MonkeyPatch) -> None:
    def price(tariff: Tariff, source: BitMap, target: BitMap, combine: str = "") -> float:
        return 0.0 if source.satisfies(target) else 100.0 if combine else NEVER

    monkeypatch.setattr(Tariff, "price", price)
    monkeypatch.setattr(Tariff, "learn", lambda *ask: False)
    builder, random = Builder("g"), np.random.default_rng(2)
    feeds = {"x": random.standard_normal((16, 16)).astype(np.float32)}
    builder.input("x", (16, 16), np.float32)
    down, right = (
        builder.op("ReduceSum", "x", builder.constant(np.array([axis], np.int64), "axes"), name=name, keepdims=0)
        for axis, name in enumerate(("down", "right"))
    )
    builder.output(builder.op("Sub", builder.op("Mul", down, right, name="both"), right, name="y"))
    model = builder.finish()
    found = next(next(plans(elementary.run(model))))
    assert any(isinstance(action, Pick) for action in found.actions)
    session = session_of(build(found).executable, Machine("native"))
    for name, value in feeds.items():
        session.write(name, value)
    session.run()
    assert compared(session.outputs(), evaluate(model, feeds)) == ""

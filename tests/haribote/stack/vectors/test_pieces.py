"""Chains that are cut into several loops compute what they computed as one."""

from __future__ import annotations

import importlib
from collections.abc import Iterator

import numpy as np
import pytest

from haribote.stack.vectors.lines import Stuck
from haribote.stack.vectors.pieces import Loop
from tests.haribote.stack.vectors.chip import Watched, everywhere, node, run
from tests.haribote.stack.vectors.test_emit import disagreement

emitter = importlib.import_module("haribote.stack.vectors.emit")


@pytest.fixture(autouse=True)
def short_loops(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Loops of a few instructions, where an operator takes no more by itself."""
    whole = emitter._whole

    def few(code: object, loop: Loop, *rest: object) -> None:
        if len(loop.nodes) > 1:
            raise Stuck("a longer chain", "a shorter one")
        whole(code, loop, *rest)

    monkeypatch.setattr(emitter, "_whole", few)
    yield


def test_random_chains_one_node_at_a_time() -> None:
    assert [found for seed in range(20, 26) if (found := disagreement(seed, 2 + seed % 6))] == []


def test_what_is_overwritten_early_is_read_late() -> None:
    code = Watched()
    w, y = code.place("GRF0", everywhere()), code.place("LM1", everywhere())
    nodes = [node("a = Add w w"), node("b = Exp a"), node("c = Neg b"), node("y = Mul c w")]
    found = run(code, nodes, {"w": np.ones(32768, np.float32)}, {"w": [w]}, {"a": [w], "y": [y]})
    assert (found["a"][0].view(np.float32) == 2).all()
    assert np.allclose(found["y"][0].view(np.float32), -np.exp(2), rtol=1e-6)


def test_truths_and_integers_pass() -> None:
    code = Watched()
    x, y = code.place("LM0", everywhere()), code.place("LM1", everywhere())
    nodes = [node("t = Greater x zero"), node("k = Cast x", to=6), node("m = Neg k"), node("y = Where t m k")]
    values = (np.arange(32768) - 9000).astype(np.float32)
    found = run(code, nodes, {"x": values}, {"x": [x]}, {"y": [y]}, {"zero": np.array(0, np.float32)})
    assert (found["y"][0].view(np.int32) == -np.abs(np.arange(32768) - 9000)).all()


def test_one_operator_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(emitter, "MOST_INSTRUCTIONS", 2)
    emitter._template.cache_clear()  # another test may have asked for this loop
    code = Watched()
    x, y = code.place("LM0", everywhere()), code.place("LM1", everywhere())
    with pytest.raises(Stuck, match="instructions"):
        run(code, [node("y = Exp x")], {"x": np.ones(32768, np.float32)}, {"x": [x]}, {"y": [y]})

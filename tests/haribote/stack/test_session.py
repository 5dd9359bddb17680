"""Built plans give what the graph means, from step to step."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.errors import GraphError
from haribote.stack.program import build
from haribote.stack.session import StackSession
from simulator import Machine
from tests.haribote.stack.small_plans import copied, replaced


def random(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(256, 16)).astype(np.float32)


def test_what_is_loaded_moved_and_stored_is_the_same() -> None:
    session = StackSession(build(copied()).executable, Machine("native"))
    session.step({"x": random(0)})
    assert np.array_equal(session.read("y"), random(0))
    assert list(session.outputs()) == ["y"]


def test_a_step_makes_the_new_value_the_parameter_and_a_run_does_not() -> None:
    session = StackSession(build(replaced()).executable, Machine("native"))
    session.write("w", random(1))
    session.write("x", random(2))
    session.run()
    assert np.array_equal(session.read("old"), random(1))
    assert np.array_equal(session.read("w.next"), random(2))
    assert np.array_equal(session.read("w"), random(1))
    session.step({"x": random(3)})
    assert np.array_equal(session.read("old"), random(1))
    assert np.array_equal(session.read("w"), random(3))
    session.step({})
    assert np.array_equal(session.read("old"), random(3))


def test_names_and_shapes_that_are_not_there_are_named() -> None:
    session = StackSession(build(copied()).executable, Machine("native"))
    with pytest.raises(GraphError, match=r"no input 'z'; its inputs are x"):
        session.write("z", random(0))
    with pytest.raises(GraphError, match=r"shape \[256, 16\], received \[16, 256\]"):
        session.write("x", random(0).T)
    with pytest.raises(GraphError, match=r"no value 'z'; it has y"):
        session.read("z")

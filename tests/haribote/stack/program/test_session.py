"""Built plans give what the graph means, from step to step."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.errors import GraphError
from haribote.stack.program.executable import from_bytes, to_bytes
from haribote.stack.program.session import session_of
from simulator import Machine
from tests.haribote.stack.program.small_plans import replaced_built, values


def test_a_step_makes_the_new_value_the_parameter_and_a_run_does_not() -> None:
    session = session_of(replaced_built().executable, Machine("native"))
    session.write("w", values(1))
    session.write("x", values(2))
    session.run()
    assert np.array_equal(session.read("old"), values(1))
    assert np.array_equal(session.read("w.next"), values(2))
    assert np.array_equal(session.read("w"), values(1))
    session.step({"x": values(3)})
    assert np.array_equal(session.read("old"), values(1))
    assert np.array_equal(session.read("w"), values(3))
    session.step({})
    found = session.outputs()
    assert sorted(found) == ["old", "w.next"]
    assert np.array_equal(found["old"], values(3))


def test_what_is_kept_in_a_file_runs_as_before() -> None:
    executable = replaced_built().executable
    again = from_bytes(to_bytes(executable))
    assert again.step == executable.step and again.cost == executable.cost
    session = session_of(again, Machine("native"))
    session.write("w", values(1))
    session.step({"x": values(2)})
    assert np.array_equal(session.read("old"), values(1))


def test_names_and_shapes_that_are_not_there_are_named() -> None:
    session = session_of(replaced_built().executable, Machine("native"))
    with pytest.raises(GraphError, match=r"no input 'z'; its inputs are w, x"):
        session.write("z", values(0))
    with pytest.raises(GraphError, match=r"shape \[256, 16\], received \[16, 256\]"):
        session.write("x", values(0).T)
    with pytest.raises(GraphError, match=r"no value 'z'; it has old, w"):
        session.read("z")

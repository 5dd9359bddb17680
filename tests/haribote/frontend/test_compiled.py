import numpy as np
import pytest

from haribote.errors import HariboteError
from haribote.frontend.compiled import CompiledGraph, Options
from haribote.graph import Builder, set_metadata


def counter():
    """A graph that adds x to a parameter and also gives their product."""
    builder = Builder("counter")
    x, total = builder.input("x", (3, 5), np.float32), builder.input("total", (3, 5), np.float32)
    builder.output(builder.op("Add", x, total, name="after"))
    builder.output(builder.op("Mul", x, total, name="product"))
    set_metadata(builder.model, updates='{"total": "after"}')
    return builder.finish()


@pytest.mark.parametrize("device", ["host", "chip"])
def test_parameters_stay_updated_from_run_to_run(device):
    graph = CompiledGraph(counter(), Options(device))
    x = np.arange(15, dtype=np.float32).reshape(3, 5)
    graph.write("total", np.ones_like(x))
    graph.run({"x": x})
    outputs = graph({"x": x})
    assert np.array_equal(outputs["product"], x * (x + 1))
    assert np.array_equal(outputs["after"], 2 * x + 1)
    assert np.array_equal(graph.read("total"), 2 * x + 1)
    assert graph.coverage == ("2 of 2" if device == "chip" else "0 of 2")


def test_a_wrong_input_is_named():
    graph = CompiledGraph(counter(), Options("host"))
    with pytest.raises(HariboteError, match="no input 'y'"):
        graph.write("y", np.zeros((3, 5), np.float32))
    with pytest.raises(HariboteError, match=r"'x' must be float32\[3, 5\], received float64\[3, 5\]"):
        graph.write("x", np.zeros((3, 5)))
    with pytest.raises(HariboteError, match="no device"):
        CompiledGraph(counter(), Options("moon"))

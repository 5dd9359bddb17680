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


@pytest.mark.parametrize(("dtype", "most"), [(np.int64, 2**31 - 1), (np.uint64, 2**32 - 1)])
def test_whole_numbers_of_more_than_32_bits_are_refused(dtype, most):
    builder = Builder("same")
    builder.output(builder.op("Identity", builder.input("x", (2,), dtype), name="y"))
    graph = CompiledGraph(builder.finish(), Options("chip"))
    fits = np.array([0, most], dtype)
    assert np.array_equal(graph({"x": fits})["y"], fits)
    with pytest.raises(HariboteError, match="'x' has numbers of more than the 32 bits"):
        graph({"x": fits + dtype(1)})


def test_a_wrong_input_is_named():
    graph = CompiledGraph(counter(), Options("host"))
    with pytest.raises(HariboteError, match="no input 'y'"):
        graph.write("y", np.zeros((3, 5), np.float32))
    with pytest.raises(HariboteError, match=r"'x' must be float32\[3, 5\], received float64\[3, 5\]"):
        graph.write("x", np.zeros((3, 5)))
    with pytest.raises(HariboteError, match="no device"):
        CompiledGraph(counter(), Options("moon"))

"""The example of docs/final_project.md, part by part, against PyTorch and NumPy."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from types import ModuleType

import numpy as np
import pytest
import torch

from haribote.autodiff import gradients, rules
from haribote.autodiff.reverse import train_step
from haribote.compiler import compile_for_sim
from haribote.extend import forget
from haribote.frontend import aten
from haribote.frontend.torch import trace_loss
from haribote.graph import Builder, evaluate
from haribote.kernel import Op, Operand
from haribote.layout import LAYOUTS
from simulator import Machine, assemble
from simulator.assembly.checks import check
from tests.long_runs import LONG

X = np.concatenate([np.linspace(-10, 10, 4085), [-3.1, -2.9, 2.9, 3.1, 0, -0.0, 1e-20, 1e20, -1e20, 5, -5]])
X = X.astype(np.float32).reshape(256, 16)


@pytest.fixture(scope="module")
def example() -> Iterator[ModuleType]:
    """The operator is known inside of this module's tests, and to no others."""
    import haribote.lessons.hard_swish as found

    yield importlib.reload(found)
    for name in ("HardSwish", "HardSwishGrad"):
        forget(name)
    rules.RULES.pop("HardSwish", None)
    aten.RULES.pop(torch.ops.aten.hardswish.default, None)


def test_meaning_and_gradient_are_pytorchs(example: ModuleType) -> None:
    builder = Builder("one")
    builder.output(builder.op("HardSwish", builder.input("x", X.shape, np.float32), name="y"))
    model = builder.finish()
    x = torch.tensor(X, requires_grad=True)
    y = torch.nn.functional.hardswish(x)
    assert np.allclose(evaluate(model, {"x": X})["y"], y.detach().numpy(), rtol=1e-6, atol=1e-7)
    builder = Builder("sum")
    value = builder.op("HardSwish", builder.input("x", X.shape, np.float32), name="y")
    builder.output(builder.op("ReduceSum", value, name="loss", keepdims=0))
    y.sum().backward()  # type: ignore[no-untyped-call]
    found = evaluate(gradients(builder.finish(), ["x"]), {"x": X})["x.grad"]
    assert x.grad is not None and np.allclose(found, x.grad.numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("address", [0, 64])
def test_the_kernel_is_right_and_has_no_findings(example: ModuleType, address: int) -> None:
    layout = LAYOUTS["256x16.A"]
    x = Operand("x", (256, 16), "float32", layout, "LM0", address)
    y = Operand("y", (256, 16), "float32", layout, "LM1", address)
    program = assemble("\n".join(example.hard_swish_kernel(Op("HardSwish", (x,), y))))
    assert check(program) == []
    machine = Machine()
    layout.scatter(X, machine.lm0, address)
    assert machine.run(program).steps == 14
    exact = X.astype(np.float64) * np.clip(X.astype(np.float64) + 3, 0, 6) / 6
    for copy in layout.gather_copies(machine.lm1, address):
        assert np.allclose(copy.view(np.float32).reshape(256, 16), exact, rtol=1e-6, atol=1e-6)


@pytest.mark.slow
def test_nothing_but_its_gradient_runs_on_the_host(example: ModuleType) -> None:
    images, labels = torch.zeros(256, 784), torch.zeros(256, dtype=torch.int64)
    step = train_step(trace_loss(example.network(), images, labels), 0.1)
    compiled = compile_for_sim(step, solutions=True)
    assert compiled.summary.startswith("on chip 26 of 27 nodes (1 by your kernels")


@LONG
@pytest.mark.slow
def test_it_learns_digits(example: ModuleType) -> None:
    losses, accuracy = example.train(60, level=2, source="synthetic")
    assert losses[-1] < losses[0] / 4 and accuracy > 0.8

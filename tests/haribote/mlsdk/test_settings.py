"""What programs say to the vendor's compiler: both ways of training, threads, the environment, several devices."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from haribote.errors import HariboteError
from haribote.mlsdk import MNCoreAdam, MNCoreAdamW, MNCoreSGD, settings
from tests.haribote.mlsdk.steps import HOST, Pair, batch, context, mlp

Step = Callable[[dict[str, Tensor]], dict[str, Tensor]]


def adam(model: nn.Module) -> MNCoreAdam:
    return MNCoreAdam(model.parameters(), 0.01, chainer_use_torch=True)


def loss_alone(pair: Pair) -> Step:
    return lambda given: {"loss": F.cross_entropy(out := pair.model(given["x"]), given["t"]), "out": out}


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("environment", ["", "1"])
@pytest.mark.parametrize("export_kwargs", [None, {"use_fx2onnx": True}, {"use_fx2onnx": False, "opset_version": 17}])
def test_a_function_is_given_one_step_and_not_two(
    whole: bool, environment: str, export_kwargs: dict[str, Any] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However the way is said, what the function does itself decides."""
    monkeypatch.setenv(settings.LEGACY, environment)
    if not whole and export_kwargs and export_kwargs["use_fx2onnx"]:
        pytest.skip("says that the function takes the step, which it does not")
    pair = Pair(mlp(), adam)
    function = pair.function if whole else loss_alone(pair)
    sample = batch()
    compiled = pair.context.compile(
        function,
        sample,
        training=True,
        optimizers=[pair.optimizer],
        export_kwargs=export_kwargs,
        num_compiler_threads=-1,
    )
    for _ in range(3):
        pair.check(compiled, batch())
    pair.check_parameters()


def test_the_environment_alone_asks_for_the_step(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not settings.loss_only(False, False, [], None)
    pair = Pair(mlp(), adam)
    assert not settings.loss_only(False, False, [pair.optimizer], None)
    monkeypatch.setenv(settings.LEGACY, "1")
    assert settings.loss_only(False, False, [pair.optimizer], None)
    assert not settings.loss_only(False, False, [pair.optimizer], {"use_fx2onnx": True})


def test_a_step_that_nobody_takes_is_said() -> None:
    pair = Pair(mlp(), adam)
    whole = {"use_fx2onnx": True}
    with pytest.warns(UserWarning, match="takes no step of an optimiser"):
        pair.context.compile(loss_alone(pair), batch(), training=True, optimizers=[pair.optimizer], export_kwargs=whole)
    with pytest.raises(HariboteError, match="use_fx2onnx says that the function holds backward pass and update"):
        pair.context.compile(
            loss_alone(pair), batch(), options={"backprop": True}, optimizers=[pair.optimizer], export_kwargs=whole
        )


def double(given: dict[str, Tensor]) -> dict[str, Tensor]:
    return {"out": given["x"] * 2}


@pytest.mark.parametrize("count", [0, -2, 1.5, "all", True])
def test_a_number_of_threads_that_is_none(count: Any) -> None:
    with pytest.raises(HariboteError, match="num_compiler_threads"):
        context().compile(double, {"x": torch.zeros(2)}, num_compiler_threads=count)


def test_settings_in_the_environment_are_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "_said", set())
    monkeypatch.setenv("CODEGEN_TIME_SLICE", "8")
    monkeypatch.setenv("CODEGEN_DUMP", "1")
    with pytest.warns(UserWarning, match="CODEGEN_DUMP, CODEGEN_TIME_SLICE in the environment") as found:
        context().compile(double, {"x": torch.zeros(2)}, num_compiler_threads=4)
    assert len(found) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        context().compile(double, {"x": torch.zeros(2)})


@pytest.mark.parametrize("cls", [MNCoreAdam, MNCoreAdamW])
def test_adam_has_torchs_arithmetic_whatever_is_asked(cls: Callable[..., Any]) -> None:
    pair = Pair(mlp(), lambda model: cls(model.parameters(), lr=0.01, chainer_use_torch=False))
    pair.check_training()


def test_training_and_evaluation_in_two_contexts() -> None:
    """A function that is compiled in one context does not disturb what the other has on the device."""
    torch.manual_seed(0)
    norm = nn.Sequential(nn.Linear(6, 5), nn.BatchNorm1d(5), nn.Linear(5, 3))
    pair = Pair(norm, lambda model: MNCoreSGD(model.parameters(), lr=0.1, momentum=0.9))
    train = pair.context.compile(pair.function, batch())
    pair.check(train, batch())
    other = context()
    other.registry.register("model", pair.model)
    other.compile(lambda given: {"out": pair.model(given["x"])}, {"x": batch()["x"]})  # it would write to its buffers
    pair.check(train, batch())
    pair.context.switch_context(pair.context)
    pair.check_parameters()
    pair.model.eval(), pair.other.eval()
    evaluate = other.compile(lambda given: {"out": pair.model(given["x"])}, {"x": batch()["x"]})
    x = batch()["x"]
    torch.testing.assert_close(evaluate({"x": x})["out"].cpu(), pair.other(x).detach(), rtol=1e-4, atol=1e-5)


def test_values_go_from_one_machine_to_another_over_the_host() -> None:
    """Two contexts on one machine copy a value there."""
    x = torch.randn(4, 8)
    for second, over_the_host in (("mncore2:1", 1), ("mncore2:auto", 0), ("mncore2:0", 0)):
        here, there = context("mncore2:0"), context(second)
        made = here.compile(double, {"x": x})({"x": x})["out"]
        follow = there.compile(double, {"x": x})
        before = (here.traffic.to_host, there.traffic.to_device)
        found = follow({"x": made})["out"]
        after = (here.traffic.to_host, there.traffic.to_device)
        assert [b - a for a, b in zip(before, after, strict=True)] == [over_the_host, over_the_host]
        room = follow.allocate_input_proxy()["x"]
        room.load_from(made)
        assert here.traffic.to_host - before[0] == 2 * over_the_host
        for result in (found, follow({"x": room})["out"]):
            assert torch.equal(result.cpu(), 4 * x)
    assert context(HOST).device.machine == HOST


def test_a_gradient_that_lies_another_way_than_its_parameter() -> None:
    """Torch makes an empty one with the parameter's strides and copies the gradient there."""

    class Turned(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.randn(3, 6))

        def forward(self, x: Tensor) -> Tensor:
            return (x[:, :, None] * self.weight.t()).square().sum(1)

    Pair(Turned(), lambda model: torch.optim.SGD(model.parameters(), lr=0.01)).check_training()


@pytest.mark.parametrize("place", ["before", "kept", "after", "none"])
def test_gradients_that_would_grow_are_told(place: str) -> None:
    """In PyTorch; on the device every call begins without them."""
    found, model = context(), mlp()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    found.registry.register("model", model)

    def step(given: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        if place in ("before", "kept"):
            optimizer.zero_grad(set_to_none=place == "before")
        loss = model(given["x"]).square().sum()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        if place == "after":
            model.zero_grad()
        return {"loss": loss}

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found.compile(step, {"x": batch()["x"]})
    texts = [str(one.message) for one in told if "zero_grad" in str(one.message)]
    wanted = "the function adds to the gradient of 'model.0.weight' without zero_grad; here every call begins at 0"
    assert texts == ([wanted] if place == "none" else [])

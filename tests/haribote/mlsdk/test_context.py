"""Registered tensors, what moves between host and device, caches, and the other way to a training step."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from haribote.errors import HariboteError
from haribote.graph import load
from haribote.mlsdk import (
    CacheOptions,
    Context,
    MNCoreSGD,
    get_tensor_name,
    set_tensor_name,
    set_tensor_name_in_module,
    storage,
)
from haribote.stack.program.compiled import PASSES, prepared
from tests.haribote.mlsdk.steps import HOST, Pair, batch, context, mlp
from tests.long_runs import LONG

CHIP = "mncore2:auto"


def sgd(model: nn.Module) -> MNCoreSGD:
    return MNCoreSGD(model.parameters(), lr=0.1, momentum=0.9)


@pytest.mark.parametrize("device", [HOST, pytest.param(CHIP, marks=LONG)])
def test_training_and_evaluation_share_the_device_values(device: str) -> None:
    torch.manual_seed(0)
    pair = Pair(mlp(), sgd, device=device)
    train = pair.context.compile(pair.function, batch())
    evaluate = pair.context.compile(lambda given: {"out": pair.model(given["x"])}, {"x": batch()["x"]})
    before = {name: value.clone() for name, value in pair.model.state_dict().items()}
    x = torch.randn(8, 6)
    for _ in range(3):
        pair.check(train, batch())
        torch.testing.assert_close(evaluate({"x": x})["out"].cpu(), pair.other(x).detach(), rtol=1e-4, atol=1e-4)
    assert all(torch.equal(value, before[name]) for name, value in pair.model.state_dict().items())
    pair.check_parameters()


@pytest.mark.parametrize("device", [HOST, CHIP])
def test_a_buffer_that_is_only_written(device: str) -> None:
    found, kept = context(device), torch.zeros(4)
    set_tensor_name(kept, "kept")
    found.register_buffer(kept)

    def fill(given: dict[str, Tensor]) -> dict[str, Tensor]:
        kept.copy_(given["x"] * 2)
        return {"y": given["x"] + 1}

    def read(given: dict[str, Tensor]) -> dict[str, Tensor]:
        return {"sum": kept + given["x"]}

    x = torch.arange(4.0)
    filled, reading = found.compile(fill, {"x": x}), found.compile(read, {"x": x})
    assert reading({"x": x})["sum"].cpu().tolist() == [0, 1, 2, 3]
    for factor in (1, 3):
        assert filled({"x": factor * x})["y"].cpu().tolist() == (factor * x + 1).tolist()
        assert found.get_registered_value_proxy(kept).cpu().tolist() == (2 * factor * x).tolist()
        assert reading({"x": x})["sum"].cpu().tolist() == ((2 * factor + 1) * x).tolist()
    found.synchronize()
    assert kept.tolist() == (6 * x).tolist()


@pytest.mark.parametrize("device", [HOST, CHIP])
def test_a_proxy_as_input_moves_nothing_over_the_host(device: str) -> None:
    found = context(device)
    first = found.compile(lambda given: {"y": given["x"] + 1, "z": given["x"] * given["x"]}, {"x": torch.zeros(8, 4)})
    second = found.compile(
        lambda given: {"w": given["y"] * 2 - given["z"]}, {"y": torch.zeros(8, 4), "z": torch.zeros(8, 4)}
    )
    assert all(first.output_specs[name].is_memcopyable_to(second.input_specs[name]) for name in ("y", "z"))
    x = torch.randn(8, 4)
    middle = first({"x": x})
    before = (found.traffic.to_device, found.traffic.to_host, found.traffic.relaid, found.traffic.on_device)
    result = second({"y": middle["y"], "z": middle["z"]})
    after = (found.traffic.to_device, found.traffic.to_host, found.traffic.relaid, found.traffic.on_device)
    assert [b - a for a, b in zip(before, after, strict=True)] == [0, 0, 0, 2]
    torch.testing.assert_close(result["w"].cpu(), 2 * (x + 1) - x * x)
    assert found.traffic.to_host == 1


@pytest.mark.parametrize("device", [HOST, CHIP])
def test_results_stay_what_they_are_when_the_function_runs_again(device: str) -> None:
    add = context(device).compile(
        lambda given: {"sum": given["sum"] + given["x"]}, {"sum": torch.zeros(4), "x": torch.zeros(4)}
    )
    results: list[Any] = [torch.zeros(4)]
    for number in range(4):
        results.append(add({"sum": results[-1], "x": torch.full((4,), float(number))})["sum"])
    assert [result.cpu()[0].item() for result in results[1:]] == [0.0, 1.0, 3.0, 6.0]


def test_specs_differ_by_dtype_shape_or_layout() -> None:
    found = context()
    double = found.compile(lambda given: {"y": 2 * given["x"]}, {"x": torch.zeros(4)})
    whole = found.compile(lambda given: {"y": 2 * given["x"]}, {"x": torch.zeros(4, dtype=torch.int64)})
    other = found.compile(lambda given: {"y": 2 * given["x"]}, {"x": torch.zeros(2, 2)})
    assert double.output_specs["y"].is_memcopyable_to(double.input_specs["x"])
    for function in (whole, other):
        assert not double.output_specs["y"].is_memcopyable_to(function.input_specs["x"])
    with pytest.raises(HariboteError, match="io_spec_constraints: 'x' is"):
        found.compile(lambda given: {}, {"x": torch.zeros(4)}, io_spec_constraints={"x": other.input_specs["x"]})
    with pytest.raises(HariboteError, match="io_spec_constraints: there is no 'z'"):
        found.compile(lambda given: {}, {"x": torch.zeros(4)}, io_spec_constraints={"z": other.input_specs["x"]})


def test_nothing_joined_to_nothing() -> None:
    joined = context().compile(lambda given: {"y": torch.cat([given["x"], given["x"]])}, {"x": torch.zeros(0)})
    assert joined({"x": torch.zeros(0)})["y"].cpu().shape == (0,)


def test_two_models_are_told_apart_by_name() -> None:
    a, b, found = nn.Linear(2, 2), nn.Linear(2, 2), context()
    set_tensor_name_in_module(a, "a")
    set_tensor_name_in_module(b, "b")
    assert get_tensor_name(a.weight) == "a.weight" and get_tensor_name(b.bias) == "b.bias"
    set_tensor_name(b.weight, "a.weight")
    for parameter in (*a.parameters(), *b.parameters()):
        found.register_param(parameter)
    with pytest.raises(HariboteError, match=r"two registered tensors are called 'a\.weight'"):
        found.compile(lambda given: {"y": b(a(given["x"]))}, {"x": torch.zeros(1, 2)})
    with pytest.raises(HariboteError, match="has no name"):
        get_tensor_name(torch.zeros(3))


def test_parameters_without_names_are_registered_all_the_same() -> None:
    model, found = nn.Linear(3, 2), context()
    for parameter in model.parameters():
        found.register_param(parameter)
    compiled = found.compile(lambda given: {"y": model(given["x"])}, {"x": torch.zeros(1, 3)})
    with torch.no_grad():
        model.weight.fill_(1)
        model.bias.fill_(0)
    assert compiled({"x": torch.ones(1, 3)})["y"].cpu().tolist() == [[3.0, 3.0]]


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({}, "lacks 'x'"),
        ({"x": torch.zeros(3, 2), "z": torch.zeros(1)}, "has 'z', which the sample had not"),
        ({"x": torch.zeros(2, 2)}, r"compiled as float32\[3, 2\], received float32\[2, 2\]\n.*drop_last=True"),
        ({"x": torch.zeros(3, 2, dtype=torch.complex64)}, "received complex64"),
    ],
)
def test_inputs_that_are_not_those_of_the_sample(inputs: dict[str, Tensor], message: str) -> None:
    compiled = context().compile(lambda given: {"y": given["x"] + 1}, {"x": torch.zeros(3, 2)})
    with pytest.raises(HariboteError, match=message):
        compiled(inputs)


def test_a_graph_is_compiled_once_where_there_is_a_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from haribote.mlsdk import artefact

    compilations: list[str] = []
    plain = artefact.compile_stack
    monkeypatch.setattr(
        artefact, "compile_stack", lambda *given, **more: compilations.append("") or plain(*given, **more)
    )
    cache = CacheOptions(str(tmp_path / "cache"))
    found = context(CHIP)
    for factor in (3.0, 3.0, 5.0):
        compiled = found.compile(
            lambda given, factor=factor: {"y": given["x"] * factor}, {"x": torch.zeros(4)}, cache_options=cache
        )
        assert compiled({"x": torch.ones(4)})["y"].cpu().tolist() == [factor] * 4
    kept = list((tmp_path / "cache").iterdir())
    assert len(compilations) == 2 and len(kept) == 2
    for file in kept:  # what is not as it should be is compiled again
        file.write_bytes(b"")
    found.compile(lambda given: {"y": given["x"] * 3.0}, {"x": torch.zeros(4)}, cache_options=cache)
    assert len(compilations) == 3


@pytest.mark.parametrize("cached", [False, True])
def test_the_folder_has_the_graph_after_each_pass_and_what_is_planned(tmp_path: Path, cached: bool) -> None:
    cache = CacheOptions(str(tmp_path / "cache"))
    for folder in ("first", "then") if cached else ("then",):
        made = {"x": torch.zeros(3, 4)}
        context(CHIP).compile(
            lambda given: {"y": F.softmax(given["x"], -1)}, made, storage.path(tmp_path) / folder, cache_options=cache
        )
    folder = tmp_path / "then"
    names = [f"{number}_{name}.onnx" for number, name in enumerate(PASSES, 1)]
    assert sorted(file.name for file in (folder / "stages").iterdir()) == names
    planned = (folder / "app.onnx").read_bytes()
    assert planned == prepared(load(folder / "model.onnx")).SerializeToString()
    assert planned == (folder / "stages" / names[-1]).read_bytes()
    assert b"Softmax" in (folder / "model.onnx").read_bytes() and b"Softmax" not in planned


@pytest.mark.slow
def test_a_loaded_training_step_goes_on_with_the_registered_values(tmp_path: Path) -> None:
    torch.manual_seed(0)
    pair = Pair(mlp(), sgd)
    pair.context.compile(pair.function, batch(), storage.path(tmp_path) / "train")
    fresh = Context(pair.context.device)
    loaded = fresh.load_codegen_dir(tmp_path / "train")
    with pytest.raises(HariboteError, match=r"uses 'model\.0\.weight', which is not registered"):
        loaded(batch())
    fresh.registry.register("model", pair.model)
    fresh.registry.register("optimizer", pair.optimizer)
    pair.context = fresh
    for _ in range(2):
        pair.check(loaded, batch())
    pair.check_parameters()
    with pytest.raises(HariboteError, match="is no folder of a compiled function"):
        fresh.load_codegen_dir(tmp_path / "nowhere")
    with pytest.raises(
        HariboteError, match=re.escape("was compiled for the host (pfvm:cpu), the context is for mncore2")
    ):
        context(CHIP).load_codegen_dir(tmp_path / "train")


@pytest.mark.slow
def test_the_program_gives_the_loss_only() -> None:
    """Learning rate, count of steps and scale are inputs; the scale changes nothing but roundings."""
    torch.manual_seed(0)
    pair = Pair(mlp(), lambda model: torch.optim.Adam(model.parameters(), lr=0.5))
    name = "optimizer@0@mncore_"
    special = {f"{name}learning_rate": torch.tensor(0.1), f"{name}global_step": torch.tensor(0)}
    special["mncore_grad_scale_factor"] = torch.tensor(1.0)
    compiled = pair.context.compile(
        lambda given: {"loss": F.cross_entropy(out := pair.model(given["x"]), given["t"]), "out": out},
        batch() | special,
        options={"backprop": True},
        optimizers=[pair.optimizer],
    )
    for step in range(4):
        rate = 0.1 / (step + 1)
        pair.other_optimizer.param_groups[0]["lr"] = rate
        special[f"{name}learning_rate"] = torch.tensor(rate)
        special[f"{name}global_step"] = torch.tensor(step)
        special["mncore_grad_scale_factor"] = torch.tensor(2.0**step)
        inputs = batch()
        found, wanted = compiled(inputs | special), pair.twin(inputs)
        assert found["loss"].item() == pytest.approx(wanted["loss"].item(), rel=1e-4)
    pair.check_parameters()
    with pytest.raises(HariboteError, match="backprop without an optimiser"):
        pair.context.compile(pair.function, batch(), options={"backprop": True})


def test_what_is_not_in_the_interface_is_named() -> None:
    found = context()
    compiled = found.compile(lambda given: {"y": given["x"] + 1}, {"x": torch.zeros(3)})
    for thing, name in [
        (found, "device_count"),
        (compiled, "profile"),
        (compiled({"x": torch.zeros(3)})["y"], "numpy"),
    ]:
        with pytest.raises(HariboteError, match=rf"mlsdk\.\w+ has no '{name}' here"):
            getattr(thing, name)
        assert not hasattr(thing, name)
    with pytest.raises(HariboteError, match=r"registry\.register: 'x' is a int"):
        found.registry.register("x", 3)  # type: ignore[arg-type]


def test_what_is_not_one_program_runs_in_pieces_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    from haribote.mlsdk import artefact

    def refuse(*_: object, **__: object) -> None:
        raise HariboteError("not this one")

    monkeypatch.setattr(artefact, "compile_stack", refuse)
    x = torch.randn(3, 5)
    with pytest.warns(UserWarning, match=r"the chip runs this graph in pieces \(1\): not this one"):
        compiled = context(CHIP).compile(lambda given: {"y": given["x"] + 1}, {"x": x})
    torch.testing.assert_close(compiled({"x": x})["y"].cpu(), x + 1)


def test_what_the_program_writes_to_data_is_seen() -> None:
    """No version of a tensor counts it."""
    torch.manual_seed(0)
    pair = Pair(mlp(), sgd)
    compiled = pair.context.compile(pair.function, batch())
    for _ in range(2):
        pair.check(compiled, batch())
        pair.context.synchronize()
        for model in (pair.model, pair.other):
            model[2].bias.data.add_(1)  # type: ignore[index, operator, union-attr]
    pair.check(compiled, batch())
    pair.check_parameters()


def test_a_value_that_is_written_again_is_the_current_one() -> None:
    """Though the torch tensor has stayed what it was while the device's value changed."""
    pair = Pair(mlp(), sgd)
    before = {name: value.clone() for name, value in pair.model.state_dict().items()}
    compiled = pair.context.compile(pair.function, batch())
    compiled(batch())
    pair.model.load_state_dict(before)
    pair.context.synchronize()
    assert all(torch.equal(value, before[name]) for name, value in pair.model.state_dict().items())


def test_registered_tensors_in_the_same_memory() -> None:
    """They are two on the device: a function that writes to one of them is refused."""
    found, base = context(), torch.zeros(6)
    for name, part in {"a": base[:3], "b": base[2:], "c": base[:2]}.items():
        set_tensor_name(part, name)
        found.register_buffer(part)

        def write(given: dict[str, Tensor], part: Tensor = part) -> dict[str, Tensor]:
            return {"y": part.add_(given["x"])}

        if name == "a":
            found.compile(write, {"x": torch.ones(1)})
        else:
            with pytest.raises(HariboteError, match=f"writes to '{name}', whose memory is also that of 'a'"):
                found.compile(write, {"x": torch.ones(1)})


def test_a_norm_by_power_iteration() -> None:
    """Products of a transposed matrix by a vector, and buffers that they change."""
    torch.manual_seed(0)
    layer = nn.utils.parametrizations.spectral_norm(nn.Linear(6, 5))
    Pair(nn.Sequential(layer, nn.Tanh(), nn.Linear(5, 3)), sgd).check_training()

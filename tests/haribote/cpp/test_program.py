"""The commands of the C++ backend, and the program without Python, from a shell."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from haribote.commands.cli import main
from haribote.cpp.program import main_source
from haribote.frontend.torch import trace_inference, trace_step
from haribote.graphs.cases import Case, reference_case, save_case
from haribote.training.backends import example_batch
from haribote.training.models import mlp

BATCH = 8


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An exported step of 12-7-4 at batch 8, compiled to a program."""
    folder = tmp_path_factory.mktemp("step")
    save_case(_case(), folder)
    assert main(["compile", str(folder), "--backend", "cpp", "--runner"]) == 0
    return folder


@pytest.mark.slow
def test_compiling_ends_with_the_ledger(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", str(folder), "--backend", "cpp"]) == 0
    head, *entries = capsys.readouterr().out.partition("part ")[2].splitlines()
    assert "calls" in head and any("3.3" in entry for entry in entries)
    assert main(["compile", str(folder), "--backend", "cpp", "--stop-after", "cse"]) == 0
    assert "calls" not in capsys.readouterr().out


def _case() -> Case:
    model = mlp(12, 7, 4)
    random = np.random.default_rng(2)
    inputs = {"x": random.standard_normal((BATCH, 12), np.float32), "labels": random.integers(0, 4, BATCH)}
    inputs |= {name: value.detach().numpy() for name, value in model.named_parameters()}
    return reference_case("small", trace_step(model, *example_batch(model, BATCH, 0.1)), inputs)


def runner(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([folder / "runner", *arguments], capture_output=True, text=True, env={}, check=False)


def test_one_step_of_the_program_gives_the_reference(folder: Path, tmp_path: Path) -> None:
    result = runner(folder, folder / "inputs", tmp_path / "out")
    assert result.returncode == 0 and result.stdout.startswith("loss ")
    expected = _case().outputs
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(f"{name}.npy" for name in expected)
    for name, value in expected.items():
        got = np.load(tmp_path / "out" / f"{name}.npy")
        assert got.dtype == value.dtype and got.shape == value.shape
        np.testing.assert_allclose(got, value, atol=1e-6, err_msg=name)


def test_the_program_trains_on_batch_after_batch(folder: Path, tmp_path: Path) -> None:
    from haribote.training.backends import TorchBackend

    random = np.random.default_rng(4)
    images, labels = random.standard_normal((3 * BATCH, 12), np.float32), random.integers(0, 4, 3 * BATCH)
    inputs = tmp_path / "in"
    inputs.mkdir()
    model = mlp(12, 7, 4)
    for name, value in {"x": images, "labels": labels, **dict(model.named_parameters())}.items():
        np.save(inputs / f"{name}.npy", np.asarray(value.detach() if hasattr(value, "detach") else value))
    assert runner(folder, inputs, tmp_path / "out", "7").stdout.endswith(f"7 steps, 5 outputs in {tmp_path / 'out'}\n")
    backend = TorchBackend(model, 0.1)
    for step in range(7):
        rows = slice(step % 3 * BATCH, (step % 3 + 1) * BATCH)
        loss = backend.step(images[rows], labels[rows])
    assert np.load(tmp_path / "out" / "loss.npy") == pytest.approx(loss, rel=1e-5)
    for name, value in backend.parameters().items():
        np.testing.assert_allclose(np.load(tmp_path / "out" / f"{name}.next.npy"), value, atol=1e-6, err_msg=name)


def test_mistakes_are_messages(folder: Path, tmp_path: Path) -> None:
    def refused(*arguments: str | Path) -> str:
        result = runner(folder, *arguments)
        assert result.returncode == 2 and not (tmp_path / "out").exists()
        return result.stderr

    inputs, out = tmp_path / "in", tmp_path / "out"
    assert "usage:" in refused()
    assert "usage:" in refused(inputs, out, "0")
    assert "x.npy: there is no such file" in refused(inputs, out)
    inputs.mkdir()
    for path in (folder / "inputs").iterdir():
        (inputs / path.name).write_bytes(path.read_bytes())
    np.save(inputs / "x.npy", np.zeros((BATCH, 11), np.float32))
    assert "x.npy must be <f4[8, 12] or several such batches, received <f4[8, 11]" in refused(inputs, out)
    np.save(inputs / "x.npy", np.zeros((BATCH, 12)))
    assert "received <f8[8, 12]" in refused(inputs, out)
    np.save(inputs / "x.npy", np.asfortranarray(np.zeros((BATCH, 12), np.float32)))
    assert "row-major" in refused(inputs, out)
    whole = (folder / "inputs" / "x.npy").read_bytes()
    (inputs / "x.npy").write_bytes(whole[:-1])
    assert "x.npy: it is cut off" in refused(inputs, out)
    (inputs / "x.npy").write_bytes(b"not numpy at all")
    assert "it is not a .npy file" in refused(inputs, out)
    (inputs / "x.npy").write_bytes(whole[:9])
    assert "it is not a .npy file" in refused(inputs, out)


@pytest.mark.slow
def test_the_folder_builds_by_hand_without_the_package(folder: Path, tmp_path: Path) -> None:
    from haribote.cpp.build import compiler

    copied = tmp_path / "elsewhere"
    (copied / "haribote").mkdir(parents=True)
    for name in ["step.cpp", "runner.cpp", *(f"haribote/{path.name}" for path in (folder / "haribote").iterdir())]:
        (copied / name).write_bytes((folder / name).read_bytes())
    command = [*compiler(), "-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", "runner.cpp", "-o", "runner"]
    subprocess.run(command, cwd=copied, check=True)
    assert runner(copied, folder / "inputs", copied / "out").returncode == 0


def test_an_inference_program_takes_all_inputs_as_they_are() -> None:
    import torch

    source = main_source(trace_inference(mlp(12, 4), torch.zeros(3, 12)))
    assert source.count("runner::same") == 3 and "next_batch" not in source


@pytest.mark.slow
def test_the_test_command(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["test", str(folder), "--backend", "cpp"]) == 0
    assert "all outputs agree" in capsys.readouterr().out
    assert main(["test", str(folder), "--backend", "cpp", "--unit", "--gemm", "naive"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"/Gemm\w*_8x12_7x12_\w+: C\+\+, Gemm naive\n", out)
    assert "/NegativeLogLikelihoodLoss_8x4_8_scalar: C++" in out
    case = _case()
    case.outputs["loss"] += 1
    save_case(case, tmp_path)
    assert main(["test", str(tmp_path), "--backend", "cpp"]) == 1
    assert "1 of the cases failed" in capsys.readouterr().out


def test_stopping_after_a_stage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", "not-needed-for-this")
    save_case(_case(), tmp_path)
    assert main(["compile", str(tmp_path), "--backend", "cpp", "--stop-after", "cse"]) == 0
    assert sorted(path.name for path in tmp_path.glob("*.onnx")) == ["cse.onnx", "model.onnx", "simplify.onnx"]
    assert main(["compile", str(tmp_path), "--backend", "cpp", "--stop-after", "place"]) == 2
    assert "there is no stage 'place'" in capsys.readouterr().err


def test_no_compiler_is_exit_status_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    save_case(_case(), tmp_path)
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert main(["test", str(tmp_path), "--backend", "cpp"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("haribote test: the C++ backend needs a C++ compiler") and "Traceback" not in error


@pytest.mark.slow
def test_train_and_infer_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from haribote.commands.infer import write_picture
    from haribote.data.dataset import load

    monkeypatch.chdir(tmp_path)
    assert main(["train", "--backend", "cpp", "--data", "synthetic", "--epochs", "2", "--lr", "0.1"]) == 0
    assert "epoch 2  loss" in capsys.readouterr().out
    write_picture(load("synthetic").test_images[0], tmp_path / "digit.png")
    assert main(["infer", "digit.png", "--backend", "cpp"]) == 0
    assert capsys.readouterr().out.startswith("digit.png: ")
    assert os.path.exists("runs/cpp/loss.png")

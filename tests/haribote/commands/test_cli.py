"""Mistakes on the command line of haribote are messages with status 2."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest

from haribote.chip import program
from haribote.commands.cli import main
from simulator import Machine
from simulator.engine.state.snapshot import restore


def test_mistakes_are_messages_with_status_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commands = {
        ("infer", "x.png", "--backend", "torch", "--checkpoint", str(tmp_path / "no.npz")): "there is no checkpoint",
        ("compile", str(tmp_path), "--backend", "sim"): "is not a case",
        ("kernel", "no_such"): "there is no kernel 'no_such'",
        ("kernel", "rellu"): "did you mean relu?",
        ("kernel", "5.99"): "there is no kernel '5.99'",
        ("kernel",): "which kernel?",
        ("kernel", "--testcase", str(tmp_path / "none.vsm")): "cannot read",
        ("train", "--backend", "torch", "--data", str(tmp_path / "no")): "is not a folder",
        ("train", "--backend", "cpp", "--fill"): "--fill with --backend cpp",
        ("train", "--backend", "cpp", "--require-chip"): "--require-chip with --backend cpp",
        ("train", "--backend", "torch", "--require-chip"): "--require-chip with --backend torch",
        ("train", "--backend", "torch", "-O2"): "-O2 with --backend torch, which has no levels",
        ("train", "--backend", "cpp", "--engine", "numpy"): "--engine with --backend cpp",
        ("train", "--backend", "torch", "--mine"): "--mine with --backend torch",
        ("infer", "picture.png", "--backend", "torch", "-O0"): "-O0 with --backend torch",
        ("test", str(tmp_path), "--backend", "sim", "--gemm", "packed"): "--gemm with --backend sim",
        ("compile", str(tmp_path), "--backend", "cpp", "--check"): "--check with --backend cpp",
        ("compile", str(tmp_path), "--backend", "sim", "--runner"): "--runner with --backend sim",
        ("train", "--backend", "sim", "--fill", "--solutions"): "--solutions takes none of them",
        ("train", "--backend", "sim", "--fill", "-O2"): "the compiler writes all kernels itself",
        ("view", str(tmp_path / "no.onnx")): "cannot read",
        ("export", "--model", "no.py:model", "-o", str(tmp_path)): "no file no.py",
    }
    for command, message in commands.items():
        assert main(command) == 2
        captured = capsys.readouterr()
        assert message in captured.err and "Traceback" not in captured.err, command


def test_a_task_names_all_of_its_kernels(capsys: pytest.CaptureFixture[str]) -> None:
    def printed(*names: str) -> str:
        assert main(["kernel", "--solutions", *names]) == 0
        return capsys.readouterr().out

    assert printed("5.12") == printed("relu")
    shapes = ("sub", "update_16x16", "update_16x1024", "update_16")
    assert printed("5.18") == printed("5.17") == "".join(map(printed, shapes))


@pytest.mark.parametrize(
    "options", [("--hidden", "0"), ("--batch", "-3"), ("--epochs", "0"), ("--lr", "nan"), ("--lr", "-1"), ("--lr", "x")]
)
def test_numbers_that_make_no_sense_are_refused(options: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["train", "--backend", "torch", *options])
    assert stop.value.code == 2
    assert options[0] in capsys.readouterr().err


def test_a_level_that_there_is_not_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["compile", str(tmp_path), "--backend", "sim", "-O3"])


@pytest.mark.parametrize(
    ("options", "message"),
    [(("sim", "-O1", "--solutions"), "--precision half at -O1"), (("cpp",), "--precision with --backend cpp")],
)
def test_a_precision_for_which_there_are_no_products_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], message: str
) -> None:
    assert main(["export", "--hidden", "4", "--batch", "8", "-o", str(tmp_path)]) == 0
    assert main(["compile", str(tmp_path), "--precision", "half", "--backend", *options]) == 2
    said = capsys.readouterr().err
    assert message in said and "try: " in said and "Traceback" not in said


@pytest.mark.slow
def test_o1_compiles_and_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "schedule", lambda found: found)  # it takes seconds
    assert main(["export", "--hidden", "4", "--batch", "8", "-o", str(tmp_path)]) == 0
    options = ("--backend", "sim", "--solutions", "-O1")
    assert main(["compile", str(tmp_path), *options]) == 0
    said = capsys.readouterr().out
    assert "before scheduling" in said and said.rstrip().endswith("--backend sim --solutions -O1")
    assert (tmp_path / "step.vsm").is_file()
    assert main(["test", str(tmp_path), *options]) == 0
    assert main(["compile", str(tmp_path), *options, "--stop-after", "place"]) == 0
    assert not (tmp_path / "transfer.onnx").exists() and (tmp_path / "place.onnx").is_file()


@pytest.mark.slow
def test_the_operands_of_a_step_lie_beside_its_program(tmp_path: Path) -> None:
    """By the address of every input in the graph with places, as the compiler writes it beside them."""
    assert main(["export", "--hidden", "4", "--batch", "8", "-o", str(tmp_path)]) == 0
    assert main(["compile", str(tmp_path), "--backend", "sim", "--solutions", "-O0"]) == 0
    machine = Machine()
    restore(machine, tmp_path / "step.npz")
    placed = onnx.load(tmp_path / "place.onnx")
    addresses = json.loads({entry.key: entry.value for entry in placed.metadata_props}["haribote.dram"])
    weights = np.load(tmp_path / "inputs" / "2.weight.npy")
    padded = next(info for info in placed.graph.input if info.name == "2.weight")
    shape = tuple(size.dim_value for size in padded.type.tensor_type.shape.dim)
    found = machine.read_dram(addresses["2.weight"], shape, np.float32)
    np.testing.assert_array_equal(found[: weights.shape[0], : weights.shape[1]], weights)
    assert not found[weights.shape[0] :].any()

"""`compile --report` and `--print-after`."""

from __future__ import annotations

import pytest

from haribote.commands.cli import main


@pytest.fixture
def folder(tmp_path):
    assert main(["export", "--hidden", "16", "--batch", "8", "-o", str(tmp_path / "step")]) == 0
    return tmp_path / "step"


def test_every_stage_says_what_it_changed(folder, capsys):
    capsys.readouterr()
    assert main(["compile", str(folder), "--backend", "cpp", "--report"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("simplify: 30 -> 25 nodes (Transpose 4 -> 0, MatMul 2 -> 0, ")
    assert lines[1] == "cse: 25 -> 25 nodes (no operator changed)"
    assert lines[2].startswith("fuse: 25 -> 13 nodes (Gemm 5 -> ")


def test_the_graph_is_printed_after_a_stage(folder, capsys):
    capsys.readouterr()
    assert main(["compile", str(folder), "--backend", "cpp", "--print-after", "simplify"]) == 0
    out = capsys.readouterr().out
    assert 'Gemm <transB: int = 1> (x, "0.weight")' in out and "haribote.GemmRelu (" not in out
    assert main(["compile", str(folder), "--backend", "cpp", "--print-after", "pad"]) == 2
    assert "--backend cpp has no stage 'pad'" in capsys.readouterr().err


@pytest.mark.slow
def test_a_convolutional_model_of_the_users_own(tmp_path, capsys):
    (tmp_path / "net.py").write_text("from haribote.training.models import lenet\n")
    folder = tmp_path / "lenet"
    assert main(["export", "--model", f"{tmp_path / 'net.py'}:lenet", "--batch", "3", "-o", str(folder)]) == 0
    assert main(["test", str(folder), "--backend", "cpp"]) == 0
    assert "all outputs agree" in capsys.readouterr().out

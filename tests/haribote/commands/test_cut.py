"""`haribote cut` from a shell."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from haribote.commands.cli import main
from haribote.graph import Builder, save
from haribote.partition import cut as cut_module
from haribote.partition import measured


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (cut_module, measured):
        monkeypatch.setattr(module, "cache_folder", lambda: tmp_path / "cache")


def test_table_picture_and_pieces(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    builder = Builder("small")
    x = builder.op("Neg", builder.input("x", (3, 3), np.float32), name="n")
    builder.output(builder.op("Det", x, name="y"))
    save(builder.finish(), tmp_path / "small.onnx")
    more = ["--svg", str(tmp_path / "cut.svg"), "-o", str(tmp_path / "pieces")]
    assert main(["cut", str(tmp_path / "small.onnx"), *more]) == 0
    out = capsys.readouterr().out
    assert out.startswith("1 of 2 nodes on the chip, 2 pieces, ")
    assert "1 -> 2: n float32[3, 3], 36 bytes" in out and "y: there is no rule for Det" in out
    assert (tmp_path / "cut.svg").read_text().startswith("<svg")
    names = sorted(path.name for path in (tmp_path / "pieces").iterdir())
    assert names == ["1_chip.onnx", "2_host.onnx"]
    assert [node.name for node in onnx.load(tmp_path / "pieces" / names[1]).graph.node] == ["y"]


def test_mistakes_are_messages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cut", str(tmp_path / "missing.onnx")]) == 2
    assert capsys.readouterr().err.startswith(f"haribote cut: cannot read {tmp_path / 'missing.onnx'}")

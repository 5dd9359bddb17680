"""The command `schedule`."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator import assemble
from simulator.__main__ import main
from simulator.assembly.checks import fix_nops


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, output = tmp_path / "a.vsm", tmp_path / "b.vsm"
    source.write_text(fix_nops(assemble("zero $lm0v\niinc $lm0v $ls8v\niinc $lr8v $lr16v")), encoding="utf-8")
    assert main(["schedule", str(source), "-o", str(output)]) == 0
    assert "4 PE steps (nops 1), before 5 (nops 2)" in capsys.readouterr().err
    assert assemble(output.read_text(encoding="utf-8")).steps == 4


def test_the_command_refuses_a_program_with_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "a.vsm"
    source.write_text("zero $lm0v\niinc $lm0v $ls8v\n", encoding="utf-8")
    assert main(["schedule", str(source), "-o", str(tmp_path / "b.vsm")]) == 2
    assert "insert `nop/2`" in capsys.readouterr().err
    assert not (tmp_path / "b.vsm").exists()


@pytest.mark.parametrize("effort", ["0", "-1"])
def test_no_effort_at_all_is_refused(effort: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "a.vsm"
    source.write_text("nop\n")
    assert main(["schedule", str(source), "-o", str(tmp_path / "b.vsm"), "--effort", effort]) == 2
    assert "--effort must be at least 1" in capsys.readouterr().err and not (tmp_path / "b.vsm").exists()

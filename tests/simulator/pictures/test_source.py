"""What pictures of programs take: text, lines, a file or an assembled program."""

from __future__ import annotations

from pathlib import Path

import pytest

from haribote import draw
from simulator import assemble
from simulator.errors import SimulatorError
from tests.simulator.pictures.programs import SHORT


def test_a_program_may_be_text_lines_a_file_or_assembled(tmp_path: Path) -> None:
    path = tmp_path / "short.vsm"
    path.write_text(SHORT)
    wanted = draw.timeline(SHORT).text
    for source in (path, str(path), SHORT.split("\n"), assemble(SHORT)):
        assert draw.timeline(source).text == wanted
    for wrong in (tmp_path / "none.vsm", "", "fvad $lm0v $ln0v"):
        with pytest.raises(SimulatorError):
            draw.traffic(wrong)

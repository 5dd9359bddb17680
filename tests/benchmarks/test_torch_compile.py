"""The table of torch.compile beside eager PyTorch."""

from __future__ import annotations

import pytest

from benchmarks.torch_compile import main


@pytest.mark.slow
def test_a_row(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["norm", "--device", "host", "--inference", "--rounds", "1"]) == 0
    cells = [cell.strip() for cell in capsys.readouterr().out.splitlines()[-1].strip("|").split("|")]
    name, operations, cycles, _, _, _, words = cells
    assert (name, cycles) == ("norm", "")
    assert operations.split(" of ")[0] == operations.split(" of ")[1]
    parameters = 64 * 32 + 32 + 2 * 32 + 32 * 10 + 10
    assert words == f"{32 * 64:,}, {parameters:,}, {32 * 10:,}"


def test_an_unknown_model_is_told_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["resnet"]) == 2
    assert "there is no model 'resnet'" in capsys.readouterr().err

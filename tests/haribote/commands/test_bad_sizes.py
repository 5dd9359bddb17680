"""Sizes and models that no machine trains are a message, never a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from haribote.commands.cli import main
from simulator.console import MISTAKE, user_error

MODELS = {
    "it has no parameters": "class Net(torch.nn.Module):\n    def forward(self, x):\n        return x[:, :10]\n",
    "shape [7]": "class Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.a = torch.nn.Parameter(torch.zeros(7))\n"
    "    def forward(self, x):\n        return x[:, :7] * self.a\n",
}


@pytest.mark.parametrize("option", ["--batch", "--hidden"])
def test_sizes_have_a_limit(option: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["export", option, "99999999999", "-o", str(tmp_path / "case")])
    assert ended.value.code == MISTAKE and "must be at most 65536, received 99999999999" in capsys.readouterr().err


@pytest.mark.parametrize("says", MODELS)
def test_models_that_take_no_images(says: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text(f"import torch\n\n{MODELS[says]}", encoding="utf-8")
    assert main(["export", "--model", f"{path}:Net", "-o", str(tmp_path / "case")]) == MISTAKE
    assert says in capsys.readouterr().err and not (tmp_path / "case").exists()


def test_too_little_memory_is_told() -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises(RuntimeError) as raised:
        torch.empty(1 << 50)
    for error in (MemoryError(), raised.value):
        assert "more memory than there is" in str(user_error(error))
    assert user_error(RuntimeError("a bug of ours")) is None

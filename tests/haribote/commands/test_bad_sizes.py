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


def test_networks_have_a_limit(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for hidden, says in ((["4"] * 2000, "66 widths at most, received 2002"), (["65536"] * 2, "weights at most")):
        assert main(["export", "--hidden", *hidden, "-o", str(tmp_path / "case")]) == MISTAKE
        said = capsys.readouterr().err
        assert says in said and "\n    try: " in said and not (tmp_path / "case").exists()


@pytest.mark.parametrize("arguments", [["export", "-o", ""], ["plan", ""], ["cut", "a\0b"]])
def test_an_empty_argument_is_no_folder(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == MISTAKE and "an argument is empty" in capsys.readouterr().err


def test_what_a_model_file_raises_is_told_in_short(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    for text, says in (
        ("raise ValueError('x' * 10**5)", "xx …"),
        ("import torch\nNet = torch.empty(1 << 50)", "this takes more memory than there is"),
    ):
        path.write_text(text, encoding="utf-8")
        assert main(["export", "--model", f"{path}:Net", "-o", str(tmp_path / "case")]) == MISTAKE
        said = capsys.readouterr().err
        assert says in said and "\n    try: " in said and len(said) < 1000 and "alloc_cpu" not in said


@pytest.mark.parametrize("content", [b"a text\n", bytes(range(256)), None])
def test_what_is_no_test_case_is_told(
    content: bytes | None, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / "case.vsm").write_bytes(content)
    assert main(["kernel", "--testcase", str(tmp_path / "case.vsm")]) == MISTAKE
    said = capsys.readouterr().err
    assert "case.vsm" in said and "\n    try: " in said and "Errno" not in said


def test_too_little_memory_is_told() -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises(RuntimeError) as raised:
        torch.empty(1 << 50)
    for error in (MemoryError(), raised.value):
        assert "more memory than there is" in str(user_error(error))
    assert user_error(RuntimeError("a bug of ours")) is None

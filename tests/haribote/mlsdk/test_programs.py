"""The programs in the vendor's style, run as `python -m haribote.mlsdk` does; each compares itself with PyTorch."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from haribote.mlsdk.__main__ import main
from haribote.mlsdk.interface import SUBMODULES
from tests.long_runs import LONG

PROGRAMS = Path(__file__).parent / "programs"
HOST, CHIP = "pfvm:cpu", "mncore2:auto"


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `main` changes in the process is put back."""
    monkeypatch.setattr(sys, "argv", [*sys.argv])
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name in ("mlsdk", *(f"mlsdk.{part}" for part in SUBMODULES)):
        monkeypatch.setitem(sys.modules, name, None)


def run(name: str, *arguments: str) -> int:
    return main([str(PROGRAMS / name), *arguments])


MOMENTUM = ("momentum_step.py", "momentum_step.py --backprop")
QUICK = {
    HOST: ("trace.py", "two_models.py"),
    CHIP: ("transfers.py", "joined.py"),
}
OTHERS = {
    HOST: ("add.py", "transfers.py", "joined.py", "nested.py", "linear_mixed.py", *MOMENTUM),
    CHIP: ("add.py", "trace.py", "nested.py", "linear_mixed.py", MOMENTUM[1]),
}


@pytest.mark.parametrize(
    ("line", "device"),
    [
        *((line, device) for device, lines in QUICK.items() for line in lines),
        *(pytest.param(line, device, marks=pytest.mark.slow) for device, lines in OTHERS.items() for line in lines),
        *(pytest.param(line, CHIP, marks=[pytest.mark.slow, LONG]) for line in (MOMENTUM[0], "two_models.py")),
    ],
)
@pytest.mark.usefixtures("alone")
@pytest.mark.filterwarnings("error:the chip takes")
def test_program(line: str, device: str, tmp_path: Path) -> None:
    name, *options = line.split()
    assert run(name, *options, "--device", device, "--outdir", str(tmp_path)) == 0


@LONG
@pytest.mark.slow
def test_a_folder_is_used_in_another_process(tmp_path: Path) -> None:
    """The second process could not compile: it has no planner."""
    command = [sys.executable, "-m", "haribote.mlsdk", str(PROGRAMS / "load_folder.py"), "--outdir", str(tmp_path)]
    first = subprocess.run([*command, "--compile"], capture_output=True, text=True, check=True)
    assert first.stdout == "compiled ok\n"
    broken = "import sys; sys.modules['haribote.stack.planner.search'] = None; "
    start = f"{broken}import haribote.mlsdk.__main__ as m; sys.exit(m.main(sys.argv[1:]))"
    second = subprocess.run([sys.executable, "-c", start, *command[3:]], capture_output=True, text=True, check=False)
    assert second.stdout == "loaded ok\n", second.stderr


def mnist(tmp_path: Path, device: str, *options: str) -> int:
    return run("mnist.py", "--device", device, "--outdir", str(tmp_path), *options)


@pytest.mark.slow
@pytest.mark.usefixtures("alone")
def test_mnist_on_the_host(tmp_path: Path) -> None:
    assert mnist(tmp_path, HOST, "--epochs", "1", "--train", "12800", "--test", "2000", "--least", "85") == 0


@LONG
@pytest.mark.slow
@pytest.mark.usefixtures("alone")
def test_ten_epochs_of_mnist_on_the_host(tmp_path: Path) -> None:
    assert mnist(tmp_path, HOST) == 0


@LONG
@pytest.mark.slow
@pytest.mark.usefixtures("alone")
def test_mnist_on_the_chip(tmp_path: Path) -> None:
    assert mnist(tmp_path, CHIP, "--epochs", "1", "--train", "6400", "--test", "1000", "--least", "75") == 0


def test_the_example_of_the_document(tmp_path: Path, capsys: pytest.CaptureFixture[str], alone: None) -> None:
    text = (Path(__file__).parents[3] / "docs/frontends/mlsdk.md").read_text(encoding="utf-8")
    example = text.partition("```python\n")[2].partition("```")[0]
    script = tmp_path / "example.py"
    script.write_text(example.replace("/tmp/add", str(tmp_path / "add")))
    assert main([str(script)]) == 0
    assert capsys.readouterr().out.startswith("tensor([[2., 2., 2., 2.],")
    named = re.search(r"The folder of a compiled function has (.*?), from which", text, re.DOTALL)
    assert named is not None
    for name in re.findall(r"`([\w/*.]+\.\w+)`", named[1]):
        assert list((tmp_path / "add").glob(name)), name

"""The larger programs in the vendor's style; those that need timm or transformers are skipped where these are not."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest
import torch

from haribote.mlsdk.__main__ import main
from haribote.mlsdk.interface import SUBMODULES
from tests.long_runs import LONG

PROGRAMS = Path(__file__).parent / "programs"
HOST, CHIP = "pfvm:cpu", "mncore2:auto"
OWN = {
    "llama.py": "llama ok",
    "neumf.py --steps 12": "neumf ok",
    "pipeline.py --infer-only": "pipeline ok",
    "pipeline.py --steps 4": "pipeline ok",
    "whisper.py": "whisper ok",
    "unet.py --steps 6": "unet ok",
    "vision.py --net resnet": "resnet ok",
    "vision.py --net mobilenet": "mobilenet ok",
    "vision.py --net convnext": "convnext ok",
    "vision.py --net vit": "vit ok",
    "vision.py --net resmlp --way loss": "resmlp ok",
}
PACKAGED = {
    "llama.py --transformers": "transformers",
    "whisper.py --transformers": "transformers",
    "vision.py --timm resnet10t --size 64 --beside 1 --rate 0.005": "timm",
    "vision.py --timm mobilenetv3_small_050 --size 64 --beside 1 --rate 0.001 --way loss": "timm",
    "vision.py --timm convnext_atto": "timm",
    "vision.py --timm resmlp_12_224": "timm",
    "vision.py --timm vit_tiny_patch16_224": "timm",
}
QUICK = ("neumf.py --steps 12",)


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `main` and the programs change in the process is put back."""
    monkeypatch.setattr(sys, "argv", [*sys.argv])
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("MNCORE_USE_LEGACY_ONNX_EXPORTER", "")
    for name in ("mlsdk", *(f"mlsdk.{part}" for part in SUBMODULES)):
        monkeypatch.setitem(sys.modules, name, None)


def run(line: str, device: str, folder: Path) -> int:
    name, *options = line.split()
    return main([str(PROGRAMS / name), *options, "--device", device, "--outdir", str(folder)])


def needs(package: str) -> None:
    """Skip where a package is not there, or cannot be imported beside this torch."""
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed (pip install --no-deps {package}, and what it needs)")
    try:
        without_cuda()
        __import__(package)
    except (ImportError, RuntimeError) as error:
        pytest.skip(f"{package} cannot be imported here: {error}")


def without_cuda() -> None:
    """Torchvision describes two operators of its library at once, which a torch for the CPU does not load."""
    names = [name for name in ("nms", "qnms") if not hasattr(torch.ops.torchvision, name)]
    if names:
        library = torch.library.Library("torchvision", "FRAGMENT")
        for name in names:
            library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        kept.append(library)


kept: list[torch.library.Library] = []


@pytest.mark.parametrize(
    "line", [line if line in QUICK else pytest.param(line, marks=pytest.mark.slow) for line in OWN]
)
def test_on_the_host(line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(line, HOST, tmp_path) == 0
    assert OWN[line] in capsys.readouterr().out


@LONG
@pytest.mark.slow
@pytest.mark.parametrize("line", OWN)
@pytest.mark.filterwarnings("error:the chip takes")  # the host computes nothing
def test_on_the_chip(line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(line, CHIP, tmp_path) == 0
    assert OWN[line] in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("line", PACKAGED)
def test_models_of_packages_on_the_host(line: str, tmp_path: Path) -> None:
    needs(PACKAGED[line])
    assert run(line, HOST, tmp_path) == 0


@LONG
@pytest.mark.slow
@pytest.mark.parametrize("line", PACKAGED)
def test_models_of_packages_on_the_chip(line: str, tmp_path: Path) -> None:
    needs(PACKAGED[line])
    assert run(line, CHIP, tmp_path) == 0

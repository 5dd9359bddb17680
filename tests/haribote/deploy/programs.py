"""A deployed training step, built in an environment with a compiler and nothing else, and the files it is given."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haribote.cpp.build import compiler
from haribote.frontend.torch import trace_step
from haribote.graphs.cases import Case, reference_case
from haribote.training.backends import example_batch
from haribote.training.models import mlp

BATCH, FEATURES, CLASSES = 8, 12, 4
SANITIZED = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
Array = NDArray[Any]


def step_case() -> Case:
    """A step of 12-7-4 at batch 8 with SGD."""
    model = mlp(FEATURES, 7, CLASSES)
    random = np.random.default_rng(2)
    inputs = {"x": random.standard_normal((BATCH, FEATURES), np.float32), "labels": random.integers(0, 4, BATCH)}
    inputs |= {name: value.detach().numpy() for name, value in model.named_parameters()}
    return reference_case("small", trace_step(model, *example_batch(model, BATCH, 0.1)), inputs)


def build(folder: Path, flags: tuple[str, ...] = ("-O0", "-Wall", "-Wextra", "-Werror")) -> Path:
    """The program of a folder, built where only a compiler can be found."""
    tools = folder.parent / "tools"
    tools.mkdir(exist_ok=True)
    for name in (compiler()[0], "as", "ld"):
        found = shutil.which(name)
        if found and not (tools / Path(name).name).exists():
            (tools / Path(name).name).symlink_to(found)
    command = [tools / Path(compiler()[0]).name, *compiler()[1:], "-std=c++17", *flags, "run.cpp", "-o", "run"]
    result = subprocess.run(command, cwd=folder, env={"PATH": str(tools)}, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return folder / "run"


def run(program: Path, *arguments: str | Path, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run a program with an empty environment."""
    command = [program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, env={}, check=False, timeout=60, **more)


def idx(array: Array) -> bytes:
    """An array of bytes as MNIST's files have it."""
    sizes = b"".join(size.to_bytes(4, "big") for size in array.shape)
    return bytes([0, 0, 8, array.ndim]) + sizes + array.astype(np.uint8).tobytes()


def pgm(picture: Array) -> bytes:
    """A picture [height, width] as binary PGM, with a comment."""
    height, width = picture.shape
    return f"P5\n# a comment\n{width} {height}\n255\n".encode() + picture.astype(np.uint8).tobytes()

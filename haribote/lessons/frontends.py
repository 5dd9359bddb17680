"""What the notebooks of stage 08 use beside the front ends themselves."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from haribote.course import skip_unwritten
from haribote.cpp.arena import Buffer
from haribote.cpp.build import compile_file
from haribote.errors import HariboteError
from haribote.frontend.lowering import RULES
from haribote.jax import JaxMissing
from haribote.jax.flat.values import Operation, Ref
from haribote.jax.rules.lowering import Held, Lowering
from simulator.errors import advised
from simulator.messages import say, tr
from simulator.pictures.canvas import MARGIN, WIDTH, Canvas, Picture

HUES = 8
"""Colours of buffers that lie beside each other."""


@contextmanager
def without_rule(operation: Any) -> Iterator[None]:
    """Inside, the front end of PyTorch has no rule for this operation of `torch.ops.aten`."""
    rule = RULES.pop(operation)
    try:
        yield
    finally:
        RULES[operation] = rule


@contextmanager
def with_jax() -> Iterator[None]:
    """Run the rest of a notebook's cell; go on where JAX or its libraries are not installed, or a task not written."""
    with skip_unwritten():
        try:
            yield
        except (ImportError, JaxMissing) as error:
            missing = (getattr(error, "name", None) or "jax").partition(".")[0]
            if missing not in ("jax", "jaxlib", "jax_md", "jax_cfd"):
                raise
            what = tr(
                "{missing} is not installed: the rest of this cell is skipped; the text and the pictures stay", missing
            )
            say(advised(what, tr('make setup ARGS="--with jax", which needs Python 3.11 or newer')))


def power_graph(rule: Callable[..., Held], exponent: int, shape: tuple[int, ...] = (3,)) -> onnx.ModelProto:
    """The graph that a rule for `integer_pow` writes, from `x` to `y`."""
    g, x = Lowering("power"), Ref(shape, np.dtype(np.float32))
    g.input(x, "x")
    g.operation = Operation("integer_pow", [x], [Ref(shape, x.dtype)], {"y": exponent})
    g.builder.output(g.builder.op("Identity", g.full(rule(g, x, exponent), shape), name="y"))
    return g.builder.finish()


def built(folder: Path) -> Path:
    """The program of a folder that `haribote deploy` wrote, compiled. Raises CompilerMissing, CompileError."""
    if not (folder / "run").is_file():
        compile_file(folder / "run.cpp", folder / "run")
    return folder / "run"


def said(program: Path, *arguments: object) -> str:
    """What a program prints, run in its own folder."""
    command = [str(program.resolve()), *map(str, arguments)]
    done = subprocess.run(command, cwd=program.parent, capture_output=True, text=True)
    return (done.stdout + done.stderr).rstrip()


def memory_picture(buffers: Sequence[Buffer], offsets: Sequence[int], names: Sequence[str] = ()) -> Picture:
    """When a buffer is needed (across, node by node) and where it lies in the block (down), one rectangle each.

    Raises HariboteError for another number of offsets.
    """
    if len(buffers) != len(offsets) or not buffers:
        raise HariboteError(
            tr("there are {buffers} buffers and {offsets} offsets", len(buffers), len(offsets)),
            tr("an offset for each"),
        )
    size = max(at + buffer.size for at, buffer in zip(offsets, buffers, strict=True))
    nodes = max(buffer.last for buffer in buffers) + 1
    left, top, height = MARGIN + 64, 52.0, 260.0
    across, down = (WIDTH - MARGIN - left) / nodes, height / size
    canvas = Canvas()
    canvas.text(
        MARGIN, 28, tr("a block of {size:,} bytes; {value:,} without reuse", size, sum(b.size for b in buffers)), "head"
    )
    canvas.rect(left, top, WIDTH - MARGIN - left, height, "box")
    for number, (at, buffer) in enumerate(zip(offsets, buffers, strict=True)):
        name = names[number] if number < len(names) else str(number)
        told = tr(
            "{name}: {size:,} bytes at {at:,}, nodes {first} to {last}",
            name,
            buffer.size,
            at,
            buffer.first,
            buffer.last,
        )
        x, width = left + buffer.first * across, (buffer.last - buffer.first + 1) * across
        canvas.rect(x, top + at * down, width, max(buffer.size * down, 1), f"h{number % HUES}", title=told)
        if buffer.size * down > 14 and width > 40:
            canvas.text(x + 4, top + at * down + 12, name, "s on", room=width - 6)
    canvas.text(left - 8, top + 10, "0", "s", anchor="end")
    canvas.text(left - 8, top + height, f"{size:,}", "s", anchor="end")
    canvas.text(left, top + height + 18, tr("node {value}", 0), "s")
    canvas.text(WIDTH - MARGIN, top + height + 18, tr("node {value}", nodes - 1), "s", anchor="end")
    return canvas.picture(tr("{buffers} buffers in a block of {size:,} bytes", len(buffers), size), top + height + 30)

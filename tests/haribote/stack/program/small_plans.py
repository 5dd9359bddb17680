"""Plans by hand, small enough for every test run."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import numpy as np
import onnx

from haribote.graph import Builder, set_metadata
from haribote.stack.maps import BitMap
from haribote.stack.notation import parse
from haribote.stack.plan import Alias, Become, Load, Plan, Shift, Store, Version
from haribote.stack.program.builder import Built
from haribote.stack.program.shortest import build

NEAR = parse("((8_L1B:1, 4:1, 4_PE:1, 2_W:1), (16_MAB:1))")
"""256x16: a column in every MAB, rows over the L1Bs; the same in every L2B."""
TURNED = parse("((8_L1B:1, 2:1, 2:2, 4_PE:1, 2_W:1), (16_MAB:1))")
"""The same with two bits of the address exchanged."""


def version(value: str, found: BitMap, fill: float | None = None) -> Version:
    """A version whose axes are not split."""
    return Version(value, found, tuple((size,) for size in found.shape), fill)


def values(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(256, 16)).astype(np.float32)


def replaced() -> Plan:
    """A parameter becomes the input, and an output what it was before."""
    model = _graph()
    x, moved, new = version("x", NEAR), version("x", TURNED), version("w.next", TURNED)
    w, old = version("w", TURNED), version("old", TURNED)
    keep = (Load(x), Alias(w, old), Store(old))
    return Plan(model, (*keep, Shift(x, moved), Alias(moved, new), Become(new, w)), (w,))


@cache
def replaced_built() -> Built:
    return build(replaced())


def without(built: Built, number: int, line: int) -> Built:
    """The same program without a line of one of its pieces."""
    pieces = list(built.pieces)
    lines = list(pieces[number].lines)
    del lines[line]
    pieces[number] = replace(pieces[number], lines=tuple(lines))
    return replace(built, pieces=tuple(pieces))


def _graph() -> onnx.ModelProto:
    builder = Builder("replaced")
    builder.input("x", (256, 16), np.float32)
    builder.input("w", (256, 16), np.float32)
    builder.op("Identity", "w", name="old")
    builder.op("Identity", "x", name="w.next")
    builder.output("old")
    builder.output("w.next")
    model = builder.finish()
    set_metadata(model, updates=json.dumps({"w": "w.next"}))
    return model

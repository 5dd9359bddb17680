"""Plans by hand, small enough for every test run."""

from __future__ import annotations

import json

import numpy as np
import onnx

from haribote.graph import Builder, set_metadata
from haribote.stack.maps import BitMap
from haribote.stack.notation import parse
from haribote.stack.plan import Alias, Become, Load, Plan, Shift, Store, Version

NEAR = parse("((8_L1B:1, 4:1, 4_PE:1, 2_W:1), (16_MAB:1))")
"""256x16: a column in every MAB, rows over the L1Bs; the same in every L2B."""
TURNED = parse("((8_L1B:1, 2:1, 2:2, 4_PE:1, 2_W:1), (16_MAB:1))")
"""The same with two bits of the address exchanged."""


def version(value: str, found: BitMap, fill: float | None = None) -> Version:
    """A version whose axes are not split."""
    return Version(value, found, tuple((size,) for size in found.shape), fill)


def copied() -> Plan:
    """y = x, moved within the PEs on the way."""
    builder = Builder("copied")
    builder.input("x", (256, 16), np.float32)
    builder.op("Identity", "x", name="y")
    builder.output("y")
    x, turned = version("x", NEAR), version("x", TURNED)
    return Plan(builder.finish(), (Load(x), Shift(x, turned), Alias(turned, y := version("y", TURNED)), Store(y)))


def replaced() -> Plan:
    """A parameter becomes the input, and an output what it was before."""
    model = replaced_graph()
    x, w, old = version("x", NEAR), version("w", TURNED), version("old", TURNED)
    new = version("w.next", TURNED)
    return Plan(model, (Load(x), Alias(w, old), Store(old), Shift(x, moved := version("x", TURNED)), Alias(moved, new), Become(new, w)), (w,))


def replaced_graph() -> onnx.ModelProto:
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

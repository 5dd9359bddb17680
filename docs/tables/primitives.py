"""JAX's primitives, from the rules and what they make of a small program, for jax.md."""

from __future__ import annotations

from docs.tables.marks import rows
from docs.tables.samples import Sample, samples
from haribote.jax.flat.keys import KEYS
from haribote.jax.mnjit import mnjit
from haribote.jax.placement import parts
from haribote.jax.rules import RULES

BY_FLATTENING = {
    "cond": "both branches, then the one that is selected",
    "scan": "unrolled, or a loop of the host",
    "while": "unrolled, or a loop of the host, where the number of rounds is known",
    "custom_jvp_call": "inlined",
    "custom_vjp_call": "inlined",
    "remat2": "inlined",
    "iota": "a constant",
}
SHOWN = 6
"""Operators that a row names."""


def table() -> str:
    """Primitive, operators of a small program that has it, the rule's file, and where that program runs."""
    return rows(("primitive", "in ONNX", "rule", "runs on"), *map(_row, samples()))


def _row(sample: Sample) -> tuple[str, ...]:
    compiled = mnjit(sample.function, device="host").compiled(*sample.arguments)
    operators = [node.op_type for model in compiled.program.models for node in model.graph.node]
    names = list(dict.fromkeys(operators))
    text = ", ".join(names[:SHOWN]) + (" ..." if len(names) > SHOWN else "")
    rule = "flat/keys.py" if sample.primitive in KEYS else "flat/flatten.py"
    if sample.primitive in RULES:
        rule = f"rules/{RULES[sample.primitive].__module__.rpartition('.')[2]}.py"
    if sample.primitive in BY_FLATTENING:
        text = BY_FLATTENING[sample.primitive]
    return f"`{sample.primitive}`", text or "its argument", rule, where(sample)


def where(sample: Sample) -> str:
    """`chip`, `host`, or `chip and host`."""
    flat = mnjit(sample.function, device="host").compiled(*sample.arguments).flat
    return " and ".join(sorted({device for _, device in parts(flat.items, "chip")} or {"chip"}))

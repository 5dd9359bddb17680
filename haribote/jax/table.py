"""The table of primitives in docs/frontends/jax.md, from the rules and what they make of a small program.

python -m haribote.jax.table        # writes it into the page
"""

from __future__ import annotations

import sys
from pathlib import Path

from haribote.jax.flat.keys import KEYS
from haribote.jax.mnjit import mnjit
from haribote.jax.placement import parts
from haribote.jax.rules import RULES
from haribote.jax.samples import Sample, samples
from simulator.files import write_file
from simulator.messages import Text, tr

PAGE = Path(__file__).resolve().parents[2] / "docs" / "frontends" / "jax.md"
BEGIN, END = "<!-- made by `python -m haribote.jax.table` -->\n", "<!-- end of the table -->\n"
BY_FLATTENING = {
    "cond": Text("both branches, then the one that is selected"),
    "scan": Text("unrolled, or a loop of the host"),
    "while": Text("unrolled, or a loop of the host, where the number of rounds is known"),
    "custom_jvp_call": "inlined",
    "custom_vjp_call": "inlined",
    "remat2": "inlined",
    "iota": Text("a constant"),
}
SHOWN = 6
"""Operators that a row names."""


def table() -> str:
    """Rows: primitive, operators of a small program that has it, the rule's file, and where that program runs."""
    rows = [tr("| primitive | in ONNX | rule | runs on |"), "|---|---|---|---|"]
    rows += [_row(sample) for sample in samples()]
    return "\n".join(rows) + "\n"


def _row(sample: Sample) -> str:
    compiled = mnjit(sample.function, device="host").compiled(*sample.arguments)
    operators = [node.op_type for model in compiled.program.models for node in model.graph.node]
    names = list(dict.fromkeys(operators))
    text = ", ".join(names[:SHOWN]) + (" ..." if len(names) > SHOWN else "")
    rule = "flat/keys.py" if sample.primitive in KEYS else "flat/flatten.py"
    if sample.primitive in RULES:
        rule = f"rules/{RULES[sample.primitive].__module__.rpartition('.')[2]}.py"
    if sample.primitive in BY_FLATTENING:
        text = BY_FLATTENING[sample.primitive]
    return f"| `{sample.primitive}` | {text or tr('its argument')} | {rule} | {where(sample)} |"


def where(sample: Sample) -> str:
    """`chip`, `host`, or `chip and host`."""
    flat = mnjit(sample.function, device="host").compiled(*sample.arguments).flat
    return " and ".join(sorted({device for _, device in parts(flat.items, "chip")} or {"chip"}))


def main() -> int:
    """Write the table into the page."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    write_file(PAGE, (before + BEGIN + table() + END + rest.partition(END)[2]).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())

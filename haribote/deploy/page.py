"""The table of operators in docs/frontends/deploy.md, made from the rules.

python -m haribote.deploy.page docs/frontends/deploy.md
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import onnx

from haribote.core.from_onnx.rules import RULES as REWRITTEN
from haribote.cpp.operators import template  # noqa: F401  (its module registers all rules)
from haribote.cpp.rules import RULES
from haribote.operators.functions import FUNCTIONS, OPSET
from simulator.messages import tr

SETTLED = ("Constant", "Shape", "Size", "ConstantOfShape", "CastLike")
"""What the compiler computes, since all shapes are known."""
BY_TYPE = ("Clip", "Gelu", "LayerNormalization")
"""Operators whose definition depends on their types or attributes, which tests/haribote/cpp/test_expand.py has."""

START, END = "<!-- operators -->", "<!-- end of operators -->"


def table() -> str:
    """Operators by how they are done: ONNX's own, without ours."""
    own = sorted(RULES.keys() - FUNCTIONS.keys())
    written = sorted(REWRITTEN.keys() - RULES.keys())
    bodies = sorted(name for name in _with_bodies() if name not in RULES and name not in REWRITTEN)
    rows = (
        (tr("a template"), own),
        (tr("rules in `haribote/core/from_onnx`"), written),
        (tr("ONNX's own definition"), bodies),
    )
    lines = [f"| {how} | {', '.join(names)} |" for how, names in rows]
    return "\n".join([tr("| done by | operators |"), "|---|---|", *lines])


def _with_bodies() -> set[str]:
    """Operators that ONNX defines by others which are done here."""
    bodies: dict[str, onnx.FunctionProto] = {}
    for schema in sorted(onnx.defs.get_all_schemas_with_history(), key=lambda schema: int(schema.since_version)):
        body: onnx.FunctionProto | None = getattr(schema, "function_body", None)  # its stub knows nothing of functions
        if schema.domain == "" and schema.since_version <= OPSET and body is not None and body.node:
            bodies[schema.name] = body
    done, before = {*RULES, *REWRITTEN, *SETTLED, *BY_TYPE}, -1
    while before != len(done):
        before = len(done)
        done |= {name for name, body in bodies.items() if all(node.op_type in done for node in body.node)}
    return done - {*SETTLED}


def with_table(page: str) -> str:
    """The page with the table of today between its marks."""
    return re.sub(rf"(?<={START}\n).*?(?={END})", lambda _: f"\n{table()}\n\n", page, flags=re.DOTALL)


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(with_table(path.read_text(encoding="utf-8")), encoding="utf-8")

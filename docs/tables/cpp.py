"""Operators by how C++ does them, for deploy.md."""

from __future__ import annotations

import onnx

from docs.tables.marks import rows
from haribote.core.from_onnx.rules import RULES as REWRITTEN
from haribote.cpp.operators import template  # noqa: F401  (its module registers all rules)
from haribote.cpp.rules import RULES
from haribote.operators.functions import FUNCTIONS, OPSET

SETTLED = ("Constant", "Shape", "Size", "ConstantOfShape", "CastLike")
"""What the compiler computes, since all shapes are known."""
BY_TYPE = ("Clip", "Gelu", "LayerNormalization")
"""Operators whose definition depends on their types or attributes, which tests/haribote/cpp/test_expand.py has."""


def table() -> str:
    """ONNX's own operators, without ours."""
    own = sorted(RULES.keys() - FUNCTIONS.keys())
    written = sorted(REWRITTEN.keys() - RULES.keys())
    bodies = sorted(name for name in _with_bodies() if name not in RULES and name not in REWRITTEN)
    named = {"a template": own, "rules in `haribote/core/from_onnx`": written, "ONNX's own definition": bodies}
    return rows(("done by", "operators"), *((how, ", ".join(names)) for how, names in named.items()))


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

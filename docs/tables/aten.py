"""The operations of PyTorch that have a lowering rule, for torch.md."""

from __future__ import annotations

from docs.tables.marks import rows
from haribote.frontend.lowering import RULES, THEMES


def table() -> str:
    """Theme, and the operations with a rule; overloads and forms in place (`add_`) are not told apart."""
    found = {
        theme: {_name(target) for target, rule in RULES.items() if rule.__module__ == module.__name__}
        for theme, module in THEMES.items()
    }
    return rows(
        ("theme", "operations of `torch.ops.aten`"),
        *((theme, ", ".join(sorted(names))) for theme, names in found.items()),
    )


def _name(target: object) -> str:
    """`add` of aten.add_.Tensor; other namespaces are named."""
    namespace, name = str(target).split(".")[:2]
    plain = name.rstrip("_") or name
    return plain if namespace == "aten" else f"{namespace}.{plain}"

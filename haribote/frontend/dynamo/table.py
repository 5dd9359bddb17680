"""The table of what the front end takes, made from the rules: `python -m haribote.frontend.dynamo.table PAGE`."""

from __future__ import annotations

import sys
from pathlib import Path

from haribote.frontend.lowering import RULES, THEMES
from simulator.files import write_file
from simulator.messages import tr

BEGIN, END = "<!-- the table, from the rules -->", "<!-- end of the table -->"


def table() -> str:
    """In Markdown: theme, and the operations with a rule; overloads and forms in place (`add_`) are not told apart."""
    lines = [tr("| theme | operations of `torch.ops.aten` |"), "|---|---|"]
    for theme, module in THEMES.items():
        targets = [target for target, rule in RULES.items() if rule.__module__ == module.__name__]
        lines.append(f"| {theme} | {', '.join(sorted({_name(target) for target in targets}))} |")
    return "\n".join(lines)


def _name(target: object) -> str:
    """`add` of aten.add_.Tensor; other namespaces are named."""
    namespace, name = str(target).split(".")[:2]
    plain = name.rstrip("_") or name
    return plain if namespace == "aten" else f"{namespace}.{plain}"


def with_table(page: str) -> str:
    """The page with the table of today."""
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n{table()}\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    path = Path(sys.argv[1])
    write_file(path, with_table(path.read_text(encoding="utf-8")).encode())

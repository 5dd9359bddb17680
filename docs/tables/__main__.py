"""Write the tables of docs/frontends that are made from the rules: `python -m docs.tables [deploy torch jax]`."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from docs.tables.marks import with_table
from simulator.files import write_file

PAGES = {"deploy": "cpp", "torch": "aten", "jax": "primitives"}
"""What makes the table of each page; that of jax.md needs JAX."""
FOLDER = Path(__file__).resolve().parents[1] / "frontends"


def main(names: list[str]) -> int:
    """The exit status."""
    for name in names or PAGES:
        path = FOLDER / f"{name}.md"
        table = import_module(f"docs.tables.{PAGES[name]}").table()
        write_file(path, with_table(path.read_text(encoding="utf-8"), table))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

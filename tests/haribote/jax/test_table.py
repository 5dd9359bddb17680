"""docs/frontends/jax.md: its table is that of the rules, and its program runs."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("jax")

from docs.tables import primitives
from docs.tables.__main__ import FOLDER
from docs.tables.marks import table_in
from docs.tables.samples import samples

TEXT = (FOLDER / "jax.md").read_text(encoding="utf-8")


def rows() -> dict[str, list[str]]:
    """Primitive to the other cells of its row."""
    lines = re.findall(r"^\| `(.+?)` \| (.+) \|$", table_in(TEXT), re.MULTILINE)
    return {name: rest.split(" | ") for name, rest in lines}


def test_the_table_names_every_primitive_and_where_it_runs() -> None:
    by_name = {sample.primitive: sample for sample in samples()}
    assert set(rows()) == set(by_name)
    for name in ("add", "sort", "random_bits", "while"):
        assert primitives.where(by_name[name]) == rows()[name][-1]


@pytest.mark.slow
def test_the_table_is_what_the_rules_make() -> None:
    assert table_in(TEXT) == primitives.table(), "python -m docs.tables jax"


def test_the_program_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    exec(block.replace("mnjit(lambda", "mnjit(device='host')(lambda"), {})
    assert capsys.readouterr().out.startswith("0 of ")


def test_the_programs_of_the_page_are_there() -> None:
    import importlib

    names = re.findall(r"^python -m (benchmarks\.jax_programs\.\w+)", TEXT, re.MULTILINE)
    assert len(names) == 3
    assert all(callable(importlib.import_module(name).main) for name in names)

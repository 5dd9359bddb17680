"""What docs/frontends/torch.md says is so: its examples run, its outputs are what it shows, its table is today's."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest
import torch

from docs.tables.aten import table
from docs.tables.marks import table_in
from haribote.frontend.dynamo import backend
from haribote.frontend.lowering import RULES, THEMES

PAGE = Path(__file__).parents[4] / "docs" / "frontends" / "torch.md"


def test_the_page_has_the_table_of_today():
    assert table_in(PAGE.read_text(encoding="utf-8")) == table(), "python -m docs.tables torch"


def test_every_rule_is_in_the_table():
    modules = {module.__name__ for module in THEMES.values()}
    assert {rule.__module__ for rule in RULES.values()} <= modules
    assert "| picks by computed indices | _unsafe_index, embedding, gather, index" in table()


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
    """The names that the examples define, and what each of them prints. They run in one process, one after another."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    torch._dynamo.reset()
    if "haribote" not in torch._dynamo.list_backends():
        torch._dynamo.register_backend(backend, "haribote")
    torch.manual_seed(0)
    names: dict = {"__name__": "page"}
    printed = []
    for number, block in enumerate(blocks):
        file = tmp_path_factory.mktemp("page") / f"example{number}.py"
        file.write_text(block, encoding="utf-8")
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(block, str(file), "exec"), names)
        printed.append(output.getvalue())
    return names, printed


@pytest.mark.slow
def test_examples_print_what_the_page_shows(examples):
    shown = re.findall(r"```text\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    printed = [text for text in examples[1] if text]
    assert len(shown) == len(printed) == 2
    for expected, found in zip(shown, printed, strict=True):
        assert re.fullmatch(re.escape(expected).replace(r"\.\.\.", ".*"), found), found


def test_the_traced_step_learns(examples):
    losses = examples[0]["losses"]
    assert len(losses) == 3 and losses[2] < losses[0]

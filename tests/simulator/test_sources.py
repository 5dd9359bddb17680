"""One digest of all that decides: every imported file is in it, at any depth, and a change of any changes it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator import sources

MODULES = ("haribote.stack.program.compiled", "haribote.partition.cut", "simulator.schedule.kept")


def imported(file: Path) -> set[str]:
    """The modules that a file imports, by its syntax tree; names of modules only."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import, which the digest does not follow"
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


@pytest.mark.some(1)
@pytest.mark.parametrize("module", MODULES)
def test_the_closure_is_closed(module: str) -> None:
    files = set(sources.closure(module))
    for file in files:
        for name in imported(file):
            if name.partition(".")[0] in sources.PACKAGES and sources._file(name) is not None:
                assert set(sources._files(name)) <= files, f"{file} imports {name}"


def test_what_the_old_rules_missed_is_in_it() -> None:
    files = {file.relative_to(sources.ROOT).as_posix() for file in sources.closure("haribote.stack.program.compiled")}
    assert {"haribote/graph.py", "haribote/layout.py", "haribote/operators/functions.py", "haribote/chip/program.py",
            "simulator/isa/cost.py", "haribote/passes/decompose.py"} <= files  # fmt: skip


def test_a_change_anywhere_below_changes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {
        "haribote/__init__.py": "",
        "haribote/top.py": "import numpy\nfrom haribote.inner import (  # (two)\n    deep,\n    other as mine,\n)\n",
        "haribote/inner/__init__.py": "",
        "haribote/inner/deep.py": "def f():\n    import haribote.late\n",
        "haribote/inner/other.py": "",
        "haribote/late.py": "",
        "haribote/unread.py": "",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(sources, "ROOT", tmp_path)

    def found() -> str:
        forget()
        return sources.digest("haribote.top")

    before = found()
    for name in texts:
        (tmp_path / name).write_text(texts[name] + "# changed\n")
        after = found()
        assert (after != before) == (name != "haribote/unread.py"), name
        before = after


@pytest.fixture(autouse=True)
def _nothing_stays() -> Iterator[None]:
    yield
    forget()


def forget() -> None:
    for function in (sources.digest, sources.closure, sources.text, sources._imported, sources._file):
        function.cache_clear()


def test_a_module_that_is_nowhere() -> None:
    with pytest.raises(LookupError, match=r"haribote\.nowhere"):
        sources.closure("haribote.nowhere")

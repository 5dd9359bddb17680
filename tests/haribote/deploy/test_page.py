"""What docs/frontends/deploy.md says is so: its commands run, its outputs are what it shows, its table is today's."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from docs.tables import cpp
from docs.tables.marks import table_in
from haribote.commands.cli import main
from haribote.commands.infer import write_picture
from haribote.cpp.build import compiler
from haribote.data import load

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "frontends" / "deploy.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)


def test_the_table_is_that_of_the_rules() -> None:
    assert table_in(PAGE) == cpp.table(), "python -m docs.tables deploy"


@pytest.mark.slow
def test_the_walk_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, digits, cut = blocks("sh")
    monkeypatch.chdir(tmp_path)
    printed = shell(first)
    losses = [float(line.split()[-1]) for line in printed.splitlines() if line.startswith("step ")]
    assert len(losses) == 20 and losses[-1] < 0.85 * losses[0]  # one batch, again and again
    assert len(printed.split("files in results")) == 2
    write_picture(load("synthetic").test_images[0], tmp_path / "digit.png")
    assert re.fullmatch(r"\.\./digit\.png: \d\n", shell(digits))
    assert re.fullmatch(r"\.\./digit\.png: \d\n", blocks("text")[0])
    monkeypatch.chdir(tmp_path)
    shell(cut.replace("cut step", f"cut {small(tmp_path)}"))
    assert (tmp_path / "cut.svg").is_file() and list((tmp_path / "pieces").iterdir())


def small(folder: Path) -> Path:
    """A smaller step than that of the page, which takes minutes to plan where nothing is in the cache."""
    assert main(["export", "--hidden", "4", "--batch", "4", "-o", str(folder / "small")]) == 0
    return folder / "small"


def shell(block: str) -> str:
    """Run the lines of a block; what they print."""
    out = io.StringIO()
    for line in block.splitlines():
        words = shlex.split(line)
        if words[0] == "cd":
            os.chdir(words[1])
        elif words[0] == "haribote":
            with contextlib.redirect_stdout(io.StringIO()):
                assert main(words[1:]) == 0, line
        else:
            words = [*compiler(), *words[1:]] if words[0] == "c++" else words
            result = subprocess.run(words, capture_output=True, text=True, check=False)
            assert result.returncode == 0, (line, result.stderr)
            out.write(result.stdout)
    return out.getvalue()


def test_the_example_of_a_cut() -> None:
    (code,) = blocks("python")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "deploy.md", "exec"), {})
    assert out.getvalue() == blocks("text")[1]

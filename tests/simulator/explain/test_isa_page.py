"""The table of instructions: every row has evidence and an example that runs; docs/isa.md says what the table says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from simulator import Machine, assemble, isa
from simulator.assembly.checks import check
from simulator.explain import isa_page
from simulator.isa.program import Move, Step
from simulator.isa.rows import EVIDENCE

ROWS = [*isa.INSTRUCTIONS.values(), *isa.MOVES.values()]
PAGE = Path(__file__).resolve().parents[3] / "docs" / "isa.md"


@pytest.fixture(scope="module")
def machine() -> Machine:
    return Machine()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_example_is_of_its_instruction_and_runs(row: isa.Row, machine: Machine) -> None:
    program = assemble(row.example)
    (line,) = program.lines
    names = [line.op] if isinstance(line, Move) else [i.op for i in line.instructions] if isinstance(line, Step) else []
    assert row.name in names
    # What a path holds at the start is unknown; nothing else may be doubtful about an example.
    assert [finding.message for finding in check(program) if "put nothing on" not in finding.message] == []
    machine.run(program)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_evidence_starts_with_a_mark(row: isa.Row) -> None:
    assert re.fullmatch(f"[{''.join(EVIDENCE)}](,? .*)?", row.evidence)
    assert row.meaning


def test_forms_of_moves_have_marks() -> None:
    for row in isa.MOVES.values():
        assert {form.evidence for form in row.forms.values()} <= set(EVIDENCE)


def test_page_is_in_step_with_the_table() -> None:
    message = "run `python -m simulator.explain.isa_page docs/isa.md`"
    assert PAGE.read_text(encoding="utf-8") == isa_page.page(), message


def test_page_names_every_instruction_and_how_to_make_it() -> None:
    text = isa_page.page()
    for row in ROWS:
        assert f"\n### {row.name}\n" in text
        assert f"\n{row.example}\n" in text
    assert "python -m simulator.explain.isa_page docs/isa.md" in text.splitlines()[0]


def test_counts_cover_every_instruction() -> None:
    assert sum(isa_page.counts().values()) == len(ROWS)


@pytest.mark.parametrize(
    ("name", "form", "grammar"),
    [
        ("add", 0, "[u]{l|i|s}add[/MASK] x y dst…"),
        ("imm", 0, 'imm[u][/MASK] i"…" dst…'),
        ("vfma", 0, "{d|f|h}vfma[u|d][r][/MASK] x y z dst…"),
        ("mwrite", 0, "{d|f|g|h}mwrite x $lx<row>"),
        ("l1bmd", 1, "l1bmd[±n] x $lb<a>"),
        ("l1bmr", 0, "l1bmr<reduction>[r] x $lb<a>"),
        ("l2bmb", 0, "l2bmb[@set] $lc<a> $lb<a>"),
        ("l2bmdars", 0, "l2bmdars $lc<a> $dar<entry>"),
        ("wait", 0, "wait iTAG"),
    ],
)
def test_grammar(name: str, form: int, grammar: str) -> None:
    row = isa.INSTRUCTIONS[name]
    assert isa_page.grammar(row, row.forms[form]) == grammar


def test_page_is_written_or_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert isa_page.main([str(tmp_path / "isa.md")]) == 0
    assert (tmp_path / "isa.md").read_text(encoding="utf-8") == isa_page.page()
    assert isa_page.main([]) == 0
    assert capsys.readouterr().out == isa_page.page()
    assert isa_page.main(["a", "b"]) == 2
    assert isa_page.main([str(tmp_path / "isa.md" / "below")]) == 2
    assert "cannot write" in capsys.readouterr().err

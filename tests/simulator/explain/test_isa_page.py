"""The table of instructions: every row has evidence and an example that runs; docs/isa.md says what the table says.

docs/isa.ja.md says the same in Japanese.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from simulator import Machine, assemble, isa
from simulator.assembly.checks import check
from simulator.explain import isa_page
from simulator.isa.program import Move, Step
from simulator.isa.rows import EVIDENCE
from simulator.language import VARIABLE

ROWS = [*isa.INSTRUCTIONS.values(), *isa.MOVES.values()]
DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGES = {"en": DOCS / "isa.md", "ja": DOCS / "isa.ja.md"}


@pytest.fixture(scope="module")
def machine() -> Machine:
    return Machine()


def page_in(into: str) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, into)
        return isa_page.page()


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


@pytest.mark.parametrize("into", PAGES)
def test_page_is_in_step_with_the_table(into: str) -> None:
    message = f"run `{isa_page.COMMANDS[into]}`"
    assert PAGES[into].read_text(encoding="utf-8") == page_in(into), message


@pytest.mark.parametrize("into", PAGES)
def test_page_names_every_instruction_and_how_to_make_it(into: str) -> None:
    text = page_in(into)
    for row in ROWS:
        assert f"\n### {row.name}\n" in text
        assert f"\n{row.example}\n" in text
    assert f"python -m simulator.explain.isa_page docs/{PAGES[into].name}" in text.splitlines()[0]


def test_both_pages_say_the_same_of_every_instruction() -> None:
    """Line by line: the same operands and addresses, the same grammar."""

    def found(text: str) -> list[list[str]]:
        lines = text[text.index("### nop") :].splitlines()
        return [sorted(re.findall(r"\$\w+|\w+\[[-\d, +c]*\]|^\{.*|^###.*", line)) for line in lines]

    assert found(page_in("ja")) == found(page_in("en"))


@pytest.mark.parametrize("into", PAGES)
def test_contents_link_to_every_heading_once(into: str) -> None:
    text = page_in(into)
    headings = re.findall(r"^##+ (.+)$", text, re.MULTILINE)
    anchors = [isa_page.slug(heading) for heading in headings[1:]]  # the first is that of the contents
    assert re.findall(r"\]\(#([^)]+)\)", text) == anchors and len(set(anchors)) == len(anchors)


@pytest.mark.parametrize("into", PAGES)
def test_no_tag_stands_outside_of_code(into: str) -> None:
    """A reader of the page would not see `<address>`."""
    text = re.sub(r"^```.*?^```", "", page_in(into), flags=re.DOTALL | re.MULTILINE)
    assert re.findall(r"<[^!].*", re.sub(r"`[^`\n]+`", "", text)) == []
    assert re.search(r"\| lb \| `\$lb<\w+>`\W", text)


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

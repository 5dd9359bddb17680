"""The table that a scoreboard writes, and the places of it on pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.scoreboard import VERDICTS, Row, Test, marks, on_page, parser_of, table, told
from haribote.errors import HariboteError

ROOT = Path(__file__).parents[2]
FOUND = [Row("a", "passed"), Row("b", "host", "no rule"), Row("c", "constant"), Row("d", "slow", "above 20 s")]


def test_counts_and_what_did_not_pass():
    text = table(FOUND, "four")
    assert "| four | 4 | 1 | 1 | 0 | 1 | 0 | 0 | 0 | 1 | 50.0% | 75.0% |" in text
    assert text.rstrip().endswith("- `d` slow: above 20 s") and "`b`" not in text


def test_a_page_keeps_what_is_around_its_place(tmp_path: Path):
    page, (begin, end) = tmp_path / "page.md", marks("CHIP")
    page.write_text(f"before\n{begin}\nold\n{end}\nbehind\n", encoding="utf-8")
    new = on_page(page, "new\n", "CHIP")
    assert new == f"before\n{begin}\nnew\n{end}\nbehind\n"
    page.write_text(new, encoding="utf-8")
    assert on_page(page, "new\n", "CHIP") == new
    with pytest.raises(HariboteError, match="no place for the table of CPU"):
        on_page(page, "other\n", "CPU")
    assert on_page(tmp_path / "new.md", "other\n", "CPU") == "\nother\n".join(marks("CPU")) + "\n"


def test_a_page_without_a_place_is_kept_and_nothing_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    page = tmp_path / "page.md"
    page.write_text("mine", encoding="utf-8")
    given = parser_of("").parse_args(["--page", str(page)])
    assert told([Test("never", lambda: pytest.fail("was run"))], given, "one", "CHIP") == 2
    assert page.read_text(encoding="utf-8") == "mine" and "has no place" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "place"),
    [("onnx", "CHIP"), ("onnx", "CPU"), ("torch", "chip")],
)
def test_pages_hold_what_the_benchmarks_write(name, place):
    begin, end = marks(place)
    page = (ROOT / "docs" / "frontends" / f"{name}.md").read_text(encoding="utf-8")
    text = page.split(begin)[1].split(end)[0].strip("\n")
    title, *numbers = (cell.strip() for cell in text.splitlines()[2].strip("|").split("|"))
    counts = dict(zip(VERDICTS, map(int, numbers[1:-2]), strict=True))
    told = re.findall(r"^- `(.+)` (\w+): (.*)$", text, re.M)
    rows = [Row(*row) for row in told]
    rows += [Row("", verdict) for verdict, count in counts.items() for _ in range(count) if verdict in VERDICTS[:4]]
    assert place in title
    assert table(rows, title).strip("\n") == text

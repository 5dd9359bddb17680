"""The fuzzer and the generator of programs: a short run by default, half a minute when slow tests run."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.fuzz import search as fuzz
from haribote.kernel_table import KERNELS, problem
from haribote.problems.problem import emit
from simulator import Machine, SimulatorError, assemble
from simulator.assembly.checks import check, check_text, fix_nops
from simulator.errors import Diagnostic
from tests.benchmarks.fuzz.strategies import damaged_programs, lines, programs
from tests.long_runs import LONG

QUICK = settings(max_examples=30, deadline=None)


def assert_none_found(fuzzer: fuzz.Fuzzer) -> None:
    assert not fuzzer.findings, f"{fuzzer.findings[0].what}\n{fuzzer.findings[0].text}"


@pytest.mark.slow
def test_twenty_texts_of_all_kinds() -> None:
    fuzzer = fuzz.Fuzzer(seed=1)
    fuzzer.run(seconds=60, most=20)
    assert_none_found(fuzzer)
    assert fuzzer.counts.total() == 20 and len(fuzzer.counts) == 4


@LONG
@pytest.mark.slow
def test_half_a_minute_of_texts() -> None:
    """Among them mutations of the kernels, and of the goldens where they are present; another seed each time."""
    kernels = [emit(row, problem(row), solutions=True) for row in KERNELS]
    golden = Path(os.environ.get("HARIBOTE_SHARED", Path(__file__).parents[4] / "shared")) / "golden"
    fuzzer = fuzz.Fuzzer(random.SystemRandom().getrandbits(32), [*kernels, *fuzz.read_corpus([golden])])
    fuzzer.run(seconds=30)
    assert_none_found(fuzzer)


def test_the_fuzzer_reports_what_it_finds(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(text: str) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(fuzz, "assemble", fail)
    monkeypatch.setattr(fuzz, "example_program", lambda: "nop")
    assert fuzz.main(["--seconds", "60", "--seed", "5"]) == 1
    assert "ZeroDivisionError" in capsys.readouterr().out
    assert fuzz.main(["--corpus", "no/such/file"]) == 2


def test_differences_are_seen_in_every_part_of_the_state() -> None:
    machines = [Machine(), Machine()]
    for machine in machines:
        fuzz.fill(machine, 3)
    assert not fuzz.differences(*machines)
    right = machines[1]
    right.lm0[4095, 4095] ^= 1
    right.dar[3, 5] += 1
    right.dram[2][2**29 - 1 : 2**29] = 1
    right.paths["aluf"] = right.paths["aluf"] + 1
    right.turnaround = ("l1bmm $lbi", right.l1bm[0, :, :1])
    found = " ".join(fuzz.differences(*machines))
    for part in ("lm0[4095, 4095]", "dar[3, 5]", "$aluf", "DRAM of group 2", "turnaround"):
        assert part in found


# --- properties ------------------------------------------------------------------------------------------------------


@QUICK
@given(lines())
def test_valid_lines_are_valid_with_other_spaces_and_comments(line: str) -> None:
    (plain,), (spaced,) = assemble(line).lines, assemble(f"  {line.replace(' ', '   ')}  # comment; $").lines
    assert type(plain) is type(spaced)
    assert getattr(plain, "count", 1) == getattr(spaced, "count", 1)


@QUICK
@given(programs())
def test_placing_nops_twice_changes_nothing(text: str) -> None:
    once = fix_nops(assemble(text))
    assert fix_nops(assemble(once)) == once


@pytest.mark.slow
@QUICK
@given(programs(), st.integers(0, 3))
def test_a_program_that_waits_longer_is_still_right(text: str, more: int) -> None:
    def errors(source: str) -> list[Diagnostic]:
        return [f for f in check(assemble(source)) if f.severity == "error" and "Waits" in f.message]

    assert not errors(text)
    assert not errors(f"\nnop/{more + 1}\n".join(text.split("\n")))


@pytest.mark.slow
@QUICK
@given(damaged_programs())
def test_damaged_programs_give_findings_inside_the_text(text: str) -> None:
    count = text.count("\n") + 1
    for finding in check_text(text)[1]:
        assert 1 <= finding.line <= count and finding.column >= 1 and finding.message


@pytest.mark.slow
@QUICK
@given(st.text(max_size=60))
def test_any_text_assembles_or_is_explained(text: str) -> None:
    try:
        assemble(text)
    except SimulatorError as error:
        assert str(error)

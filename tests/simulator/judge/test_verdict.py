"""The judge's rule on small test cases, and on the problem set where it is present (isa.md, section 3.2)."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator import AssemblyError, SimulatorError
from simulator.judge.verdict import MARKER, judge

COPY = "lpassa $lm0 $ln0\n"


def case(value: str, expect: str, kind: str = "Float", tail: str = "") -> str:
    """A test case with one long word of input and one of output."""
    return (
        f"d set $lm0 1 {value} # values=[…]\n{MARKER}\n"
        f"d getd $ln0n0c0b0m0p0 1 # expect=[{expect}] / {kind} @[0,0],[0,1]{tail}\n"
    )


ONE_TWO = "3F80000040000000"  # singles 1 and 2


def test_an_accepted_answer_shows_score_and_size() -> None:
    verdict = judge(case(ONE_TWO, "1.0, 2.0"), f"nop/2\nmvnop\n{COPY}")
    assert verdict.accepted
    assert verdict.message == "ACCEPTED score=4 steps=3 mv=1 bytes=29"
    assert (verdict.score, verdict.steps, verdict.moves, verdict.size) == (4, 3, 1, 29)


def test_a_wrong_answer_names_the_first_wrong_value() -> None:
    verdict = judge(case(ONE_TWO, "1.0, 2.5"), COPY)
    assert not verdict.accepted
    assert verdict.message == (
        "WRONG ANSWER at [0,1]: expected 2.5, found 2.0 (LM1 n0c0b0m0p0 address 0, element 1); 1 of 2 values wrong"
    )
    assert judge(case(ONE_TWO, "1.0, 2.0"), "nop").message.endswith("2 of 2 values wrong")


@pytest.mark.parametrize(
    ("tail", "accepted"),
    [("", False), (" atol=0.5", True), (" atol=0.49", False), (" rtol=0.2", True), (" rtol=0.19", False),
     (" atol=0.1 rtol=0.2", True)],
)  # fmt: skip
def test_a_value_fails_when_it_misses_both_tolerances(tail: str, accepted: bool) -> None:
    assert judge(case(ONE_TWO, "1.0, 2.5", tail=tail), COPY).accepted is accepted


def test_only_the_first_tolerance_counts() -> None:
    second = "d getd $ln0n0c0b0m0p1 1 # expect=[1.0, 2.5] / Float @[1,0],[1,1] atol=9\n"
    assert not judge(case(ONE_TWO, "1.0, 2.0", tail=" atol=0.1") + second, COPY).accepted
    assert judge(case(ONE_TWO, "1.0, 2.0", tail=" atol=0.6") + second, COPY).accepted


@pytest.mark.parametrize(
    ("value", "expect", "kind"),
    [
        ("8000000000000000", "0.0, -0.0", "Float"),  # zeros agree whatever their sign
        ("00012345807FFFFF", "0.0, 0.0", "Float"),  # exponent field 0 is zero
        ("7F800000FF812345", "inf, -inf", "Float"),  # exponent field all ones is infinity
        ("00000000FF800000", "1e-42, -1e39", "Float"),  # beyond the type
        ("3FF8000000000000", "1.5", "Double"),
        ("3E00BE003F000000", "1.0, -1.0, 1.5, 0.0", "Half"),
        ("FFFFFFFF00000007", "-1, 7", "Int"),
        ("FFFFFFFF00000007", "4294967295, 7", "UInt"),
        ("FFFFFFFF00000007", "4294967295, 7", "Int"),  # the same bits
        ("FFFFFFFF00000007", "-1, 7", "UInt"),
        ("FFFFFFFFFFFFFFFE", "-2", "Long"),
        ("FFFFFFFFFFFFFFFE", "18446744073709551614", "ULong"),
        ("FFFF000100020003", "-1, 1, 2, 3", "Short"),
        ("FFFF000100020003", "65535, 1, 2, 3", "UShort"),
    ],
)
def test_values_are_decoded_from_hex_by_type(value: str, expect: str, kind: str) -> None:
    assert judge(case(value, expect, kind), COPY).accepted


@pytest.mark.parametrize(("value", "expect"), [("7F80000000000000", "1.0, 0.0"), ("3F80000000000000", "inf, 0.0")])
def test_infinity_agrees_with_nothing_else(value: str, expect: str) -> None:
    assert not judge(case(value, expect, tail=" rtol=0.5 atol=9e9"), COPY).accepted


def test_debug_lines_and_exclamation_marks_of_the_answer_are_dropped() -> None:
    answer = f"d set $lm0 1 0000000000000000\nd get $lm0 1\n!{COPY}"
    assert judge(case(ONE_TWO, "1.0, 2.0"), answer).accepted


def test_columns_of_an_answer_count_its_exclamation_marks() -> None:
    with pytest.raises(AssemblyError, match=r"(?s)a\.vsm:1:11: .*a\.vsm:2:1: .*a\.vsm:4:10: "):
        judge(
            case(ONE_TWO, "1.0, 2.0"), f"!!lpassa! $lx0 $ln0\nr 0 0 1 00\n{COPY}!!lpassa $ln0 $lr0", answer_name="a.vsm"
        )


def test_an_answer_that_does_not_assemble_is_refused() -> None:
    with pytest.raises(AssemblyError, match=r"answer\.vsm:2:"):
        judge(case(ONE_TWO, "1.0, 2.0"), "nop\nlpasa $lm0 $ln0", answer_name="answer.vsm")
    with pytest.raises(AssemblyError, match=r"answer\.vsm:2:"):  # LM1 read right after its write
        judge(case(ONE_TWO, "1.0, 2.0"), f"{COPY}lpassa $ln0 $lr0", answer_name="answer.vsm")
    with pytest.raises(AssemblyError, match="cannot preset DRAM"):
        judge(case(ONE_TWO, "1.0, 2.0"), "r 0 000000000 001 0000000000000000")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nop", "the line .* is missing"),
        (f"{MARKER}\nd getd $ln0n0c0b0m0p0 1", "expect="),
        (case(ONE_TWO, "1.0, x"), "t.vsm:3: `x` is not a number"),
        (case(ONE_TWO, "nan, 1.0"), "t.vsm:3: `nan` is not a number"),
        (case(ONE_TWO, "1.0, 2.0", tail=" atol=nan"), "t.vsm:3: `nan` is not a number"),
        (case(ONE_TWO, "1.5", "Int"), "t.vsm:3: `1.5` is not an integer"),
        (case(ONE_TWO, "4294967296, 0", "Int"), "`4294967296` does not fit into the 32 bits of type Int"),
        (case(ONE_TWO, "9" * 400, "Long"), "does not fit into the 64 bits of type Long"),
        (case(ONE_TWO, "1.0", "Complex"), "unknown type `Complex`"),
        (case(ONE_TWO, "1.0"), "prints 2 values of type Float, but 1 are expected"),
    ],
)
def test_what_is_no_test_case_is_refused(text: str, message: str) -> None:
    with pytest.raises(SimulatorError, match=message):
        judge(text, COPY, testcase_name="t.vsm")


ANSWERS = {
    "relu": "frelu $lm0v $lm0v $ln0v\nfrelu $lm8v $lm8v $ln8v\n",
    "dram_ul_16": "l1bmm@0 $lm0v $lb0\nnop/3\nl2bm@0 $lb0 $lc0\nnop\nmvp/n64 $lc0@0.0 $d0@0\n",
}


@pytest.mark.parametrize("name", ANSWERS)
def test_the_problem_set_accepts_right_answers_and_no_empty_one(shared: Path, name: str) -> None:
    text = (shared / "golden" / f"{name}.vsm").read_text()
    assert judge(text, ANSWERS[name]).accepted
    assert not judge(text, "nop\n").accepted

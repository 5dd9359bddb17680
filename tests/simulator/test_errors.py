"""One form of message for every mistake of a user: what is wrong, and on a line of its own what to try."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from haribote.errors import HariboteError, UnsupportedShape
from simulator import AssemblyError, ExecutionError, Machine, SimulatorError, assemble
from simulator.errors import Diagnostic, UserError

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("kind", [UserError, SimulatorError, HariboteError])
def test_an_error_keeps_what_its_text_is_made_of(kind: type[UserError]) -> None:
    error = kind("no such thing", "another one")
    assert (error.message, error.try_, str(error)) == (
        "no such thing",
        "another one",
        "no such thing\n    try: another one",
    )
    assert str(kind("no such thing")) == "no such thing"


def test_errors_with_a_place() -> None:
    finding = Diagnostic(3, 7, "no operand", "$lm0")
    assert str(AssemblyError("a.vsm", [finding])) == "a.vsm:3:7: error: no operand\n    try: $lm0"
    error = ExecutionError("a.vsm", 3, "too far", "nearer")
    assert (error.reason, error.message, str(error)) == (
        "too far",
        "a.vsm:3: too far",
        "a.vsm:3: too far\n    try: nearer",
    )
    assert isinstance(UnsupportedShape("64 rows", "3"), UserError)
    with pytest.raises(SimulatorError) as caught:
        Machine().read_dram(0, (4,), "float64")
    assert caught.value.try_ == "float32, int32 or uint32"
    with pytest.raises(AssemblyError) as rejected:
        assemble("nap")
    assert rejected.value.message == str(rejected.value)


@pytest.mark.slow
def test_what_to_try_is_joined_in_one_place() -> None:
    """`advised` alone puts "try:" below a message."""
    found = [
        path.relative_to(ROOT).as_posix()
        for package in ("simulator", "haribote", "grader")
        for path in sorted((ROOT / package).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.JoinedStr)
        and any(
            isinstance(part, ast.Constant) and str(part.value).strip() in ("try:", "try: {advice}")
            for part in ast.walk(node)
        )
    ]
    assert found == ["simulator/errors.py"]

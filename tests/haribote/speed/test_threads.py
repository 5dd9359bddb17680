"""The words of a line as the notebook about the scheduler shows them."""

from __future__ import annotations

from haribote.speed.threads import line_accesses


def test_a_line_has_its_numbers_and_no_base_addresses() -> None:
    lines = "fvmul $lm0v $lr0v $ln0v", "iinc $ln0v $lr8v"
    assert [(line, str(access)) for line, access in line_accesses(*lines)] == [
        (lines[0], "reads grf0 0-7, lm0 0-7, writes lm1 0-7"),
        (lines[1], "reads lm1 0-7, writes grf0 8-15"),
    ]

"""What a row says of traffic and multiply-adds per step."""

from __future__ import annotations

import pytest

from simulator.isa import INSTRUCTIONS


@pytest.mark.parametrize(
    ("op", "form", "wide", "traffic"),
    [
        ("l2bmb", 0, 1, (64, 64, 0)),
        ("l2bmb2", 0, 1, (256, 64, 0)),
        ("l2bmd", 1, 1, (256, 32, 0)),
        ("l2bm", 0, 1, (64, 64, 0)),
        ("l1bmp", 0, 2, (0, 8, 8)),
        ("l1bmm", 0, 2, (0, 32, 8)),
        ("l1bmm4", 1, 1, (0, 64, 4)),
        ("l1bmd", 0, 1, (0, 256, 4)),
    ],
)
def test_traffic_per_step(op: str, form: int, wide: int, traffic: tuple[int, int, int]) -> None:
    """The figures of isa.md, section 13: L2B side / L1BM side / PE side."""
    assert INSTRUCTIONS[op].forms[form].traffic(wide) == traffic


def test_multiply_adds_per_step() -> None:
    """The figures of isa.md, section 13, per MAB."""
    assert INSTRUCTIONS["mmul"].fma == {"d": 32, "f": 128, "g": 256, "h": 1024}
    assert INSTRUCTIONS["vfma"].fma == {"d": 8, "f": 32, "h": 64}

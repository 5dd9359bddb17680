"""The table of a program's families."""

from __future__ import annotations

import pytest

from benchmarks.engine import report
from simulator import assemble
from simulator.engine import native


@pytest.mark.skipif(not native.available(), reason="no C++ compiler: there is only the NumPy engine")
def test_a_program_and_its_families() -> None:
    table = report("two.vsm", assemble("fvadd $lm0v $ln0v $lr0v ; l2bmb $lc0 $lb0\nnop\nl2bmb $lc64 $lb64"), rounds=2)
    rows = {line[2:18].strip(): line[18:].split() for line in table.splitlines()[2:]}
    assert {name: int(row[0]) for name, row in rows.items()} == {
        "first run": 3, "a run": 3, "MAU single": 1, "L2BM": 2,
    }  # fmt: skip
    assert all(float(row[3]) <= float(row[4]) for name, row in rows.items() if name != "first run")

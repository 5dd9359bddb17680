"""An operator of a kernel as plain values."""

from __future__ import annotations

from typing import Any

import pytest

from grader.emitter.kernels import given_of, op_of
from grader.emitter.values import decode, encode
from haribote.kernel_table import KERNELS, problem


@pytest.mark.parametrize("row", KERNELS, ids=lambda row: row.name)
def test_an_operator_as_plain_values(row: Any) -> None:
    op = problem(row)
    assert op_of(decode(encode(given_of(op)))) == op

"""Tasks 5.1-5.11 and 5.29-5.32: the transfers between DRAM and LM, exact to the bit.

The oracle is the layout notation alone: `Layout.scatter` and `gather`, and the DRAM layout of design.md, section 5.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from haribote.errors import UnsupportedShape
from haribote.kernel import Op
from haribote.kernel_table import BY_NAME, KERNELS, KernelRow, problem
from tests.solutions import harness
from tests.solutions.harness import distinct, every_copy_equals, judge, placed, run_kernel, solution, stray_writes

DL = [row for row in KERNELS if row.op == "DL"]
UL = [row for row in KERNELS if row.op == "UL"]

# PE lines, nops counted, plus MV lines. A change here is a change of the course's reference answers.
COST = {
    "dl_16": 5, "dl_16x16": 8, "dl_256x16_a": 5, "dl_256": 11, "dl_256x16_p": 19, "dl_256x16_b": 12,
    "dl_16x1024": 39, "dl_256x1024": 68, "dl_1024x16": 8,
    "ul_16": 5, "ul_16x16": 9, "ul_256x16_a": 6, "ul_256": 15, "ul_256x16_p": 20, "ul_16x1024": 39,
}  # fmt: skip

# DRAM address, LM address, LM bank. An odd multiple of 4 words is the least alignment of a kernel's contract.
PLACES = [(0, 0, "LM0"), (64, 4, "LM1"), (4096, 1228, "LM0"), (1 << 20, 2052, "LM1")]

each_row = pytest.mark.parametrize("row", DL + UL, ids=lambda row: row.name)
each_dl = pytest.mark.parametrize("row", DL, ids=lambda row: row.name)
each_ul = pytest.mark.parametrize("row", UL, ids=lambda row: row.name)
each_place = pytest.mark.parametrize("dram, address, bank", PLACES)


def bits(array: np.ndarray) -> np.ndarray:
    return array.view(np.uint32)


@each_dl
@each_place
def test_dl_fills_every_copy_and_nothing_else(row: KernelRow, dram: int, address: int, bank: str) -> None:
    op = placed(row, address=dram, output_address=address, output_memory=bank)
    x = distinct(op.x.shape, seed=dram)
    run = run_kernel(row, op, [x])
    assert np.array_equal(bits(run.output), bits(x))
    assert every_copy_equals(run, x)
    # L2B 1 of a group holds no copy of a layout with 4_L2B:2; a kernel may still write the output's words there.
    assert stray_writes(run) == []


@pytest.mark.some(23)
@each_ul
@each_place
@pytest.mark.parametrize("only_copy_0", [False, True])
def test_ul_reads_copy_0_alone(row: KernelRow, dram: int, address: int, bank: str, only_copy_0: bool) -> None:
    op = placed(row, address=address, output_address=dram, input_memory=bank)
    x = distinct(op.x.shape, seed=address)
    run = run_kernel(row, op, [x], only_copy_0=only_copy_0)
    assert np.array_equal(bits(run.output), bits(x))
    assert stray_writes(run) == []


@each_row
def test_integers_pass_unchanged(row: KernelRow) -> None:
    op = as_int32(problem(row))
    x = np.arange(op.x.layout.position("").size, dtype=np.int32).reshape(op.x.shape) - 3
    assert np.array_equal(run_kernel(row, op, [x]).output, x)


def as_int32(op: Op) -> Op:
    return Op(op.kind, tuple(replace(o, dtype="int32") for o in op.inputs), replace(op.output, dtype="int32"))


@each_row
def test_cost_is_at_most_par_and_nothing_is_found(row: KernelRow) -> None:
    run = run_kernel(row, problem(row), [distinct(problem(row).x.shape)])
    assert run.cost == COST[row.name] <= row.par
    assert run.findings == []


@pytest.mark.slow
@each_row
def test_accepted_by_the_judge(row: KernelRow, shared: Path, tmp_path: Path) -> None:
    verdict = judge(row, shared, tmp_path)
    assert verdict.startswith("ACCEPTED"), verdict
    assert f"score={COST[row.name]}" in verdict


@each_row
def test_another_shape_is_refused(row: KernelRow) -> None:
    op = problem(row)
    op = Op(op.kind, (replace(op.x, shape=(48, 48)),), replace(op.y, shape=(48, 48)))
    with pytest.raises(UnsupportedShape, match=r"\(48, 48\)"):
        list(solution(row)(op))


def test_the_harness_sees_a_stray_write(monkeypatch: pytest.MonkeyPatch) -> None:
    text = harness.emit(BY_NAME["ul_16"], problem(BY_NAME["ul_16"])).replace("mvp/n64", "mvp/n128")
    monkeypatch.setattr(harness, "emit", lambda row, op: text)
    run = run_kernel(BY_NAME["ul_16"], problem(BY_NAME["ul_16"]), [distinct((16,))])
    assert stray_writes(run) == ["DRAM group 0 long word 64"]

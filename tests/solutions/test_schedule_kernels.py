"""The scheduler on every reference kernel and on a whole train step."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from haribote.answers.resolve import resolve_row
from haribote.chip.codegen import run_kernel
from haribote.commands.export import compile_folder, export
from haribote.kernel_table import KERNELS, KernelRow, problem
from simulator import Machine, assemble
from simulator.assembly.checks import check
from simulator.isa.program import Program
from simulator.schedule import bounds, schedule
from tests.long_runs import LONG

ALL = ("lm0", "lm1", "grf0", "grf1", "t", "omr", "mx", "my", "l1bm", "l2bm", "pdm")


def random_machine(engine: str) -> Machine:
    """Random contents everywhere."""
    machine, rng = Machine(engine), np.random.default_rng(5)
    for name in ALL:
        memory = getattr(machine, name)
        if name == "omr":
            memory[1:16] = rng.integers(0, 2, memory[1:16].shape)
        else:
            memory[...] = rng.integers(0, 1 << 32, memory.shape, np.uint32)
    for dram in machine.dram:
        dram[0:65536] = rng.integers(0, 1 << 64, 65536, np.uint64)
    return machine


def assert_equal(before: Program, after: Program, engine: str, used: Mapping[str, int] | None = None) -> None:
    """Both programs leave the same memories. used: of each memory, the words that are compared (None = all)."""
    first, second = random_machine(engine), random_machine(engine)
    first.run(before)
    second.run(after)
    for name in ALL:
        end = (used or {}).get(name)
        one, other = getattr(first, name), getattr(second, name)
        np.testing.assert_array_equal(other[..., :end], one[..., :end], err_msg=name)
    for here, there in zip(first.dram, second.dram, strict=True):
        assert here.pages() == there.pages()
        for page in here.pages():
            np.testing.assert_array_equal(there.page(page), here.page(page))


@pytest.mark.slow
@pytest.mark.parametrize("row", KERNELS, ids=lambda row: row.name)
def test_every_kernel(row: KernelRow) -> None:
    answer = resolve_row(row, solutions=True)
    assert answer is not None
    before = assemble("\n".join(run_kernel(answer.kernel, problem(row))))
    after = schedule(before)
    assert max(bounds(before)) <= after.steps <= before.steps
    assert not [finding for finding in check(after) if finding.severity == "error"]
    assert_equal(before, after, "native")


@LONG
@pytest.mark.slow
def test_a_whole_train_step(tmp_path: Path) -> None:
    export(tmp_path, None, (16,), 256, 0.01)
    compile_folder(tmp_path, None, solutions=True)
    before = assemble((tmp_path / "step.vsm").read_text(encoding="utf-8"))
    used = {"l1bm": 2048, "l2bm": 16384, "pdm": 8192}
    for rename, most in ((False, 1299), (True, 1150)):
        after = schedule(before, rename)
        assert max(bounds(before, rename)) <= after.steps <= most < before.steps
        assert len(check(after)) <= len(check(before))
        for engine in ("numpy", "native"):
            assert_equal(before, after, engine, used if rename else None)

"""Task 5.26: OneHot, exact to the bit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from haribote.errors import UnsupportedShape
from haribote.kernel import Memory
from haribote.kernel_table import BY_NAME, problem
from tests.solutions.harness import every_copy_equals, judge, placed, run_kernel, solution, stray_writes

ROW = BY_NAME["onehot"]

# -1 is the label of a padded row. The others are one too large, alias 0 modulo 16, 1024 and 2^30, and end the range.
OUTSIDE = [-1, 16, 17, 1023, 1024, 4096, 1 << 30, (1 << 31) - 1, -(1 << 31), -16, -1024]


def expected(labels: NDArray[np.int32]) -> NDArray[np.float32]:
    return (labels[:, None] == np.arange(16)).astype(np.float32)


def random_labels(seed: int) -> NDArray[np.int32]:
    return np.random.default_rng(seed).integers(0, 16, 256).astype(np.int32)


def bits(values: NDArray[np.float32]) -> NDArray[np.uint32]:
    return values.view(np.uint32)


@pytest.mark.parametrize("seed", range(3))
def test_random_labels(seed: int) -> None:
    labels = random_labels(seed)
    output = run_kernel(ROW, problem(ROW), [labels]).output
    assert np.array_equal(bits(output), bits(expected(labels)))


def test_every_label_in_every_cycle() -> None:
    labels = (np.arange(256) // 4 % 16).astype(np.int32)
    output = run_kernel(ROW, problem(ROW), [labels]).output
    assert np.array_equal(bits(output), bits(expected(labels)))


def test_labels_outside_give_rows_of_zeros() -> None:
    labels = random_labels(7)
    labels[::3] = np.resize(np.array(OUTSIDE), labels[::3].shape)
    output = run_kernel(ROW, problem(ROW), [labels]).output
    assert np.array_equal(bits(output), bits(expected(labels)))
    assert not output[::3].any()


@pytest.mark.parametrize("address, output_address", [(0, 0), (4, 1228), (2052, 12), (3960, 3840)])
def test_any_address_every_copy_and_nothing_else(address: int, output_address: int) -> None:
    labels = random_labels(address)
    run = run_kernel(ROW, placed(ROW, address, output_address), [labels])
    assert np.array_equal(run.output, expected(labels))
    assert every_copy_equals(run, expected(labels))
    assert stray_writes(run) == []
    assert run.findings == []


def test_cost_is_at_most_par() -> None:
    assert run_kernel(ROW, problem(ROW), [random_labels(0)]).cost == 67 <= ROW.par


@pytest.mark.slow
def test_judge_accepts(shared: Path, tmp_path: Path) -> None:
    verdict = judge(ROW, shared, tmp_path)
    assert verdict.startswith("ACCEPTED"), verdict


@pytest.mark.parametrize("memories", [("LM1", "LM0"), ("LM0", "LM0"), ("LM1", "LM1")])
def test_other_memories_are_served_through_copies(memories: tuple[Memory, Memory]) -> None:
    labels = random_labels(5)
    op = placed(ROW, 64, 512, input_memory=memories[0], output_memory=memories[1])
    run = run_kernel(ROW, op, [labels])
    assert np.array_equal(run.output, expected(labels))
    assert run.findings == []
    assert run.cost <= ROW.par


def test_other_shapes_are_refused() -> None:
    op, wide = problem(ROW), problem(BY_NAME["relu"])
    with pytest.raises(UnsupportedShape, match="layout P"):
        list(solution(ROW)(replace(op, output=wide.output)))

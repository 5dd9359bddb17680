"""Kernels that refuse or fail: the host takes over, or file and line are named; and every rule of the checker holds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat

import pytest

from haribote.answers.resolve import Answer, resolve
from haribote.chip import codegen
from haribote.chip.codegen import KernelFailed, run_kernel
from haribote.chip.program import ProgramPart
from haribote.compiler import compile_for_sim
from haribote.errors import NotWritten, UnsupportedShape
from haribote.frontend.torch import trace_step
from haribote.kernel import Kernel, Op
from haribote.kernel_table import BY_NAME, KernelRow
from haribote.problems.problem import judge_problem
from haribote.training.backends import TorchBackend, example_batch
from haribote.training.models import mlp
from haribote.training.sim_backend import SimBackend
from simulator.assembly.checks import check
from tests.haribote.batches import batch, largest_difference


def test_without_any_kernel_everything_runs_on_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codegen, "resolve_row", lambda row, solutions: None)
    sim, torch = SimBackend(mlp(784, 16, 10), 0.1, 256, solutions=False), TorchBackend(mlp(784, 16, 10), 0.1)
    images, labels = batch(0)
    assert abs(sim.step(images, labels) - torch.step(images, labels)) < 1e-5
    assert largest_difference(sim, torch) < 1e-6
    assert sim.compiled.chip_count == 0 and len(sim.compiled.host_nodes) == 28
    assert "on chip 0 of 28 nodes" in sim.summary


class OnlySome:
    """`resolve_row` that knows the reference kernels of some rows only."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def __call__(self, row: KernelRow, solutions: bool) -> Answer | None:
        return resolve(row.task, solutions=True) if row.name in self.names else None


def test_a_missing_dl_or_ul_keeps_its_operator_on_the_chip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codegen, "resolve_row", OnlySome("relu", "add_bias", "exp"))
    sim, torch = SimBackend(mlp(784, 16, 10), 0.1, 256, solutions=True), TorchBackend(mlp(784, 16, 10), 0.1)
    images, labels = batch(0)
    sim.step(images, labels)
    torch.step(images, labels)
    assert sim.compiled.chip_count == 4  # Add twice, Relu, Exp
    assert "10 DL/UL by the host" in sim.summary
    assert largest_difference(sim, torch) < 1e-6


def refuse(op: Op) -> Iterator[str]:
    raise UnsupportedShape("rows are a multiple of 512", "256 rows", "a larger batch")
    yield ""


def unwritten(op: Op) -> Iterator[str]:
    raise NotWritten("task 5.12 is not written")
    yield ""


def broken(op: Op) -> Iterator[str]:
    yield "nop"
    op.x.no_such_attribute  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("emit", [refuse, unwritten])
def test_a_kernel_that_refuses_leaves_its_node_to_the_host(
    emit: codegen.Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    relu = Answer(Kernel("5.12", "Relu", emit), "yours")
    monkeypatch.setattr(codegen, "resolve_row", lambda row, solutions: relu if row.name == "relu" else None)
    model = mlp(784, 16, 10)
    compiled = compile_for_sim(trace_step(model, *example_batch(model, 256, 0.1)))
    assert compiled.chip_count == 0


def test_a_kernel_with_a_mistake_stops_with_file_and_line(monkeypatch: pytest.MonkeyPatch) -> None:
    relu = Answer(Kernel("5.12", "Relu", broken), "yours")
    monkeypatch.setattr(codegen, "resolve_row", lambda row, solutions: relu if row.name == "relu" else None)
    model = mlp(784, 16, 10)
    with pytest.raises(codegen.KernelFailed, match=r"test_codegen\.py:\d+: the kernel of task 5\.12 .*AttributeError"):
        compile_for_sim(trace_step(model, *example_batch(model, 256, 0.1)))


@pytest.mark.slow
def test_the_whole_step_obeys_every_rule_of_the_checker() -> None:
    model = mlp(784, 16, 10)
    compiled = compile_for_sim(trace_step(model, *example_batch(model, 256, 0.01)), solutions=True)
    programs = [part.program for part in compiled.parts if isinstance(part, ProgramPart)]
    assert len(programs) == 1
    assert [finding.render("step.vsm") for program in programs for finding in check(program)] == []
    cost = compiled.cost
    assert cost.steps <= 2748 and cost.moves <= 169 and cost.cycles <= 28264  # the public first version
    assert "# Relu 1.out" in compiled.text


@pytest.mark.usefixtures("with_solutions")
def test_a_kernel_that_never_ends_is_stopped() -> None:
    endless = Kernel("5.12", "Relu", lambda op: repeat("nop"))
    with pytest.raises(KernelFailed, match="more than 50000 lines"):
        run_kernel(endless, judge_problem(BY_NAME["relu"]))

"""A compiled step on the machine: partition between chip and host, and agreement with torch step by step."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from haribote.answers.resolve import Answer, resolve
from haribote.answers.tasks import UnknownTask
from haribote.chip import codegen
from haribote.chip.program import ProgramPart
from haribote.chip.runtime import Session
from haribote.commands.run_cases import compare, run_on_sim, table
from haribote.compiler import compile_for_sim
from haribote.errors import GraphError, NotWritten, UnsupportedShape
from haribote.frontend.torch import trace_step
from haribote.graphs.cases import reference_case
from haribote.kernel import Kernel, Op
from haribote.kernel_table import KERNELS, KernelRow
from haribote.training.backends import ChipRequired, SimBackend, TorchBackend, example_batch
from haribote.training.models import mlp
from simulator.assembly.checks import check

LEARNING_RATE = 0.1


def batch(seed: int, size: int = 256, features: int = 784) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    return random.uniform(-0.43, 2.82, (size, features)).astype(np.float32), random.integers(0, 10, size)


def largest_difference(sim: SimBackend, torch: TorchBackend) -> float:
    ours, theirs = sim.parameters(), torch.parameters()
    assert ours.keys() == theirs.keys()
    return max(float(np.abs(ours[name] - theirs[name]).max()) for name in ours)


def test_the_whole_step_on_the_chip_follows_torch_and_padding_stays() -> None:
    sim = SimBackend(mlp(784, 16, 10), LEARNING_RATE, 256, solutions=True, require_chip=True)
    torch = TorchBackend(mlp(784, 16, 10), LEARNING_RATE)
    before = sim.padded_parameters()
    for seed in range(3):
        images, labels = batch(seed)
        assert abs(sim.step(images, labels) - torch.step(images, labels)) < 1e-5
        assert largest_difference(sim, torch) < 1e-6
    assert sim.compiled.chip_count == sim.compiled.node_count == 28
    for name, after in sim.padded_parameters().items():
        real = tuple(map(slice, sim.parameters()[name].shape))
        before[name][real] = after[real] = 0
        assert np.array_equal(after, before[name]), name


@pytest.mark.parametrize(
    ("widths", "bias", "size"),
    [((784, 16, 10), False, 256), ((784, 16, 10), True, 100), ((10, 7, 5, 3), True, 256), ((16, 10), True, 256)],
)
def test_other_small_networks_follow_torch(widths: tuple[int, ...], bias: bool, size: int) -> None:
    sim = SimBackend(mlp(*widths, bias=bias), LEARNING_RATE, size, solutions=True)
    torch = TorchBackend(mlp(*widths, bias=bias), LEARNING_RATE)
    for seed in range(2):
        images, labels = batch(seed, size, widths[0])
        labels %= widths[-1]
        assert abs(sim.step(images, labels) - torch.step(images, labels)) < 1e-5
    assert largest_difference(sim, torch) < 2e-6
    assert sim.compiled.chip_count > len(sim.compiled.host_nodes)
    assert np.abs(sim.logits(images[:7]) - torch.logits(images[:7])).max() < 1e-4


def test_more_classes_than_a_tile_run_partly_on_the_host_and_are_right() -> None:
    widths = (784, 16, 40)
    sim = SimBackend(mlp(*widths), LEARNING_RATE, 256, solutions=True)
    torch = TorchBackend(mlp(*widths), LEARNING_RATE)
    images, labels = batch(0)
    assert abs(sim.step(images, 4 * labels) - torch.step(images, 4 * labels)) < 1e-5
    assert largest_difference(sim, torch) < 1e-6
    assert 0 < sim.compiled.chip_count < sim.compiled.node_count
    with pytest.raises(ChipRequired, match="nodes run on the host"):
        SimBackend(mlp(*widths), LEARNING_RATE, 256, solutions=True, require_chip=True)


@pytest.mark.parametrize(
    ("widths", "bias", "size"),
    [((784, 40, 10), True, 256), ((784, 20, 33, 10), False, 100), ((30, 17, 4), True, 300), ((1100, 8, 10), True, 3)],
)
def test_wider_networks_run_on_the_chip_tile_by_tile(widths: tuple[int, ...], bias: bool, size: int) -> None:
    sim = SimBackend(mlp(*widths, bias=bias), LEARNING_RATE, size, solutions=True, require_chip=True)
    torch = TorchBackend(mlp(*widths, bias=bias), LEARNING_RATE)
    for seed in range(2):
        images, labels = batch(seed, size, widths[0])
        labels %= widths[-1]
        assert abs(sim.step(images, labels) - torch.step(images, labels)) < 1e-5
    assert largest_difference(sim, torch) < 2e-6
    assert np.abs(sim.logits(images[:7]) - torch.logits(images[:7])).max() < 1e-4


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
    with pytest.raises(codegen.KernelFailed, match=r"test_runtime\.py:\d+: the kernel of task 5\.12 .*AttributeError"):
        compile_for_sim(trace_step(model, *example_batch(model, 256, 0.1)))


def test_the_whole_step_obeys_every_rule_of_the_checker() -> None:
    model = mlp(784, 16, 10)
    compiled = compile_for_sim(trace_step(model, *example_batch(model, 256, 0.01)), solutions=True)
    programs = [part.program for part in compiled.parts if isinstance(part, ProgramPart)]
    assert len(programs) == 1
    assert [finding.render("step.vsm") for program in programs for finding in check(program)] == []
    cost = compiled.cost
    assert cost.steps <= 2748 and cost.moves <= 169 and cost.cycles <= 28264  # the public first version
    assert "# Relu 1.out" in compiled.text


def test_reading_before_running_and_writing_what_is_no_input_are_refused() -> None:
    model = mlp(16, 10)
    session = Session(compile_for_sim(trace_step(model, *example_batch(model, 256, 0.1)), solutions=True))
    with pytest.raises(GraphError, match="no value yet"):
        session.read("loss")
    with pytest.raises(GraphError, match=r"its inputs are 0\.bias, 0\.weight, labels, x"):
        session.write("y", np.zeros(3, np.float32))
    with pytest.raises(GraphError, match="must have shape"):
        session.write("x", np.zeros((3, 3), np.float32))


def test_every_row_of_the_table_has_a_reference_kernel_of_its_task() -> None:
    for row in KERNELS:
        answer = resolve(row.task, solutions=True)
        assert answer is not None and answer.kernel.task == row.task and answer.owner == "reference"
    with pytest.raises(UnknownTask, match=r"9\.9"):
        resolve("9.9")


def test_the_comparison_table_tells_every_kind_of_failure() -> None:
    expected = {name: np.arange(4, dtype=np.float32) for name in ("good", "off", "nan", "missing", "shape", "infinite")}
    expected["infinite"][0] = np.inf
    actual = {name: value.copy() for name, value in expected.items() if name != "missing"} | {"new": np.zeros(1)}
    actual["off"][1] += 1e-3
    actual["nan"][2] = np.nan
    actual["shape"] = actual["shape"][:2]
    rows = {row.name: row for row in compare(expected, actual)}
    assert [name for name, row in rows.items() if row.passed] == ["good", "infinite"]
    assert rows["off"].error == pytest.approx(1e-3, rel=1e-3)
    text = table(rows.values())
    assert text.splitlines()[0].split() == ["Var", "Error", "Ref", "Min", "Ref", "Max", "Ref", "Avg", "Shape", "✓"]
    for note in ("NaN", "missing", "shape [2]", "unexpected output"):
        assert note in text


def test_an_exported_case_runs_on_the_chip(tmp_path: Path) -> None:
    model = mlp(784, 16, 10)
    images, labels = batch(3)
    inputs = {name: value.detach().numpy() for name, value in model.named_parameters()}
    graph = trace_step(model, *example_batch(model, 256, 0.01))
    case = reference_case("step", graph, inputs | {"x": images, "labels": labels})
    outputs, summary = run_on_sim(case, solutions=True)
    assert all(row.passed for row in compare(case.outputs, outputs))
    assert "on chip 28 of 28 nodes" in summary

"""The ledger says whose every part of a run is; a part that is the learner's takes part in the run."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from haribote.answers import generators, ownership
from haribote.answers.calls import Calls, counted, watched
from haribote.answers.generators import generator
from haribote.answers.ownership import function_in, product_only
from haribote.answers.resolve import Answer, resolve_row
from haribote.answers.tasks import find_task
from haribote.chip import program
from haribote.chip.codegen import Find
from haribote.chip.program import wrong_waits
from haribote.layout import LAYOUTS
from haribote.network import SMALL
from haribote.own.ledger import Entry, Ledger, ledger
from haribote.training.backends import TorchBackend
from haribote.training.checkpoint import Run
from haribote.training.evaluation import accuracy
from haribote.training.models import mlp
from haribote.training.sim_backend import SimBackend
from haribote.training.train import train_epoch


def as_mine(row, solutions=False):
    """The reference kernel of a row, as if the learner had written it."""
    found = resolve_row(row, True)
    return None if found is None else replace(found, owner="yours")


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """All solutions copied in as the learner's; an entry of the result stands for another answer."""
    own: dict[str, object] = {}

    def learners(task: str):
        return own.get(task) or (function_in("solutions", find_task(task)) if find_task(task).name else None)

    monkeypatch.delenv("HARIBOTE_SOLUTIONS", raising=False)
    monkeypatch.setattr(ownership, "learners_function", learners)
    as_theirs = lambda task, _=False: generator(task, solutions=True)  # noqa: E731
    monkeypatch.setattr(program, "generator", as_theirs)  # places the nops
    monkeypatch.setattr(generators, "generator", as_theirs)  # copies
    return own


def data() -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    rng = np.random.default_rng(0)
    return rng.standard_normal((512, SMALL.pixels)).astype(np.float32), rng.integers(0, 10, 512)


def run(level: int = 0, mine: bool = True, find: Find | None = None) -> tuple[Ledger, SimBackend, list[float]]:
    """Two steps of the small network, with the learner's kernels or the course's, and the accuracy."""
    for layout in LAYOUTS.values():  # as in a process of its own: layouts keep what they have computed
        for name in set(vars(layout)) - {"axes"}:
            del layout.__dict__[name]
    images, labels = data()
    with watched() as calls:
        find = find or (as_mine if mine else None)
        backend = SimBackend(mlp(SMALL.pixels, 16, 10), 0.3, 256, not mine, find=find, level=level)
        losses = train_epoch(backend, images, labels, Run([16], 256, 0.3, 1, "test"), 1)
        accuracy(backend.logits(images[:256]), labels[:256])
    return ledger(calls, backend.compiled), backend, list(losses)


def test_with_all_solutions_as_the_learners_all_is_theirs(copied: dict[str, object]) -> None:
    found, backend, losses = run()
    assert found.missing == () and found.all_yours and found.missing_line() == ""
    assert {found.share(measure) for measure in ("nodes", "words", "steps", "cycles")} == {1}
    assert found.total("nodes") == backend.compiled.node_count == 28
    assert "100 % nodes, 100 % words, 100 % steps, 100 % cycles; all yours" in list(found.lines())[-1]
    called = {entry.task for entry in found.entries if entry.owner == "yours"}
    assert {"0.1", "1.1", "2.1", "2.2", "2.3", "2.4", "2.5", "3.2", "4.1", "4.6", "6.1", "6.2"} <= called
    assert all(entry.calls > 0 for entry in found.entries)
    with product_only():
        assert losses == run(mine=False)[2]


def generated(row, solutions=False):
    """What the reference generators write for a row, as if they were the learner's."""
    return Answer(generators.generator_for(row, True), "yours")


@pytest.mark.slow
def test_what_a_generator_writes_stands_in_a_row_of_its_own(copied: dict[str, object]) -> None:
    found = run(find=generated)[0]
    assert found.all_yours, found.missing_line()
    rows = {entry.task: entry for entry in found.entries if entry.nodes or entry.words}
    assert {entry.part for entry in rows.values()} == {"generators"}
    assert [*rows] == ["5.40", "5.41", "5.44", "5.45", "5.47"] and rows["5.47"].nodes == 5


def test_without_answers_nothing_is_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ownership, "learners_function", lambda task: None)
    found, backend, _ = run(mine=False)
    assert not found.all_yours and {entry.owner for entry in found.entries} == {"product", "reference"}
    for measure in ("nodes", "words", "steps", "cycles"):
        assert found.share(measure) == 0
        assert sum(found.share(measure, owner) for owner in ("reference", "product")) == pytest.approx(1)
    assert found.total("steps") == backend.compiled.cost.steps
    assert found.total("cycles") == pytest.approx(backend.compiled.cost.cycles)
    text = "\n".join(found.told(True))
    assert "2.3" in text and "yours: 0 % nodes" in text and "not yours yet: trace 1.1, gradients 2.1" in text


class Broken(Exception):
    """What a broken part raises."""


def broken(*_: object, **__: object):
    raise Broken


@pytest.mark.parametrize("task", ["0.1", "1.1", "2.1", "2.2", "2.3", "2.4", "2.5", "3.2", "4.1", "4.6", "6.1", "6.2"])
def test_a_broken_part_breaks_the_run(task: str, copied: dict[str, object]) -> None:
    copied[task] = broken
    for layout in LAYOUTS.values():  # they remember positions that they have computed
        for name in ("words", "_words_of_elements", "_copies"):
            layout.__dict__.pop(name, None)
    with pytest.raises(Broken):
        run()


@pytest.mark.slow
def test_with_all_solutions_as_the_learners_all_is_theirs_where_values_stay(copied: dict[str, object]) -> None:
    """-O1: copies, and the scheduler too."""
    found, backend, losses = run(level=1)
    assert found.all_yours, found.missing_line()
    assert {found.share(measure) for measure in ("nodes", "words", "steps", "cycles")} == {1}
    called = {(entry.part, entry.task) for entry in found.entries}
    assert {("copies", "5.44"), ("scheduler", "7.3"), ("scheduler", "7.4"), ("scheduler", "7.5")} <= called
    assert backend.compiled.unscheduled and backend.compiled.cost.cycles < backend.compiled.unscheduled.cycles
    with product_only():
        assert losses == run(level=0, mine=False)[2]


@pytest.mark.slow
def test_with_all_solutions_as_the_learners_all_is_theirs_at_o2(copied: dict[str, object]) -> None:
    """-O2: layouts by task 7.7, and the same losses as PyTorch's."""
    found, backend, losses = run(level=2)
    assert found.all_yours, found.missing_line()
    assert {found.share(measure) for measure in ("nodes", "words", "steps", "cycles")} == {1}
    assert ("layouts", "7.7") in {(entry.part, entry.task) for entry in found.entries}
    assert backend.compiled.cost.cycles < 2800  # 2,912 where all kernels have the layouts of the table
    torch_backend = TorchBackend(mlp(SMALL.pixels, 16, 10), 0.3)
    images, labels = data()
    wanted = train_epoch(torch_backend, images, labels, Run([16], 256, 0.3, 1, "test"), 1)
    np.testing.assert_allclose(losses, wanted, rtol=1e-5)


@pytest.mark.slow
def test_at_o2_the_courses_kernels_stand_in_for_missing_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ownership, "learners_function", lambda task: None)
    found, backend, _ = run(level=2, find=lambda row, _: as_mine(row) if row.name == "relu" else None)
    owners = Counter(entry.owner for entry in found.entries if entry.part == "kernels")
    assert owners["yours"] == 1 and owners["reference"] > 10 and not backend.compiled.host_nodes
    assert "kernels 5.19" in found.missing_line() and "5.12" not in found.missing_line()
    nothing, generated, _ = run(level=2, find=lambda row, _: None)
    assert [entry.part for entry in nothing.entries if entry.cycles] == ["generated"]
    assert generated.compiled.cost.cycles < backend.compiled.cost.cycles


@pytest.mark.slow
@pytest.mark.parametrize("wrong", [broken, lambda before, priority, table: [0] * len(before)])
def test_a_wrong_scheduler_is_said_and_does_no_harm(wrong: object, copied: dict[str, object]) -> None:
    copied["7.5"] = wrong
    found, backend, _ = run(level=1)
    assert any("the product's scheduler runs in the place of yours" in note for note in backend.compiled.notes)
    assert ("scheduler", "product") in {(entry.part, entry.owner) for entry in found.entries}
    assert all(not wrong_waits(part.program) for part in backend.compiled.parts if hasattr(part, "program"))


@pytest.mark.slow
@pytest.mark.parametrize("level", [1, 2])
def test_the_graph_is_the_learners_at_every_level(level: int, copied: dict[str, object]) -> None:
    for task in ("1.1", "2.1", "2.2", "2.3", "2.4", "2.5", "3.2"):
        copied[task] = broken
        with pytest.raises(Broken):
            run(level)
        del copied[task]


@pytest.mark.slow
def test_what_an_answer_changes_changes_the_run(copied: dict[str, object]) -> None:
    """Twice the learning rate in the update: other parameters."""
    before = run()[1].parameters()
    update = function_in("solutions", find_task("2.5"))
    copied["2.5"] = lambda g, name, step, rate: update(g, name, step, 2 * rate)
    after = run()[1].parameters()
    assert all(not np.array_equal(before[name], after[name]) for name in before)


def test_what_is_beside_the_core_is_said_so() -> None:
    found = Ledger((Entry("layouts", "7.7", "product", 1), Entry("kernels", "5.19", "reference", 1)))
    assert found.missing_line() == "not yours yet: layouts 7.7 (challenge), kernels 5.19"


def test_calls_and_nodes_are_counted_for_plain_functions_and_generators() -> None:
    class Graph:
        def __init__(self) -> None:
            self.builder = type("B", (), {"model": type("M", (), {"graph": type("G", (), {"node": []})})})

        def add(self) -> None:
            self.builder.model.graph.node.append(1)

    def yields(g: Graph):
        g.add()
        yield 1
        g.add()
        g.add()
        yield 2

    graph = Graph()
    assert list(counted("2.1", "yours", yields, graph)) == [1, 2]
    with watched() as calls:
        assert list(counted("2.1", "yours", yields, graph)) == [1, 2]
        counted("2.5", "product", Graph.add, graph)
    assert calls == Calls({("2.1", "yours"): 1, ("2.5", "product"): 1}, {("2.1", "yours"): 3, ("2.5", "product"): 1})


def test_where_nothing_runs_on_the_chip_nothing_is_shared() -> None:
    found = ledger(Calls(Counter({("6.2", "yours"): 1}), Counter()))
    assert [entry.task for entry in found.entries] == ["6.2"]
    assert not any("%" in line for line in found.lines())

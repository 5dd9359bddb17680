"""A training step by a submission's own answers, in the sandbox; its cycles are those of programs that are right."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.grade.compilers import parts
from grader.grade.steps import StepWork, judged, step_one, step_work
from grader.judges.whole_step import forward
from grader.submissions.submission import Submission
from haribote.answers.tasks import ROOT
from haribote.autodiff.reverse import train_step
from haribote.chip.program import Compiled, ProgramPart
from haribote.compiler import compile_for_sim
from haribote.network import BATCH, CLASSES, HIDDEN, SMALL
from haribote.own.marks import MARKS
from tests.grader.sandboxes import sandboxed


def work(**changes: bytes) -> StepWork:
    """The small network's step by the reference's answers as somebody's own."""
    files = {task.id: (ROOT / "solutions" / task.file).read_bytes() for task in parts()}
    files |= {task.replace("t", "").replace("_", "."): text for task, text in changes.items()}
    verdicts = {task: {"state": "passed"} for task in files}
    (found,) = (it for it in step_work([Submission("ada", "ada", files)], [verdicts], 5) if it.task == SMALL.name)
    return replace(found, cached=False)


def reference() -> Compiled:
    return compile_for_sim(train_step(forward(SMALL), SMALL.learning_rate), True)


@pytest.mark.slow
def test_the_graph_is_that_of_the_trace() -> None:
    from haribote.frontend.torch import trace_loss
    from haribote.training.backends import example_batch
    from haribote.training.models import mlp

    model = mlp(SMALL.pixels, HIDDEN, CLASSES)
    _, images, labels = example_batch(model, BATCH, SMALL.learning_rate)
    ours, traced = forward(SMALL).graph, trace_loss(model, images, labels).graph
    assert list(ours.node) == list(traced.node) and list(ours.input) == list(traced.input)


@pytest.mark.slow
def test_gold_is_what_the_reference_takes_and_another_program_is_wrong() -> None:
    compiled = reference()
    (program,) = (part.program.source for part in compiled.parts if isinstance(part, ProgramPart))
    reply = {"model": compiled.model.SerializeToString(), "programs": [program]}
    assert judged(SMALL.name, 7, reply) == {"wrong": "", "cycles": MARKS[SMALL.name].gold}
    lines = program.splitlines()
    assert "is wrong" in judged(SMALL.name, 7, reply | {"programs": ["\n".join(lines[: len(lines) // 2])]})["wrong"]
    assert judged(SMALL.name, 7, reply | {"programs": []})["wrong"]
    assert judged(SMALL.name, 7, reply | {"model": b"no graph"})["wrong"]


@sandboxed
@pytest.mark.slow
def test_a_step_by_a_submission_alone() -> None:
    verdict = step_one(work())
    assert (verdict["state"], verdict["medal"], verdict["failure"]) == ("passed", "par", "")
    assert MARKS[SMALL.name].gold < verdict["costs"]["-O0"][0] <= MARKS[SMALL.name].par


@sandboxed
@pytest.mark.slow
def test_what_an_answer_does_not_do_is_not_done() -> None:
    placer = b"""from simulator.schedule.kept import schedule
from simulator import assemble

def place_nops(lines):
    return schedule(assemble("\\n".join(lines))).source.splitlines()
"""
    assert "scheduler is not there" in step_one(work(t5_36=placer))["failure"]
    stuck = step_one(work(t5_47=b"raise SystemExit(3)"))
    assert stuck["state"] == "failed" and "3" in stuck["failure"]

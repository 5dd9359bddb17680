"""What the cases of a task make of an answer: less than full marks, full marks, or the very answers of the solution."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

from grader.emitter.graphs import REFUSED
from grader.emitter.replies import Answering, Reply, answering
from grader.emitter.values import Value, copied, encode
from grader.judging import SOURCES, judge_reply
from grader.trials import Trial, trials_of
from haribote.answers.ownership import answer_file, product_only
from haribote.answers.tasks import Task
from haribote.errors import HariboteError

Outcome = Literal["rejected", "passes", "the same answers"]

COMMUTATIVE = ("Add", "Mul", "Max", "Min", "And", "Or", "Equal")
SECONDS = 2.0  # at most, for one answer: many a mutant never ends


class Rejecting:
    """The cases of a task that is no kernel, with the solution's answers. path: of a file to write answers to."""

    def __init__(self, task: Task, seed: int, path: Path) -> None:
        self._task, self._path = replace(task, seconds=min(task.seconds, SECONDS)), path
        with product_only():
            self._trials = list(trials_of(task, seed))
            own = answering(task, answer_file(task, solutions=True))
            self._answers = [_text(own(trial.name, copied(trial.given))) for trial in self._trials]

    def outcome(self, source: str) -> Outcome:
        """What becomes of an answer with this source."""
        self._path.write_text(source, encoding="utf-8")
        with product_only():
            try:
                answers = answering(self._task, self._path)
            except HariboteError:
                return "rejected"
            replies = []
            for trial in self._trials:
                reply = self._reply(answers, trial)
                if judge_reply(trial, reply) or _over_par(trial, reply):
                    return "rejected"
                replies.append(_text(reply))
        return "the same answers" if replies == self._answers else "passes"

    def _reply(self, answers: Answering, trial: Trial) -> Reply:
        return answers(trial.name, copied(trial.given))


def _over_par(trial: Trial, reply: Reply) -> bool:
    """An answer that costs more than par has not full marks."""
    cost = trial.cost(reply.answer or {})
    return cost is not None and cost.score > cost.par


def _text(reply: Reply) -> str:
    """What counts of a reply."""
    content = {key: _canonical(value) for key, value in (reply.answer or {}).items() if key != SOURCES}
    if REFUSED in content:
        content[REFUSED] = True  # its text names a line
    return encode(content) if reply.problem is None else reply.line()


def _canonical(value: Value) -> Value:
    """A graph in a form that does not depend on the order of a sum's or a product's factors, nor on defaults."""
    if not isinstance(value, bytes):
        return value
    import onnx

    model = onnx.ModelProto()
    try:
        model.ParseFromString(value)
    except Exception:  # protobuf's DecodeError: no graph, then
        return value
    for node in model.graph.node:
        if node.op_type in COMMUTATIVE:
            node.input[:] = sorted(node.input)
        for attribute in [*node.attribute]:
            if attribute.name in ("transA", "transB"):
                attribute.i = int(attribute.i != 0)
            if attribute.name == "keepdims" and attribute.i == 1:
                node.attribute.remove(attribute)
    content: bytes = model.SerializeToString(deterministic=True)
    return content

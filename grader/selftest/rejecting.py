"""What the cases of a task make of an answer: less than full marks, full marks, or the very answers of the solution."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Literal

from grader.emitter.graphs import bytes_of
from grader.emitter.loading import REFUSED
from grader.emitter.replies import Reply
from grader.emitter.values import Value, encode
from grader.judging import SOURCES, judge_reply
from grader.running import replies_to
from grader.trials import Trial, trials_of
from haribote.answers.ownership import answer_file, product_only
from haribote.answers.tasks import Task

Outcome = Literal["rejected", "passes", "the same answers"]

COMMUTATIVE = ("Add", "Mul", "Max", "Min", "And", "Or", "Equal")
SECONDS, TIMES = 2.0, 4.0
"""How long an answer may take at least, and beside the solution: many a mutant never ends."""


class Rejecting:
    """The cases of a task that is no kernel, with the solution's answers. path: of a file to write answers to."""

    def __init__(self, task: Task, seed: int, path: Path) -> None:
        self._task, self._path = task, path
        with product_only():
            self._trials = list(trials_of(task, seed))
        start = time.monotonic()
        own = list(replies_to(task, answer_file(task, solutions=True), self._trials))
        self._seconds = min(task.seconds, max(SECONDS, TIMES * (time.monotonic() - start)))
        self._answers = [_text(reply) for reply in own]

    def outcome(self, source: str) -> Outcome:
        """What becomes of an answer with this source."""
        self._path.write_text(source, encoding="utf-8")
        found = {reply.name: reply for reply in replies_to(self._task, self._path, self._trials, self._seconds)}
        replies = [found.get(trial.name) or Reply(trial.name) for trial in self._trials]
        with product_only():
            for trial, reply in zip(self._trials, replies, strict=True):
                if judge_reply(trial, reply) or _over_par(trial, reply):
                    return "rejected"
        return "the same answers" if [_text(reply) for reply in replies] == self._answers else "passes"


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
    return bytes_of(model)

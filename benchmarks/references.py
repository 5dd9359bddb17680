"""The points of the references at many seeds, over the path of `grade`: `python -m benchmarks.references [TASK …]`.

An answer replies to the cases of several seeds in one process, with the task's time for each, and to equal ones once;
every seed is judged by itself.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from grader.emitter.replies import Reply
from grader.emitter.serving import Order
from grader.emitter.values import encode
from grader.judging import judge_trials, note_of, replies_in
from grader.result import Result
from grader.running import reference_files
from grader.sandbox import SandboxMissing
from grader.sandbox.emit import Emitters
from grader.trials import Trial, trials_of
from haribote.answers.ownership import answer_file, product_only
from haribote.answers.tasks import Task, all_tasks, find_task

AT_ONCE = 10  # seeds in one process


class Reference:
    """The answer of the course to one task. Cases that are given the same, of whichever seeds, are asked once."""

    def __init__(self, task: Task, emitters: Emitters) -> None:
        self._task, self._emitters = task, emitters
        self._path = answer_file(task, solutions=True)
        self._replies: dict[str, Reply] = {}  # by a hash of what is given
        self._notes: dict[int, str] = {}  # how runs ended, where that is worth telling

    def results(self, seeds: range) -> Iterator[Result]:
        """The verdict for each seed."""
        for first in range(seeds.start, seeds.stop, AT_ONCE):
            some = range(first, min(first + AT_ONCE, seeds.stop))
            with product_only():
                trials = {seed: list(trials_of(self._task, seed)) for seed in some}
            self._ask(trials)
            for seed in some:
                found = judge_trials(self._task, trials[seed], self._reply, seed, self._path)
                yield replace(found, message="; ".join(filter(None, [found.message, self._notes.get(seed)])))

    def _reply(self, trial: Trial) -> Reply:
        return replace(self._replies.get(_key(encode(trial.given)), Reply("")), name=trial.name)

    def _ask(self, trials: Mapping[int, Sequence[Trial]]) -> None:
        """Run the answer on what it was not given before, with the task's time for each seed."""
        texts = (encode(trial.given) for some in trials.values() for trial in some)
        given = {key: text for text in texts if (key := _key(text)) not in self._replies}
        if not given:
            return
        content, seconds = self._path.read_bytes(), self._task.seconds * len(trials)
        requests = "".join(f'{{"name": "{key}", "given": {text}}}\n' for key, text in given.items())
        order = Order(self._task.id, f"haribote/{self._task.file}", content, reference_files(content), seconds)
        outcome = self._emitters.run(replace(self._task, seconds=seconds), order, requests.encode())
        if outcome.stopped and len(trials) > 1:  # such as more output than one run may have
            for seed, some in trials.items():
                self._ask({seed: some})
            return
        self._replies |= {reply.name: reply for reply in replies_in(outcome.output)}
        self._notes |= dict.fromkeys(trials, note_of(outcome))


def _key(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def main() -> None:
    """Grade the references; say which get less than full marks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="*", metavar="TASK", help="such as 5.12 (default: all)")
    parser.add_argument("--seeds", type=int, default=100)
    options = parser.parse_args()
    try:
        emitters = Emitters(confined=True)
    except SandboxMissing as error:
        print(f"openly, for {error}")
        emitters = Emitters(confined=False)
    tasks = [find_task(name) for name in options.tasks] or list(all_tasks())
    points, faults, start = [0] * options.seeds, 0, time.monotonic()
    for task in tasks:
        begun = time.monotonic()
        for seed, result in enumerate(Reference(task, emitters).results(range(options.seeds))):
            points[seed] += result.points
            if result.points != task.points:
                faults += 1
                print(f"seed {seed}: {result}", flush=True)
        print(f"task {task.id}: {time.monotonic() - begun:.1f} s", flush=True)
    of = sum(task.points for task in tasks)
    full = sum(found == of for found in points)
    print(f"{full} of {options.seeds} seeds give {of} of {of} points; {faults} verdicts below full marks; ", end="")
    print(f"{time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()

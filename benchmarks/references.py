"""The points of the references at many seeds, over the path of `grade`: `python -m benchmarks.references [TASK …]`.

An answer replies to the cases of several seeds in one process, with the task's time for each; every seed is judged by
itself.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

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


def results(task: Task, content: bytes, seeds: range, emitters: Emitters, path: Path) -> Iterator[Result]:
    """The verdict on an answer for each seed."""
    for first in range(seeds.start, seeds.stop, AT_ONCE):
        some = range(first, min(first + AT_ONCE, seeds.stop))
        with product_only():
            trials = {seed: [_of_seed(trial, seed) for trial in trials_of(task, seed)] for seed in some}
        requests = b"".join(
            encode({"name": trial.name, "given": dict(trial.given)}).encode() + b"\n"
            for seed in some
            for trial in trials[seed]
        )
        longer = replace(task, seconds=task.seconds * len(some))
        order = Order(task.id, f"haribote/{task.file}", content, reference_files(content), longer.seconds)
        outcome = emitters.run(longer, order, requests)
        if outcome.stopped and len(some) > 1:  # such as more output than one run may have
            for seed in some:
                yield from results(task, content, range(seed, seed + 1), emitters, path)
            continue
        replies = {reply.name: reply for reply in replies_in(outcome.output)}

        def reply(trial: Trial, known: Mapping[str, Reply] = replies) -> Reply:
            return known.get(trial.name) or Reply(trial.name)

        for seed in some:
            found = judge_trials(task, trials[seed], reply, seed, path)
            yield replace(found, message="; ".join(filter(None, [found.message, note_of(outcome)])))


def _of_seed(trial: Trial, seed: int) -> Trial:
    return replace(trial, name=f"seed {seed}: {trial.name}")


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
        path, begun = answer_file(task, solutions=True), time.monotonic()
        for seed, result in enumerate(results(task, path.read_bytes(), range(options.seeds), emitters, path)):
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

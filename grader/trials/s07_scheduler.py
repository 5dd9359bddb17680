"""Stage 07: the cases of the scheduler's tasks. A schedule is judged by what it violates, and by its steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from grader.emitter.values import Value, Values
from grader.trials import Array, Objection, Trial, Trials, Wrong, array_in, gives
from haribote.speed.equality import difference
from simulator import assemble
from simulator.assembly.checks import check
from simulator.isa.program import Program, Step
from simulator.messages import Text, tr
from simulator.schedule.text import text_of

Words = Sequence[int]

# --- 7.3 a dependence ------------------------------------------------------------------------------------------------


def dependence(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 7.3: each kind of dependence alone, two at once, none, and random ones."""
    yield _pair(tr("the second overwrites what the first reads"), ([1, 2], [3]), ([5], [2]))
    yield _pair(tr("the second reads what the first writes"), ([1], [2]), ([2], [3]))
    yield _pair(tr("both write the same word"), ([1], [7]), ([2], [7]))
    yield _pair(tr("both read the same word"), ([1, 2], [3]), ([1, 2], [4]))
    yield _pair(tr("nothing is shared"), ([1], [2]), ([3], [4]))
    yield _pair(tr("written, read, and overwritten"), ([4], [5]), ([5], [4]))
    yield _pair(tr("each reads what it writes itself"), ([1], [1]), ([2], [2]))
    for number in range(8):
        sets = [[int(n) for n in rng.choice(9, int(rng.integers(0, 4)), replace=False)] for _ in range(4)]
        yield _pair(tr("random words, {value}", number + 1), (sets[0], sets[1]), (sets[2], sets[3]))


def _pair(name: str, first: tuple[Words, Words], second: tuple[Words, Words]) -> Trial:
    given: dict[str, Value] = {
        f"{which} {what}": list[Value](words)
        for which, pair in (("first", first), ("second", second))
        for what, words in zip(("reads", "writes"), pair, strict=True)
    }
    apart = apart_by_trying(first, second)
    shown = {key.replace(" ", "."): np.array(value) for key, value in given.items()}
    return gives(name, given, shown, "apart", apart, tr("the answer (-1 stands for None)"), earns=False)


def apart_by_trying(first: tuple[Words, Words], second: tuple[Words, Words]) -> int:
    """The earliest place of `second` at which both read and leave what they do one after the other; -1: before."""
    wanted = _happened([[first], [second]])
    if _happened([[second], [first]]) == wanted:
        return -1
    together = not set(first[1]) & set(second[1])  # two instructions of a step write no word both
    return 0 if together and _happened([[first, second]]) == wanted else 1


def _happened(steps: Sequence[Sequence[tuple[Words, Words]]]) -> object:
    """What every instruction reads, and the memory at the end. A value is who wrote it."""
    memory: dict[int, object] = {}
    read: dict[int, list[object]] = {}
    for step in steps:
        for reads, _ in step:
            read[id(reads)] = [memory.get(word) for word in reads]
        for reads, writes in step:
            memory |= dict.fromkeys(writes, id(reads))
    return read, memory


# --- 7.4 the critical path -------------------------------------------------------------------------------------------


def path(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 7.4: a chain, a fork, small distances, and random graphs whose jobs have other numbers than their order."""
    yield _path(tr("a chain of three"), [1, 1, 1], [(0, 1, 1), (1, 2, 4)], rng)
    yield _path(tr("two ways to the end"), [1, 1, 1, 1], [(0, 1, 1), (0, 2, 3), (1, 3, 5), (2, 3, 1)], rng)
    yield _path(tr("jobs that may overlap"), [6, 2, 1], [(0, 1, 0), (1, 2, -1)], rng)
    yield _path(tr("nothing depends on anything"), [2, 5, 1], [], rng)
    for number in range(4):
        jobs = int(rng.integers(8, 16))
        pairs = [(a, b) for a in range(jobs) for b in range(a + 1, jobs) if rng.random() < 0.3]
        edges = [(a, b, int(rng.integers(-1, 5))) for a, b in pairs]
        yield _path(tr("random jobs, {value}", number + 1), [int(n) for n in rng.integers(1, 4, jobs)], edges, rng)


def _path(name: str, lengths: list[int], edges: Sequence[tuple[int, int, int]], rng: np.random.Generator) -> Trial:
    """edges: job, later job, least distance, by places in the order; jobs get random numbers."""
    number = [int(n) for n in rng.permutation(len(lengths))]
    left = [0] * len(lengths)
    for place, job in enumerate(number):
        left[job] = longest(place, lengths, edges)
    after: list[list[Value]] = [[] for _ in lengths]
    for a, b, least in edges:
        after[number[a]].append([number[b], least])
    own = [0] * len(lengths)
    for place, job in enumerate(number):
        own[job] = lengths[place]
    given: dict[str, Value] = {"order": list[Value](number), "lengths": list[Value](own), "after": list[Value](after)}
    shown = {
        "lengths": np.array(own),
        Text("job, later job, least"): np.array([(number[a], number[b], d) for a, b, d in edges]),
    }
    return gives(name, given, shown, "left", left, tr("the steps to the end"), earns=bool(edges))


def longest(place: int, lengths: Sequence[int], edges: Sequence[tuple[int, int, int]]) -> int:
    """Steps to the end, by following every way there is."""
    ways = (least + longest(b, lengths, edges) for a, b, least in edges if a == place)
    return max([lengths[place], *ways])


# --- 7.5 a list scheduler --------------------------------------------------------------------------------------------

CHAINS = "".join(
    f"l1bmm $lb{64 * k} $lm{64 * k}v\nnop/2\nfvmul $lm{64 * k}v $lm{64 * k}v $ln{64 * k}v\nnop/2\n"
    f"l1bmm@{k} $ln{64 * k}v $lb{1024 + 64 * k}\nnop/2\n"
    for k in range(3)
)
"""Three threads that do not depend on each other, one after another: 27 steps, most of them nops."""
FORWARDED = (
    "iinc $lr0v $nowrite\niinc $aluf $ls0v\nfvmul $lm0v $ls8v $lr8v\nnop\nfvadd $lr8v $ls16v $ln0v\n"
    "iinc $lr16v $lr24v\nnop\niinc $lr24v $lr32v\nl1bmm $lb0 $ln64v\n"
)
MOVED = (
    "mvp/n64 $d0 $lc0@.0\nl2bmb $lc0 $lb0\nnop/2\nl1bmm $lb0 $lm0v\nnop/2\niinc $lm0v $ln0v\niinc $lr0v $lr8v\n"
    "nop\niinc $lr8v $lr16v\nmvp/n64 $lc64@.0 $d64\n"
)
PROGRAMS = {
    Text("three threads"): (CHAINS, 13),
    Text("a result that is forwarded"): (FORWARDED, 5),
    Text("moves among steps"): (MOVED, 6),
}
"""Programs, and the steps that the rule of the task needs for them."""


def schedules(rng: np.random.Generator) -> Iterator[Trial]:
    """Task 7.5: abstract jobs, whose order can be seen, then programs, compared on random memories."""
    yield _jobs(tr("two jobs of one unit, the urgent one first"), [0, 0], [1, 1], [], [1, 2])
    yield _jobs(tr("other units at once"), [0, 1, 2], [1, 1, 1], [], [1, 1, 1], earns=False)
    yield _jobs(tr("a distance to keep"), [0, 1], [1, 1], [(0, 1, 3)], [4, 1])
    yield _jobs(tr("a gap that is filled later"), [0, 0, 0], [1, 1, 1], [(0, 1, 4)], [5, 1, 0])
    yield _jobs(tr("urgent, but not ready"), [0, 0, 0], [1, 1, 1], [(1, 0, 2)], [9, 1, 5])
    yield _jobs(tr("a job may begin before the one it depends on"), [0, 1], [1, 1], [(0, 1, -2)], [3, 1])
    yield _jobs(tr("of equals the first one"), [0, 0, 1], [1, 1, 5], [(0, 2, 1)], [1, 1, 1])
    for number in range(4):
        jobs = int(rng.integers(10, 18))
        edges = [
            (a, b, int(rng.integers(0, 4))) for a in range(jobs) for b in range(a + 1, jobs) if rng.random() < 0.15
        ]
        units, lengths = ([int(n) for n in rng.integers(low, 3, jobs)] for low in (0, 1))
        yield _jobs(
            tr("random jobs, {value}", number + 1), units, lengths, edges, [int(n) for n in rng.permutation(jobs)]
        )
    seed = int(rng.integers(1, 1000))  # one, since random memories take their time
    for name, (text, steps) in PROGRAMS.items():
        yield _program(name, text, steps, seed)


def _jobs(
    name: str, units: Words, lengths: Words, edges: Sequence[tuple[int, int, int]], priority: Words, earns: bool = True
) -> Trial:
    before: list[dict[int, int]] = [{} for _ in units]
    for a, b, least in edges:
        before[b][a] = least
    most = steps_by_rule(units, lengths, before, priority)
    given: dict[str, Value] = {
        "units": list[Value](units), "lengths": list[Value](lengths), "priority": list[Value](priority),
        "before": [[[other, least] for other, least in found.items()] for found in before],
    }  # fmt: skip
    shown = {
        Text("units of jobs"): np.array(units),
        Text("steps of jobs"): np.array(lengths),
        "priority": np.array(priority),
    }
    shown[Text("job, later job, least")] = np.array(edges)

    def judge(answer: Values) -> Objection:
        starts = array_in(answer, "starts")
        what = _violated(starts, units, lengths, before)
        steps = max(int(start) + length for start, length in zip(starts, lengths, strict=False)) if not what else 0
        if not what and steps > most:
            what = tr(
                "the schedule is valid, but takes {steps} steps; by the rule of the task {most} are enough", steps, most
            )
        return what

    return Trial(name, given, judge, earns=earns, shown=shown)


def _violated(starts: Array, units: Words, lengths: Words, before: Sequence[Mapping[int, int]]) -> str:
    if starts.dtype.kind not in "iu" or starts.shape != (len(units),):
        return tr("there must be {units} starts, received {shape}", len(units), starts.shape)
    if starts.min(initial=0) < 0:
        return tr("job {argmin} begins at step {min}, before the first one", int(starts.argmin()), int(starts.min()))
    for job, found in enumerate(before):
        for other, least in found.items():
            if starts[job] < starts[other] + least:
                return tr(
                    "job {job} begins at step {starts}, but it must come {least} steps after job {other}, "
                    "which begins at {starts2}",
                    job=job,
                    starts=starts[job],
                    least=least,
                    other=other,
                    starts2=starts[other],
                )
    busy: dict[tuple[int, int], int] = {}
    for job, (start, unit, length) in enumerate(zip(starts, units, lengths, strict=True)):
        for step in range(int(start), int(start) + length):
            if (unit, step) in busy:
                return tr(
                    "jobs {busy} and {job} use unit {unit} in the same step {step}", busy[unit, step], job, unit, step
                )
            busy[unit, step] = job
    return ""


def steps_by_rule(units: Words, lengths: Words, before: Sequence[Mapping[int, int]], priority: Words) -> int:
    """The steps of the task's rule, by crossing jobs off a list that is sorted by urgency."""
    urgent = sorted(range(len(units)), key=lambda job: (-priority[job], job))
    starts: dict[int, int] = {}
    free: dict[int, set[int]] = {unit: set(range(1000)) for unit in set(units)}
    while urgent:
        job = next(job for job in urgent if set(before[job]) <= set(starts))
        urgent.remove(job)
        first = max((starts[other] + least for other, least in before[job].items()), default=0)
        room = free[units[job]]
        starts[job] = next(s for s in range(max(first, 0), 1000) if set(range(s, s + lengths[job])) <= room)
        room -= set(range(starts[job], starts[job] + lengths[job]))
    return max(starts[job] + lengths[job] for job in starts)


def _program(name: str, text: str, most: int, seed: int) -> Trial:
    before = assemble(text)

    def judge(answer: Values) -> Objection:
        after = assemble(str(answer["text"]), tr("the schedule"))
        wrong = [finding.message for finding in check(after) if finding.severity == "error"]
        what = ""
        if _instructions(after) != _instructions(before):
            what = tr("the schedule has not the same instructions as the program: each job must be placed once")
        elif wrong:
            what = tr("the schedule breaks a rule: {wrong}", wrong[0])
        elif found := difference(before, after, seed):
            what = tr("on the same random memories the schedule leaves something else in {found}", found)
        elif after.steps > most:
            what = tr(
                "{steps} steps instead of {steps2}; by the rule of the task {most} are enough",
                after.steps,
                before.steps,
                most,
            )
        return f"{what}\n{after.source}" if what else ""

    return Trial(name, {"program": text}, judge)


def _instructions(program: Program) -> list[str]:
    steps = [line for line in program.lines if isinstance(line, Step)]
    found = [text_of(i) for step in steps for i in step.instructions if i.op != "nop"]
    return sorted(found + [line.text for line in program.lines if not isinstance(line, Step)])


TRIALS: dict[str, Trials] = {"7.3": dependence, "7.4": path, "7.5": schedules}
WRONG: dict[str, Wrong] = {
    "7.3": (
        ('return 1\n', 'return 1.0\n'),
        ("(second.reads | second.writes)", "second.reads"), ("(second.reads | second.writes)", "second.writes"),
            ("return 0", "return 1"), ("first.reads & second.writes", "first.reads & second.reads"),
            ("first.reads & second.writes", "False")),
    "7.4": (
        ('list(lengths)', 'lengths'),
        ('return found', 'return [each + 0.5 for each in found]'),
        ("reversed(order)", "order"), ("least + found[other]", "found[other]"),
            ("list(lengths)", "[1] * len(lengths)"), ("least + found[other]", "least + lengths[other]"),
            ("reversed(order)", "range(len(order))")),
    "7.5": (
        ('key=lambda job: priority[job]', 'key=lambda job: (priority[job], job)'),
        ("max(ready,", "min(ready,"), ("before[job].keys() <= placed", "True"), ("+ least for", "for"),
            ("table.place(job, step)", "pass"), ("max(ready, key=lambda job: priority[job])", "ready[0]"),
            ("[0, *(", "[max(starts.values(), default=0), *(")),
}  # fmt: skip

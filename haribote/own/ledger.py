"""The ledger of a run: for every part of the compiler whose it is, how often it was called, and its share of the step.

Nodes, words, steps and cycles belong to whoever's lines serve them on the chip. Functions that write graphs, such as a
gradient, have the nodes beside them that they wrote; what else they do shows in what is made of their graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from haribote.answers.calls import Calls
from haribote.answers.generators import NOP_PLACER
from haribote.answers.tasks import Task, UnknownTask, all_tasks, find_task
from haribote.chip.codegen import ChipPiece, TransferPiece
from haribote.chip.program import MOVES, Compiled, ProgramPart
from haribote.own.marks import MARKS
from haribote.own.shares import part_of, per_cent
from haribote.passes.placement import row_of
from haribote.words import word
from simulator.columns import aligned
from simulator.isa import STEP_CYCLES
from simulator.isa.cost import cost_of
from simulator.messages import tr

PARTS: Mapping[str, tuple[str, ...]] = {
    "trace": ("1.1",),
    "gradients": ("2.1", "2.2", "2.3", "2.4"),
    "update": ("2.5",),
    "passes": ("3.2", "3.3", "3.4", "3.5"),
    "layouts": ("4.1", "7.7"),
    "transfers": ("4.6",),
    "addresses": ("6.1", "8.6"),
    "residency": ("7.2",),
    "generators": (),
    "kernels": (),
    "generated": (),
    "copies": (),
    "nops": (),
    "scheduler": ("7.3", "7.4", "7.5"),
    "precision": ("7.8",),
    "C++": ("3.1",),
    "host": ("1.2",),
    "loop": ("6.2",),
    "accuracy": ("0.1",),
}
"""The parts of the compiler in the order of the pipeline, and the tasks that are answered by each."""
KERNELS, GENERATORS, NOPS, GENERATED = "kernels", "generators", "nops", "generated"
MEASURES = ("nodes", "words", "steps", "cycles")
COLUMNS = ("part", "task", "whose", "calls", "writes", *MEASURES)
"""The head of the table."""


@dataclass(frozen=True)
class Entry:
    """One part, one task, one owner.

    task: "" for what belongs to no task. owner: "yours", "reference" or "product". calls: of the function, or runs of
    the kernel in a step. written: nodes that the function added to graphs. nodes, words (of 32 bits), steps, cycles: of
    a step on the chip, that this entry's lines serve.
    """

    part: str
    task: str
    owner: str
    calls: int = 0
    written: int = 0
    nodes: int = 0
    words: int = 0
    steps: int = 0
    cycles: float = 0.0


@dataclass(frozen=True)
class Ledger:
    """All entries of a run, in the order of the pipeline.

    cycles: of a whole step on the chip, as it runs. network: the one of the course that it trained, "" for any other.
    """

    entries: tuple[Entry, ...] = field(default=())
    cycles: float = 0.0
    network: str = ""

    def total(self, measure: str, owner: str = "") -> float:
        """Nodes, words, steps or cycles of an owner, or of all."""
        return float(sum(getattr(entry, measure) for entry in self.entries if owner in ("", entry.owner)))

    def share(self, measure: str, owner: str = "yours") -> float:
        """The owner's share of a measure, 0 to 1; of nothing at all, 1."""
        whole = self.total(measure)
        return self.total(measure, owner) / whole if whole else 1.0

    @property
    def missing(self) -> tuple[Entry, ...]:
        """What ran and was not the learner's."""
        return tuple(entry for entry in self.entries if entry.owner != "yours")

    @property
    def all_yours(self) -> bool:
        """Whether every part that ran is the learner's, and with it every node, word, step and cycle."""
        return not self.missing

    def lines(self) -> Iterator[str]:
        """The table, and whose the whole is."""
        rows = (self.cells(entry, word(entry.owner)) for entry in self.entries)
        yield from aligned([list(map(word, COLUMNS)), *rows])
        if not self.total("steps"):
            return  # nothing ran on the chip, so there is nothing to share
        shares = ", ".join(f"{per_cent(self.share(measure))} {word(measure)}" for measure in MEASURES)
        yield tr("yours: {shares}", shares) + (f"; {tr('all yours')}" if self.all_yours else "")

    def told(self, mine: bool = False) -> Iterator[str]:
        """What ends a run: the table, and where `mine` was asked for what is missing."""
        yield from self.lines()
        yield from filter(None, (self.missing_line() if mine else "", self.mark_line()))

    def mark_line(self) -> str:
        """What the step has reached among the marks for the fewest cycles; "" where not all of it is the learner's."""
        marks = MARKS.get(self.network)
        return marks.line(self.cycles) if marks and self.cycles and self.all_yours else ""

    def missing_line(self) -> str:
        """What is not the learner's yet, in one line; "" where all is."""
        names = dict.fromkeys(map(_named, self.missing))
        return tr("not yours yet: {names}", ", ".join(names)) if names else ""

    def cells(self, entry: Entry, whose: str) -> list[str]:
        """A row of the table. whose: the name of its owner."""
        wholes = {measure: self.total(measure) for measure in MEASURES}
        shares = [per_cent(getattr(entry, m) / wholes[m]) if getattr(entry, m) else "" for m in MEASURES]
        counts = [str(count) if count else "" for count in (entry.calls, entry.written)]
        return [word(entry.part), entry.task, whose, *counts, *shares]


def ledger(calls: Calls, compiled: Compiled | None = None, network: str = "") -> Ledger:
    """What a run's calls and its compiled step say. compiled: None where no program runs on the chip; network: as in
    `Ledger`.
    """
    entries = list(_called(calls))
    if compiled is not None:
        entries += _generated(compiled) if not compiled.pieces and compiled.chip_count else _on_chip(compiled)
        packed = sum(getattr(part, "scheduler", "") == "product" for part in compiled.parts)
        if packed:
            entries.append(Entry("scheduler", "", "product", packed))
    order = [*PARTS]
    found = sorted(entries, key=lambda e: order.index(e.part) if e.part in PARTS else len(order))
    return Ledger(tuple(found), compiled.cost.cycles if compiled is not None else 0.0, network)


def _called(calls: Calls) -> Iterator[Entry]:
    """The functions that were called."""
    part_of_task = {task: part for part, tasks in PARTS.items() for task in tasks}
    for (task, owner), times in sorted(calls.times.items(), key=lambda item: _number(item[0][0])):
        yield Entry(part_of_task.get(task, _title(task)), task, owner, times, calls.nodes[task, owner])


def _number(task: str) -> tuple[int, ...]:
    return tuple(int(part) for part in task.split(".") if part.isdigit())


def _named(entry: Entry) -> str:
    """`kernels 5.19`, and of a task beside the core its level: `layouts 7.7 (challenge)`."""
    task, name = _task(entry.task), f"{word(entry.part)} {entry.task}".strip()
    if task is None or task.is_kernel or task.level == "core":
        return name
    return f"{name} ({word(task.level)})"


def _title(task: str) -> str:
    found = _task(task)
    return found.title if found else "other"


def _task(name: str) -> Task | None:
    """The task of an entry, None for what belongs to none."""
    try:
        return find_task(name)
    except UnknownTask:
        return None


def _generated(compiled: Compiled) -> Iterator[Entry]:
    """-O2: one program, in which no operator can be told from the others."""
    cost, count = compiled.cost, compiled.chip_count
    yield Entry(GENERATED, "", "product", 1, 0, count, cost.move_words * 2, cost.steps, cost.cycles)


def _on_chip(compiled: Compiled) -> Iterator[Entry]:
    """The kernels, by the task that wrote them and its owner; copies of -O1; nops between them; what the host does."""
    pieces = [piece for piece in compiled.pieces if isinstance(piece, ChipPiece)]
    kernels = [piece for piece in pieces if row_of(piece.node) is not None]
    generators = {task.id for task in all_tasks() if task.shared}
    for (task, owner), group in _grouped(kernels, lambda piece: (piece.task, piece.owner)).items():
        yield _entry(GENERATORS if task in generators else KERNELS, task, owner, group)
    copies = [piece for piece in pieces if row_of(piece.node) is None]
    for (task, owner), group in _grouped(copies, lambda piece: (piece.task, piece.owner)).items():
        yield _entry("copies", task, "product" if owner == "compiler" else owner, group)
    yield from _nops(compiled, pieces)
    left = len(compiled.host_nodes)
    if left:
        yield Entry("host", "", "product", left, nodes=left)
    served = sum(isinstance(piece, TransferPiece) for piece in compiled.pieces)
    if served:
        yield Entry(tr("DL/UL by the host"), "", "product", served)


def _nops(compiled: Compiled, pieces: Sequence[ChipPiece]) -> Iterator[Entry]:
    """The nops between kernels, before a scheduler, by who has put them there."""
    owners = dict.fromkeys(part.nops for part in compiled.parts if isinstance(part, ProgramPart))
    linked = compiled.unscheduled or compiled.cost
    between = max(0, linked.steps - part_of(pieces).cost.steps)
    for owner in owners:
        count = sum(part.nops == owner for part in compiled.parts if isinstance(part, ProgramPart))
        steps = between if len(owners) == 1 else _between(compiled, pieces, owner)
        if steps or owner == "yours":
            yield Entry(NOPS, NOP_PLACER, owner, count, steps=steps, cycles=float(STEP_CYCLES * steps))


def _between(compiled: Compiled, pieces: Sequence[ChipPiece], owner: str) -> int:
    """The steps that the programs of one placer have beyond those of their kernels."""
    parts = [part for part in compiled.parts if isinstance(part, ProgramPart) and part.nops == owner]
    names = {name for part in parts for name in part.nodes}
    own = part_of(piece for piece in pieces if piece.node.name in names).cost.steps
    return max(0, sum(cost_of(part.program).steps for part in parts) - own)


def _entry(part: str, task: str, owner: str, pieces: Iterable[ChipPiece]) -> Entry:
    found = list(pieces)
    share = part_of(found)
    nodes = sum(piece.node.op_type not in MOVES for piece in found)
    return Entry(part, task, owner, share.pieces, 0, nodes, share.words, share.cost.steps, share.cost.cycles)


def _grouped(
    pieces: Iterable[ChipPiece], key: Callable[[ChipPiece], tuple[str, str]]
) -> dict[tuple[str, str], list[ChipPiece]]:
    found: dict[tuple[str, str], list[ChipPiece]] = {}
    for piece in pieces:
        found.setdefault(key(piece), []).append(piece)
    return dict(sorted(found.items(), key=lambda item: _number(item[0][0])))

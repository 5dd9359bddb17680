"""Where every tensor is, operator by operator: it stays where its next reader wants it, as long as there is room.

One walk through the operators in the order of the graph. Before an operator its inputs are brought into the memory
that its kernel reads: they are there, or are copied from the other memory, or come from DRAM. Where there is no room,
what is needed again last leaves. A tensor that has to come back from DRAM is stored right behind the operator that made
it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from haribote.kernel import Memory
from haribote.kernel_table import Arrangement, KernelRow, arrangements
from haribote.layout import layout_of
from haribote.resident.leaving import leaves_first, next_use
from haribote.resident.plan import (
    COPY_0_IS_ENOUGH,
    Action,
    Compute,
    Copy,
    Host,
    Load,
    Local,
    NoRoom,
    Plan,
    Store,
    Task,
    Version,
)
from haribote.resident.rooms import LOCALS, Rooms

MOST_AT_HOME = 2048
"""Words of LM0 that parameters may take up from step to step."""


def plan(tasks: Sequence[Task], outputs: Collection[str], updates: Mapping[str, str], words: int | None = None) -> Plan:
    """The actions of a step. outputs: what has to be in DRAM at the end. updates: a parameter to its next value. words:
    of each LM that there are for tensors, by default `rooms.SCRATCH`.

    Fewer parameters stay where there is not enough room for them, and where an operator finds none it runs alone.
    """
    homes = _residents(tasks, outputs, updates)
    while True:
        planner = _Planner(tasks, set(outputs), homes, Rooms(words))
        try:
            return planner.plan()
        except NoRoom:
            if not homes:
                tasks = [replace(task, alone=task.alone or n == planner.now) for n, task in enumerate(tasks)]
            homes = homes[: len(homes) // 2]


@dataclass(frozen=True)
class _Resident:
    """A parameter that stays in LM. moment: the number of the task after which the new value may take its place."""

    name: str
    updated: str
    tag: str
    moment: int


def _residents(tasks: Sequence[Task], outputs: Collection[str], updates: Mapping[str, str]) -> list[_Resident]:
    """The parameters that every reader wants in the layout in which the update leaves them."""
    if any(task.alone for task in tasks):
        return []
    readers: dict[str, list[tuple[int, str | None]]] = defaultdict(list)
    makers: dict[str, int] = {}
    for number, task in enumerate(tasks):
        for position, name in enumerate(task.inputs):
            readers[name].append((number, task.tags[position] if task.row else None))
        makers |= dict.fromkeys(task.node.output, number)
    found, words = [], 0
    for name, updated in updates.items():
        maker = tasks[makers[updated]] if updated in makers else None
        if maker is None or maker.row is None or maker.row.output_memory == "DRAM" or maker.weak:
            continue
        tag, others = maker.row.output, [tag for _, tag in (*readers[name], *readers[updated])]
        words += layout_of(tag).words
        if name not in outputs and others and set(others) == {tag} and words <= MOST_AT_HOME:
            last = max(number for number, _ in readers[name])
            found.append(_Resident(name, updated, tag, max(last, makers[updated])))
    return found


@dataclass
class _Planner:
    tasks: Sequence[Task]
    outputs: set[str]
    residents: list[_Resident]
    rooms: Rooms
    actions: list[Action] = field(default_factory=list)
    stores: dict[str, Version] = field(default_factory=dict)
    made: dict[str, Version] = field(default_factory=dict)
    now: int = 0

    def plan(self) -> Plan:
        """Raises NoRoom."""
        self.uses = self._uses()
        homes = {r.name: (self._settle(r), r.updated) for r in self.residents}
        self.outputs -= {r.updated for r in self.residents}
        for number, task in enumerate(self.tasks):
            self.now = number
            self._do(task)
            for resident in self.residents:
                if resident.moment == self.now:
                    self._come_home(resident, homes[resident.name][0])
            self.rooms.versions = [v for v in self.rooms.versions if v.home or self._next_use(v) < inf]
        return Plan(list(self._with_stores()), homes)

    # --- what is needed when -----------------------------------------------------------------------------------------

    def _uses(self) -> dict[tuple[str, str], list[int]]:
        uses: dict[tuple[str, str], list[int]] = defaultdict(list)
        for number, task in enumerate(self.tasks):
            for key in zip(task.inputs, task.tags, strict=False):
                uses[key].append(number)
        for resident in self.residents:
            uses[resident.updated, resident.tag].append(resident.moment)
        return uses

    def _next_use(self, version: Version) -> float:
        return next_use(self.uses[version.value, version.tag], self.now)

    # --- tasks -------------------------------------------------------------------------------------------------------

    def _do(self, task: Task) -> None:
        row = task.row
        if row is None:
            for name in task.inputs:
                self._need_in_dram(name)
            self.actions.append(Host(task))
        elif task.alone:
            self._do_alone(task, row)
        else:
            self._do_among_others(task, row)

    def _do_among_others(self, task: Task, row: KernelRow) -> None:
        source, target = min(arrangements(row), key=lambda arrangement: self._cost(task, row, arrangement))
        enough = row.task in COPY_0_IS_ENOUGH
        inputs: list[Version] = []
        for number, (name, tag) in enumerate(zip(task.inputs, task.tags, strict=True)):
            assert source != "DRAM"  # no kernel but a DL reads DRAM
            inputs.append(self._obtain(name, tag, source, f"{task.node.name}.in{number}", inputs, enough))
        output = None
        value = task.node.output[0]
        if target != "DRAM":
            name = f"{task.node.name}.lm"
            output = self._new(Version(value, row.output, name, target, 0, layout_of(row.output).words), inputs)
            output.weak = task.weak
        self._leave_room(task, row, inputs, output)
        self._computed(task, inputs, output)

    def _do_alone(self, task: Task, row: KernelRow) -> None:
        """As at -O0: the only tensors in LM are the operator's own, and its result goes to DRAM."""
        self.rooms.versions = []
        inputs, ends = [], 0
        for number, (name, tag) in enumerate(zip(task.inputs, task.tags, strict=True)):
            self._need_in_dram(name)
            version = Version(name, tag, f"{task.node.name}.in{number}", "LM0", ends, layout_of(tag).words)
            self.actions.append(Load(version))
            inputs.append(version)
            ends = version.end
        output, value = None, task.node.output[0]
        if row.output_memory != "DRAM":
            output = Version(value, row.output, f"{task.node.name}.lm", "LM1", 0, layout_of(row.output).words)
        self._computed(task, inputs, output)
        if output is not None:
            self._need_in_dram(value)
        self.rooms.versions = []

    def _computed(self, task: Task, inputs: Sequence[Version], output: Version | None) -> None:
        self.actions.append(Compute(task, tuple(inputs), output))
        if output is not None:
            self.made[output.value] = output
            if output.value in self.outputs:
                self._need_in_dram(output.value)

    def _come_home(self, resident: _Resident, home: Version) -> None:
        found = self.rooms.find(resident.updated, resident.tag)
        if found is None:
            found = self._obtain(resident.updated, resident.tag, "LM1", f"{resident.updated}.back", (), False)
        settled = Version(resident.updated, resident.tag, resident.updated, "LM0", home.address, home.words, home=True)
        self.actions.append(Copy(found, settled))
        self.rooms.versions.remove(home)
        self.rooms.versions.append(settled)

    # --- tensors -----------------------------------------------------------------------------------------------------

    def _cost(self, task: Task, row: KernelRow, arrangement: Arrangement) -> int:
        """Words per PE that have to be copied between the memories for an arrangement, now and for the next reader."""
        source, target = arrangement
        return self._misplaced(task, source) + self._later(task.node.output[0], row.output, target)

    def _misplaced(self, task: Task, memory: Memory, but: str = "") -> int:
        total = 0
        for name, tag in zip(task.inputs, task.tags, strict=True):
            here = {v.memory for v in self.rooms.versions if (v.value, v.tag) == (name, tag)}
            if name != but and here and memory not in here:
                total += layout_of(tag).words
        return total

    def _later(self, value: str, tag: str, target: Memory) -> int:
        """What the choice of the memory of a result costs its next reader."""
        uses = [use for use in self.uses[value, tag] if use > self.now]
        reader = self.tasks[uses[0]] if uses else None
        if target == "DRAM" or reader is None or reader.row is None or value not in reader.inputs:
            return 0
        own = layout_of(tag).words
        sources = {source for source, _ in arrangements(reader.row)}
        return min(own * (source != target) + self._misplaced(reader, source, value) for source in sources)

    def _obtain(
        self, value: str, tag: str, memory: Local, name: str, held: Collection[Version], enough: bool
    ) -> Version:
        """A version in that memory: as it is there, or copied, or from DRAM. enough: copy 0 suffices."""
        for there in (memory, *LOCALS):
            found = self.rooms.find(value, tag, there)
            if found is not None and (enough or not found.weak):
                break
        else:
            self._need_in_dram(value)
            weak = [v for v in self.rooms.versions if (v.value, v.tag) == (value, tag)]
            self.rooms.versions = [version for version in self.rooms.versions if version not in weak]
            found = None
        if found is not None and found.memory == memory:
            return found
        held = [*held, found] if found else held
        target = self._new(Version(value, tag, name, memory, 0, layout_of(tag).words), held)
        target.weak = found is not None and found.weak
        self.actions.append(Load(target) if found is None else Copy(found, target))
        return target

    def _new(self, version: Version, held: Collection[Version], start: int = 0, behind: int = 0) -> Version:
        """Give a version an address. Raises NoRoom where what is held leaves none."""
        while (address := self.rooms.free(version.memory, version.words, start, behind)) is None:
            victims = self.rooms.victims(version.memory, held)
            uses = [self.uses[victim.value, victim.tag] for victim in victims]
            self.rooms.versions.remove(victims[leaves_first(uses, self.now)])
        version.address = address
        self.rooms.versions.append(version)
        return version

    def _leave_room(self, task: Task, row: KernelRow, inputs: list[Version], output: Version | None) -> None:
        """Behind its operands a kernel may write words of LM0 (`KernelRow.room`): nothing else may be there."""
        here = [v for v in (*inputs, output) if v is not None and v.memory == "LM0"]
        if not row.room or row.task == "5.34":  # whose room is in the other memory, see rooms.FLOOR
            return
        end = max((version.end for version in here), default=0)
        if self.rooms.is_free("LM0", end, end + row.room):
            return
        number = min(range(len(inputs)), key=lambda number: inputs[number].words)
        moved = inputs[number]
        target = Version(moved.value, moved.tag, f"{task.node.name}.moved", "LM0", 0, moved.words, weak=moved.weak)
        self._new(target, here, end, row.room)
        self.actions.append(Copy(moved, target))
        inputs[number] = target

    def _settle(self, resident: _Resident) -> Version:
        home = Version(resident.name, resident.tag, resident.name, "LM0", 0, layout_of(resident.tag).words, home=True)
        return self._new(home, ())

    # --- DRAM --------------------------------------------------------------------------------------------------------

    def _need_in_dram(self, value: str) -> None:
        if value in self.made:
            self.stores[value] = self.made[value]

    def _with_stores(self) -> Iterable[Action]:
        """The actions with a store right behind the operator whose result has to be in DRAM."""
        for action in self.actions:
            yield action
            if isinstance(action, Compute) and action.output is not None and action.output.value in self.stores:
                yield Store(action.output)

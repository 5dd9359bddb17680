"""Who lives where on the chip, and how long: every version of a plan gets homes when it is made.

A version lives from the action that makes it to the last that reads it; residents live for ever. Small versions live in
GRF0 and in GRF1 at once, so that two operands of a step never meet in one memory; both are written in the same step.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from haribote.stack.code import GRF, LM, Code, Slot
from haribote.stack.places import NoRoom, Place
from haribote.stack.plan import Alias, Become, Compute, Half, Pick, Version
from haribote.stack.program.work import Work, reads, writes
from simulator.isa import STEP_CYCLES
from simulator.messages import tr

SMALL, MEDIUM = 64, 256
"""Words per PE up to which a version may have two homes in GRF; up to which it may live in GRF at all."""
SPARE, SPARE_FOR_GOOD = 128, 224
"""Words of each GRF that stay free for what actions need on their way: beside what goes again, and beside residents."""


class Lives:
    """When versions are made and read; numbers are those of the work."""

    def __init__(self, work: Sequence[Work], resident: Iterable[Version]) -> None:
        self.resident = frozenset(resident)
        self._read: dict[Version, list[int]] = defaultdict(list)
        self._made: dict[Version, list[int]] = defaultdict(list)
        self._aliases: dict[Version, list[Version]] = defaultdict(list)
        for number, action in enumerate(work):
            if isinstance(action, Alias):
                self._aliases[action.source].append(action.target)
            for version in dict.fromkeys(reads(action)):
                self._read[version].append(number)
            for version in dict.fromkeys(writes(action)):
                self._made[version].append(number)

    def next_use(self, version: Version, after: int) -> int | None:
        """The next action that reads a version as it is after action `after`; None for none."""
        read, made = _next(self._read[version], after), _next(self._made[version], after)
        return read if read is not None and (made is None or read <= made) else None

    def read_between(self, version: Version, first: int, last: int) -> bool:
        """Whether an action after `first`, up to `last`, reads the words of a version, under whatever name."""
        here = any(first < number <= last for number in self._read[version])
        return here or any(self.read_between(other, first, last) for other in self._aliases[version])

    def maker(self, version: Version, before: int) -> int | None:
        """The last action that makes a version before action `before`."""
        made = [number for number in self._made[version] if number < before]
        return made[-1] if made else None


def _next(numbers: list[int], after: int) -> int | None:
    place = bisect_right(numbers, after)
    return numbers[place] if place < len(numbers) else None


def in_place(work: Sequence[Work], lives: Lives) -> Mapping[tuple[int, Version], Version]:
    """Versions that can be made right where the parameter is that they become, so that nothing is copied: the action
    that makes each, and the parameter. The old value must not be read any more, but by that action word by word.
    """
    found: dict[tuple[int, Version], Version] = {}
    taken: set[Version] = set()
    for number, action in enumerate(work):
        if not isinstance(action, Become) or action.parameter in taken or action.source in lives.resident:
            continue
        maker, made = _origin(work, lives, action.source, number)
        if maker is None or (maker, made) in found or made.map != action.parameter.map:
            continue
        first = maker if isinstance(work[maker], Compute) else maker - 1
        if not lives.read_between(action.parameter, first, number):
            found[maker, made] = action.parameter
            taken.add(action.parameter)
    return found


def _origin(work: Sequence[Work], lives: Lives, version: Version, before: int) -> tuple[int | None, Version]:
    """What makes the words of a version, and under which name."""
    maker = lives.maker(version, before)
    if maker is None:
        return None, version
    action = work[maker]
    return _origin(work, lives, action.source, maker) if isinstance(action, Alias) else (maker, version)


class Homes:
    """Where the versions that are alive are now. A slot may serve several: the same words under several names."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self._places: dict[Version, tuple[Place, ...]] = {}
        self._slots: dict[Version, tuple[Slot, ...]] = {}
        self._below: dict[Version, Place] = {}

    def __contains__(self, version: Version) -> bool:
        return version in self._places

    def __iter__(self) -> Iterator[Version]:
        return iter(self._places)

    def of(self, version: Version) -> tuple[Place, ...]:
        """All homes of a version; each holds all of it."""
        return self._places[version]

    def make(self, version: Version, spare: int = SPARE, busy: str = "") -> tuple[Place, ...]:
        """Homes for a version, in GRF where as many words stay free there. busy: a bank that is read or written
        all the while it is written, which is taken last. Raises NoRoom.
        """
        words = -(-2 * version.map.longs // 4) * 4
        busy = self._of_other_half(version) or busy
        return self._put(version, self._two(words, spare) or (self._one(words, version, spare, busy),))

    def share(self, version: Version, other: Version) -> tuple[Place, ...]:
        """A version is where another one is."""
        return self._put(version, self._slots[other])

    def below(self, version: Version, place: Place) -> tuple[Place, ...]:
        """A version is in DRAM, where its room is its own."""
        self._below[version] = place
        return self._put(version, ())

    def give(self, version: Version) -> None:
        """A version is gone; its room is free unless another one shares it."""
        slots = self._slots.pop(version)
        del self._places[version]
        for slot in slots:
            if not any(slot in others for others in self._slots.values()):
                self.code.give(slot)

    def alone(self, version: Version) -> bool:
        """Whether no other version is in the same place."""
        own = self._slots[version]
        return not any(set(own) & set(slots) for other, slots in self._slots.items() if other != version)

    def mark(self) -> Mapping[Version, tuple[Slot, ...]]:
        """The state of now, for `back`."""
        return dict(self._slots)

    def back(self, mark: Mapping[Version, tuple[Slot, ...]]) -> None:
        """As it was at a `mark`; the room itself is `Code.back`'s."""
        self._places.clear()
        self._slots.clear()
        for version, slots in mark.items():
            self._put(version, slots)

    def _put(self, version: Version, slots: tuple[Slot, ...]) -> tuple[Place, ...]:
        self._slots[version] = slots
        below = (self._below[version],) if version in self._below else ()
        self._places[version] = below or tuple(Place(slot.bank, slot.address, version.map) for slot in slots)
        return self._places[version]

    def _of_other_half(self, version: Version) -> str:
        """The bank of the other half of a value, for a product reads this one while that one still arrives."""
        places = self._places.get(version.other, ()) if isinstance(version, Half) else ()
        return places[0].memory if places else ""

    def _two(self, words: int, spare: int) -> tuple[Slot, ...]:
        room = min(self.code.largest(bank) for bank in GRF)
        if words > SMALL or words + spare > room:
            return ()
        return tuple(self.code.take(words, (bank,)) for bank in GRF)

    def _one(self, words: int, version: Version, spare: int, busy: str) -> Slot:
        grf, lm = (sorted(banks, key=self.code.largest, reverse=True) for banks in (GRF, LM))
        lm.sort(key=lambda bank: bank == busy)
        grf = [bank for bank in grf if words <= MEDIUM and words + spare <= self.code.largest(bank)]
        if busy in GRF:  # a product needs the other one for its sums
            grf = [bank for bank in grf if bank == busy]
        try:
            return self.code.take(words, (*grf, *lm))
        except NoRoom:
            free = ", ".join(f"{self.code.largest(bank)} of {bank}" for bank in (*grf, *lm))
            shape = "x".join(map(str, version.map.shape))
            raise NoRoom(
                tr(
                    "{value!r} ({shape}) needs {words} words per PE; the largest free pieces are {free}",
                    str(version),
                    shape,
                    words,
                    free,
                ),
                tr("a smaller batch, or narrower layers"),
            ).of(words, (*grf, *lm)) from None


def read_meanwhile(action: Work, version: Version, homes: Homes) -> str:
    """The LM that an action reads all the while that it writes a version; "" for none, and where one step reads all."""
    if isinstance(action, Pick):
        return "LM0"
    if not isinstance(action, Compute) or version.map.longs <= STEP_CYCLES:
        return ""
    longs: Counter[str] = Counter()
    for read in action.reads:
        places = homes.of(read)
        if len(places) == 1 and places[0].memory in LM:
            longs[places[0].memory] += read.map.longs
    return max(longs, key=longs.__getitem__, default="")

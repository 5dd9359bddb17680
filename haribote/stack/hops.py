"""The lines of a path, hop by hop, and the room that it takes on its way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from haribote.stack.chains import Hop, Path
from haribote.stack.code import GRF, LM, Code, Slot
from haribote.stack.issues import Issue, issues, mask_lines
from haribote.stack.places import Place
from haribote.stack.rounds import round_count
from simulator import isa


def _setting(hop: Hop, value: int) -> Callable[[int], list[str]]:
    return lambda entry: mask_lines(hop, {value: entry})


@dataclass
class Serial:
    """A path as lines of a program, hop after hop. clean: the address in L2BM that the first hop goes to."""

    code: Code
    path: Path
    source: Place
    targets: Sequence[Place]
    clean: int | None = None

    def lines(self) -> Iterator[str]:
        """Raises NoRoom."""
        last = self.source
        for number, hop in enumerate(self.path):
            if number == 0 and self.clean is not None:
                ends = [Place("L2BM", self.clean, hop.target)]
            else:
                ends = [self._place_after(number, last)]
            if number + 1 == len(self.path):
                ends += [replace(place, map=hop.target) for place in self.targets[1:]]
            found = issues(hop, replace(last, map=hop.source), *ends)
            for issue in found if not hop.way.masked else self._masked(hop, found):
                yield from issue.text.splitlines()
            last = ends[0]

    def _masked(self, hop: Hop, found: Sequence[Issue]) -> Iterator[Issue]:
        """With masks that are set up once, as long as there are entries for them; then with masks set here."""
        key = tuple(mask_lines(hop, {0: 0}))
        set_here: int | None = None
        for issue in found:
            value = issue.masked or 0
            entry = self.code.mask((key, value), _setting(hop, value))
            if entry is None:
                if value != set_here:
                    set_here, own = value, self.code.entry()
                    yield Issue("\n".join(mask_lines(hop, {value: own})), "alu")
                entry = own
            yield replace(issue, text=issue.text.format(omr=entry))

    def _place_after(self, number: int, last: Place) -> Place:
        """Where a hop puts the tensor: room that is given back when the path is written."""
        hop, target = self.path[number], self.targets[0]
        if number + 1 == len(self.path):
            return Place(target.memory, target.address, hop.target)
        block = 1 << max(hop.way.target_block, self.path[number + 1].way.source_block)
        longs = -(-hop.target.longs // block) * block  # issues write and read whole blocks, also where a map has holes
        longs += hop.way.span if hop.way.single else 0
        memory = hop.target.memory
        if memory == "LM":
            others = [last.memory] + [target.memory] * (number + 2 == len(self.path))
            slot = self.code.take(2 * longs, [bank for bank in (*GRF, *LM) if bank not in others])
            return Place(slot.bank, slot.address, hop.target)
        address = self.code.dram(longs) if memory == "DRAM" else self.code.buffer(memory, longs)  # buffers come in turn
        return Place(memory, address, hop.target)


def padded(hop: Hop) -> Hop:
    """The hop of a tensor whose axes are powers of two."""
    return Hop(hop.way, hop.source.padded, hop.target.padded)


def fewer_words(hop: Hop) -> bool:
    """True where the MV lines of a hop move fewer long words than with padding."""
    return round_count(hop) < round_count(padded(hop))


def own_buffers(code: Code, key: object, longs: int, pieces: int, clean: bool) -> Iterator[int]:
    """The addresses of buffers in L2BM, of so many long words each, that only the pieces of one tensor use; fewer than
    there are pieces, or none, where there is no more room. clean: the setup writes zeros there."""
    for number in range(pieces):
        address = _own_buffer(code, (key, number), longs, clean)
        if address is None:
            return
        yield address


def _own_buffer(code: Code, key: object, longs: int, clean: bool) -> int | None:
    """The address of one; None where less than a quarter of the L2BM would be left for all others, or where even that
    was too little."""
    longs, key = -(-longs // 256) * 256, ("clean" if clean else "own", key)
    if not code.own_buffers or (not code.has(key) and code.largest("L2BM") < longs + isa.L2BM_LONGS // 4):
        return None

    def zeros(code: Code, slot: Slot) -> Iterator[str]:
        row = code.buffer("L1BM", 256)
        yield from ("zero $t", f"l1bmd $t $lb{row}")
        yield from (f"l2bmd $lb{row} $lc{slot.address + first}" for first in range(0, longs, 256))

    return code.table(key, longs, zeros if clean else lambda code, slot: (), ("L2BM",)).address

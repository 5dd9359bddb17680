"""`compare`: the first difference of two dumps, as `run` prints them (isa.md, section 3.1)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from simulator.errors import SimulatorError
from simulator.messages import tr

_LINE = re.compile(r"DEBUG-(\w+)\((\w+),(\d+)\):(.*?)(?: #(.*))?")


@dataclass(frozen=True, slots=True)
class Shown:
    """One dump line: where (memory, unit, address) and what; `bits` tells values apart, `text` is what was printed."""

    line: int
    memory: str
    unit: str
    address: int
    text: str
    bits: int | str

    @property
    def place(self) -> str:
        """Memory, unit and address in words."""
        return tr("{memory} of {unit}, address {address}", self.memory, self.unit, self.address)


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two dumps part; None = that dump has ended."""

    first: Shown | None
    second: Shown | None

    def text(self, first: str, second: str) -> str:
        """The difference in words; first, second: the names of the dumps."""
        a, b = self.first, self.second
        if a is not None and b is not None and a.place == b.place:
            return f"{a.place}\n    {first}:{a.line}: {a.text}\n    {second}:{b.line}: {b.text}"
        ends = [
            f"    {name}:{shown.line}: {shown.place}: {shown.text}" if shown else tr("    {name} ends", name)
            for name, shown in ((first, a), (second, b))
        ]
        return tr("the dumps show different places\n") + "\n".join(ends)


def compare(first: str, second: str, first_name: str = "A", second_name: str = "B") -> Difference | None:
    """The first line in which two dumps differ in place or bits; None where there is none.

    Statements echoed after `#` and the printed form of a number do not count. Raises SimulatorError for a line that is
    no dump line.
    """
    for a, b in zip_longest(_lines(first, first_name), _lines(second, second_name)):
        if a is None or b is None or (a.place, a.bits) != (b.place, b.bits):
            return Difference(a, b)
    return None


def _lines(text: str, name: str) -> Iterator[Shown]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        match = _LINE.fullmatch(line.strip())
        if match is None:
            what = tr("`{strip}` is not a dump line", line.strip()[:60])
            raise SimulatorError(f"{name}:{number}: {what}", tr("a file written by `run FILE -d DUMP`"))
        memory, unit, address, value = match.group(1, 2, 3, 4)
        yield Shown(number, memory, unit, int(address), value, _bits(value))


def _bits(value: str) -> int | str:
    """The long word that a line shows, whatever type it is printed in; the text itself for masks."""
    whole = re.search(r"v:0x([0-9A-Fa-f]+)", value)
    parts = [whole[1]] if whole else re.findall(r"0x([0-9a-f]+)", value)
    return int("".join(parts), 16) if parts else value

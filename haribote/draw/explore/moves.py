"""explore.move: the addresses of a line on sliders, and one cycle after the other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache

from haribote.draw.explore.panel import Choice, Controls, Panel, PanelContent, Slider, Values
from simulator.assembly.assembler import assemble
from simulator.errors import SimulatorError
from simulator.messages import Text
from simulator.pictures import animate

LINES = (
    "l1bmm $lb0 $lm0v", "l1bmp $llb0 $llm0v", "l1bmd $lb0 $lm0v", "l1bmm@0 $llm0v $llb0", "l1bmrffadd $lm0v $lb0",
    "l2bmb $lc0 $lb0", "l2bmd $lc0 $lb0", "l2bm@0 $lb0 $lc0", "mvp/n64 $d0@0 $lc0@0.0", "mvb/n64 $p0@0 $lc0",
    "fvadd $lm0v $lr0v $ln0v", "msl $lm0v $lr0v",
)  # fmt: skip
ADDRESS = re.compile(r"\$(?P<bank>l?l?(?:[mnrs](?!a)|[bcdp]))(?P<address>\d+)")
FARTHEST, FARTHEST_ADDRESS = 64, 448
"""Steps that a slider has, and how far it goes: every memory has as many words."""
EVERY = Text("all at once")


def move(*lines: str) -> Panel:
    """Sliders for the addresses of a line, and the cycles. lines: to choose from; without, one of each kind.

    Raises AssemblyError for a line that cannot be assembled.
    """
    offered = lines or LINES
    for line in offered:
        animate(line)

    def controls(values: Values) -> Controls:
        line = str(values["line"]) if values.get("line") in offered else offered[0]
        found: dict[str, Slider | Choice] = {"line": Choice(Text("line"), offered, offered[0])}
        for number, place in enumerate(ADDRESS.finditer(line)):
            start, step = int(place["address"]), step_of(line, number)
            high = max(start, min(start % step + step * FARTHEST, FARTHEST_ADDRESS))
            found[f"{line} {number}"] = Slider(f"${place['bank']}…", start % step, high, start, step)
        cycles = [EVERY, *animate(line).labels]
        return found | {"cycle": Choice(Text("cycle"), cycles, cycles[1])}

    def draw(values: Values) -> PanelContent:
        line = str(values["line"])
        numbers = [int(value) for name, value in values.items() if name.startswith(f"{line} ")]
        film = animate(with_addresses(line, numbers))
        labels = (EVERY, *film.labels)
        return PanelContent(film.stopped(labels.index(values["cycle"]) - 1), film)

    return Panel(controls, draw)


def with_addresses(line: str, addresses: Sequence[int]) -> str:
    """The line with other addresses, in their order."""
    left = iter(addresses)
    return ADDRESS.sub(lambda place: f"${place['bank']}{next(left)}", line)


@lru_cache(maxsize=256)
def step_of(line: str, number: int) -> int:
    """What the address of operand `number` must be a multiple of: the least that the assembler takes."""
    addresses = [int(place["address"]) for place in ADDRESS.finditer(line)]
    for step in (1, 2, 4, 8, 16, 32, 64, 128):
        moved = [address + step * (at == number) for at, address in enumerate(addresses)]
        with suppress(SimulatorError):
            assemble(with_addresses(line, moved))
            return step
    return 256

"""The units that execute PE instructions: one table of what is the same for all instructions of a unit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from simulator.messages import Text

UnitName = Literal["nop", "noforward", "alu", "mau", "mau-write", "mau-read", "l1bm", "l2bm", "l2bmdarw", "wait"]
PathName = Literal["aluf", "mauf", "lbf", "mreadf"]
Lane = Literal["", "ALU", "MAU", "L1BM", "L2BM"]


class Unit(NamedTuple):
    """lane: the part of the chip that is busy, as charts and texts name it. path: the forwarding path that keeps the
    unit's output; of the L1BM only what goes to the PEs (see `Instruction.path`). group: the issue group, of which a
    step has at most one instruction (isa.md, section 12.1).
    """

    lane: Lane
    path: PathName | Literal[""]
    group: str


UNITS: Mapping[UnitName, Unit] = {
    "nop": Unit("", "", "nop"),
    "noforward": Unit("", "", "noforward"),
    "wait": Unit("", "", "wait"),
    "alu": Unit("ALU", "aluf", "ALU"),
    "mau": Unit("MAU", "mauf", Text("MAU calculation")),
    "mau-write": Unit("MAU", "", Text("matrix write")),
    "mau-read": Unit("MAU", "mreadf", Text("matrix read")),
    "l1bm": Unit("L1BM", "lbf", "L1BM"),
    "l2bm": Unit("L2BM", "", "L2BM"),
    "l2bmdarw": Unit("L2BM", "", "l2bmdarw"),
}
PATHS: tuple[PathName, ...] = ("aluf", "mauf", "lbf", "mreadf")

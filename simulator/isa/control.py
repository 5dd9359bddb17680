"""Instructions that only concern time (isa.md, sections 2, 3 and 5.2)."""

from __future__ import annotations

from simulator.isa.forms import form
from simulator.isa.rows import Row
from simulator.messages import Text

ROWS = (
    Row("nop", "nop", "", (form("->"),), Text("lets time pass"), "G", "nop/3", number={"": range(1, 2**31)}),
    Row("noforward", "noforward", "", (form("->"),), Text("keeps the forwarding paths as they are"), "D", "noforward"),
    Row(
        "wait",
        "wait",
        "",
        (form("->"),),
        Text("holds the stream until the MV instruction with this tag is done"),
        "G",
        "nop; wait i01",
    ),
)

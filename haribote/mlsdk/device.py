"""The devices by the vendor's names."""

from __future__ import annotations

from typing import Literal

from haribote.errors import HariboteError
from haribote.mlsdk.interface import Complete
from simulator.messages import tr

CHIP = ("mncore2:auto", *(f"mncore2:{number}" for number in range(8)))
"""The simulated machine; each number is one of its own, `auto` the first."""
HOST = ("pfvm:cpu",)
NAMES = (*CHIP, *HOST)


class MNDevice(Complete):
    """A device. `mncore2:auto`, `mncore2:0` to `mncore2:7`: the simulated chip; `pfvm:cpu`: the same graph on the host.

    Attributes:
        name: as given.
        kind: of `haribote.frontend.compiled.Options`.
        machine: which one; between two of them values go over the host.
    """

    interface = ("name",)

    def __init__(self, name: str = CHIP[0]) -> None:
        if not isinstance(name, str) or name not in NAMES:
            raise HariboteError(*_refused(name))
        self.name = name
        self.machine = CHIP[1] if name == CHIP[0] else name
        self.kind: Literal["chip", "host"] = "chip" if name in CHIP else "host"

    def __repr__(self) -> str:
        return f"MNDevice({self.name!r})"


def _refused(name: object) -> tuple[str, str]:
    text, backend = str(name), str(name).partition(":")[0]
    known = tr("mncore2:auto, mncore2:0 to mncore2:7, or pfvm:cpu")
    if text.startswith("pfvm:cuda"):
        return tr("MNDevice: {text!r} needs an NVIDIA GPU, for which there is no backend here", text), "pfvm:cpu"
    if backend == "mncore2":
        return tr("MNDevice: {text!r}: a chip is named auto, or by a number from 0 to 7", text), known
    return tr("MNDevice: there is no device {text!r}", text), known

"""What is kept of a built plan: all that a session needs to run it, as plain text and tables."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from haribote.stack.maps import Bit, BitMap
from haribote.stack.places import Place
from haribote.stack.plan import Version
from haribote.stack.program.packing import HalfPacking, Packing
from haribote.stack.uploads import Upload
from simulator import Program, assemble
from simulator.isa.cost import Cost

if TYPE_CHECKING:
    from simulator import Machine


@dataclass(frozen=True)
class Port:
    """A value that host and chip exchange in DRAM.

    version: as it is on the chip; map, address: as it is in DRAM. shape, dtype: the graph's. text: the program that
    takes it from there to its homes, or back; "" where the step does that itself. half: in DRAM it is halves.
    """

    version: Version
    map: BitMap
    address: int
    shape: tuple[int, ...]
    dtype: str
    text: str = ""
    half: bool = False

    @property
    def name(self) -> str:
        """The value."""
        return self.version.value

    def write(self, machine: Machine, value: NDArray[Any]) -> None:
        """Put a value into DRAM."""
        self._halves.write(machine, value) if self.half else self.packing.write(machine, value)

    @cached_property
    def _halves(self) -> HalfPacking:
        return HalfPacking(self.version, self.map, self.address, self.shape)

    @cached_property
    def packing(self) -> Packing:
        """How the host writes and reads what is no half."""
        return Packing(self.version, self.map, self.address, self.shape, self.dtype)


@dataclass(frozen=True)
class Executable:
    """setup: the program that runs once; step: the one that runs again and again; "" for a program without lines.

    inputs, outputs: the values that the host writes before a step and reads after it; loads, stores: how those that
    stay on the chip come to their homes and back (a value may be there in several layouts). updates: parameter to the
    output that it becomes.
    constants: residents that the host writes once; uploads: other words that it puts into DRAM before the setup. cost:
    of the step; nodes: of the graph. joins, tiles: values of the user's that are parts of one here, and that are cut.
    merged: the user's shapes of values some of whose axes are one here.
    unread: inputs that the step does not need, and their shapes. types: of values of the user's whose type is no word
    of the chip (`stack.planner.narrow`). assembled: the step as a program, of one that was built just now.
    """

    setup: str
    step: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    loads: tuple[Port, ...]
    stores: tuple[Port, ...]
    updates: Mapping[str, str]
    constants: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    uploads: tuple[Upload, ...] = ()
    joins: Mapping[str, Any] = field(default_factory=dict)
    tiles: Mapping[str, Any] = field(default_factory=dict)
    merged: Mapping[str, Sequence[int]] = field(default_factory=dict)
    cost: Cost = field(default_factory=Cost)
    nodes: int = 0
    unread: Mapping[str, Sequence[int]] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    assembled: Program | None = field(default=None, compare=False, repr=False)

    @cached_property
    def program(self) -> Program:
        """The step, assembled."""
        if self.assembled is not None and self.assembled.source == self.step:
            return self.assembled
        return assemble(self.step, "step.vsm")


def to_bytes(found: Executable) -> bytes:
    """To keep in a file."""
    ports = {name: [_port(port) for port in getattr(found, name)] for name in _PORTS}
    places = [[upload.place.address, _map(upload.place.map)] for upload in found.uploads]
    plain = {name: getattr(found, name) for name in _PLAIN} | {"cost": asdict(found.cost)}
    text = json.dumps(plain | ports | {"uploads": places})
    arrays = {f"words{number}": upload.words for number, upload in enumerate(found.uploads)}
    arrays |= {f"constant {name}": value for name, value in found.constants.items()}
    file = BytesIO()
    np.savez(file, text=np.array(text), **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def from_bytes(content: bytes) -> Executable:
    """The inverse. Raises one of NPZ_ERRORS for what `to_bytes` has not written."""
    file = np.load(BytesIO(content))
    data = json.loads(str(file["text"]))
    ports = {name: tuple(_from_port(port) for port in data[name]) for name in _PORTS}
    uploads = tuple(
        Upload(Place("DRAM", start, _from_map(found)), file[f"words{number}"])
        for number, (start, found) in enumerate(data["uploads"])
    )
    found: dict[str, Any] = ports | {name: data[name] for name in _PLAIN}
    constants = {name.removeprefix("constant "): file[name] for name in file.files if name.startswith("constant ")}
    return Executable(**found, cost=Cost(**data["cost"]), uploads=uploads, constants=constants)


_PORTS = ("inputs", "outputs", "loads", "stores")
_PLAIN = ("setup", "step", "updates", "joins", "tiles", "merged", "nodes", "unread", "types")


def _port(port: Port) -> dict[str, Any]:
    version = port.version
    return {
        "value": version.value, "split": version.split, "fill": version.fill, "chip": _map(version.map),
        "map": _map(port.map), "address": port.address, "shape": port.shape, "dtype": port.dtype,
        "text": port.text, "half": port.half,
    }  # fmt: skip


def _from_port(data: Mapping[str, Any]) -> Port:
    split = tuple(tuple(axis) for axis in data["split"])
    version = Version(data["value"], _from_map(data["chip"]), split, data["fill"])
    shape, plain = tuple(data["shape"]), (data["dtype"], data["text"], data["half"])
    return Port(version, _from_map(data["map"]), data["address"], shape, *plain)


def _map(found: BitMap) -> list[Any]:
    return [found.memory, found.shape, [[*bit, carry] for bit, carry in found.carries]]


def _from_map(data: list[Any]) -> BitMap:
    memory, shape, carries = data
    return BitMap(memory, tuple(shape), tuple((Bit(level, number), carry) for level, number, carry in carries))

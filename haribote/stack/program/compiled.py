"""-O2: from a graph to a step in which layouts are planned and everything is generated; kept on disk."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import onnx

from haribote.graph import Index
from haribote.stack.plan import Plan
from haribote.stack.program.builder import Built, build
from haribote.stack.program.executable import Executable, from_bytes, to_bytes
from haribote.stack.program.session import StackSession
from simulator import Machine
from simulator.cache import cache_folder
from simulator.files import FileError, write_file
from simulator.isa.cost import Cost


@dataclass(frozen=True, eq=False)
class StackCompiled:
    """A step ready to run. model: the graph that it was made of."""

    model: onnx.ModelProto
    executable: Executable
    pieces: tuple[object, ...] = ()
    host_nodes: tuple[object, ...] = ()

    @cached_property
    def index(self) -> Index:
        """Lookups in the graph."""
        return Index(self.model)

    @property
    def updates(self) -> dict[str, str]:
        """Parameter to its updated value."""
        return dict(self.executable.updates)

    @property
    def chip_count(self) -> int:
        """Operators on the chip: all."""
        return self.executable.nodes

    @property
    def node_count(self) -> int:
        """Operators of the graph."""
        return self.executable.nodes

    @property
    def cost(self) -> Cost:
        """What one run of the step costs on the machine."""
        return self.executable.cost

    @property
    def summary(self) -> str:
        """One line: what runs on the chip."""
        return f"on chip {self.chip_count} of {self.node_count} nodes (generated)"

    @property
    def text(self) -> str:
        """The assembly of the step."""
        return self.executable.step

    def session(self, machine: Machine) -> StackSession:
        """The step on a machine."""
        return StackSession(self.executable, machine)


def compile_stack(model: onnx.ModelProto, precision: str = "float") -> StackCompiled:
    """The step of a graph. What was compiled before is read from the cache. Raises HariboteError."""
    file = cache_folder() / "stack" / f"{_key(model, precision)}.npz"
    try:
        return StackCompiled(model, from_bytes(file.read_bytes()))
    except (OSError, ValueError, LookupError, TypeError):
        pass  # not there, or not as we write it
    executable = built(model, precision).executable
    with suppress(OSError, FileError):  # a cache that cannot be written costs time only
        write_file(file, to_bytes(executable), durable=False)
    return StackCompiled(model, executable)


def built(model: onnx.ModelProto, precision: str = "float") -> Built:
    """The program of a graph with its plan."""
    return build(planned(model, precision))


def planned(model: onnx.ModelProto, precision: str = "float") -> Plan:
    """The plan of a graph."""
    from haribote.passes import cse, decompose, join_bias, simplify
    from haribote.stack import elementary
    from haribote.stack.planner.search import plan

    for apply in (simplify.run, decompose.run, join_bias.run, elementary.run, cse.run):
        model = apply(model)
    return plan(model)


def _key(model: onnx.ModelProto, precision: str) -> str:
    content = model.SerializeToString(deterministic=True)
    return hashlib.sha256(b"\0".join((content, precision.encode(), _sources()))).hexdigest()[:32]


@cache
def _sources() -> bytes:
    """A digest of all that decides what is generated."""
    root = Path(__file__).parents[3]
    folders = ("haribote/stack", "haribote/passes", "simulator")
    files = sorted(path for folder in folders for path in (root / folder).rglob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).digest()

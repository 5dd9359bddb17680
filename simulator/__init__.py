"""MN-Core 2, simulated: assemble a `.vsm` program and run it on a machine whose every word can be looked at."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from simulator.errors import AssemblyError, Diagnostic, ExecutionError, SimulatorError, UserError
from simulator.messages import tr
from simulator.moved import keep_old_names

if TYPE_CHECKING:
    from simulator.assembly.assembler import assemble
    from simulator.engine.machine import Machine, RunResult
    from simulator.isa.program import Program

__all__ = [
    "AssemblyError",
    "Diagnostic",
    "ExecutionError",
    "Machine",
    "Program",
    "RunResult",
    "SimulatorError",
    "assemble",
]

_MODULES = {
    "assemble": "simulator.assembly.assembler",
    "Machine": "simulator.engine.machine",
    "RunResult": "simulator.engine.machine",
    "Program": "simulator.isa.program",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is asked for: an answer that is checked has the parts that its task needs."""
    if name not in _MODULES:
        raise AttributeError(tr("module {name!r} has no attribute {name2!r}", __name__, name))
    return getattr(import_module(_MODULES[name]), name)


def _rendered(error: BaseException) -> list[str]:
    from simulator.notebook.mistake import rendered

    return rendered(error)


UserError.in_notebooks = staticmethod(_rendered)


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext simulator`: make the cell magic `%%vsm` known to an IPython shell."""
    from simulator.notebook.magic import load

    load(shell)


keep_old_names(
    "simulator",
    {
        "isa": "program rows formulas transfers cost",
        "rules": "conflicts waits",
        "assembly": "assembler checks instructions moves opcodes operands statements",
        "engine": "machine numbers native",
        "engine.state": "memories debug dump",
        "trace": "history",
        "explain": "wording isa_page waiting profile",
        "judge": "compare",
    },
    {"execute": "engine.numpy"},
)

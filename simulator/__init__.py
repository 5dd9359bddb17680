"""MN-Core 2, simulated: assemble a `.vsm` program and run it on a machine whose every word can be looked at."""

from __future__ import annotations

from typing import Any

from simulator.assembly.assembler import assemble
from simulator.engine.machine import Machine, RunResult
from simulator.errors import AssemblyError, Diagnostic, ExecutionError, SimulatorError, UserError
from simulator.isa.program import Program
from simulator.moved import keep_old_names
from simulator.notebook.mistake import rendered

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

UserError.in_notebooks = staticmethod(rendered)


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext simulator`: make the cell magic `%%vsm` known to an IPython shell."""
    from simulator.notebook.magic import load

    load(shell)


keep_old_names(
    "simulator",
    {
        "isa": "program rows formulas transfers cost",
        "rules": "accesses conflicts waits",
        "assembly": "assembler checks instructions moves opcodes operands statements",
        "engine": "machine numbers native",
        "engine.state": "memories debug dump",
        "trace": "history dependence destinations places",
        "explain": "wording isa_page waiting profile",
        "judge": "compare",
        "fuzz": "generate",
    },
    {"execute": "engine.numpy"},
)

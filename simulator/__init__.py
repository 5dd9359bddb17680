"""MN-Core 2, simulated: assemble a `.vsm` program and run it on a machine whose every word can be looked at."""

from simulator.assembly.assembler import assemble
from simulator.engine.machine import Machine, RunResult
from simulator.errors import AssemblyError, Diagnostic, ExecutionError, SimulatorError
from simulator.isa.program import Program
from simulator.moved import keep_old_names

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

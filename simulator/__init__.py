"""MN-Core 2, simulated: assemble a `.vsm` program and run it on a machine whose every word can be looked at."""

from simulator.assembly.assembler import assemble
from simulator.engine.machine import Machine, RunResult
from simulator.errors import AssemblyError, Diagnostic, ExecutionError, SimulatorError
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

"""MN-Core 2, simulated: assemble a `.vsm` program and run it on a machine whose every word can be looked at."""

from simulator.assembler import assemble
from simulator.errors import AssemblyError, Diagnostic, ExecutionError, SimulatorError
from simulator.machine import Machine, RunResult
from simulator.program import Program

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

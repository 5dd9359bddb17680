"""What a picture is made of: a program given as text, as a file or assembled."""

from __future__ import annotations

from pathlib import Path

from simulator.assembler import assemble
from simulator.errors import SimulatorError
from simulator.files import read
from simulator.program import Program


def program_of(source: Program | str | Path) -> Program:
    """The program; a text without line breaks that ends in .vsm is the path of a file.

    Raises AssemblyError, and SimulatorError for a file that cannot be read or a program without lines.
    """
    if isinstance(source, Program):
        program = source
    elif isinstance(source, Path) or (source.strip().endswith(".vsm") and "\n" not in source.strip()):
        path = Path(source)
        program = assemble(read(path), path.name)
    else:
        program = assemble(source, "program")
    if not program.lines:
        raise SimulatorError("there is nothing to draw: the program has no lines\n    try: 'fvadd $lm0v $lr0v $ln0v'")
    return program

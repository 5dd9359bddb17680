"""What a picture is made of: a program given as text, as a file or assembled."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol, runtime_checkable

from simulator.assembly.assembler import assemble
from simulator.errors import SimulatorError
from simulator.files import read
from simulator.isa.program import Program
from simulator.messages import tr


@runtime_checkable
class HasText(Protocol):
    """Something with the text of a program, such as a compiled step."""

    @property
    def text(self) -> str:
        """Lines of assembly."""


Source = Program | str | Path | HasText | Iterable[str]


def program_of(source: Source) -> Program:
    """The program of a text, of its lines, of a .vsm file (a text without line breaks that ends so is its path) or of
    something that has the text as `.text`.

    Raises AssemblyError, and SimulatorError for a file that cannot be read or a program without lines.
    """
    if isinstance(source, HasText):
        source = source.text
    elif not isinstance(source, Program | str | Path):
        source = "\n".join(source)
    if isinstance(source, Program):
        program = source
    elif isinstance(source, Path) or (source.strip().endswith(".vsm") and "\n" not in source.strip()):
        path = Path(source)
        program = assemble(read(path), path.name)
    else:
        program = assemble(source, "program")
    if not program.lines:
        raise SimulatorError(tr("there is nothing to draw: the program has no lines"), "'fvadd $lm0v $lr0v $ln0v'")
    return program

"""Schedules that are kept from one run to the next: looking for one takes seconds, finding it again milliseconds."""

from __future__ import annotations

import hashlib

from simulator.assembly.assembler import assemble
from simulator.cache import cache_folder
from simulator.errors import AssemblyError
from simulator.files import FileError, write_file
from simulator.isa.program import Program
from simulator.schedule import Keep
from simulator.schedule import schedule as search
from simulator.sources import digest


def schedule(program: Program, rename: bool = True, effort: int = 1, keep: Keep | None = None) -> Program:
    """As `simulator.schedule.schedule`, from the cache folder where the same program was scheduled before."""
    kept = None if keep is None else sorted((name, list(words)) for name, words in keep.items())
    text = f"{digest(__name__)} {rename} {effort} {kept}\n{program.source}"
    path = cache_folder() / "schedules" / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.vsm"
    try:
        return assemble(path.read_text(encoding="utf-8"), program.filename)
    except (OSError, UnicodeDecodeError, AssemblyError):
        found = search(program, rename, effort, keep)  # not there yet, or damaged
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, found.source, durable=False)
    except (OSError, FileError):
        pass  # a cache that cannot be written costs time only
    return found

"""`profile`: what a program costs and why, as a table, as JSON or as a picture."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from simulator.assembly.assembler import assemble
from simulator.errors import SimulatorError
from simulator.explain.profile import as_json, profile_of, table
from simulator.files import read
from simulator.messages import say, tr
from simulator.pictures.timeline import timeline
from simulator.schedule import overlapped
from simulator.schedule.overlap import ASSUMED as OVERLAPPED
from simulator.schedule.overlap import floors


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser("profile", help=tr("show what a .vsm file costs, where it waits and why"))
    parser.add_argument("file", metavar="FILE", type=Path)
    parser.add_argument("-o", dest="picture", metavar="PICTURE", type=Path, help=tr("draw a timeline (an .svg file)"))
    parser.add_argument("--json", action="store_true", help=tr("print everything as JSON"))
    parser.add_argument(
        "--overlapped",
        action="store_true",
        help=tr("print only cycles per run of a program that runs again and again, with MV beside steps, by a model"),
    )
    parser.set_defaults(command=_command)


def _command(options: argparse.Namespace) -> int:
    picture: Path | None = options.picture
    if picture is not None and picture.suffix != ".svg":
        raise SimulatorError(tr("cannot draw {picture}: the picture is an .svg file", picture), "-o timeline.svg")
    program = assemble(read(options.file), str(options.file))
    if picture is not None:
        timeline(program).save(picture)
    if options.overlapped:
        say(tr("{program:,.1f} cycles per run: {overlapped}", overlapped(program), OVERLAPPED))
        say(floors(program))
        return 0
    profile = profile_of(program)
    print(json.dumps(as_json(profile), indent=2) if options.json else table(profile))
    return 0

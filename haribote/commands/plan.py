"""`haribote plan`: what a compiled step does on the chip, as a table and as a picture."""

from __future__ import annotations

from pathlib import Path

from haribote.errors import HariboteError
from haribote.graphs.cases import load_case
from simulator.messages import tr


def plan_command(folder: Path, level: int, svg: Path | None, solutions: bool, precision: str = "float") -> str:
    """The table of an exported step; with `svg` also a drawing, at -O2. Raises HariboteError."""
    case = load_case(folder)
    if level < 2:
        from haribote.chip.step_cost import step_cost
        from haribote.compiler import compile_for_sim

        if svg is not None:
            raise HariboteError(tr("at -O{level} there is no picture of a plan", level), tr("-O2, or leave --svg out"))
        return str(step_cost(compile_for_sim(case.model, solutions, level=level, precision=precision)))
    from haribote.stack.program.compiled import built
    from haribote.stack.program.plan_picture import plan_picture
    from haribote.stack.program.plan_table import table

    found = built(case.model, precision)
    text = table(found)
    if svg is not None:
        plan_picture(found, folder.name).save(svg)
        text += tr("\nwrote {svg}", svg)
    return text

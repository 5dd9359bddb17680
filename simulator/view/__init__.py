"""A page to step through a program, forward and back: one HTML file that needs no network.

from simulator import assemble
from simulator.view import View
View(assemble(text))            # as the last line of a notebook cell
View(assemble(text)).page       # the HTML itself
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from simulator.assembly.checks import check
from simulator.engine.machine import Machine
from simulator.errors import SimulatorError
from simulator.isa.program import Program
from simulator.messages import tr
from simulator.view import encode
from simulator.view.notebook import frame
from simulator.view.opening import Opening, spot_of, touch_of
from simulator.view.recording import BUDGET, record
from simulator.view.scope import CHIP, Scope, parse_unit

__all__ = ["Opening", "View"]
MOST_LINES = 200_000


class View:
    """A recorded run that shows itself in a notebook.

    page: the HTML text. frames: how many stops it has after the start. recorded: the parts of the chip whose values it
    holds, none for the whole chip.
    """

    def __init__(
        self,
        program: Program,
        machine: Machine | None = None,
        *,
        start: int | None = None,
        until: int | None = None,
        units: Sequence[str] = (),
        budget: int = BUDGET,
        junk: Sequence[int] = (),
        opening: Opening | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        """Run the program on `machine` (a new one by default; its memories change) and record it.

        start, until: first and last line of the text to show; the lines before `start` are executed unseen. units: keep
        the values of these parts of the chip only, e.g. ["n0c0b0"]; else of the whole chip, or as much of it as fits
        into `budget` bytes of compressed values. junk: as in `record`. opening: where the page begins and what it says
        there. notes: more to say below. Raises SimulatorError for a unit that does not exist or where no line is left,
        ExecutionError for a line that cannot be executed.
        """
        scope = Scope(tuple(map(parse_unit, units))) if units else CHIP
        _check_lines(program, start, until)
        shown = touch_of(opening) if opening else ()
        pe = spot_of(opening.word).pe if opening and opening.word else 0
        recorder = record(program, machine or Machine(), scope, not units, start, until, budget, junk, shown, pe)
        remarks: dict[int, list[encode.Remark]] = {}
        for finding in check(program):
            remarks.setdefault(finding.line, []).append((finding.severity, finding.message, finding.fix))
        self.recorded = recorder.scope.names
        self.frames = len(recorder.frames) - 1
        title = PurePath(program.filename).name.encode("utf-8", "replace").decode()  # a name may be any bytes
        told = [*notes, *_notes(self.recorded, bool(units), start, until)]
        self.page = encode.page(program, recorder, title, told, remarks, opening, shown)

    def _repr_html_(self) -> str:
        """The page in a frame of its own, for notebooks."""
        return frame(self.page, tr("program viewer"))


def _check_lines(program: Program, start: int | None, until: int | None) -> None:
    """Raises SimulatorError where no line of the program is left to show, or too many."""
    shown = [x for x in program.lines if (start is None or start <= x.line) and (until is None or x.line <= until)]
    if len(shown) > MOST_LINES:
        raise SimulatorError(
            tr(
                "{filename}: {shown:,} lines are more than a page can show, which is {most_lines:,}",
                program.filename,
                len(shown),
                MOST_LINES,
            ),
            tr("a piece, e.g. --from {line} --until {line2}", shown[0].line, shown[MOST_LINES - 1].line),
        )
    if shown:
        return
    if not program.lines:
        raise SimulatorError(
            tr("{filename}: there is nothing to show, the program has no lines", program.filename),
            tr("a program with a line or more"),
        )
    wanted = f"from line {start or 1}" + ("" if until is None else tr(" until line {until}", until))
    first, last = program.lines[0].line, program.lines[-1].line
    raise SimulatorError(
        tr("{filename}: there is nothing to show {wanted}", program.filename, wanted),
        tr("lines between {first} and {last}", first, last),
    )


def _notes(names: Sequence[str], chosen: bool, start: int | None, until: int | None) -> list[str]:
    """What the page holds and what it does not."""
    notes = []
    if not names:
        notes.append(tr("Values of all 4,096 PEs and of every memory above them are recorded."))
    else:
        why = tr("as asked for") if chosen else tr("because those of the whole chip would make this file too large")
        notes.append(
            tr(
                "Values are recorded for {names} only (with the memories it belongs to), {why}. Which addresses"
                " were read and written is known for all units.",
                ", ".join(names),
                why,
            )
        )
        if not chosen:
            notes.append(tr("To see another part: view FILE --unit n1c0, or a shorter piece with --from and --until."))
    notes.append(
        tr("Reads show the value before the step, writes the one after it; its four cycles are shown together.")
    )
    notes.append(tr("Of DRAM only the addresses that the program touches are shown."))
    if start is not None:
        notes.append(tr("Lines before line {start} were executed but not recorded.", start))
    if until is not None:
        notes.append(tr("Lines after line {until} were not executed.", until))
    return notes

"""The cell magic itself: check, run, and show what came of it."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from typing import Any

from simulator.assembly.assembler import assemble
from simulator.assembly.checks import check, check_text
from simulator.engine.machine import Machine, RunResult
from simulator.errors import AssemblyError, SimulatorError, UserError
from simulator.isa.cost import cost_of
from simulator.isa.program import Move, Program, Step
from simulator.language import language
from simulator.messages import tr
from simulator.notebook import places
from simulator.notebook.card import Card, findings_text
from simulator.notebook.options import CellOptions, parse_options
from simulator.pictures import Picture, animate, move, timeline, traffic
from simulator.view import View

Show = Callable[[object], object]
Names = MutableMapping[str, Any]


def load(shell: Any) -> None:
    """Make `%%vsm` known to an IPython shell."""
    from IPython.core.magic import no_var_expand
    from IPython.display import display

    @no_var_expand
    def vsm(line: str, cell: str = "") -> None:
        """Run the assembly of this cell on a machine; `%%vsm --help` prints the options."""
        run_cell(line, cell, shell.user_ns, display)

    shell.register_magic_function(vsm, "line_cell", "vsm")


def run_cell(line: str, cell: str, names: Names, show: Show) -> None:
    """What `%%vsm` does. names: the user's variables. show: is handed everything that is to be seen.

    A mistake of the user becomes a card; nothing is raised for one.
    """
    try:
        language()  # a wrong one is a mistake before anything is done
        options = parse_options(line)
        if options.help or not cell.strip():
            print(options.help or parse_options("--help").help)
            return
        _run(options, cell.rstrip("\n"), names, show)
    except UserError as error:
        show(Card("bad", tr("not run"), str(error)))


def _run(options: CellOptions, text: str, names: Names, show: Show) -> None:
    try:
        program = assemble(text, "cell")
    except AssemblyError:
        _, found = check_text(text, "cell")  # with the waits of what can be read
        count = sum(finding.severity == "error" for finding in found)
        show(
            Card("bad", tr("{count} error{s}: nothing has run", count, "s" * (count != 1)), findings_text(text, found))
        )
        return
    picture = None if options.view else _picture(options.picture, program)
    machine = _machine(options, names)
    for place, expression in options.sets:
        places.write(machine, place, _value(expression, names))
    view = View(program, machine) if options.view else None  # recording runs the program
    result = machine.run(program) if view is None else None
    show(_card(text, program, options, machine, result))
    if view or picture:
        show(view or picture)


def _machine(options: CellOptions, names: Names) -> Machine:
    """The machine of this name, made where there is none; a new one without a name. Raises SimulatorError."""
    if not options.machine:
        return Machine()
    found = names.setdefault(options.machine, None)
    if found is None:
        found = names[options.machine] = Machine()
    if not isinstance(found, Machine):
        raise SimulatorError(
            tr("%%vsm: {machine} is a {name}, not a machine", options.machine, type(found).__name__),
            tr("another name behind --machine"),
        )
    return found


def _value(expression: str, names: Names) -> object:
    """The value of an expression of the user, in the user's notebook. Raises SimulatorError."""
    try:
        value: object = eval(expression, dict(names))
    except Exception as error:
        message = tr(
            "%%vsm: --set: {expression!r} has no value: {name}: {error}", expression, type(error).__name__, error
        )
        raise SimulatorError(message, tr("a variable, a number, or an expression in quotes")) from error
    return list(value) if isinstance(value, range) else value


def _card(text: str, program: Program, options: CellOptions, machine: Machine, result: RunResult | None) -> Card:
    """Cost, findings, what `d get` printed, and the dumps that were asked for."""
    found = check(program)
    early = any(finding.severity == "error" for finding in found)
    cost = cost_of(program)
    steps, s = cost.steps, "s" * (cost.steps != 1)
    head = tr("{steps} step{s} and {moves} MV, {cycles:g} cycles", steps, s, cost.moves, cost.cycles)
    if cost.nops:
        head = tr("{head}; {nops} step{s} of them wait", head, cost.nops, "s" * (cost.nops != 1))
    if early:
        head = tr("{head}. The vendor's assembler refuses it: a result is read too early", head)
    parts = [findings_text(text, found), "\n".join(result.dump if result else ())]
    parts += [places.table(place, places.read(machine, place)) for place in options.dumps]
    return Card("bad" if early else "doubtful" if found else "good", head, "\n\n".join(filter(None, parts)))


def _picture(kind: str, program: Program) -> Picture | None:
    """The picture that was asked for; auto: of a single line what it moves, of more the units over time."""
    lines = [line for line in program.lines if isinstance(line, Step | Move)]
    if kind == "none" or not lines:
        return None
    if kind == "move" or (kind == "auto" and len(lines) == 1):
        return move(lines[-1])
    if kind == "motion":
        return animate(*lines)
    return traffic(program) if kind == "traffic" else timeline(program)

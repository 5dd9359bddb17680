"""A plan is written pass by pass: what lines ask for, tables and room, is known only when all of them are there."""

from __future__ import annotations

from collections.abc import Sequence

from haribote.errors import HariboteError
from haribote.stack.code import Code
from haribote.stack.places import NoBuffer, NoRoom, Place
from haribote.stack.plan import Plan, Version
from haribote.stack.program.again import made_again
from haribote.stack.program.builder import ProgramBuilder
from simulator import isa
from simulator.messages import tr

MOST_PASSES = 24
"""How often a program is written at most, until no new table is asked for."""
SETTLED = 4
"""Passes after which words that differ from PE to PE are kept no more: some differ when addresses do, and they move
addresses. Where versions find no room they are not kept either."""
PATIENT = 4
"""Passes without room after which residents stay in DRAM, each time twice as many, though new tables are asked for:
these get their room before all else, which is enough for most programs."""
MOST_RESIDENT = isa.LM_WORDS
"""Words per PE of residents on the chip: half of its LM. What is more stays in DRAM from step to step."""
LEAST_AWAY = 32
"""Words per PE of a resident that may stay there."""


def written(plan: Plan, like: ProgramBuilder | None = None) -> ProgramBuilder:
    """All lines of a plan. like: of one with the same residents, which asks for about the same tables.

    Raises HariboteError, NoRoom among them.
    """
    if like is None:
        code, rooms, away = Code(), dict[object, Place](), _too_many(plan.resident)
    else:
        code, rooms, away = like.code.again(), dict(like.rooms), like.away
    tight = 0  # passes that found no room
    for number in range(MOST_PASSES):
        asked = code.asked
        builder = ProgramBuilder(plan, code, rooms, away)
        try:
            builder.emit()
            before, plan = plan, made_again(plan, builder.work, builder.gone)
            if code.keeps_data and (builder.gone or number >= SETTLED):
                code, rooms = code.anew(streams=True), {}
                continue
            if plan is not before:
                code.restart()
                continue
            if not code.doubtful:
                return builder
            code.restart(complete=True)  # its tables get their room before all else
            continue
        except NoRoom as error:
            if code.own_buffers and isinstance(error, NoBuffer):  # own buffers go first: they save time only
                code, rooms = code.anew(), {}
                continue
            tight += 1
            if code.asked == asked or tight > PATIENT:
                largest = _largest(plan.resident, away, 1 << max(tight - PATIENT, 0))
                if largest:
                    away |= largest
                elif code.own_buffers:  # they take room too
                    code, rooms = code.anew(), {}
                    continue
                else:
                    raise
        code.restart()  # tables that this pass has asked for get their room before all else
    raise HariboteError(
        tr("the program asks for other tables in each of {most_passes} passes", MOST_PASSES), tr("a report of it")
    )


def _too_many(resident: Sequence[Version]) -> frozenset[Version]:
    """The largest residents, without which the others take up no more than MOST_RESIDENT."""
    away = frozenset[Version]()
    while sum(2 * version.map.longs for version in resident if version not in away) > MOST_RESIDENT:
        largest = _largest(resident, away)
        if not largest:
            break
        away |= largest
    return away


def _largest(resident: Sequence[Version], away: frozenset[Version], count: int = 1) -> frozenset[Version]:
    """The largest residents that have not gone yet; none where it is not worth it."""
    worth = [version for version in resident if version not in away and 2 * version.map.longs >= LEAST_AWAY]
    return frozenset(sorted(worth, key=lambda version: version.map.longs)[-count:])

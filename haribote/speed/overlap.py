"""When everything ends if MV run beside steps: the plain form of `simulator.schedule.overlap`, with one queue of MV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from haribote.answers.ownership import exercise
from simulator.isa.program import Program
from simulator.schedule.overlap import ISSUED, items_of

RUNS = 10
"""Runs of a program, one after another; the last half of them is counted."""


@dataclass(frozen=True)
class Work:
    """Something that takes cycles. unit: "steps" or "moves". needs: numbers of the work that must have ended before."""

    unit: str
    cycles: float
    needs: tuple[int, ...] = ()


@exercise("7.9")
def timetable(work: Sequence[Work]) -> list[float]:
    """When each work ends. One of a unit at a time; steps in order, of the moves the one that can begin first."""
    raise NotImplementedError


def work_of(program: Program, runs: int = 1) -> list[Work]:
    """The steps and MV of a program that runs so many times. A MV takes 16 cycles at least: no more can be issued."""
    items = items_of(program)
    return [
        _work(item.groups, item.cycles, _needs(item.needs, run, len(items))) for run in range(runs) for item in items
    ]


def _work(groups: tuple[int, ...], cycles: float, needs: Iterator[int]) -> Work:
    return Work("moves", max(cycles, float(ISSUED)), tuple(needs)) if groups else Work("steps", cycles, tuple(needs))


def _needs(needs: Sequence[tuple[int, int]], run: int, items: int) -> Iterator[int]:
    return (other + (run - back) * items for other, back in needs if run >= back)


def cycles_per_run(program: Program, runs: int = RUNS) -> float:
    """Cycles per run of a program that runs again and again, by the timetable."""
    ends, size = timetable(work_of(program, runs)), len(items_of(program))
    done = [max(ends[run * size : (run + 1) * size]) for run in range(runs)]
    half = runs // 2
    return (done[-1] - done[half - 1]) / (runs - half)


def busy(program: Program) -> dict[str, float]:
    """How long each unit works in a run: no run can be shorter than the longer one."""
    work = work_of(program)
    return {unit: sum(item.cycles for item in work if item.unit == unit) for unit in ("steps", "moves")}

"""The pipeline, top to bottom. Every stage is a graph that can be saved, opened in Netron and evaluated.

trace → simplify → pad → decompose → tile → layout → transfer → place → kernels    on the machine
trace → simplify → pad → decompose → tile → layout → place → kernels → schedule    on the machine, -O1; and -O2 with
    the learner's kernels, where `layout` also chooses among those that their generators write (`speed.arranged`)
trace → simplify → decompose → core → plan → lines → schedule                      on the machine, -O2 (`stack.program`)
trace → simplify → cse → fuse → templates                                          in C++
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import onnx

from haribote import progress
from haribote.answers.ownership import has_learners
from haribote.chip.codegen import Find, generate
from haribote.chip.program import Compiled, link, scheduled
from haribote.errors import HariboteError
from haribote.graph import save
from haribote.operators.opset import at_our_opset
from haribote.passes import (
    assign_layouts,
    canonical,
    cse,
    decompose,
    fuse,
    fuse_greater,
    insert_transfers,
    mixed_precision,
    pad,
    simplify,
    tile,
)
from haribote.passes.place import place
from haribote.resident import lowered
from haribote.resident.compiled import compile_layouts
from simulator.frames import with_room
from simulator.messages import tr
from simulator.shell import command_line

if TYPE_CHECKING:
    from haribote.chip.session import Session
    from simulator import Machine, Program

Pass = Callable[[onnx.ModelProto], onnx.ModelProto]
Watch = Callable[[str, onnx.ModelProto, onnx.ModelProto], object]

# The stages after the trace, in order. Each pass ends with the graph verifier.
STAGES: dict[str, tuple[Pass, ...]] = {
    "simplify": (simplify.run, canonical.for_kernels),
    "pad": (pad.run,),
    "decompose": (decompose.run,),
    "tile": (tile.run,),
    "layout": (fuse_greater.run, assign_layouts.run),
    "transfer": (insert_transfers.run,),
    "place": (place,),
}

# At -O1 what is moved and where everything is are decided together.
RESIDENT_STAGES: dict[str, tuple[Pass, ...]] = {
    **{stage: passes for stage, passes in STAGES.items() if stage not in ("transfer", "place")},
    "place": (lowered.place,),
}

# The stages of the C++ backend, which has templates for softmax cross-entropy and needs no padding.
CPP_STAGES: dict[str, tuple[Pass, ...]] = {
    "simplify": (simplify.run,),
    "cse": (cse.run,),
    "fuse": (fuse.run,),
}


def lower(
    model: onnx.ModelProto,
    start: str = "simplify",
    stop_after: str = "",
    save_to: Path | None = None,
    stages: Mapping[str, tuple[Pass, ...]] = STAGES,
    watch: Watch | None = None,
) -> onnx.ModelProto:
    """Run the passes of `stages` from `start` to `stop_after` (by default the last).

    With `save_to`, write `<stage>.onnx` there after each stage; `watch` is called after each stage with its name and
    the graph before and after it (`passes.report` has what to say about them).

    Raises HariboteError for an unknown stage, and what the passes raise.
    """
    names = list(stages)
    stop_after = stop_after or names[-1]
    for stage in (start, stop_after):
        if stage not in stages:
            raise HariboteError(tr("there is no stage {stage!r}", stage), tr("one of {stages}", ", ".join(stages)))
    for stage in names[names.index(start) : names.index(stop_after) + 1]:
        before = model
        with progress.stage(stage):
            for apply in stages[stage]:
                model = apply(model)
        if save_to is not None:
            save(model, save_to / f"{stage}.onnx")
        if watch is not None:
            watch(stage, before, model)
    return model


def save_stages(model: onnx.ModelProto, folder: Path, stop_after: str, stages: Mapping[str, tuple[Pass, ...]]) -> str:
    """Write the graph of every stage up to this one to a folder; says what was written, and what can be done next."""
    lower(model, stop_after=stop_after, save_to=folder, stages=stages)
    last = folder / f"{stop_after}.onnx"
    return tr("wrote {last} (and the stages before it)\nnext: {value}", last, command_line("haribote", "view", last))


def lower_for_cpp(model: onnx.ModelProto, short: str = "") -> onnx.ModelProto:
    """The graph as the C++ backend gets it. `short`: products read this format, one of `mixed_precision.FORMATS`."""
    if not short:
        return lower(model, stages=CPP_STAGES)
    mixed = mixed_precision.run(lower(model, stop_after="cse", stages=CPP_STAGES), short)
    return lower(mixed, start="fuse", stages=CPP_STAGES)


def stages_at(level: int) -> Mapping[str, tuple[Pass, ...]]:
    """The stages of the simulated machine at a level of `LEVELS`."""
    return RESIDENT_STAGES if level == 1 else STAGES


LEVELS = (0, 1, 2)
"""What `-O` says: 0 every value goes to DRAM and back between operators, 1 it stays, 2 the compiler writes kernels."""


@with_room
def compile_for_sim(
    model: onnx.ModelProto,
    solutions: bool | None = None,
    start: str = "simplify",
    find: Find | None = None,
    level: int = 0,
    precision: str = "float",
    quick: bool = False,
) -> Compiled:
    """From a graph to machine programs, from stage `start` on; with the reference kernels or the learner's own.

    `solutions` and `find`: see `chip.codegen.generate`. level: one of LEVELS. precision: of products
    at -O2, `float`, `mixed` or `half`. quick: at -O2, the first good plan is taken.
    Raises HariboteError where there is no such level or precision.
    """
    if level not in LEVELS:
        raise HariboteError(
            tr("there is no level -O{level}", level), tr("one of {value}", ", ".join(f"-O{known}" for known in LEVELS))
        )
    if precision != "float" and level != 2:
        raise HariboteError(
            tr("--precision {precision} at -O{level}: its kernels multiply as they are written", precision, level),
            "-O2",
        )
    model = at_our_opset(model)
    if level == 1 and not quick:
        return compile_resident(model, solutions, start, find)
    if level == 2:
        own = compile_learners(model, start, find) if find is not None and precision == "float" else None
        return own or compile_stack(model, precision, quick)
    if quick:
        raise HariboteError(tr("--quick at -O{level}, which looks for no plan", level), "-O2")
    placed = lower(model, start)
    return link(placed, generate(placed, solutions, find))


def compile_resident(
    model: onnx.ModelProto, solutions: bool | None = None, start: str = "simplify", find: Find | None = None
) -> Compiled:
    """-O1: the kernels of -O0, between which values stay in LM; as `compile_for_sim`."""
    compiled = compile_layouts(lower(model, start, stop_after="layout"), solutions, find)
    return scheduled(compiled, None if solutions else learners_scheduler())


def compile_learners(model: onnx.ModelProto, start: str, find: Find) -> Compiled | None:
    """-O2 by the learner's kernels, in layouts that are chosen together; the course's where they have none.

    None where no kernel of theirs would run, or one is missing altogether: all of it is generated then.
    """
    from haribote.speed import arranged

    found = arranged.preferring(find)
    compiled = compile_layouts(arranged.run(lower(model, start, stop_after="layout"), found), False, found)
    if compiled.host_nodes or not compiled.runs_yours:
        return None
    return scheduled(compiled, learners_scheduler())


def learners_scheduler() -> Callable[[Program], Program] | None:
    """The learner's scheduler, where task 7.5 is written."""
    if not has_learners("7.5"):
        return None
    from haribote.speed.scheduler import right_schedule

    return right_schedule


def compile_stack(model: onnx.ModelProto, precision: str = "float", quick: bool = False) -> Compiled:
    """-O2: layouts planned, everything generated (`haribote.stack`), products as exact as asked. quick: by the first
    good plan."""
    from haribote.stack.program.compiled import compile_stack as compile_with_plan

    return compile_with_plan(model, precision, quick)


def start_session(compiled: Compiled, machine: Machine | None = None) -> Session:
    """A compiled step on a machine, by default the fastest that can be had."""
    from haribote.chip.runtime import KernelValues, fastest_machine
    from haribote.chip.session import Session
    from haribote.stack.program.compiled import StackCompiled
    from haribote.stack.program.session import PortValues

    machine = machine or fastest_machine()
    if isinstance(compiled, StackCompiled):
        return Session(PortValues(compiled.executable, machine))
    return Session(KernelValues(compiled, machine))

"""The pipeline, top to bottom. Every stage is a graph that can be saved, opened in Netron and evaluated.

trace → simplify → pad → decompose → tile → layout → transfer → place → kernels
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import onnx

from haribote.codegen import generate
from haribote.errors import HariboteError
from haribote.graph import save
from haribote.passes import assign_layouts, decompose, fuse_greater, insert_transfers, pad, simplify, tile
from haribote.place import place
from haribote.program import Compiled, link

Pass = Callable[[onnx.ModelProto], onnx.ModelProto]

# The stages after the trace, in order. Each pass ends with the graph verifier.
STAGES: dict[str, tuple[Pass, ...]] = {
    "simplify": (simplify.run,),
    "pad": (pad.run,),
    "decompose": (decompose.run,),
    "tile": (tile.run,),
    "layout": (fuse_greater.run, assign_layouts.run),
    "transfer": (insert_transfers.run,),
    "place": (place,),
}

CPP_PASSES: tuple[Pass, ...] = (simplify.run,)


def lower(
    model: onnx.ModelProto, start: str = "simplify", stop_after: str = "place", save_to: Path | None = None
) -> onnx.ModelProto:
    """Run the passes from `start` to `stop_after`; with `save_to`, write `<stage>.onnx` there after each stage.

    Raises HariboteError for an unknown stage, and what the passes raise.
    """
    for stage in (start, stop_after):
        if stage not in STAGES:
            raise HariboteError(f"there is no stage {stage!r}", f"one of {', '.join(STAGES)}")
    names = list(STAGES)
    for stage in names[names.index(start) : names.index(stop_after) + 1]:
        for apply in STAGES[stage]:
            model = apply(model)
        if save_to is not None:
            save(model, save_to / f"{stage}.onnx")
    return model


def lower_for_cpp(model: onnx.ModelProto) -> onnx.ModelProto:
    """The graph as the C++ backend gets it."""
    for apply in CPP_PASSES:
        model = apply(model)
    return model


def compile_for_sim(model: onnx.ModelProto, solutions: bool = False, start: str = "simplify") -> Compiled:
    """From a graph to machine programs, from stage `start` on; with the reference kernels or the learner's own."""
    placed = lower(model, start)
    return link(placed, generate(placed, solutions))

"""The last case of tasks whose answer is a small part of the product: what calls it runs, and tells what came out.

While a run works the answer stands where the product has its own (`ownership.standing_in`). Each run takes what is
given and gives plain values, as a form does; the judge compares them with what the course's answer makes of the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from grader.emitter.graphs import graph_given
from grader.emitter.values import Array, Value, Values
from haribote.answers.ownership import standing_in
from haribote.answers.tasks import Task

Run = Callable[[Values], dict[str, Value]]

KEY = "in the product"
"""In what is given: the case is a run of the product."""


class _Layer:
    """A backend of one layer that is not trained. weights: [pixels, 10]."""

    def __init__(self, weights: Array) -> None:
        self._weights = weights

    def logits(self, images: Array) -> Array:
        """Class scores of images [n, pixels]."""
        found: Array = images @ self._weights
        return found


def evaluated(given: Values) -> dict[str, Value]:
    """Task 0.1: the accuracy of one layer on many images. Given: images [n, pixels], weights, labels [n]."""
    from haribote.training.evaluation import evaluate

    images, weights, labels = (np.asarray(given[name]) for name in ("images", "weights", "labels"))
    return {"accuracy": evaluate(_Layer(weights), images, labels)}


def laid_out(given: Values) -> dict[str, Value]:
    """Task 4.1: a tensor in the local memories of two L1Bs, and read back. Given: its layout, its values."""
    from haribote.layout import Layout

    layout, values = Layout.parse(str(given["layout"])), np.asarray(given["values"])
    memory = np.zeros((layout.words, 4096), np.uint32)
    layout.scatter(values, memory, 0)
    return {"memory": memory[:, :128], "values": layout.gather(memory, 0)}


def profiled(given: Values) -> dict[str, Value]:
    """Task 7.1: the profile of a program by its units. Given: its text."""
    from haribote.speed.profile import cycles_by_unit
    from simulator import assemble

    found = sorted(cycles_by_unit(assemble(str(given["text"]))).items())
    return {"names": [name for name, _ in found], "cycles": np.array([cycles for _, cycles in found])}


def scheduled(given: Values) -> dict[str, Value]:
    """Tasks 7.3 and 7.4: a program with fewer steps. Given: its text."""
    from haribote.speed.scheduler import schedule
    from simulator import assemble

    return {"text": schedule(assemble(str(given["text"]))).source}


def distances(given: Values) -> dict[str, Value]:
    """Task 7.6: how far words travel from each layout of a 256x16 tensor to each other one."""
    from haribote.speed.chain import LAYOUTS, map_of
    from haribote.speed.travel import carried, how_far

    tables = [carried(map_of(layout)) for layout in LAYOUTS]
    return {"within": [how_far(before, after) for before in tables for after in tables]}


def planned(given: Values) -> dict[str, Value]:
    """Task 7.7: the layouts of a chain of operators at the compiler's prices, and what they cost."""
    from haribote.speed.chain import cheapest_layouts, cost_of_plan, move_between, work_of

    layouts, operators = ("A", "P", "B"), ("relu", "exp", "rows")
    work = [{layout: work_of(operator)[layout] for layout in layouts} for operator in operators]
    move = {(a, b): 0.0 if a == b else move_between(a, b).cost.cycles for a in layouts for b in layouts}
    return {"cycles": cost_of_plan(cheapest_layouts(work, move, "A", "B"), work, move, "A", "B")}


def precise(given: Values) -> dict[str, Value]:
    """Task 7.8: which products of a training step the planner may compute in halves. Given: the step."""
    from haribote.stack.planner.precision import PRODUCTS, delicate, ways

    model = graph_given(given["model"])
    found = delicate(model)
    products = [node.name for node in model.graph.node if node.op_type in PRODUCTS]
    return {"ways": [[name, *ways("mixed", name in found)] for name in products]}


def overlapped(given: Values) -> dict[str, Value]:
    """Task 7.9: the cycles of a program that runs again and again. Given: its text."""
    from haribote.speed.overlap import cycles_per_run
    from simulator import assemble

    return {"cycles": cycles_per_run(assemble(str(given["text"])))}


def cut(given: Values) -> dict[str, Value]:
    """Task 8.5: the pieces of a training step of which every other kind of operator is the host's. Given: the step."""
    from haribote.graph import Index
    from haribote.partition.phases import phases

    model = graph_given(given["model"])
    kinds = sorted({node.op_type for node in model.graph.node})
    sides = {node.name: "host" if kinds.index(node.op_type) % 2 else "chip" for node in model.graph.node}
    found = phases(model, sides, Index(model))  # type: ignore[arg-type]
    return {"pieces": [[side, *(node.name for node in nodes)] for side, nodes in found]}


def packed(given: Values) -> dict[str, Value]:
    """Task 8.6: the memory of a training step in C++. Given: the step. Answer: how many values have a place of their
    own."""
    from haribote.cpp.arena import plan

    return {"values": len(plan(graph_given(given["model"])).offsets)}


RUNS: dict[str, Run] = {
    "0.1": evaluated,
    "4.1": laid_out,
    "7.1": profiled,
    "7.3": scheduled,
    "7.4": scheduled,
    "7.6": distances,
    "7.7": planned,
    "7.8": precise,
    "7.9": overlapped,
    "8.5": cut,
    "8.6": packed,
}


def in_product(task: Task, function: Callable[..., Any], given: Values) -> dict[str, Value]:
    """What the product makes of what is given with this answer to the task."""
    with standing_in(task.id, function):
        return RUNS[task.id](given)

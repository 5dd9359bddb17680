"""How a search for a plan looks at products: what their steps count beside moves, where their sums may lie, and how
large they are where every axis has places of its own.

A plan is judged by what its actions take one after another, but in the scheduled program much goes on beside products;
how much is seen only when it is scheduled. So where a plan is far from the least that its graph needs, the same graph
is planned again with other looks, and the schedules decide.
"""

from __future__ import annotations

from typing import NamedTuple

import onnx

from haribote.stack.plan import Plan, Stream
from haribote.stack.products.bound import model_bound


class Look(NamedTuple):
    """products: what a cycle of a product counts beside one of anything else. dealt_out: the sum of a product's parts
    may also be dealt out over the L1Bs that held them, so that what follows is done once, not in all of them.
    shared_out: over L2Bs and groups too; then nothing but cuts of all axes (`shards`) is tried, since other ways to cut
    values find worse plans so. least_work: multiply-adds of the largest product from which on those cuts are tried.
    by_rows: they deal the batch out row by row, and nothing else is tried."""

    products: float
    dealt_out: bool
    shared_out: bool
    least_work: int
    by_rows: bool = False


FIRST = Look(1.0, False, False, 1 << 22)
"""Of every graph."""
SECOND, THIRD = Look(1.8, True, False, 1 << 20), Look(1.8, True, True, 1 << 20)
"""Of those for which `worth_another` says so."""
BY_ROWS = FIRST._replace(by_rows=True)
"""Of those whose values are all cut in one way, since a batch that is no power of two leaves units idle when eight rows
at a time are dealt out."""
FAR = 4.0
"""How many times as long as the least a plan looks, until another look is worth its time."""
FEW_NODES, FEW_IF_CUT = 48, 200
"""Nodes of graphs that are planned quickly enough for it: train steps of three linear layers have 46. Of one whose
values are all cut in one way there may be more, since a cut leaves few layouts to choose from."""
LEAST_CYCLES = 50
"""Cycles of the matrix units that products must have for it."""


def worth_another(model: onnx.ModelProto, plan: Plan, cycles: float, is_cut: bool = False) -> bool:
    """Whether a plan that looks as if it took so many cycles is worth another look at its graph. model: the graph
    without the names and constants that the plan adds. is_cut: all values are cut in one way."""
    few = FEW_IF_CUT if is_cut else FEW_NODES
    if len(model.graph.node) >= few or any(isinstance(action, Stream) for action in plan.actions):
        return False
    least = model_bound(model)
    return least.mac >= LEAST_CYCLES and cycles > FAR * least.cycles

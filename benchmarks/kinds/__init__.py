"""The kinds of nodes that random graphs are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from benchmarks.growing import Grower
from benchmarks.kinds import elementwise, lookups, moves, products, reductions

KINDS: Mapping[str, Callable[[Grower], None]] = {
    function.__name__.strip("_"): function
    for module in (elementwise, reductions, moves, lookups, products)
    for function in module.ALL
}
"""By name; each adds a node or two, or raises GraphError where the graph has nothing for it."""

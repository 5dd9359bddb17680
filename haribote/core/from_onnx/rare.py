"""What is rare: casts to a type that is there already, constants, averages of several values.

Bernoulli(p)     ->  1 where a random number is below p
CastLike(x, y)   ->  Cast to the type of y, or x itself
Dropout(x)       ->  x, and truths as its mask
EyeLike(x)       ->  a constant
"""

from __future__ import annotations

import numpy as np

from haribote.core.from_onnx.rules import rule
from haribote.core.rewrite import Rewriter


@rule("Cast", "CastLike")
def cast(g: Rewriter) -> str | bool:
    """Cast and CastLike; False for a Cast that changes something."""
    x = g.node.input[0]
    if g.dtypes[x] == g.dtypes[g.result]:
        return g.op("Identity", x)
    return g.node.op_type != "Cast" and g.cast(x, g.dtypes[g.result])


@rule("Bernoulli")
def bernoulli(g: Rewriter) -> str | bool:
    """Bernoulli: 1 with probability p. ONNX's own body of it compares the other way round and gives 1 - p."""
    p, seed = g.node.input[0], {name: value for name, value in g.given.items() if name == "seed"}
    below = g.op("Less", g.op("RandomUniformLike", p, part="chance", **seed), p, part="below")
    return g.cast(below, g.dtypes[g.result])


@rule("EyeLike")
def eye(g: Rewriter) -> str | bool:
    """EyeLike: a constant."""
    rows, columns = g.shapes[g.result]
    ones = np.eye(rows, columns, g.given.get("k", 0), g.dtypes[g.result])
    return g.op("Identity", g.constant(ones, "ones"))


@rule("Dropout")
def dropout(g: Rewriter) -> str | bool:
    """Dropout where it drops nothing; False where it trains."""
    training = g.input(2)
    if training and g.index.constants.get(training, np.array(True)).any():
        return False
    for number, name in enumerate(name for name in g.node.output if name):
        kept = g.constant(np.ones(g.shapes[name], np.bool_), "kept") if number else g.node.input[0]
        g.op("Identity", kept, name=name)
    return True


@rule("Mean")
def mean_of(g: Rewriter) -> str | bool:
    """Mean of several values: their sum over their number."""
    total = g.op("Sum", *g.node.input, part="sum")
    return g.op("Div", total, g.number(len(g.node.input), g.result))

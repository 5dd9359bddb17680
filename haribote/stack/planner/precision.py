"""How exact products are: `float`, `mixed` or `half`. Sums, everything element by element and updates stay single."""

from __future__ import annotations

from typing import Literal

import onnx

from haribote.answers.ownership import exercise
from haribote.errors import HariboteError
from haribote.graph import Index
from haribote.stack import products
from haribote.stack.planner.letters import PRODUCTS as PRODUCTS
from simulator.messages import tr

Precision = Literal["float", "mixed", "half"]
"""float: products of singles. half: of halves where an operand's layout allows it, else of pseudo-singles. mixed: as
half, but for products that an exponential or an output sees (`delicate`). Inputs that only products of halves or
pseudo-singles read lie in DRAM as halves (`halves.stored_as_halves`)."""
PRECISIONS: tuple[Precision, ...] = ("float", "mixed", "half")

SUMS = ("Add", "Sub", "Neg", "ReduceMax", "Identity", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Transpose")
"""Operators that hand on an error as it is; so do those of SCALES beside a constant."""
SCALES = ("Mul", "Div")


def checked(precision: str) -> Precision:
    """A precision by its name. Raises HariboteError where there is none of this name."""
    for known in PRECISIONS:
        if known == precision:
            return known
    raise HariboteError(
        tr("there is no precision {precision!r}", precision), tr("one of {precisions}", ", ".join(PRECISIONS))
    )


def ways(precision: Precision, delicate_product: bool) -> tuple[products.Precision, ...]:
    """What a product may be computed in. Pseudo-singles stand beside halves, which need a summed bit at the lowest
    address bit of both operands."""
    if precision == "float" or (precision == "mixed" and delicate_product):
        return ("float",)
    return ("half", "pseudo")


@exercise("7.8")
def delicate(model: onnx.ModelProto) -> frozenset[str]:
    """The names of the products whose result reaches an exponential, a logarithm or an output of the graph (but no new
    value of a parameter) through additions only: the logits.

    There an error of the product is an error of the exponent, and so a relative error of every probability and of all
    gradients that follow; elsewhere it is one among many that are summed up, or that a learning rate makes small.
    """
    raise NotImplementedError


def hands_on(node: onnx.NodeProto, index: Index) -> bool:
    """True for a node that only adds or scales by constants, so that an error of what it reads is one of its result."""
    constant = any(name in index.constants for name in node.input)
    return node.op_type in SUMS or (node.op_type in SCALES and constant)

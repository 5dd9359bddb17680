"""The machine's arithmetic: functions on NumPy arrays of bit patterns (isa.md, sections 9 to 11)."""

from simulator.engine.numbers.alu import floor, leaky_relu, maximum, minimum, reciprocal_sqrt, relu, to_integer
from simulator.engine.numbers.blockfloat import block_float, block_format, block_value, extended_block_float
from simulator.engine.numbers.formats import (
    DOUBLE,
    FORMATS,
    HALF,
    NARROWER,
    SINGLE,
    Bits,
    Format,
    exact,
    from_float64,
    narrow,
    to_float64,
    widen,
)
from simulator.engine.numbers.matrix import matvec
from simulator.engine.numbers.reduction import initial_value, reduce
from simulator.engine.numbers.vector import add, fma, multiply, normalise

__all__ = [
    "DOUBLE",
    "FORMATS",
    "HALF",
    "NARROWER",
    "SINGLE",
    "Bits",
    "Format",
    "add",
    "block_float",
    "block_format",
    "block_value",
    "exact",
    "extended_block_float",
    "floor",
    "fma",
    "from_float64",
    "initial_value",
    "leaky_relu",
    "matvec",
    "maximum",
    "minimum",
    "multiply",
    "narrow",
    "normalise",
    "reciprocal_sqrt",
    "reduce",
    "relu",
    "to_float64",
    "to_integer",
    "widen",
]

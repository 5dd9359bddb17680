"""Elements of a tensor in C++: their types, numbers, and what element-wise operators make of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np
from onnx import helper

from haribote.core.elementwise import ELEMENTWISE
from haribote.errors import UnsupportedOp
from simulator.messages import tr

ELEMENT_TYPES: dict[np.dtype[Any], str] = {
    np.dtype(np.float32): "float",
    np.dtype(np.float64): "double",
    np.dtype(np.int64): "std::int64_t",
    np.dtype(np.int32): "std::int32_t",
    **{np.dtype(name): f"std::{name}_t" for name in ("int8", "int16", "uint8", "uint16", "uint32", "uint64")},
    np.dtype(np.bool_): "bool",
}


def element_type(dtype: np.dtype[Any], what: str) -> str:
    """The C++ type of an element. Raises UnsupportedOp where there is none; what: has such elements."""
    if dtype not in ELEMENT_TYPES:
        raise UnsupportedOp(
            tr("C++: {what} has elements of {dtype}", what, dtype),
            tr("one of {names}", ", ".join(map(str, ELEMENT_TYPES))),
        )
    return ELEMENT_TYPES[dtype]


def literal(value: Any) -> str:
    """A NumPy scalar as a C++ literal that gives exactly the same value."""
    if isinstance(value, np.bool_):
        return "true" if value else "false"
    if isinstance(value, np.integer):
        return "INT64_MIN" if int(value) == -(2**63) else f"{int(value)}{'u' * (int(value) > 2**63 - 1)}"
    suffix, kind = ("f", "float") if value.dtype == np.float32 else ("", "double")
    if np.isnan(value):
        return f"std::numeric_limits<{kind}>::quiet_NaN()"
    if np.isinf(value):
        return f"{'-' if value < 0 else ''}std::numeric_limits<{kind}>::infinity()"
    plain = value == 0 or 1e-4 <= abs(value) < 1e6
    return (np.format_float_positional(value, trim="0") if plain else np.format_float_scientific(value)) + suffix


def expression(op_type: str, operands: Sequence[str], attributes: Mapping[str, Any]) -> str:
    """One element of an operator of `core.elementwise`, whose row has C++; operands: names of elements.

    attributes: all of the operator, as `core.elementwise.given_or_default` gives them.
    """
    row = ELEMENTWISE[op_type]
    written = {name: _attribute(name, value) for name, value in attributes.items()}
    if row.many:
        return reduce(lambda x, y: row.cpp.format(x, y, **written), operands)
    return row.cpp.format(*operands, **written)


def _attribute(name: str, value: Any) -> str:
    if name == "to":
        return element_type(helper.tensor_dtype_to_np_dtype(value), "Cast")
    return literal(np.float32(value)) if isinstance(value, float) else str(value)

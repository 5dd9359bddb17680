"""The C++ types and literals of a tensor's elements."""

from __future__ import annotations

from typing import Any

import numpy as np

ELEMENT_TYPES = {
    np.dtype(np.float32): "float",
    np.dtype(np.float64): "double",
    np.dtype(np.int64): "std::int64_t",
    np.dtype(np.int32): "std::int32_t",
    np.dtype(np.uint8): "std::uint8_t",
    np.dtype(np.bool_): "bool",
}


def literal(value: Any) -> str:
    """A NumPy scalar as a C++ literal that gives exactly the same value."""
    if isinstance(value, np.bool_):
        return "true" if value else "false"
    if isinstance(value, np.integer):
        return "INT64_MIN" if int(value) == -(2**63) else str(int(value))
    suffix, kind = ("f", "float") if value.dtype == np.float32 else ("", "double")
    if np.isnan(value):
        return f"std::numeric_limits<{kind}>::quiet_NaN()"
    if np.isinf(value):
        return f"{'-' if value < 0 else ''}std::numeric_limits<{kind}>::infinity()"
    plain = value == 0 or 1e-4 <= abs(value) < 1e6
    return (np.format_float_positional(value, trim="0") if plain else np.format_float_scientific(value)) + suffix

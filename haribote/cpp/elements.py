"""The C++ types of a tensor's elements."""

from __future__ import annotations

import numpy as np

ELEMENT_TYPES = {
    np.dtype(np.float32): "float",
    np.dtype(np.float64): "double",
    np.dtype(np.int64): "std::int64_t",
    np.dtype(np.int32): "std::int32_t",
    np.dtype(np.uint8): "std::uint8_t",
    np.dtype(np.bool_): "bool",
}

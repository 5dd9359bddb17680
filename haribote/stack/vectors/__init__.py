"""Vectors: a chain of element-wise operators as one loop over the words of a PE, an expression in registers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.errors import UnsupportedOp
from haribote.stack.code import Code
from haribote.stack.places import Place


def emit(
    code: Code,
    nodes: Sequence[onnx.NodeProto],
    reads: Mapping[str, Sequence[Place]],
    writes: Mapping[str, Sequence[Place]],
    dtypes: Mapping[str, np.dtype],
    constants: Mapping[str, NDArray[np.generic]],
) -> None:
    """The lines of element-wise nodes, in topological order, added to `code`.

    reads: for every input its homes, the same map in one or more banks. writes: for every output its targets; the map
    of the first one is the index space that all others are broadcast to. constants: arrays of one element.
    """
    raise UnsupportedOp(f"no element-wise operators yet: {[node.op_type for node in nodes]}")

"""What an operator makes of padding: the reference evaluator's result for single elements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import onnx
from onnx import helper

from haribote.operators.functions import DOMAIN, FUNCTIONS, OPSET
from haribote.operators.mended import evaluator
from haribote.stack.vectors.accuracy import ACCURACY

RANGES = {"int32": (-(2.0**31), 2.0**31 - 1), "uint32": (0.0, 2.0**32 - 1)}
"""Of integers on the chip."""
NEAR_0 = ("Acos", "Acosh", "Asin", "Asinh", "Atanh", "Cos", "Cosh", "Sin", "Sinh", "Tan")
"""What is only right of numbers that are not large."""
LARGEST_EXACT = 2.0**24
"""Of whole numbers that every type has."""


def fill_of(
    node: onnx.NodeProto, fills: Mapping[str, float | None], dtypes: Mapping[str, np.dtype[Any]] | None = None
) -> float | None:
    """The value of an element-wise node where every input holds its fill; None where an input holds anything, or the
    result is no number.

    dtypes: of the inputs, float32 where nothing is said.
    """
    values: list[tuple[str, float]] = []
    for name in node.input:
        fill = fills.get(name)
        if name and fill is None:
            return None
        dtype = str(np.dtype((dtypes or {}).get(name, np.dtype(np.float32))))
        dtype = "int32" if dtype == "int64" else dtype  # as the chip has them
        if dtype in RANGES and fill is not None and not RANGES[dtype][0] <= fill <= RANGES[dtype][1]:
            return None
        values.append((dtype, fill or 0.0))
    if _differs(node.op_type, values):
        return None
    return _fill(node.SerializeToString(), tuple(values))


def _differs(op_type: str, values: Sequence[tuple[str, float]]) -> bool:
    """True where the chip may give something else than ONNX: an infinity is a number to the MAU, sines and the like are
    of small numbers, and integers divided by 0 give anything.
    """
    if any(np.isinf(value) for _, value in values):
        return True
    if op_type in NEAR_0:
        return abs(values[0][1]) > ACCURACY[op_type].high
    return op_type in ("Div", "Mod") and values[1][0] in RANGES and values[1][1] == 0.0


@lru_cache(maxsize=1 << 12)
def _fill(text: bytes, values: tuple[tuple[str, float], ...]) -> float | None:
    node = onnx.NodeProto.FromString(text)
    arrays = {name: np.array([v], dtype) for name, (dtype, v) in zip(node.input, values, strict=True) if name}
    for name, array in arrays.items():
        if node.op_type == "Clip" and name != node.input[0]:
            arrays[name] = array.reshape(())
    infos = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), None)
        for name, array in arrays.items()
    ]
    result = helper.make_tensor_value_info(node.output[0], onnx.TensorProto.UNDEFINED, None)
    graph = helper.make_graph([node], "fill", infos, [result])
    imports = [helper.make_opsetid("", OPSET), helper.make_opsetid(DOMAIN, 1)]
    functions = [FUNCTIONS[node.op_type]] if node.domain == DOMAIN else []
    model = helper.make_model(graph, opset_imports=imports, functions=functions)
    with np.errstate(all="ignore"):
        results: Any = evaluator(model).run(None, arrays)
    found = float(results[0].reshape(-1)[0])
    if np.isnan(found) or (node.op_type == "Cast" and any(abs(v) > LARGEST_EXACT for _, v in values)):
        return None  # integers saturate in other ways there
    low, high = RANGES.get(results[0].dtype.name.replace("int64", "int32"), (-np.inf, np.inf))
    return found if np.isfinite(found) and low <= found <= high else None

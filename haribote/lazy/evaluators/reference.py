"""What an expression means: its arrays one after another, by NumPy. The other evaluators are compared with this."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haribote.core.cells import Cell
from haribote.core.elementwise import ELEMENTWISE
from haribote.lazy.primitives.arrays import Array, Constant, Input, Map, Product, Reduce, Stack, View, walk

FOLDS: dict[str, Any] = {"Add": np.sum, "Mul": np.prod, "Max": np.max, "Min": np.min}


class Reference:
    """The expressions by name, evaluated on inputs by name."""

    def __init__(self, outputs: Mapping[str, Array]) -> None:
        self.outputs = dict(outputs)

    def __call__(self, inputs: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Every output."""
        values: dict[int, NDArray[Any]] = {}
        with np.errstate(all="ignore"):  # as on the other devices, infinities and NaN are values
            for found in walk(*self.outputs.values()):
                operands = [values[id(operand)] for operand in found.operands]
                values[id(found)] = np.asarray(_value(found, operands, inputs), found.dtype)
        return {name: values[id(output)] for name, output in self.outputs.items()}


def _value(found: Array, operands: list[NDArray[Any]], inputs: Mapping[str, NDArray[Any]]) -> Any:
    match found:
        case Input():
            return inputs[found.name]
        case Constant():
            return found.value
        case Map():
            return np.broadcast_to(found.cell.at(operands, _cell), found.shape)
        case Reduce():
            wide = np.float64 if found.dtype.kind == "f" and found.op in ("Add", "Mul") else found.dtype
            return FOLDS[found.op](operands[0].astype(wide), axis=found.axes)
        case View():
            grids = [*np.indices(found.shape)]
            places = tuple(np.broadcast_to(part.at(grids), found.shape) for part in found.index)
            return np.broadcast_to(operands[0][places], found.shape)  # a single number has no indices, and one element
        case Stack():
            return np.stack(operands, found.axis)
        case Product():
            return operands[0].astype(np.float64) @ operands[1].astype(np.float64)
    raise TypeError(type(found))


def _cell(cell: Cell, operands: list[Any]) -> Any:
    return cell.value if cell.op == "number" else ELEMENTWISE[cell.op].numpy(*operands)

"""Where and how the device holds a value."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from haribote.mlsdk.interface import Complete

HOST_LAYOUT = "row-major"


@dataclass(frozen=True)
class IOSpec(Complete):
    """An input or output of a compiled function.

    Attributes:
        name: in the function.
        shape, dtype: as the function has it.
        location: the memory that it lies in between two functions, DRAM.
        layout: which element lies where in it, in the notation of `haribote.stack.notation`; on the host row-major.
        stored: the type of its elements there, `float32` for all floats and `int32` for all others on the chip.
    """

    interface = ("dtype", "is_memcopyable_to", "layout", "location", "name", "shape")

    name: str
    shape: tuple[int, ...]
    dtype: torch.dtype
    location: str = "DRAM"
    layout: str = HOST_LAYOUT
    stored: str = "float32"
    fill: float | None = field(default=None, repr=False)
    """What lies at places beyond the shape; None: anything, or nothing that matters."""

    def is_memcopyable_to(self, other: IOSpec) -> bool:
        """Whether a value that lies like this is, word by word, one that lies like `other`."""
        mine = (self.shape, self.dtype, self.location, self.layout, self.stored)
        same = mine == (other.shape, other.dtype, other.location, other.layout, other.stored)
        return same and (other.fill is None or other.fill == self.fill)

    @property
    def size(self) -> int:
        """Bytes of its elements on the device."""
        return prod(self.shape) * (1 if self.stored == "bool" else np.dtype(self.stored).itemsize)


def array_type(dtype: torch.dtype) -> np.dtype[Any]:
    """The type of a tensor's elements on the host before they go to the device: no float but the single."""
    return np.dtype(np.float32) if dtype.is_floating_point else np.dtype(str(dtype).removeprefix("torch."))


def to_array(tensor: torch.Tensor, dtype: np.dtype[Any]) -> NDArray[Any]:
    """A tensor as the device's array: a copy that shares nothing."""
    value = tensor.detach().to("cpu")
    if value.dtype == torch.bfloat16:
        value = value.float()
    return np.array(value.numpy(), dtype, order="C", copy=True)


def to_tensor(array: NDArray[Any], dtype: torch.dtype) -> torch.Tensor:
    """The device's array as a tensor of the user's dtype: a copy that shares nothing."""
    return torch.from_numpy(np.array(array, order="C", copy=True)).to(dtype)

"""A traced program without writes in place, and in single precision, which is what the device has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, fx
from torch.fx.experimental.proxy_tensor import make_fx

from haribote.frontend.aten import PROFILER
from haribote.frontend.decompositions import decompositions

aten = torch.ops.aten
_TYPES = {
    **dict.fromkeys((torch.float64, torch.float16, torch.bfloat16), torch.float32),
    **dict.fromkeys((torch.uint8, torch.int8, torch.int16), torch.int32),
}
"""The device has no others: what stands in their place."""


def _single(value: Any) -> Any:
    """Values and dtypes as the device has them."""
    if isinstance(value, Tensor):
        return value.to(_TYPES.get(value.dtype, value.dtype))
    return _TYPES.get(value, value) if isinstance(value, torch.dtype) else value


def _zeros(size: Sequence[int], *_: Any, dtype: torch.dtype | None = None, **__: Any) -> Tensor:
    return torch.zeros(size, dtype=dtype)


def _new_zeros(like: Tensor, size: Sequence[int], *_: Any, dtype: torch.dtype | None = None, **__: Any) -> Tensor:
    return torch.zeros(size, dtype=dtype or like.dtype)


_EMPTY: dict[Any, Callable[..., Tensor]] = {
    aten.empty.memory_format: _zeros,
    aten.empty_permuted.default: _zeros,
    aten.empty_strided.default: _zeros,
    aten.new_empty.default: _new_zeros,
    aten.new_empty_strided.default: _new_zeros,
}
"""What is in an empty tensor does not matter: zeros are a constant."""


class _Single(fx.Interpreter):
    """Runs the notes in single precision, whatever the function asked for."""

    def run_node(self, n: fx.Node) -> Any:
        """One operation. Of torch's profiler nothing is left."""
        if getattr(n.target, "namespace", "") == PROFILER:
            return None
        return super().run_node(n)

    def fetch_attr(self, target: str) -> Any:
        """A constant."""
        return _single(super().fetch_attr(target))

    def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
        """An operation, its dtypes in single."""
        args, kwargs = fx.node.map_aggregate(args, _single), fx.node.map_aggregate(kwargs, _single)
        name = str(target).removeprefix("aten._foreach_").partition(".")[0]
        if str(target).startswith("aten._foreach_"):
            return _each(name, args, kwargs)
        return super().call_function(target, args, kwargs)


def _each(name: str, args: Any, kwargs: Any) -> list[Tensor]:
    """An operation on lists of tensors, one after another."""
    count = len(args[0])
    rows = zip(*(arg if isinstance(arg, list | tuple) else [arg] * count for arg in args), strict=True)
    return [getattr(Tensor, name)(*row, **kwargs) for row in rows]


def pure(program: fx.GraphModule, examples: Sequence[Tensor]) -> fx.GraphModule:
    """The notes as operations that write nothing in place."""

    def again(*tensors: Tensor) -> Any:
        return _Single(program).run(*tensors)

    with fx.traceback.preserve_node_meta(), torch.no_grad():
        functional = torch.func.functionalize(again, remove="mutations")
        tracer = make_fx(functional, decompositions() | _EMPTY)
        result: fx.GraphModule = tracer(*(_single(example) for example in examples))
    for node in reversed(result.graph.nodes):
        if not node.users and (node.target is aten.copy_.default or node.op in ("call_function", "get_attr")):
            result.graph.erase_node(node)
    return result

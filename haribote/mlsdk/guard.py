"""What a function may not do while it is traced, and which line of the user's does what."""

from __future__ import annotations

import operator
import sys
import traceback
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, fx, nn
from torch.fx.experimental.proxy_tensor import get_proxy_mode, has_proxy_slot
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from haribote.errors import UnsupportedModel, UnsupportedOp
from simulator.messages import tr

_GRAD = vars(torch._C.TensorBase)["grad"].__get__


class Guard(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Stops what would reach outside: writes to tensors that the graph does not know, random numbers.

    strangers: parameters that are not registered, with the gradients that they had.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.strangers: dict[int, tuple[Tensor, Tensor | None]] = {}

    def restore(self) -> None:
        """Give parameters that are not registered their gradients back."""
        for parameter, grad in self.strangers.values():
            parameter.grad = grad

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        mode = get_proxy_mode()
        if mode is not None:
            if torch.Tag.nondeterministic_seeded in func.tags:
                what = tr("{func} makes random numbers, which a compiled function cannot, {where}", func, _where())
                raise UnsupportedOp(what, tr("random numbers as an input; model.eval() where it is dropout"))
            for position, argument in enumerate(func._schema.arguments):
                if argument.alias_info is None or not argument.alias_info.is_write:
                    continue
                target = args[position] if position < len(args) else kwargs.get(argument.name)
                for tensor in target if isinstance(target, list | tuple) else [target]:
                    if isinstance(tensor, Tensor) and not has_proxy_slot(tensor, mode.tracer):
                        raise UnsupportedModel(
                            tr(
                                "the function writes to a tensor of shape {shape} that is not registered, {where}",
                                list(tensor.shape),
                                _where(),
                            ),
                            tr("context.register_param, register_buffer or registry.register before compile"),
                        )
            for argument in args:
                if isinstance(argument, nn.Parameter) and not has_proxy_slot(argument, mode.tracer):
                    self.strangers.setdefault(id(argument), (argument, argument.grad))
        result = func(*args, **kwargs)
        if mode is not None:
            _note_line(result, mode.tracer)
        return result


class Gradients(TorchFunctionMode):
    """Notes of which tensors the function has asked for the gradient while there was none, as `zero_grad` does."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[int] = set()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if func == _GRAD and result is None:
            self.asked.add(id(args[0]))
        return result

    def added(self, tensor: Tensor) -> bool:
        """Whether a tensor has a gradient afterwards to which another call would add."""
        return tensor.is_leaf and tensor.grad is not None and id(tensor) not in self.asked


def _note_line(result: Any, tracer: Any) -> None:
    """Write the user's line to the operation that made a result."""
    for tensor in result if isinstance(result, list | tuple) else [result]:
        if isinstance(tensor, Tensor) and has_proxy_slot(tensor, tracer):
            node = tracer.tensor_tracker[tensor].proxy.node
            for made in (node, *(node.args if node.target is operator.getitem else ())):
                if isinstance(made, fx.Node):
                    made.meta.setdefault("stack_trace", _where())


def _where() -> str:
    """`at file:line` of the innermost frame that is neither torch's nor ours."""
    inside = (str(Path(torch.__file__).parent), str(Path(__file__).parent), str(Path(sys.prefix)), "<")
    frame = sys._getframe(1)
    while frame is not None:
        if not frame.f_code.co_filename.startswith(inside):
            return f"at {frame.f_code.co_filename}:{frame.f_lineno}"
        frame = frame.f_back  # type: ignore[assignment]
    return tr("inside torch")


def line_of(error: BaseException) -> str:
    """The line of the user's that an error passed through last."""
    inside = (str(Path(torch.__file__).parent), str(Path(__file__).parent), "<")
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(inside)]
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else tr("inside torch")

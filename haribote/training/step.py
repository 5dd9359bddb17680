"""The training step that is compiled: PyTorch gives the forward pass, the compiler's own rules the gradients."""

from __future__ import annotations

from typing import Any

import onnx

from haribote.autodiff.reverse import train_step
from haribote.autodiff.rules import RULES


def training_step(model: Any, optimiser: Any, images: Any, labels: Any) -> onnx.ModelProto:
    """As `frontend.torch.trace_step`, but with gradients and update by rules of `autodiff` (tasks 2.1 to 2.5).

    PyTorch's own backward pass is traced where there is no such rule: for an operator of the model, a buffer that it
    changes, or an optimiser that is not SGD, with or without momentum.
    """
    from haribote.frontend.torch import trace_loss, trace_step

    momentum = _momentum(optimiser)
    if momentum is None or list(model.buffers()):
        return trace_step(model, optimiser, images, labels)
    forward = trace_loss(model, images, labels)
    if any(node.op_type not in RULES for node in forward.graph.node):
        return trace_step(model, optimiser, images, labels)
    group = optimiser.param_groups[0]
    known = {id(parameter) for parameter in group["params"]}
    names = [name for name, parameter in model.named_parameters() if id(parameter) in known]
    return train_step(forward, float(group["lr"]), momentum, names)


def _momentum(optimiser: Any) -> float | None:
    """Of plain SGD, 0.0 where it has none; None for any other optimiser."""
    import torch

    if type(optimiser) is not torch.optim.SGD or len(optimiser.param_groups) != 1:
        return None
    group = optimiser.param_groups[0]
    if any(group[name] for name in ("weight_decay", "dampening", "nesterov", "maximize")):
        return None
    return float(group["momentum"])

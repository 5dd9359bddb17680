"""PyTorch's SGD in the form that traces to plain operations."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from haribote.errors import UnsupportedModel


def sgd_groups(model: nn.Module, optimizer: torch.optim.Optimizer) -> list[dict[str, Any]]:
    """The optimiser's parameter groups, parameters by name.

    Raises:
        UnsupportedModel: another optimiser, or SGD in a form that no one graph computes.
    """
    if type(optimizer) is not torch.optim.SGD:
        raise UnsupportedModel(f"the optimiser must be torch.optim.SGD, received {type(optimizer).__name__}", "SGD")
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    groups = []
    for group in optimizer.param_groups:
        if group["momentum"] and group["dampening"]:  # torch leaves it out in the first step: no one graph does both
            raise UnsupportedModel(f"SGD must be without dampening, received {group['dampening']}", "dampening=0")
        if any(id(parameter) not in names for parameter in group["params"]):
            raise UnsupportedModel("the optimiser updates a tensor that is no parameter of the model")
        plain = {"params": [names[id(p)] for p in group["params"]], "lr": float(group["lr"]), "foreach": False}
        groups.append({**group, **plain, "fused": False})
    return groups


def update(
    groups: list[dict[str, Any]], leaves: dict[str, Tensor], grads: dict[str, Tensor], states: dict[str, Tensor]
) -> None:
    """One step of SGD, in place; without a gradient a parameter and its state stay.

    Args:
        groups: as `sgd_groups` gives them.
        leaves, grads: parameters and gradients by name.
        states: momentum by `<parameter>.momentum`.
    """
    for name, leaf in leaves.items():
        leaf.grad = grads.get(name)
    optimizer = torch.optim.SGD([{**group, "params": [leaves[name] for name in group["params"]]} for group in groups])
    for name, state in states.items():
        optimizer.state[leaves[name.removesuffix(".momentum")]]["momentum_buffer"] = state
    optimizer.step()

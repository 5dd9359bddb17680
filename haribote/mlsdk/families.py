"""What a step of each family of optimisers computes, as plain operations on tensors.

Numbers that change from step to step (the learning rate and what follows from it and from the count of steps) are
inputs of the graph, computed by the host in double precision; all others are constants of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import torch
from torch import Tensor

from haribote.answers.ownership import exercise

Group = Mapping[str, Any]
Scalar = Callable[[str], Tensor]
"""Name of a number that changes -> the graph's input."""

RATE, STEP, SCALE = "mncore_learning_rate", "mncore_global_step", "mncore_grad_scale_factor"
"""Inputs that a program may give itself."""


@dataclass(frozen=True)
class Family:
    """An optimiser's state and arithmetic.

    states: group -> the names of a parameter's state tensors. scalars: (group, learning rate, number of the step, from
    1) -> the numbers that change. update: (parameter, gradient, state, group, scalar), in place.
    """

    states: Callable[[Group], tuple[str, ...]]
    scalars: Callable[[Group, float, int], dict[str, float]]
    update: Callable[[Tensor, Tensor, Mapping[str, Tensor], Group, Scalar], None]


def family_of(optimizer: torch.optim.Optimizer) -> Family | None:
    """The family of an optimiser of torch's or a class made of it that has torch's step; else None."""
    for base, family in ((torch.optim.SGD, SGD), (torch.optim.Adam, ADAM)):
        if isinstance(optimizer, base) and _step(type(optimizer)) in (_step(base), _step(torch.optim.AdamW)):
            return family
    return None


def _step(cls: type) -> object:
    """A class's step without the wrapper that torch puts around it."""
    step = getattr(cls, "step")  # noqa: B009
    while hasattr(step, "__wrapped__"):
        step = step.__wrapped__
    return step


def fixed(optimizer: torch.optim.Optimizer, family: Family | None) -> list[dict[str, Any]]:
    """What a compiled step takes to be constant, group by group; where it changes, the step is compiled anew."""
    ignored = {"params", "initial_lr", "foreach", "fused", "capturable", "differentiable", "param_names"}
    ignored |= {"lr"} if family else set()
    groups = [
        {key: _plain(value) for key, value in group.items() if key not in ignored} for group in optimizer.param_groups
    ]
    return [
        group | {"count": len(whole["params"])} for group, whole in zip(groups, optimizer.param_groups, strict=True)
    ]


def _plain(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.tolist()
    return list(value) if isinstance(value, tuple) else value


def _sgd_states(group: Group) -> tuple[str, ...]:
    return ("momentum_buffer",) if group["momentum"] else ()


def _sgd_scalars(group: Group, rate: float, step: int) -> dict[str, float]:
    undamped = 1.0 if step == 1 else 1.0 - group["dampening"]  # torch's first step leaves dampening out
    return {RATE: rate} | ({"mncore_undamped": undamped} if group["momentum"] and group["dampening"] else {})


def _sgd(parameter: Tensor, grad: Tensor, state: Mapping[str, Tensor], group: Group, scalar: Scalar) -> None:
    grad = _direction(parameter, grad, group)
    if group["momentum"]:
        buffer = state["momentum_buffer"]
        buffer.mul_(group["momentum"]).add_(grad * scalar("mncore_undamped") if group["dampening"] else grad)
        grad = grad + group["momentum"] * buffer if group["nesterov"] else buffer
    parameter.sub_(grad * scalar(RATE))


def _adam_states(group: Group) -> tuple[str, ...]:
    return ("exp_avg", "exp_avg_sq", *(("max_exp_avg_sq",) if group["amsgrad"] else ()))


def _adam_scalars(group: Group, rate: float, step: int) -> dict[str, float]:
    first, second = (1 - float(beta) ** step for beta in group["betas"])
    decay = {"mncore_decay": 1 - rate * group["weight_decay"]} if _decoupled(group) and group["weight_decay"] else {}
    return {RATE: rate, "mncore_step_size": rate / first, "mncore_root_correction": 1 / sqrt(second), **decay}


def _adam(parameter: Tensor, grad: Tensor, state: Mapping[str, Tensor], group: Group, scalar: Scalar) -> None:
    if _decoupled(group):
        grad = -grad if group["maximize"] else grad
        if group["weight_decay"]:
            parameter.mul_(scalar("mncore_decay"))
    else:
        grad = _direction(parameter, grad, group)
    adam(parameter, grad, state, group, scalar)


@exercise("8.2")
def adam(parameter: Tensor, grad: Tensor, state: Mapping[str, Tensor], group: Group, scalar: Scalar) -> None:
    """Both averages move towards the gradient and its square; the parameter follows their ratio. All in place."""
    raise NotImplementedError


def _decoupled(group: Group) -> bool:
    return bool(group.get("decoupled_weight_decay", False))


def _direction(parameter: Tensor, grad: Tensor, group: Group) -> Tensor:
    """The gradient to follow down, weight decay included."""
    grad = -grad if group["maximize"] else grad
    return grad + group["weight_decay"] * parameter if group["weight_decay"] else grad


SGD = Family(_sgd_states, _sgd_scalars, _sgd)
ADAM = Family(_adam_states, _adam_scalars, _adam)

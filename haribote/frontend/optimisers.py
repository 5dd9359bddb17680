"""The optimisers of a traced step: torch's formulas in operations that one graph can hold for every step.

What torch decides by counting steps is a state here, and all states begin at 0. Adam divides by 1 - beta^t; that number
is the state itself, c' = beta c + (1 - beta): unlike a counter and a power it loses nothing to cancellation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from haribote.errors import UnsupportedModel
from simulator.messages import tr

Group = dict[str, Any]
States = dict[str, Tensor]


@dataclass(frozen=True)
class Rule:
    """How a class of optimisers updates.

    of_parameter, of_group: the names of the states that a group needs for each parameter, and for itself.
    begin: moves the group's own states on, once a step; gives what `update` wants to know of them.
    update: (group, what `begin` gave, parameter, gradient, the parameter's states), in place.
    """

    of_parameter: Callable[[Group], list[str]]
    of_group: Callable[[Group], list[str]]
    begin: Callable[[Group, States], Any]
    update: Callable[[Group, Any, Tensor, Tensor, States], None]


def _sgd_parameter(group: Group) -> list[str]:
    return ["momentum"] if group["momentum"] else []


def _sgd_group(group: Group) -> list[str]:
    return ["begun"] if group["momentum"] and group["dampening"] else []


def _sgd_begin(group: Group, states: States) -> Tensor | float:
    """The factor of the gradient: torch dampens from the second step on."""
    if "begun" not in states:
        return 1.0
    begun = states["begun"]
    factor: Tensor = 1 - group["dampening"] * begun
    begun.copy_(torch.ones_like(begun))
    return factor


def _sgd_update(group: Group, factor: Tensor | float, p: Tensor, grad: Tensor, states: States) -> None:
    if group["weight_decay"]:
        grad = grad.add(p, alpha=group["weight_decay"])
    if group["momentum"]:
        momentum = states["momentum"]
        momentum.mul_(group["momentum"]).add_(grad if isinstance(factor, float) else grad * factor)
        grad = grad.add(momentum, alpha=group["momentum"]) if group["nesterov"] else momentum
    p.add_(grad, alpha=-group["lr"])


def _adam_parameter(group: Group) -> list[str]:
    return ["mean", "square", *(["largest"] if group["amsgrad"] else [])]


def _adam_group(group: Group) -> list[str]:
    return ["correction1", "correction2"]


def _adam_begin(group: Group, states: States) -> tuple[Tensor, Tensor]:
    """What the mean is multiplied with, and what the square is divided by, below its root."""
    for name, beta in zip(("correction1", "correction2"), group["betas"], strict=True):
        states[name].mul_(beta).add_(1 - beta)
    return group["lr"] / states["correction1"], states["correction2"].rsqrt()


def _adam_update(group: Group, factors: tuple[Tensor, Tensor], p: Tensor, grad: Tensor, states: States) -> None:
    rate, root = factors
    beta1, beta2 = group["betas"]
    if group["weight_decay"] and group["decoupled_weight_decay"]:
        p.mul_(1 - group["lr"] * group["weight_decay"])
    elif group["weight_decay"]:
        grad = grad.add(p, alpha=group["weight_decay"])
    states["mean"].mul_(beta1).add_(grad, alpha=1 - beta1)
    states["square"].mul_(beta2).add_(grad * grad, alpha=1 - beta2)
    square = states["square"]
    if group["amsgrad"]:
        square = states["largest"].copy_(torch.maximum(states["largest"], square))
    p.sub_(rate * states["mean"] / (square.sqrt() * root + group["eps"]))


SGD = Rule(_sgd_parameter, _sgd_group, _sgd_begin, _sgd_update)
ADAM = Rule(_adam_parameter, _adam_group, _adam_begin, _adam_update)
RULES = {torch.optim.SGD: SGD, torch.optim.Adam: ADAM, torch.optim.AdamW: ADAM}


class Optimiser:
    """An optimiser in a trace.

    Attributes:
        groups: its parameter groups, parameters by name.
        shapes: of all states by name, `<parameter>.<state>` or `optimiser.<group>.<state>`, in the order in which they
            are inputs. Only of parameters that need gradients.
    """

    def __init__(self, model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
        """Raises UnsupportedModel: another optimiser, or one over other tensors."""
        if type(optimizer) not in RULES:
            names = ", ".join(kind.__name__ for kind in RULES)
            raise UnsupportedModel(
                tr("the optimiser must be of torch.optim: {names}; received {name}", names, type(optimizer).__name__),
                tr('torch.compile(model, backend="haribote"), which takes any optimiser outside of the graph'),
            )
        self._rule = RULES[type(optimizer)]
        self.groups = _groups(model, optimizer)
        self.shapes: dict[str, tuple[int, ...]] = {}
        parameters = dict(model.named_parameters())
        for number, group in enumerate(self.groups):
            wanted = [name for name in group["params"] if parameters[name].requires_grad]
            for name in wanted:
                self.shapes |= {f"{name}.{state}": tuple(parameters[name].shape)
                                for state in self._rule.of_parameter(group)}  # fmt: skip
            self.shapes |= {f"optimiser.{number}.{state}": () for state in self._rule.of_group(group) if wanted}

    def step(self, leaves: States, grads: States, states: States) -> set[str]:
        """One step, in place; the names of the parameters and states that it changes.

        Args:
            leaves, grads: parameters and gradients by name; without a gradient a parameter and its states stay.
            states: by name.
        """
        changed: set[str] = set()
        with torch.no_grad():
            for number, group in enumerate(self.groups):
                reached = [name for name in group["params"] if name in grads]
                if not reached:
                    continue
                own = _named(states, f"optimiser.{number}.")
                begun = self._rule.begin(group, own)
                changed |= {f"optimiser.{number}.{state}" for state in own} | set(reached)
                for name in reached:
                    grad = grads[name].neg() if group["maximize"] else grads[name]
                    of_parameter = {state: states[f"{name}.{state}"] for state in self._rule.of_parameter(group)}
                    self._rule.update(group, begun, leaves[name], grad, of_parameter)
                    changed |= {f"{name}.{state}" for state in of_parameter}
        return changed


def _named(states: States, prefix: str) -> States:
    return {name.removeprefix(prefix): state for name, state in states.items() if name.startswith(prefix)}


def _groups(model: nn.Module, optimizer: torch.optim.Optimizer) -> list[Group]:
    """The parameter groups with numbers for rates and names for parameters."""
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    groups = []
    for group in optimizer.param_groups:
        if any(id(parameter) not in names for parameter in group["params"]):
            raise UnsupportedModel(tr("the optimiser updates a tensor that is no parameter of the model"))
        betas = {"betas": tuple(float(beta) for beta in group["betas"])} if "betas" in group else {}
        plain = {"params": [names[id(p)] for p in group["params"]], "lr": float(group["lr"])}
        groups.append({**group, **plain, **betas})
    return groups

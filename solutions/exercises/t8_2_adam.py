"""Task 8.2: Adam as a graph (both averages and the parameter change in place; what changes each step is an input)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor


def adam(
    parameter: Tensor,
    grad: Tensor,
    state: Mapping[str, Tensor],
    group: Mapping[str, Any],
    scalar: Callable[[str], Tensor],
) -> None:
    """One step of Adam on one parameter, in place: `parameter` and the tensors in `state` change, nothing is returned.

    parameter, grad: of one shape; weight decay is in them already. state: `exp_avg`, the average m of the gradient, and
    `exp_avg_sq`, the average v of its square, both of that shape. group: `betas`, two numbers, `eps`, and `amsgrad`.

        m becomes beta1 m + (1 - beta1) grad        v becomes beta2 v + (1 - beta2) grad²
        parameter becomes parameter - rate m / (sqrt(v) root + eps)

    With `amsgrad` the root is taken of the largest v so far instead, element by element, which is kept in
    `state["max_exp_avg_sq"]`. rate and root change from step to step, so they are inputs of the graph:
    `scalar("mncore_step_size")` and `scalar("mncore_root_correction")` give them as tensors of no axes. `grad` must
    stay as it is.
    """
    ### BEGIN SOLUTION
    (beta1, beta2), mean, square = group["betas"], state["exp_avg"], state["exp_avg_sq"]
    mean.mul_(beta1).add_(grad, alpha=1 - beta1)
    square.mul_(beta2).add_(grad * grad, alpha=1 - beta2)
    if group["amsgrad"]:
        square = state["max_exp_avg_sq"].copy_(torch.maximum(state["max_exp_avg_sq"], square))
    spread = square.sqrt() * scalar("mncore_root_correction") + group["eps"]
    parameter.sub_(mean / spread * scalar("mncore_step_size"))
    ### END SOLUTION

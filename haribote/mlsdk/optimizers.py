"""The vendor's optimisers: torch's, with their state there from the start, so that it can be registered.

`chainer_use_torch` asks the vendor's Adam for torch's arithmetic, which ours has always.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

Params = Iterable[torch.Tensor] | Iterable[dict[str, Any]]


class MNCoreSGD(torch.optim.SGD):
    """`torch.optim.SGD`; its momentum buffers are zeros before the first step."""

    def __init__(
        self, params: Params, lr: float = 1e-3, momentum: float = 0.0, weight_decay: float = 0.0, nesterov: bool = False
    ) -> None:
        super().__init__(params, lr=lr, momentum=momentum, weight_decay=weight_decay, nesterov=nesterov)
        for group in self.param_groups:
            for parameter in group["params"] if group["momentum"] else []:
                self.state[parameter]["momentum_buffer"] = torch.zeros_like(parameter)


class MNCoreAdam(torch.optim.Adam):
    """`torch.optim.Adam`; its two averages are zeros before the first step."""

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        chainer_use_torch: bool = True,
    ) -> None:
        super().__init__(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)
        _start(self)


class MNCoreAdamW(torch.optim.AdamW):
    """`torch.optim.AdamW`; its two averages are zeros before the first step."""

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        chainer_use_torch: bool = True,
    ) -> None:
        super().__init__(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)
        _start(self)


def _start(optimizer: torch.optim.Adam) -> None:
    """The state that torch would make in the first step."""
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            zeros = {name: torch.zeros_like(parameter) for name in ("exp_avg", "exp_avg_sq")}
            optimizer.state[parameter] = {"step": torch.tensor(0.0), **zeros}

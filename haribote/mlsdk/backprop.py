"""The other way to a training step: the program gives the loss, gradient and update are added."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch import Tensor
from torch.optim import Optimizer

from haribote.errors import HariboteError, UnsupportedModel
from haribote.mlsdk.families import RATE, SCALE, STEP
from haribote.mlsdk.owner import Owner
from haribote.mlsdk.recording import Change, current
from simulator.messages import tr

Function = Callable[[dict[str, Tensor]], Mapping[str, Tensor]]


def whole_step(
    context: Owner, fn: Function, sample: dict[str, Tensor], optimizers: Sequence[Optimizer]
) -> tuple[Function, dict[str, Tensor]]:
    """The function with its gradient and a step of each optimiser, and the inputs that are left for it.

    Inputs `NAME@0@mncore_learning_rate`, `NAME@0@mncore_global_step` and `mncore_grad_scale_factor` are not the
    function's. The loss is multiplied by the last and the gradients divided by it.

    Raises:
        HariboteError: there is no optimiser.
    """
    if not optimizers:
        raise HariboteError(tr("options: backprop without an optimiser"), "optimizers=[…]")
    for optimizer in optimizers:
        context.register_optimizer_buffers(optimizer)
    scaled = SCALE in sample
    own = {
        name: value for name, value in sample.items() if name != SCALE and not name.endswith((f"@{RATE}", f"@{STEP}"))
    }

    def step(inputs: dict[str, Tensor]) -> Mapping[str, Tensor]:
        for optimizer in optimizers:
            optimizer.zero_grad()
        results = fn(inputs)
        names = {record.name for record in context.records() if record.optimizer in optimizers}
        if names & set(current().stepped):  # the function holds all of it
            return results
        loss = _loss(results)
        if scaled:
            (loss * current().number(SCALE, Change("", 0, SCALE), 1.0)).backward()  # type: ignore[no-untyped-call]
            inverse = current().number(f"{SCALE}.inverse", Change("", 0, "inverse"), 1.0)
            for parameter in _parameters(optimizers):
                if parameter.grad is not None:
                    parameter.grad = (parameter.grad * inverse).detach()
        else:
            loss.backward()  # type: ignore[no-untyped-call]
        for optimizer in optimizers:
            optimizer.step()
        return results

    return step, own


def _loss(results: Any) -> Tensor:
    """The loss among what the function gives. Raises UnsupportedModel."""
    if not isinstance(results, Mapping):
        raise UnsupportedModel(
            tr("a compiled function returns a dict of tensors, received {name}", type(results).__name__)
        )
    candidates = [one for one in results.values() if isinstance(one, Tensor) and one.requires_grad and one.numel() == 1]
    found = results.get("loss", candidates[0] if len(candidates) == 1 else None)
    if not isinstance(found, Tensor):
        raise UnsupportedModel(tr("with backprop the function gives the loss"), 'return {"loss": loss}')
    return found.reshape(())


def _parameters(optimizers: Sequence[Optimizer]) -> list[Tensor]:
    return [parameter for one in optimizers for group in one.param_groups for parameter in group["params"]]

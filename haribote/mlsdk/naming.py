"""Names of tensors and optimisers: the device knows a registered tensor by its name."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from torch import Tensor, nn
from torch.optim import Optimizer
from torch.utils.weak import WeakIdKeyDictionary

from haribote.errors import HariboteError
from simulator.messages import tr

_tensors = WeakIdKeyDictionary()
_optimizers: WeakKeyDictionary[Optimizer, str] = WeakKeyDictionary()


def set_tensor_name(tensor: Tensor, name: str) -> None:
    """Name a tensor; a later name replaces an earlier one."""
    if not isinstance(tensor, Tensor):
        raise HariboteError(tr("set_tensor_name: a tensor is wanted, received {name}", type(tensor).__name__))
    _tensors[tensor] = _checked(name)


def get_tensor_name(tensor: Tensor) -> str:
    """The name of a tensor. Raises HariboteError where it has none."""
    name = known_name(tensor)
    if name is None:
        what = tr("a {name} of shape {tensor}", type(tensor).__name__, list(getattr(tensor, "shape", [])))
        raise HariboteError(
            tr("{what} has no name", what), tr("set_tensor_name(tensor, name), or set_tensor_name_in_module")
        )
    return name


def known_name(tensor: Tensor) -> str | None:
    """The name of a tensor, or None."""
    found: str | None = _tensors.get(tensor)  # type: ignore[no-untyped-call]
    return found


def set_tensor_name_in_module(module: nn.Module, name: str) -> None:
    """Name every parameter and buffer of a module: `NAME.` and what the module calls it."""
    if not isinstance(module, nn.Module):
        raise HariboteError(
            tr("set_tensor_name_in_module: a torch module is wanted, received {name}", type(module).__name__)
        )
    _checked(name)
    for part, tensor in [*module.named_parameters(), *module.named_buffers()]:
        set_tensor_name(tensor, f"{name}.{part}")


def set_buffer_name_in_optimizer(optimizer: Optimizer, name: str) -> None:
    """Name an optimiser: its state is `NAME.` with the parameter's name and what the optimiser calls it."""
    if not isinstance(optimizer, Optimizer):
        kind = type(optimizer).__name__
        raise HariboteError(tr("set_buffer_name_in_optimizer: a torch optimiser is wanted, received {kind}", kind))
    _optimizers[optimizer] = _checked(name)


def optimizer_name(optimizer: Optimizer) -> str | None:
    """The name of an optimiser, or None."""
    return _optimizers.get(optimizer)


def _checked(name: str) -> str:
    if not isinstance(name, str) or not name:
        raise HariboteError(tr("a name must be text, received {name!r}", name), tr('a name such as "model"'))
    return name

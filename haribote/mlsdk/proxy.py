"""Tensors on the device."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from haribote.errors import HariboteError
from haribote.mlsdk.device import MNDevice
from haribote.mlsdk.interface import Complete
from haribote.mlsdk.owner import Owner
from haribote.mlsdk.residents import Resident
from haribote.mlsdk.runtime import Runner, Stored
from haribote.mlsdk.specs import IOSpec, array_type, to_array, to_tensor
from haribote.mlsdk.timeline import span
from simulator.messages import tr


class TensorProxy(Complete):
    """A tensor on the device: `.cpu()` and `.item()` bring it to the host, `.load_from(tensor)` writes it.

    Attributes:
        spec: where and how it lies there.
        shape, dtype: as PyTorch has them.
    """

    interface = ("cpu", "dtype", "item", "load_from", "shape")

    def __init__(self, spec: IOSpec, context: Owner) -> None:
        self.spec, self._context = spec, context

    @property
    def shape(self) -> torch.Size:
        """As PyTorch has it."""
        return torch.Size(self.spec.shape)

    @property
    def dtype(self) -> torch.dtype:
        """As PyTorch has it."""
        return self.spec.dtype

    def stored(self) -> Stored:
        """What is on the device. Raises HariboteError where nothing has been written."""
        raise NotImplementedError

    def is_on(self, device: MNDevice) -> bool:
        """Whether this is the machine that holds it."""
        return self._context.device.machine == device.machine

    def cpu(self) -> Tensor:
        """A copy on the host."""
        stored = self.stored()
        with span("to host", name=self.spec.name, bytes=self.spec.size):
            self._context.traffic.to_host += 1
            self._context.traffic.bytes_to_host += self.spec.size
            return to_tensor(stored.array(), self.dtype).reshape(self.shape)

    def item(self) -> Any:
        """Its one element, as a Python number. Raises HariboteError where it has several."""
        if self.shape.numel() != 1:
            raise HariboteError(tr("item: {name!r} has {numel} elements", self.spec.name, self.shape.numel()), ".cpu()")
        return self.cpu().item()

    def load_from(self, tensor: Tensor | TensorProxy, clone: bool = False) -> None:
        """Write a tensor of this shape; what the program does with it later does not matter, `clone` or not."""
        raise HariboteError(
            tr("load_from: {name!r} is a result", self.spec.name), tr("allocate_input_proxy() for one to write")
        )

    def __repr__(self) -> str:
        kind = str(self.dtype).removeprefix("torch.")
        return f"TensorProxy({self.spec.name!r}, {kind}{list(self.shape)}, {self.spec.location} {self.spec.layout})"


class OutputProxy(TensorProxy):
    """A result. It stays what it is when the function runs again; `value` moves it out of the way only then."""

    def __init__(self, spec: IOSpec, context: Owner, runner: Runner, name: str) -> None:
        super().__init__(spec, context)
        self._runner: Runner | None = runner
        self._name, self._stored = name, Stored(())  # type: ignore[arg-type]
        runner.lend(self)

    def settle(self) -> None:
        """Keep the value: the function is about to run again."""
        if self._runner is not None:
            self._stored, self._runner = self._runner.keep(self._name), None

    def stored(self) -> Stored:
        """What the run left."""
        self.settle()
        return self._stored


class InputProxy(TensorProxy):
    """Room on the device for an input."""

    def __init__(self, spec: IOSpec, context: Owner) -> None:
        super().__init__(spec, context)
        self._stored: Stored | None = None

    def stored(self) -> Stored:
        """What was written last."""
        if self._stored is None:
            raise HariboteError(tr("{name!r} has no value yet", self.spec.name), "load_from(tensor)")
        return self._stored

    def load_from(self, tensor: Tensor | TensorProxy, clone: bool = False) -> None:
        """Write a tensor of this shape; what the program does with it later does not matter, `clone` or not."""
        if isinstance(tensor, TensorProxy):
            checked(self.spec, tensor)
            if tensor.is_on(self._context.device):
                self._stored = tensor.stored()
                return
            tensor = tensor.cpu()
        with span("to device", name=self.spec.name, bytes=self.spec.size):
            self._stored = Stored(to_array(checked(self.spec, tensor), array_type(self.dtype)))
            self._context.traffic.to_device += 1
            self._context.traffic.bytes_to_device += self.spec.size


class RegisteredProxy(TensorProxy):
    """The device's copy of a registered tensor, as it is at any time."""

    def __init__(self, spec: IOSpec, context: Owner, resident: Resident) -> None:
        super().__init__(spec, context)
        self._resident = resident

    def stored(self) -> Stored:
        """What the device has, or would be given at the next run."""
        self._resident.look()
        if self._resident.holder is None:
            return Stored(to_array(self._resident.given(), array_type(self.dtype)))
        found: Stored = self._resident.holder.keep(self._resident.name)
        return found

    def load_from(self, tensor: Tensor | TensorProxy, clone: bool = False) -> None:
        """Write the device's copy; the torch tensor follows at `synchronize`."""
        value = checked(self.spec, tensor)
        resident = self._resident
        with span("to device", name=self.spec.name, bytes=self.spec.size):
            resident.load(value.cpu() if isinstance(value, TensorProxy) else value.detach().clone())


def checked(spec: IOSpec, value: Any) -> Any:
    """A value for an input or a registered tensor. Raises HariboteError for another shape or kind of element."""
    if not isinstance(value, Tensor | TensorProxy):
        raise HariboteError(
            tr("{name!r}: a tensor or a proxy is wanted, received {name2}", spec.name, type(value).__name__)
        )
    wanted = f"{str(spec.dtype).removeprefix('torch.')}{list(spec.shape)}"
    got = f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    if tuple(value.shape) != tuple(spec.shape):
        smaller = len(spec.shape) and len(value.shape) == len(spec.shape) and tuple(value.shape) < tuple(spec.shape)
        advice = (
            tr("drop_last=True in the DataLoader, if it is its last batch")
            if smaller
            else tr("the shape of the sample")
        )
        raise HariboteError(tr("{name!r} was compiled as {wanted}, received {got}", spec.name, wanted, got), advice)
    if not torch.can_cast(value.dtype, spec.dtype):
        raise HariboteError(
            tr("{name!r} was compiled as {wanted}, received {got}", spec.name, wanted, got), f".to({spec.dtype})"
        )
    return value

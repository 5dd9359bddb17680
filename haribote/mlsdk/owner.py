"""What the parts of a context need of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from torch.optim import Optimizer

from haribote.mlsdk.device import MNDevice
from haribote.mlsdk.residents import OptimizerRecord, Resident
from haribote.mlsdk.runtime import Traffic


class Owner(Protocol):
    """A context, as compiled functions and proxies see it."""

    device: MNDevice
    traffic: Traffic

    def residents(self) -> Mapping[str, Resident]:
        """All registered tensors by name."""

    def records(self) -> Sequence[OptimizerRecord]:
        """The registered optimisers."""

    def register_optimizer_buffers(self, optimizer: Optimizer) -> None:
        """Keep an optimiser's state on the device."""

    def settle_names(self, names: Iterable[str]) -> None:
        """Compiled functions call residents by these names."""

"""Registered tensors: one current value on the device for each, whichever compiled functions use it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, Protocol
from weakref import WeakSet
from zlib import crc32

import torch
from torch import Tensor
from torch.optim import Optimizer

from haribote.mlsdk.families import family_of
from haribote.mlsdk.naming import known_name

everywhere: WeakSet[Resident] = WeakSet()
"""The residents of all contexts: several may have the same tensor."""


def checksum(tensor: Tensor) -> int:
    """Of the bits of a tensor."""
    flat = tensor.detach().reshape(-1).contiguous()
    return crc32(flat.view(torch.uint8).numpy().data) if flat.numel() else 0


def overlap(a: Tensor, b: Tensor) -> bool:
    """Whether two tensors may have elements in common."""
    (begin, end), (other_begin, other_end) = _span(a), _span(b)
    return begin < other_end and other_begin < end


def _span(tensor: Tensor) -> tuple[int, int]:
    """Addresses of its first byte and of the one after its last; nothing where it has no elements."""
    pairs = zip(tensor.shape, tensor.stride(), strict=True)
    last = sum((size - 1) * stride for size, stride in pairs) if tensor.numel() else -1
    return tensor.data_ptr(), tensor.data_ptr() + (last + 1) * tensor.element_size()


class Holder(Protocol):
    """A compiled function that has values of registered tensors."""

    def keep(self, name: str) -> Any:
        """A resident as it is now, as `runtime.Stored`."""


class Resident(ABC):
    """A registered tensor.

    Attributes:
        name: the graph's input.
        holder: the compiled function that made the current value; None where it came from the host.
        version: counts the values it has had on the device.
        behind: whether the device's value is newer than the torch tensor.
        pending: a value from the host that is not the torch tensor's.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.holder: Holder | None = None
        self.version = 0
        self.behind = False
        self.pending: Tensor | None = None
        self._seen: tuple[int, int, int, int] | None = None
        everywhere.add(self)

    @property
    @abstractmethod
    def like(self) -> Tensor:
        """A tensor of its shape and dtype."""

    @abstractmethod
    def tensor(self) -> Tensor | None:
        """The user's tensor; None for an optimiser's state that torch has not made yet, all zeros."""

    @abstractmethod
    def make(self, value: Tensor) -> None:
        """Give the user's tensor its value for the first time."""

    def value(self) -> Tensor:
        """The value that the host has."""
        found = self.tensor()
        return torch.zeros_like(self.like).detach() if found is None else found.detach()

    def changed(self) -> bool:
        """Whether the user has written to the tensor since the host and the device last agreed."""
        return self._seen != self._mark()

    def agree(self) -> None:
        """From now on only later writes of the user count."""
        self._seen = self._mark()

    def _mark(self) -> tuple[int, int, int, int] | None:
        """The bits too, since a tensor's version counts no writes to its `data`."""
        found = self.tensor()
        return None if found is None else (id(found), found.data_ptr(), found._version, checksum(found))

    def load(self, value: Tensor) -> None:
        """Give the device a value; the torch tensor stays behind."""
        self.pending, self.holder, self.behind = value, None, True
        self.version += 1
        self.agree()

    def look(self) -> None:
        """Take notice of what the user has written to the tensor: that is the current value."""
        if self.changed():
            self.holder, self.behind, self.pending = None, False, None
            self.version += 1
            self.agree()

    def given(self) -> Tensor:
        """The current value, where it came from the host."""
        return self.value() if self.pending is None else self.pending

    def store(self, value: Tensor) -> None:
        """Bring the device's value into the torch tensor."""
        found = self.tensor()
        if found is None:
            self.make(value)
        else:
            with torch.no_grad():
                found.copy_(value)
        self.behind = False
        self.agree()


class Registered(Resident):
    """A parameter or a buffer."""

    def __init__(self, name: str, tensor: Tensor) -> None:
        super().__init__(name)
        self._tensor = tensor

    @property
    def like(self) -> Tensor:
        """The tensor."""
        return self._tensor

    def tensor(self) -> Tensor:
        """The tensor."""
        return self._tensor

    def make(self, value: Tensor) -> None:
        """Never: it is there."""
        raise AssertionError(self.name)


class State(Resident):
    """A tensor of an optimiser's state. key: what torch calls it; ours: the step is one of `families`."""

    def __init__(self, name: str, optimizer: Optimizer, parameter: Tensor, key: str, ours: bool) -> None:
        super().__init__(name)
        self.ours = ours
        self.optimizer, self.parameter, self.key = optimizer, parameter, key

    @property
    def like(self) -> Tensor:
        """The parameter, or what stands there where it is of another shape."""
        found = self.tensor()
        return self.parameter if found is None else found

    def tensor(self) -> Tensor | None:
        """What torch has."""
        found = self.optimizer.state.get(self.parameter, {}).get(self.key)
        return found if isinstance(found, Tensor) else None

    def make(self, value: Tensor) -> None:
        """As torch's first step does."""
        self.optimizer.state[self.parameter][self.key] = value.clone()


class OptimizerRecord:
    """A registered optimiser.

    Attributes:
        steps: done so far, on the host and on the device.
    """

    def __init__(self, name: str, optimizer: Optimizer) -> None:
        self.name, self.optimizer, self.family = name, optimizer, family_of(optimizer)
        self.steps = self._seen = self._count()

    def look(self) -> None:
        """Take notice of steps on the host, or of a state that was loaded: torch's count is the current one."""
        count = self._count()
        if count != self._seen:
            self.steps = self._seen = count

    def _count(self) -> int:
        """The steps that torch's state has seen; of SGD with momentum, whether there was one."""
        return max((int(found) for found in self._counts()), default=0)

    def _counts(self) -> Iterator[float]:
        for state in self.optimizer.state.values():
            if "step" in state:
                yield float(state["step"])
            elif isinstance(state.get("momentum_buffer"), Tensor):
                yield 1.0

    def state_name(self, parameter: Tensor, key: str) -> str:
        """The name of a state tensor: the optimiser's, the parameter's (its number where it has none), and torch's."""
        everything = [one for group in self.optimizer.param_groups for one in group["params"]]
        number = next(number for number, one in enumerate(everything) if one is parameter)
        return f"{self.name}.{known_name(parameter) or number}.{key}"

    def states(self) -> Iterator[State]:
        """Its state tensors, as they are or as its first step makes them."""
        for group in self.optimizer.param_groups:
            for parameter in group["params"]:
                if self.family is not None:
                    keys = self.family.states(group)
                else:
                    state = self.optimizer.state.get(parameter, {})
                    keys = tuple(key for key, value in state.items() if isinstance(value, Tensor))
                for key in keys:
                    yield State(
                        self.state_name(parameter, key), self.optimizer, parameter, key, self.family is not None
                    )

    def write_steps(self) -> None:
        """Tell torch's state how many steps there were."""
        if self.family is None or not self.steps:
            return
        for group in self.optimizer.param_groups:
            for parameter in group["params"]:
                state = self.optimizer.state.get(parameter)
                if state and "exp_avg" in state:
                    state["step"] = torch.tensor(float(self.steps))
        self._seen = self._count()

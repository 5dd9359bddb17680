"""What -O1 does, as a list of actions: operators, and between them what has to move.

A tensor in LM takes up the same words in every PE; a `Version` is a tensor in a layout at an address.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import onnx

from haribote.kernel_table import KernelRow

Local = Literal["LM0", "LM1"]
COPY_0_IS_ENOUGH = ("5.27",)
"""Tasks whose kernels need their inputs in copy 0 alone, as every UL does."""


class NoRoom(Exception):
    """LM is full of what is needed now."""


@dataclass(frozen=True)
class Task:
    """An operator of the graph: on the chip with its row, or on the host (row None), where `tags` is empty.

    inputs: the tensors that it reads, with tags the layouts that its kernel wants them in.
    alone: nothing of others may be in LM while it runs. weak: of its result only copy 0 is certain.
    """

    node: onnx.NodeProto
    row: KernelRow | None
    inputs: tuple[str, ...]
    tags: tuple[str, ...] = ()
    alone: bool = False
    weak: bool = False


@dataclass(eq=False)
class Version:
    """A tensor in LM. name: of the value in the lowered graph, such as `relu.lm`, that is this version.

    home: it is a parameter where it stays from step to step. weak: only copy 0 is certain to be there.
    """

    value: str
    tag: str
    name: str
    memory: Local
    address: int
    words: int
    home: bool = False
    weak: bool = False

    @property
    def end(self) -> int:
        """The word behind it."""
        return self.address + self.words


@dataclass(frozen=True, eq=False)
class Load:
    """A tensor comes from DRAM: DL."""

    target: Version


@dataclass(frozen=True, eq=False)
class Copy:
    """A tensor is copied to another place in LM."""

    source: Version
    target: Version


@dataclass(frozen=True, eq=False)
class Store:
    """A tensor goes to DRAM: UL."""

    source: Version


@dataclass(frozen=True, eq=False)
class Compute:
    """A kernel runs. output None: it writes DRAM itself."""

    task: Task
    inputs: tuple[Version, ...]
    output: Version | None


@dataclass(frozen=True, eq=False)
class Host:
    """An operator runs on the host."""

    task: Task


Action = Load | Copy | Store | Compute | Host


@dataclass(frozen=True, eq=False)
class Plan:
    """actions: of one step. homes: of the parameters that stay, by name, with the value that takes their place."""

    actions: Sequence[Action]
    homes: dict[str, tuple[Version, str]] = field(default_factory=dict)

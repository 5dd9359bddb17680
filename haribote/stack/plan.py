"""The plan of a graph on the chip: which value is when in which layout, and what makes it.

The planner decides a plan, a program is made of it, pictures and tables are drawn from it.
A value may be in several layouts at once; each is a `Version`. Actions are in the order of the program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from math import prod
from typing import Any, Literal

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.stack.maps import BitMap
from haribote.stack.tilings import Tiling


@dataclass(frozen=True)
class Version:
    """A value of the graph in a layout.

    split: for every axis of the value the axes of the map's shape that it is split into, slowest first: ((16,), (8,
    112)) for a 16x785 tensor whose columns are dealt out to 8 units, 112 to each. What lies beyond the axis (785 to
    895) are elements like others; they hold `fill`, and so do the places that the map pads to powers of two. fill None:
    they hold anything.
    """

    value: str
    map: BitMap
    split: tuple[tuple[int, ...], ...]
    fill: float | None = None

    def __post_init__(self) -> None:
        assert self.map.shape == view_shape(self.split), (self.map.shape, self.split)

    @cached_property
    def _hash(self) -> int:
        return hash((self.value, self.map, self.split, self.fill))

    def __hash__(self) -> int:
        return self._hash

    def __str__(self) -> str:
        return self.value

    def __reduce__(self) -> tuple[type[Version], tuple[object, ...]]:
        values = tuple(getattr(self, each.name) for each in fields(self))
        return type(self), values  # without the hash: another process hashes texts otherwise

    def filled(self, fill: float | None) -> Version:
        """The same with other padding; one object for each: the planner asks for them again and again."""
        if fill == self.fill:
            return self
        if fill not in self._filled:
            self._filled[fill] = replace(self, fill=fill)
        return self._filled[fill]

    @cached_property
    def _filled(self) -> dict[float | None, Version]:
        return {}

    def exceeds(self, shape: Sequence[int]) -> bool:
        """Whether what an axis is split into has more elements than the axis; shape: of the value."""
        return any(prod(parts) != size for size, parts in zip(shape, self.split, strict=True))

    def pack(self, array: NDArray[Any]) -> NDArray[Any]:
        """A host array of the value's shape as one of the map's shape, filled up with `fill` (0 for None)."""
        widths = [(0, prod(axis) - size) for axis, size in zip(self.split, array.shape, strict=True)]
        return np.pad(array, widths, constant_values=self.fill or 0).reshape(self.map.shape)

    def unpack(self, array: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
        """The inverse."""
        return array.reshape([prod(axis) for axis in self.split])[tuple(slice(size) for size in shape)]


PARTS = ("rounded", "rest")
"""The pseudo-singles of a value: its first 18 bits, and 18 more (`products.split`)."""


@dataclass(frozen=True)
class Half(Version):
    """One of the two pseudo-singles of a value, in a layout. part: one of PARTS."""

    part: str = PARTS[0]

    def __str__(self) -> str:
        return f"{self.value}.{self.part}"

    @property
    def other(self) -> Half:
        """The other part."""
        return replace(self, part=PARTS[1 - PARTS.index(self.part)])


@lru_cache(maxsize=1 << 12)
def view_shape(split: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    """The shape of a map with this split."""
    return tuple(size for parts in split for size in parts)


def in_dram(version: Version) -> bool:
    """Whether a version is in DRAM, not in the PEs."""
    return version.map.memory == "DRAM"


@dataclass(frozen=True)
class Load:
    """A graph input comes from DRAM, where the host lays it out as suits the way down. half: as halves (`pairs`)."""

    target: Version
    half: bool = False


@dataclass(frozen=True)
class Shift:
    """A value moves into another layout.

    axes: axes of the source's map to reduce to size 1; their bits become PART before the move. combine: what joins the
    parts of these, and of what the source's map calls PART itself: fadd, fmax, …
    """

    source: Version
    target: Version
    combine: str = ""
    axes: tuple[int, ...] = ()


@dataclass(frozen=True)
class Alias:
    """The same words under another name and shape: a transposed, reshaped or squeezed value. No code."""

    source: Version
    target: Version


@dataclass(frozen=True, eq=False)
class Compute:
    """Element-wise nodes in one loop: all versions agree with the first one written, up to broadcasts."""

    nodes: tuple[onnx.NodeProto, ...]
    reads: tuple[Version, ...]
    writes: tuple[Version, ...]


@dataclass(frozen=True)
class Halve:
    """A value as two pseudo-singles for the matrix unit, both of its map: what is rounded, and the rest of it."""

    source: Version
    rounded: Half
    rest: Half


@dataclass(frozen=True)
class Multiply:
    """A contraction. spec: as in einsum on the axes of the maps, `nk,mk->nm`. target: with PART where k is spread.
    halves: of an operand, rounded and rest, where it is read so. precision: as `products.cores` has it.
    """

    spec: str
    a: Version
    b: Version
    target: Version
    halves: tuple[Half, Half] | None = None
    precision: Literal["float", "pseudo", "half"] = "float"


@dataclass(frozen=True)
class Stream:
    """A product by the streaming template: operands and result are in DRAM, in the panels of a tiling."""

    matrix: Version
    vectors: Version
    target: Version
    tiling: Tiling


@dataclass(frozen=True, eq=False)
class Pick:
    """target[e] = source[index[e]], flat in the maps' shapes; index -1 takes `fill`. index: known, or computed: then in
    the layout of the target.
    """

    source: Version
    target: Version
    index: NDArray[np.integer[Any]] | Version
    fill: float = 0.0


@dataclass(frozen=True)
class Store:
    """A graph output goes to DRAM, in a layout that suits the way up."""

    source: Version


@dataclass(frozen=True)
class Become:
    """The new value of a parameter takes the place of the old: of the same map."""

    source: Version
    parameter: Version


Action = Load | Shift | Alias | Halve | Compute | Multiply | Stream | Pick | Store | Become


@dataclass(frozen=True, eq=False)
class Plan:
    """actions: of one run. resident: parameters and constants as they are on the chip before and after every run."""

    graph: onnx.ModelProto
    actions: tuple[Action, ...]
    resident: tuple[Version, ...] = ()
    notes: dict[str, str] = field(default_factory=dict)


def reads(action: Action) -> Iterator[Version]:
    """The versions that an action needs."""
    match action:
        case Load():
            pass
        case Compute():
            yield from action.reads
        case Multiply():
            yield from (version for version in (action.a, action.b) if not read_as_halves(action, version))
            yield from action.halves or ()
        case Stream():
            yield action.matrix
            yield action.vectors
        case Pick():
            yield action.source
            if isinstance(action.index, Version):
                yield action.index
        case Shift() | Alias() | Halve() | Store() | Become():
            yield action.source


def writes(action: Action) -> Iterator[Version]:
    """The versions that an action makes."""
    match action:
        case Compute():
            yield from action.writes
        case Load() | Shift() | Alias() | Multiply() | Stream() | Pick():
            yield action.target
        case Halve():
            yield action.rounded
            yield action.rest
        case Become():
            yield action.parameter
        case Store():
            pass


def read_as_halves(action: Multiply, version: Version) -> bool:
    """True for the operand that a product reads as halves instead."""
    return action.halves is not None and action.halves == halves_of(version)


def halves_of(version: Version) -> tuple[Half, Half]:
    """The pseudo-singles of a version: what is rounded, and the rest."""
    rounded, rest = (Half(version.value, version.map, version.split, version.fill, part) for part in PARTS)
    return rounded, rest

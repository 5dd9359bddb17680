"""What the planner knows of a graph: shapes, roles of values, padding, and how the operators treat it."""

from __future__ import annotations

from functools import lru_cache
from math import inf, prod
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.graph import Index, updates
from haribote.stack import products
from haribote.stack.maps import BitMap, axis_bits
from haribote.stack.plan import Version
from haribote.stack.planner.cuts import Cut
from haribote.stack.planner.families import Layout, Split, candidates
from haribote.stack.planner.looks import FIRST, Look
from haribote.stack.planner.precision import Precision, delicate, ways
from haribote.stack.planner.tariff import Tariff
from haribote.stack.planner.views import AxisView, views_of
from simulator.isa import LM_WORDS

Array = NDArray[Any]

LEAST_INTEGER, LARGEST_INTEGER = -(2.0**31), 2.0**31 - 1
NEUTRAL = {"fadd": 0.0, "iadd": 0.0, "fmax": -inf, "fmin": inf, "imax": LEAST_INTEGER, "imin": LARGEST_INTEGER}
"""What padding must hold so that a reduction does not see it."""
FAR_BELOW = -(2.0**126)
"""As the fill of a padding: no certain number, but one whose exponential is 0, such as -inf less a maximum. The machine
takes an infinity for 2^128, so that less 2^128 (1 - 2^-24) it is 2^104, and less an infinity 0: a row with that has an
infinite or no sum of exponentials without the padding.
"""
MOST_WORDS = 3 * LM_WORDS // 4
"""Words per PE of a version; an LM also has tables."""


class Facts:
    """A graph with what the planner asks about it.

    parameters: inputs that hold their updated value after a run; inputs: the others, given anew for each run. scalars:
    constants of one element, which need no place; asked_for: values that are needed at the end; picks: indices
    of last resorts; desperate: these are taken, since there is no other way; limit: states that cost so much are not
    kept after the node that is looked at now; looked_at: values of which somebody has asked a state what there is of
    them. added: constants that the plan needs beside those of the graph; renamed: names that it gives to values, and
    theirs. delicate: products that `mixed` leaves exact; ends: where the parts of products are added up, with today's
    prices. cut: how all values are cut, where they are cut in one way. most_words: per PE, of a version. look: what
    products count, and where their sums may lie.
    """

    def __init__(
        self,
        model: onnx.ModelProto,
        tariff: Tariff,
        precision: Precision = "float",
        cut: Cut | None = None,
        most_words: int = MOST_WORDS,
        look: Look = FIRST,
    ) -> None:
        self.tariff, self.precision, self.cut, self.most_words = tariff, precision, cut, most_words
        self.look = look
        self.delicate = delicate(model)
        self.model, self.index = model, Index(model)
        self.updates = updates(model)
        self.updated = {after: before for before, after in self.updates.items()}
        self.parameters = frozenset(self.updates)
        self.inputs = frozenset(self.index.inputs) - self.parameters
        self.views = views_of(model, self.index)
        asked = {*self.index.outputs, *self.updated, *self.parameters}
        self.asked_for = frozenset(asked | {self.views[name].root for name in asked if name in self.views})
        self.picks: dict[object, NDArray[np.int64]] = {}
        self.desperate, self.limit = False, inf
        self.looked_at: set[str] = set()
        self.ends: dict[object, list[tuple[float, BitMap]]] = {}
        self.added: dict[str, Array] = {}
        self.renamed: dict[str, str] = {}
        constants, shape = self.index.constants, self.index.shape
        self.scalars = {name: constants[name] for name in constants if prod(shape[name]) == 1}

    def anew(self) -> Facts:
        """The same before anything was planned; what moves cost stays known."""
        facts = Facts(self.model, self.tariff, self.precision, self.cut, self.most_words, self.look)
        for name in facts.index.constants:
            facts.index.constants[name] = self.index.constants[name]  # tables of indices are large
        return facts

    def layouts(self, name: str) -> tuple[Layout, ...]:
        """The layouts of a value from which a search begins."""
        shape = self.index.shape[name]
        return (() if self.cut is None else self.cut.layouts(name, shape)) or candidates(shape)

    def versions(self, name: str) -> list[Version]:
        """A value in these layouts."""
        return [Version(name, found, split) for split, found in self.layouts(name)]

    def ways(self, node: onnx.NodeProto) -> tuple[products.Precision, ...]:
        """What a product may be computed in."""
        return ways(self.precision, node.name in self.delicate)

    def constant(self, name: str, value: Array) -> str:
        """A constant that the plan needs beside those of the graph."""
        if name not in self.added:
            self.added[name] = value
            self.index.constants[name] = value
            self.index.shape[name], self.index.dtype[name] = value.shape, value.dtype
            if value.size == 1:
                self.scalars[name] = value
        return name

    def same(self, name: str, other: str) -> str:
        """Another name for a value: for the same elements among other padding."""
        self.renamed[other] = name
        self.index.shape[other], self.index.dtype[other] = self.index.shape[name], self.index.dtype[name]
        return other

    def constant_fill(self, name: str, wanted: float | None) -> float:
        """What the host puts into the padding of a constant."""
        if wanted is not None:
            return wanted
        dtype = self.index.dtype[name]
        if dtype == np.uint32:
            return -LEAST_INTEGER  # the same bits
        return LEAST_INTEGER if self.kind(name) == "int" and dtype != np.bool_ else 0.0

    def root(self, name: str) -> AxisView | None:
        """What a value is a view of."""
        return self.views.get(name)

    def kind(self, name: str) -> str:
        """`float` or `int` arithmetic."""
        return "float" if np.issubdtype(self.index.dtype[name], np.floating) else "int"

    def padded_axes(self, version: Version) -> tuple[int, ...]:
        """The axes of a value that its version pads, by elements or by places."""
        return _padded_axes(self.index.shape[version.value], version.split)


@lru_cache(maxsize=1 << 12)
def _padded_axes(shape: tuple[int, ...], split: Split) -> tuple[int, ...]:
    """The axes whose parts do not have as many places as they have elements, or the axis more than these."""
    places = [prod(1 << axis_bits(part) for part in parts) for parts in split]
    return tuple(
        axis
        for axis, (size, parts) in enumerate(zip(shape, split, strict=True))
        if not size == places[axis] == prod(parts)
    )


def map_axes(split: Split, axes: tuple[int, ...] | list[int]) -> tuple[int, ...]:
    """The axes of a map that axes of the value are split into."""
    starts = np.cumsum([0, *(len(parts) for parts in split)])
    return tuple(int(starts[axis]) + k for axis in axes for k in range(len(split[axis])))


def operand_split(split: Split, shape: tuple[int, ...]) -> Split:
    """How an operand of this shape is split where the result is split so: size 1 where it is broadcast."""
    own = split[len(split) - len(shape) :]
    return tuple((1,) * len(parts) if size == 1 else parts for size, parts in zip(shape, own, strict=True))


def agrees(found: BitMap, wanted: BitMap) -> bool:
    """True where an operand can be read in place by a loop whose result has `wanted`, its projection: the same in
    every unit and word, at any address.
    """
    if found == wanted:
        return True
    mine = {bit: carry for bit, carry in found.carries if bit.level != "address"}
    theirs = {bit: carry for bit, carry in wanted.carries if bit.level != "address"}
    return found.shape == wanted.shape and mine == theirs

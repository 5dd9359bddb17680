"""One way to cut the values of a training step of matrices: every axis has its own bits of the place, in all values.

The batch is in the eights at W and PE and over the MABs; features, eight at a time, over the L1Bs, where sums over them
are added up on the way to the L2BM. Sums over the batch, which gradients of weights are, stay within an L1B, and its
part of a weight is the L1B's own. The L2Bs of a group, and the groups, are dealt out along the features of even or of
odd layers: then each has a part of every weight for itself too, and what crosses them is values of the batch. Or they
are dealt out along the batch: then what crosses them is gradients of weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from haribote.stack.maps import COPY, PART, Bit, BitMap, W, address, unit_bits
from haribote.stack.plan import Version, in_dram
from haribote.stack.planner.families import L1BS, L2BS, MABS, PES, Layout
from haribote.stack.planner.roles import MATRIX, Role, Roles

FEW = 16
"""Features of a value that may be in any layout: there is little of it."""


class Dealt(NamedTuple):
    """Along which axes the L2Bs of a group are dealt out, and along which the groups. by_rows: the lowest bits of the
    batch are at MABs and L2Bs, those in the eights above them, so that all units have about as many rows."""

    l2bs: Role
    groups: Role
    by_rows: bool = False


DEALT = (
    Dealt("even", "odd"),
    Dealt("even", "even"),
    Dealt("odd", "even"),
    Dealt("batch", "odd"),
    Dealt("batch", "even"),
    Dealt("odd", "batch"),
    Dealt("batch", "batch"),
)
"""What is tried."""
TURNED = 3
"""The lowest bits of an axis that stay at addresses, so that they can change places with those at W and PE."""


@dataclass(frozen=True, eq=False)
class Shards:
    """roles: of the axes of all values; dealt: as above; shared_out: L2Bs and groups that would hold copies of a value
    may be dealt out along any axis."""

    roles: Roles
    dealt: Dealt
    shared_out: bool = False

    def admits(self, version: Version) -> bool:
        """Whether a version is cut in this way."""
        roles = self._roles(version.value, version.map.shape)
        return roles is None or in_dram(version) or _suits(version.map, roles, self.dealt, self.shared_out)

    def layouts(self, name: str, shape: tuple[int, ...]) -> tuple[Layout, ...]:
        """Those that are cut in this way and that make a difference."""
        roles = self._roles(name, shape)
        return () if roles is None or len(roles) != MATRIX else _layouts(shape, roles, self.dealt)

    def _roles(self, name: str, shape: tuple[int, ...]) -> tuple[Role, ...] | None:
        """Of a value that is not free; None for one that is, or whose axes are split."""
        roles = self.roles.get(name, ())
        if len(roles) != len(shape) or all(role == "none" for role in roles):
            return None
        features = [size for size, role in zip(shape, roles, strict=True) if role != "batch"]
        return None if "batch" in roles and all(size <= FEW for size in features) else roles


@dataclass(frozen=True)
class _AxisPlaces:
    """The bits of an axis, the lowest first, that stand at W and PE, or at the L1Bs, in values in which they are there;
    and those at L2Bs and MABs, in all.
    """

    role: Role
    near: tuple[int, ...]
    l1bs: tuple[int, ...]
    fixed: Mapping[Bit, int]


def _places(role: Role, bits: Sequence[int], dealt: Dealt) -> _AxisPlaces:
    wanted = [bit for bit in L2BS if dealt[bit.level == "group"] == role]
    far = max(0, len(bits) - len(PES))
    units = list(MABS[: _joined_mabs(far)]) if role == "batch" else []
    if far - len(units) >= len(wanted) + (role != "batch"):  # of features some stay, for sums
        units += wanted
    first = len(units) if role == "batch" and dealt.by_rows else 0
    near = tuple(bits[first:][: len(PES)])
    left = [bit for bit in bits if bit not in near]
    fixed, left = dict(zip(units, left, strict=False)), left[len(units) :]
    l1bs = left[: len(L1BS)] if role != "batch" and len(left) >= len(L1BS) else []
    return _AxisPlaces(role, near, tuple(l1bs), fixed)


def _joined_mabs(bits: int) -> int:
    """Bits of MABs over which a transfer can add up, of so many: those of all MABs, or of four neighbours."""
    return len(MABS) if bits >= len(MABS) else 2 if bits >= 2 else 0


@lru_cache(maxsize=1 << 14)
def _suits(found: BitMap, roles: tuple[Role, ...], dealt: Dealt, shared_out: bool) -> bool:
    places = [_places(role, bits, dealt) for role, bits in zip(roles, found.axes, strict=True)]
    fixed = {bit: index for place in places for bit, index in place.fixed.items()}
    if any(found[bit] not in (fixed.get(bit, COPY), PART) and not (shared_out and bit not in fixed) for bit in L2BS):
        return False
    l1bs = tuple(found[bit] for bit in L1BS)
    if l1bs not in [(COPY,) * len(L1BS), *(place.l1bs for place in places)]:
        return False
    if "batch" not in roles:
        return True
    (features,) = [bits for bits, role in zip(found.axes, roles, strict=True) if role != "batch"] or [range(0)]
    return all(found[bit] == fixed[bit] if bit in fixed else found[bit] in (COPY, *features) for bit in MABS)


@lru_cache(maxsize=1 << 12)
def _layouts(shape: tuple[int, ...], roles: tuple[Role, ...], dealt: Dealt) -> tuple[Layout, ...]:
    axes = BitMap("LM", shape, ()).axes
    places = [_places(role, bits, dealt) for role, bits in zip(roles, axes, strict=True)]
    found: dict[BitMap, None] = {}
    for near, other in ((0, 1), (1, 0)):
        for l1bs in {(): None} | {place.l1bs: None for place in places}:
            table = dict.fromkeys((*unit_bits("LM"), W), COPY)
            for place in places:
                table |= place.fixed
            table |= dict(zip(PES, places[near].near, strict=False)) | dict(zip(L1BS, l1bs, strict=False))
            for own in [table] if "batch" in roles else _over_mabs(table, axes[other]):
                left = [bit for bit in (*axes[other], *axes[near]) if bit not in own.values()]
                found[BitMap.of("LM", shape, own | {address(k): bit for k, bit in enumerate(left)})] = None
    split = tuple((size,) for size in shape)
    return tuple((split, layout) for layout in found)


def _over_mabs(table: Mapping[Bit, int], axis: Sequence[int]) -> Iterator[dict[Bit, int]]:
    """The same in all MABs, or an axis dealt out over them, with or without its lowest bits: where a weight is kept."""
    yield dict(table)
    free = [bit for bit in axis if bit not in table.values()]
    for own in (free, free[TURNED:]):
        if count := _joined_mabs(len(own)):
            yield {**table, **dict(zip(MABS[:count], own, strict=False))}

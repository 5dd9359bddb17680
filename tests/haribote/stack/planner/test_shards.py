"""Steps whose axes have their own bits of the place: which layouts they have, and that these fit each other."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.stack import moves, products
from haribote.stack.maps import COPY, PART, Bit, BitMap
from haribote.stack.plan import Version
from haribote.stack.planner.families import L1BS, L2BS, MABS, PES
from haribote.stack.planner.roles import Role
from haribote.stack.planner.shards import DEALT, Dealt, Shards

ROLES: dict[str, tuple[Role, ...]] = {
    "x": ("batch", "even"), "w": ("odd", "even"), "h": ("batch", "odd"), "v": ("even", "odd"), "y": ("batch", "even"),
    "labels": ("batch",), "loss": (),
}  # fmt: skip
SHAPES = {"x": (256, 785), "w": (300, 785), "h": (256, 300), "v": (120, 300), "y": (256, 120)}
LARGE = 1024  # a batch that fills all L2Bs
ALL_DEALT = [dealt._replace(by_rows=by_rows) for by_rows in (False, True) for dealt in DEALT]


def shards(dealt: Dealt = DEALT[0]) -> Shards:
    return Shards(ROLES, dealt)


def layouts(cut: Shards, name: str, shape: tuple[int, ...] = ()) -> list[BitMap]:
    return [found for _, found in cut.layouts(name, shape or SHAPES[name])]


@pytest.mark.parametrize("dealt", ALL_DEALT)
@pytest.mark.parametrize("name", SHAPES)
def test_layouts_are_cut_as_all_values_are(dealt: Dealt, name: str) -> None:
    cut = shards(dealt)
    found = layouts(cut, name)
    assert len(found) == len(set(found)) >= 2
    for layout in found:
        assert cut.admits(Version(name, layout, tuple((size,) for size in SHAPES[name])))
        assert all(layout.places[index] for index in range(layout.width))  # every element has a place of its own


def test_an_axis_has_the_same_bits_at_l2bs_in_all_values() -> None:
    """Bits counted from the first of the axis: `h` as the result of one product is what the next one reads."""
    cut = shards()
    for name, axis, units in (("x", 1, L2BS[:1]), ("w", 1, L2BS[:1]), ("w", 0, L2BS[1:]), ("h", 1, L2BS[1:])):
        places = {
            tuple(layout[bit] - layout.axes[axis].start for bit in units) for layout in layouts(cut, name)
        }  # fmt: skip
        assert places == {tuple(range(3, 3 + len(units)))}, name
    assert all(layout[bit] == COPY for layout in layouts(cut, "x") for bit in L2BS[1:])


def test_the_batch_is_over_the_mabs_and_features_over_the_l1bs() -> None:
    cut = shards()
    for layout in layouts(cut, "h"):
        rows, columns = layout.axes
        assert [layout[bit] for bit in MABS] == [rows.start + 3 + number for number in range(4)]
        assert all(layout[bit] == COPY or layout[bit] in columns for bit in L1BS)
    turned = BitMap.of("LM", (256, 300), {**dict(layouts(cut, "h")[0].carries), MABS[0]: COPY, Bit("address", 9): 12})
    assert not cut.admits(Version("h", turned, ((256,), (300,))))


def test_a_batch_may_be_dealt_out_by_rows() -> None:
    """300 rows over MABs and groups: one by one, so that all have 4 or 5, with the eights above them."""
    cut = shards(Dealt("odd", "batch", by_rows=True))
    for layout in layouts(cut, "h", (300, 300)):
        rows, columns = layout.axes
        assert [layout[bit] - rows.start for bit in (*MABS, *L2BS[1:])] == [0, 1, 2, 3, 4, 5]
        assert layout[L2BS[0]] in columns
        assert {layout[bit] - rows.start for bit in PES if layout[bit] in rows} in (set(), {6, 7, 8})


def test_few_features_and_what_has_no_role_are_free() -> None:
    cut = shards()
    elsewhere = BitMap.of("LM", (256, 10), dict(layouts(cut, "x")[0].carries) | dict.fromkeys(MABS, COPY))
    assert not cut.layouts("small", (256, 10)) and cut.admits(Version("small", elsewhere, ((256,), (10,))))
    assert not cut.layouts("labels", (256,)) and not cut.layouts("loss", ())
    few = Shards({"y": ("batch", "even")}, DEALT[0])
    assert not few.layouts("y", (256, 10)) and few.layouts("y", (256, 120))


def test_copies_over_groups_may_be_dealt_out_where_sums_are_shared_out() -> None:
    """`x` has no bits of its own at the groups, as its batch and the even features are not dealt out over them."""
    x = layouts(shards(), "x")[0]
    version = Version("x", BitMap.of("LM", SHAPES["x"], {**dict(x.carries), L2BS[1]: 7}), ((256,), (785,)))
    assert not shards().admits(version)
    assert Shards(ROLES, DEALT[0], shared_out=True).admits(version)
    high = x.addresses[-1][0]
    turned = BitMap.of("LM", SHAPES["x"], {**dict(x.carries), L2BS[0]: x[high], high: x[L2BS[0]]})
    own = Version("x", turned, ((256,), (785,)))
    assert not Shards(ROLES, DEALT[0], shared_out=True).admits(own)


@pytest.mark.parametrize("dealt", ALL_DEALT)
def test_products_have_a_core_for_such_layouts_and_a_way_for_their_sums(dealt: Dealt) -> None:
    cut = shards(dealt)
    x = layouts(cut, "x", (LARGE, 785))
    assert any(_summed_up(cut, known, beside) for known in x for beside in _partners(cut, known))


def _partners(cut: Shards, known: BitMap) -> list[BitMap]:
    return products.partners("nk,mk->nm", "b", known, SHAPES["w"], wanted=lambda found: _admits(cut, "w", found))


def _summed_up(cut: Shards, x: BitMap, w: BitMap) -> bool:
    """Whether the parts of a product have a way to a layout of its result."""
    target = products.cores("nk,mk->nm", x, w)[0].target
    ends = (moves.line_cycles(target, end, "fadd") for end in layouts(cut, "h", (LARGE, 300)))
    return PART in target.table.values() and bool(np.isfinite(min(ends)))


def _admits(cut: Shards, name: str, found: BitMap) -> bool:
    return cut.admits(Version(name, found, tuple((size,) for size in SHAPES[name])))

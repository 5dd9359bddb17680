"""Loops in parts: elements and padding are what they are in one loop, in fewer steps."""

from __future__ import annotations

from math import inf

import numpy as np
import onnx
import pytest

from haribote.stack.maps import COPY, Bit, BitMap, W, address
from haribote.stack.places import Place
from haribote.stack.plan import Compute, Version
from haribote.stack.planner.padding import masks_of
from haribote.stack.program.loops import PartedLoop, mended
from tests.haribote.stack.vectors.chip import Watched, node, outcome

SHAPE = (100, 11)
"""128 rows of which the last 28 are padding, 16 columns of which the last 5 are."""
MABS = [Bit("MAB", 0), Bit("MAB", 1)]
COLUMNS = [W, Bit("PE", 0), address(2), address(3)]
ROWS = [address(0), address(1), *MABS, address(4), address(5), address(6)]
FOUND = BitMap.of("LM", SHAPE, dict(zip([*COLUMNS, *ROWS], range(11), strict=True)))
ONES = BitMap.of(
    "LM",
    (1, 11),
    dict(zip([W, Bit("PE", 0), address(0), address(1)], range(4), strict=True)) | dict.fromkeys(MABS, COPY),
)
EMPTY = (np.arange(128)[:, None] >= 112) | (np.arange(16) >= 12)
"""What is at addresses where no PE has an element."""


def version(name: str, fill: float | None) -> Version:
    return Version(name, FOUND, ((100,), (11,)), fill)


def loop(nodes: list[onnx.NodeProto], fill: float | None, same_place: bool = False) -> tuple[Watched, PartedLoop]:
    """x and a mask of columns, y from both."""
    code = Watched()
    x, mask = code.place("LM0", FOUND), code.place("GRF0", ONES)
    y = x if same_place else code.place("LM1", FOUND)
    dtypes = {name: np.dtype(np.float32) for name in ("x", "ones", "y")}
    reads = {name: (place,) for name, place in (("x", x), ("ones", mask)) if any(name in n.input for n in nodes)}
    masks = {"ones": np.ones((1, 11), np.float32)} if "ones" in reads else {}
    shapes = {"x": SHAPE, "y": SHAPE, "ones": (1, 11)}
    return code, PartedLoop(nodes, reads, {"y": (version("y", fill), (y,))}, masks, {}, dtypes, shapes)


def places(found: PartedLoop) -> tuple[dict[str, tuple[Place, ...]], dict[str, tuple[Place, ...]]]:
    """Those of whole padded tensors, to see what becomes of padding."""
    wide = lambda place: Place(place.memory, place.address, place.map.padded)  # noqa: E731
    reads = {name: tuple(map(wide, homes)) for name, homes in found.reads.items()}
    return reads, {name: tuple(map(wide, homes)) for name, (_, homes) in found.writes.items()}


def arrays() -> dict[str, np.ndarray]:
    """x of 3 in its padding, ones with zeros in its own."""
    x = np.full((128, 16), 3.0, np.float32)
    x[:100, :11] = np.random.default_rng(0).standard_normal(SHAPE)
    ones = np.zeros((1, 16), np.float32)
    ones[:, :11] = 1.0
    return {"x": x, "ones": ones}


@pytest.mark.parametrize("fill", [0.0, -inf, None])
def test_elements_are_computed_and_padding_is_filled(fill: float | None) -> None:
    code, found = loop([node("h = Relu x"), node("y = Mul h ones")], fill)
    found.emit(code)
    reads, writes = places(found)
    given = {name: arrays()[name] for name in reads}
    y = outcome(code, given, reads, writes)["y"][0][0].view(np.float32).reshape(128, 16)
    assert np.array_equal(y[:100, :11], np.maximum(arrays()["x"][:100, :11], 0))
    assert (y[~EMPTY[:, 11], 11] == 0.0).all(), "the mask's"
    if fill is not None:
        assert (y[EMPTY] == np.float32(fill)).all()


def test_masks_take_steps_only_where_there_is_padding() -> None:
    code, found = loop([node("h = Relu x"), node("y = Mul h ones")], None)
    found.emit(code)
    parted = len(code.lines)
    code, found = loop([node("y = Relu x")], None)
    found.emit(code)
    assert len(code.lines) < parted < 2 * len(code.lines) + 8


def test_where_a_value_stays_in_its_place_elements_are_left_alone() -> None:
    code, found = loop([node("y = Mul x ones")], 0.0, same_place=True)
    found.emit(code)
    written = {line.split()[-1] for line in code.lines}
    assert 0 < len(written) < 32


def test_what_changes_elements_is_no_mask() -> None:
    _, found = loop([node("y = Mul x ones")], 0.0)
    found.masks["ones"][0, 3] = 2.0  # type: ignore[index]
    assert all(part.nodes == found.nodes for part, _ in found._parts() if part.reads)


def test_only_what_has_other_padding_than_elements_is_a_mask() -> None:
    """x + 0 of the graph's own is computed everywhere: of -0 it is 0."""
    zeros = {"zeros": np.zeros((1, 11), np.float32)}
    for fill, there in ((-inf, True), (0.0, False), (None, False)):
        assert bool(masks_of([Version("zeros", ONES, ((1,), (11,)), fill)], zeros)) == there


def test_a_loop_that_only_mends_is_known_by_its_masks() -> None:
    x, y, mask = version("x", None), version("y", 0.0), Version("ones", ONES, ((1,), (11,)), 0.0)
    ones = {"ones": np.ones((1, 11), np.float32)}
    only, more = node("y = Mul x ones"), node("y = Relu x")
    assert mended(Compute((only,), (x, mask), (y,)), ones) is x
    assert mended(Compute((more,), (x,), (y,)), ones) is None
    assert mended(Compute((only, more), (x, mask), (y,)), ones) is None
    assert mended(Compute((only,), (x, mask), (y,)), {"ones": 2 * ones["ones"]}) is None

"""Values that are others under another name."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from haribote.graph import Builder, Index
from haribote.stack.plan import Version
from haribote.stack.planner.families import candidates, wide
from haribote.stack.planner.views import AxisView, views_of

Shape = tuple[int, ...]


def chain(shape: Shape, *steps: tuple[str, Shape]) -> tuple[onnx.ModelProto, str]:
    """A graph of transposes (by an order) and reshapes (to a shape), and the name of the last value."""
    builder = Builder("views")
    builder.input("x", shape, np.float32)
    name = "x"
    for op_type, given in steps:
        if op_type == "Transpose":
            name = builder.op("Transpose", name, name="turned", perm=given)
        else:
            name = builder.op("Reshape", name, builder.constant(np.array(given, np.int64), "shape"), name="cut")
    builder.op("Relu", name, name="y")
    builder.output("y")
    return builder.finish(), name


CASES: dict[str, tuple[Shape, list[tuple[str, Shape]]]] = {
    "transposed": ((256, 10), [("Transpose", (1, 0))]),
    "an axis of size 1": ((16, 785), [("Reshape", (16, 1, 785))]),
    "three axes": ((6, 5, 4), [("Transpose", (1, 2, 0))]),
    "cut": ((3, 28, 12), [("Reshape", (3, 14, 2, 6, 2))]),
    "joined": ((5, 12, 16), [("Reshape", (5, 192))]),
    "cut and joined": ((12, 16), [("Reshape", (6, 32))]),
    "cut, turned, joined": ((2, 28, 28), [("Reshape", (2, 14, 2, 14, 2)), ("Transpose", (0, 2, 4, 1, 3)),
                                          ("Reshape", (8, 14, 14))]),
    "cut twice": ((2, 24), [("Reshape", (2, 12, 2)), ("Reshape", (2, 3, 4, 2)), ("Transpose", (2, 0, 1, 3))]),
    "cut and back": ((20, 256), [("Reshape", (20, 16, 16)), ("Reshape", (20, 256))]),
}  # fmt: skip


def view_and_elements(name: str) -> tuple[AxisView, Shape, np.ndarray[Shape, np.dtype[np.int64]]]:
    """The view of a case, its root's shape, and which element of the root each of its elements is."""
    shape, steps = CASES[name]
    model, last = chain(shape, *steps)
    seen = np.arange(np.prod(shape)).reshape(shape)
    for op_type, given in steps:
        seen = seen.transpose(given) if op_type == "Transpose" else seen.reshape(given)
    return views_of(model, Index(model))[last], shape, seen


@pytest.mark.parametrize("name", CASES)
def test_there_and_back_is_the_same_version(name: str) -> None:
    view, shape, _ = view_and_elements(name)
    found = [Version("x", placed, split, 0.0) for split, placed in candidates(shape)]
    seen = [(version, view.version("y", version)) for version in found]
    assert all(other is None or view.inverse(other) == version for version, other in seen)
    assert any(other is not None for _, other in seen)


@pytest.mark.parametrize("name", CASES)
def test_a_view_has_its_elements_where_the_root_has_them(name: str) -> None:
    view, shape, seen = view_and_elements(name)
    for split, found in candidates(shape):
        version = Version("x", found, split, 0.0)
        other = view.version("y", version)
        if other is None:
            continue
        for level in ("group", "L2B", "L1B", "MAB", "PE", "W", "address"):
            mine = version.unpack(found.positions(level), shape).ravel()
            assert np.array_equal(other.unpack(other.map.positions(level), seen.shape), mine[seen])


def test_what_an_axis_is_split_into_stays_in_a_view_that_leaves_it_whole() -> None:
    shape = (785, 16)
    model, last = chain(shape, ("Transpose", (1, 0)))
    view = views_of(model, Index(model))[last]
    columns = range(4, 14)
    cut = ((8, 112), (16,)), wide((8, 112, 16), range(4), columns, "columns")
    splits = {view.version("y", Version("x", found, split)).split for split, found in (cut, *candidates(shape))}  # type: ignore[union-attr]
    assert splits == {((16,), (785,)), ((16,), (8, 112))}


@pytest.mark.parametrize(("shape", "after"), [((4, 7), (28,)), ((12,), (3, 2, 2, 1, 1)), ((6, 10), (10, 6))])
def test_reshapes_that_cut_an_index_bit_are_no_views(shape: Shape, after: Shape) -> None:
    model, last = chain(shape, ("Reshape", after))
    assert (last in views_of(model, Index(model))) == (shape == (12,))


def test_an_axis_that_is_split_otherwise_has_no_view() -> None:
    """785 columns as 8x112, of which a view takes 5 at a time: there is no bit between."""
    model, last = chain((16, 928), ("Reshape", (16, 464, 2)))
    view = views_of(model, Index(model))[last]
    for split, found in candidates((16, 928)):
        assert (view.version("y", Version("x", found, split)) is None) == (split[1] != (928,))

"""Large values leave as soon as they are there."""

from __future__ import annotations

from dataclasses import replace

from haribote.stack.plan import Become, Load, Shift, Store, Version
from haribote.stack.planner.early import LARGE, early
from haribote.stack.planner.families import candidates

SPLIT, WIDE = max(candidates((512, 512)), key=lambda entry: entry[1].longs)


def version(name: str) -> Version:
    return Version(name, WIDE, SPLIT)


def test_a_large_value_is_stored_right_away() -> None:
    a, b, c = map(version, "abc")
    assert WIDE.longs >= LARGE
    actions = (Load(a), Shift(a, b), Load(c), Store(b), Store(c))
    assert early(actions) == (Load(a), Shift(a, b), Store(b), Load(c), Store(c))


def test_a_parameter_is_replaced_after_its_last_use() -> None:
    w, new, b, c = version("w"), version("w.next"), version("b"), version("c")
    actions = (Load(new), Shift(w, b), Load(c), Become(new, w))
    assert early(actions) == (Load(new), Shift(w, b), Become(new, w), Load(c))


def test_small_values_wait() -> None:
    split, found = candidates((16, 16))[0]
    a, b = Version("a", found, split), Version("b", found, split)
    actions = (Load(a), Load(b), Store(a))
    assert early(actions) == actions
    assert replace(a, value="b") == b

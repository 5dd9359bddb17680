"""Room for Python's frames: no depth at which calls take many times as long."""

from __future__ import annotations

import sys
from time import perf_counter

import pytest

from simulator.frames import with_room


def leaf(a: int = 0, b: int = 0, c: int = 0, d: int = 0, e: int = 0, f: int = 0, g: int = 0, h: int = 0) -> int:
    """What a hot loop calls; its frame is larger than those of `seconds`, so that some depth leaves no room for it."""
    return (a, (b, (c, (d, (e, (f, (g, (h, 0))))))), a, b, c, d, e, f, g, h, a, b, c, d, e, f, g, h)[0]  # a deep stack


def seconds(depth: int) -> float:
    """Of calls at a depth of frames, at their fastest."""
    if depth:
        return seconds(depth - 1)
    found = []
    for _ in range(3):
        begin = perf_counter()
        for _ in range(2_000):
            leaf()
        found.append(perf_counter() - begin)
    return min(found)


def slowest(run: object) -> float:
    """By how much the slowest of many depths takes longer than the one in the middle."""
    assert callable(run)
    found = sorted(run(depth) for depth in range(1, 300))
    return float(found[-1] / found[len(found) // 2])


def test_calls_take_as_long_at_every_depth() -> None:
    assert slowest(with_room(seconds)) < 8


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python keeps frames elsewhere")
def test_without_room_they_do_not() -> None:
    """What the module says is so; where it is not any more, nobody needs it."""
    assert slowest(seconds) > 8


def test_a_function_stays_what_it_is() -> None:
    def add(a: int, *, b: int = 1) -> int:
        """Adds."""
        return a + b

    found = with_room(add)
    assert (found(1), found(1, b=4)) == (2, 5)
    assert (found.__name__, found.__doc__) == ("add", "Adds.")


def test_errors_and_deep_calls_pass() -> None:
    def deep(left: int) -> int:
        return deep(left - 1) if left else 0

    @with_room
    def wrong() -> None:
        raise KeyError("x")

    assert with_room(deep)(800) == 0
    with pytest.raises(KeyError):
        wrong()

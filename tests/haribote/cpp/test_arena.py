"""Memory of values between nodes: never shared while both are needed, and used again afterwards."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from haribote.cpp import arena
from haribote.cpp.arena import Buffer, buffers_of, place, plan
from haribote.errors import HariboteError
from haribote.graphs.textual import parsed

CHAIN = "(float[16] x) => (float[16] y) { a = Neg(x)  b = Exp(a)  c = Abs(b)  y = Add(c, a) }"


def test_lifetimes_go_from_the_writer_to_the_last_reader() -> None:
    assert buffers_of(parsed(CHAIN)) == {"a": Buffer(64, 0, 3), "b": Buffer(64, 1, 2), "c": Buffer(64, 2, 3)}


def test_a_place_is_used_again_once_nothing_reads_it() -> None:
    model = parsed("(float[16] x) => (float[16] y) { a = Neg(x)  b = Exp(a)  c = Abs(b)  y = Neg(c) }")
    found = plan(model)
    assert found.offsets == {"a": 0, "b": 64, "c": 0} and found.size == 128
    assert plan(parsed("(float[2] x) => (float[2] y) { y = Neg(x) }")).size == 0


@pytest.mark.parametrize("seed", range(10))
def test_no_byte_belongs_to_two_at_a_time(seed: int) -> None:
    random = np.random.default_rng(seed)
    starts = np.sort(random.integers(0, 30, 40))
    buffers = [Buffer(64 * int(random.integers(1, 6)), int(at), int(at + random.integers(0, 8))) for at in starts]
    placed = list(zip(place(buffers), buffers, strict=True))
    for (a, x), (b, y) in combinations(placed, 2):
        if x.first <= y.last and y.first <= x.last:
            assert a + x.size <= b or b + y.size <= a
    peak = max(sum(b.size for b in buffers if b.first <= node <= b.last) for node in range(40))
    assert peak <= max(at + buffer.size for at, buffer in placed) <= sum(buffer.size for buffer in buffers)


@pytest.mark.parametrize(
    ("offsets", "message"),
    [
        ([0, 0, 64], "'b' cannot share memory with 'a'"),
        ([0, 64, 160], "'c' cannot lie at 160"),
        ([-64, 0, 64], "at -64"),
    ],
)
def test_a_plan_that_overwrites_is_refused(offsets: list[int], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena, "place", lambda buffers: offsets)
    with pytest.raises(HariboteError, match=message):
        plan(parsed(CHAIN))

"""What leaves local memory: never more loads than the best of all choices."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest

from haribote.resident.leaving import leaves_first, loads


def fewest(reads: str, room: int) -> int:
    """The fewest loads, by trying everything."""

    @cache
    def after(now: int, here: frozenset[str]) -> int:
        if now == len(reads):
            return 0
        if reads[now] in here:
            return after(now + 1, here)
        rests = [here - {leaving} for leaving in here] if len(here) == room else [here]
        return 1 + min(after(now + 1, rest | {reads[now]}) for rest in rests)

    return after(0, frozenset())


@pytest.mark.parametrize("seed", range(6))
def test_no_choices_need_fewer_loads(seed: int) -> None:
    rng = Random(seed)
    for _ in range(20):
        reads, room = "".join(rng.choices("abcdef", k=14)), rng.randint(1, 4)
        assert loads(reads, room) == fewest(reads, room) <= loads(reads, room, lambda uses, now: 0)


def test_what_nobody_reads_any_more_leaves_before_all_others_and_of_equals_the_first() -> None:
    assert leaves_first([[1, 90], [2], [80]], 2) == 1
    assert leaves_first([[9], [12], [12, 3]], 4) == 1

"""Room in LM: the lowest that is free, and what has to leave."""

from __future__ import annotations

import pytest

from haribote.resident.plan import Local, NoRoom, Version
from haribote.resident.rooms import FLOOR, SCRATCH, Rooms


def version(address: int, words: int, memory: Local = "LM0", home: bool = False) -> Version:
    return Version(f"v{address}", "16", f"v{address}", memory, address, words, home)


def test_the_lowest_room_that_is_large_enough() -> None:
    rooms = Rooms()
    rooms.versions = [version(16, 16), version(40, 10), version(0, 4)]
    assert rooms.free("LM0", 12) == 4
    assert rooms.free("LM0", 12, behind=4) == 52  # behind 50, at a multiple of 4
    assert rooms.free("LM0", 8) == 4 and rooms.free("LM0", 8, start=5) == 8 and rooms.free("LM0", 8, start=20) == 32
    assert rooms.free("LM1", 8) == FLOOR["LM1"]
    assert rooms.free("LM0", SCRATCH - 52) == 52 and rooms.free("LM0", SCRATCH - 51) is None


def test_what_is_free_and_what_may_leave() -> None:
    rooms, home, other = Rooms(), version(0, 16, home=True), version(16, 16)
    rooms.versions = [home, other]
    assert rooms.is_free("LM0", 32, SCRATCH) and not rooms.is_free("LM0", 31, 40)
    assert not rooms.is_free("LM0", 32, SCRATCH + 1)
    assert rooms.victims("LM0", ()) == [other]
    with pytest.raises(NoRoom):
        rooms.victims("LM0", [other])

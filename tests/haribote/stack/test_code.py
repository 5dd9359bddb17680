"""Room in the memories of a program, and what is set up once."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.stack.code import Code, Slot
from haribote.stack.places import NoRoom


def test_a_table_never_lies_where_the_step_has_written_before() -> None:
    code = Code()
    with code.scratch():
        used = code.take(500, ("GRF0",))
    table = code.table("a", 8, lambda code, slot: [f"zero $lr{slot.address}v"], ("GRF0",))
    assert used == Slot("GRF0", 0, 500)
    assert table.address >= 500
    assert code.table("b", 8, lambda code, slot: [], ("GRF0", "GRF1")).bank == "GRF1"
    assert not code.doubtful


def test_a_table_without_room_makes_a_program_doubtful_until_the_next_one_has_it_first() -> None:
    code = Code()
    with code.scratch():
        code.take(512, ("GRF0",))
    code.table("a", 8, lambda code, slot: [f"zero $lr{slot.address}v"], ("GRF0",))
    assert code.doubtful
    with pytest.raises(NoRoom):
        code.table("b", 512, lambda code, slot: [], ("GRF0",))
    code.restart()
    assert not code.doubtful and code.setup == ["zero $lr504v"]
    assert code.take(504, ("GRF0",)).address == 0
    with pytest.raises(NoRoom):  # asked for before, and there is no room
        code.table("b", 8, lambda code, slot: [], ("GRF0",))


def test_a_table_is_set_up_once_and_stays() -> None:
    code = Code()
    with code.scratch():
        first = code.table("a", 8, lambda code, slot: ["first"])
    assert code.table("a", 8, lambda code, slot: ["second"]) == first
    assert code.setup == ["first"]
    rest = code.take(code.largest("GRF0"), ("GRF0",))
    assert rest.address + rest.words <= first.address


def test_tables_of_addresses_that_a_whole_program_did_not_ask_for_are_left_out_of_the_next() -> None:
    code = Code()
    code.table(("data", 64, "LM0"), 8, lambda code, slot: ["data"])
    code.table("a", 8, lambda code, slot: ["a"])
    code.restart()
    assert code.setup == ["data", "a"]
    code.table("b", 8, lambda code, slot: ["b"])
    code.restart(complete=True)
    assert code.setup == ["a", "b"]


def test_room_comes_back() -> None:
    code = Code()
    with code.scratch():
        code.take(300, ("GRF0",))
        kept = code.keep(code.take(200, ("GRF0",)))
    assert code.largest("GRF0") == 300
    code.give(kept)
    assert code.largest("GRF0") == 512


def test_constants_are_all_asked_for_where_one_has_no_room() -> None:
    code = Code()
    while code.largest("GRF0"):
        code.take(code.largest("GRF0"), ("GRF0",))
    before = code.asked
    with pytest.raises(NoRoom):
        code.constants([(1.0, "GRF0"), (2.0, "GRF1"), (3, "GRF0")])
    assert code.asked == before + 3


def test_no_room_says_how_much_is_asked_for_and_where() -> None:
    with pytest.raises(NoRoom) as problem:
        Code().take(9999, ("LM1", "GRF0"))
    assert (problem.value.words, problem.value.banks) == (9999, ("LM1", "GRF0"))


@pytest.mark.parametrize(("streams", "expected"), [(False, 16), (True, 0)])
def test_where_room_is_short_it_is_taken_from_the_start(streams: bool, expected: int) -> None:
    code = Code(streams=streams)
    first, _ = code.take(8, ("LM1",)), code.take(8, ("LM1",))
    code.give(first)
    assert code.take(8, ("LM1",)).address == expected


def test_another_program_like_one_has_its_tables_and_constant_words_and_leaves_it_as_it_is() -> None:
    code = Code(own_buffers=False)
    code.constant(1.5)
    code.data(np.arange(4 * 4096, dtype=np.uint32).reshape(4, 4096))
    code.add("nop")
    setup, slots = list(code.setup), code.set_up
    other = code.again()
    assert other.lines == [] and other.setup == setup and other.set_up == slots and not other.own_buffers
    other.data(np.zeros((8, 4096), np.uint32))
    other.constant(2.5)
    assert len(other.uploads) == 2 and len(code.uploads) == 1, "each has its own from now on"
    assert code.lines == ["nop"] and code.setup == setup and code.set_up == slots

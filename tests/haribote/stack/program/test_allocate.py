"""Who lives where: two homes for what is small, DRAM for what does not fit, and no copy of a parameter's new value."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from haribote.graph import Builder
from haribote.stack import code as code_module
from haribote.stack.code import GRF, Code
from haribote.stack.maps import COPY, BitMap, W, address, unit_bits
from haribote.stack.places import NoRoom
from haribote.stack.plan import Alias, Become, Compute, Load, Plan, Shift, Store, Version, halves_of
from haribote.stack.program import allocate, passes
from haribote.stack.program.allocate import SPARE_FOR_GOOD, Homes, Lives, in_place
from haribote.stack.program.builder import Built
from haribote.stack.program.ownership import trespasses
from haribote.stack.program.shortest import build
from haribote.stack.program.walk import difference, walk
from haribote.stack.program.work import Spill
from tests.haribote.stack.program.small_plans import NEAR, TURNED, values, version


def everywhere(value: str, size: int) -> Version:
    """All of a vector in every PE: as many words as elements."""
    bits = BitMap("LM", (size,), ()).axes[0]
    carries = dict.fromkeys(unit_bits("LM"), COPY) | {W: 0} | {address(bit - 1): bit for bit in bits if bit}
    return version(value, BitMap.of("LM", (size,), carries))


@pytest.mark.parametrize("size", [16, 200, 512])
def test_the_halves_of_a_value_leave_a_grf_to_the_sums_of_a_product(size: int) -> None:
    """And no LM has both: the rest still arrives while what is rounded is read."""
    homes = Homes(Code())
    rounded, rest = halves_of(everywhere("v", size))
    one, other = homes.make(rounded)[0].memory, homes.make(rest)[0].memory
    assert len({one, other} & set(GRF)) <= 1 and (one != other or one in GRF)
    homes.give(rounded)
    assert homes.make(rounded)[0].memory == one


# --- lives -----------------------------------------------------------------------------------------------------------

OLD, NEW, G = version("w", NEAR), version("w.next", NEAR), version("g", NEAR)
SUB = Compute((onnx.helper.make_node("Sub", ["w", "g"], ["w.next"]),), (OLD, G), (NEW,))


def made_in_place(*work: Compute | Alias | Become | Shift | Load | Store) -> list[int]:
    return [number for number, _ in in_place(work, Lives(work, (OLD,)))]


def test_an_update_is_made_where_its_parameter_is() -> None:
    assert made_in_place(Load(G), SUB, Become(NEW, OLD)) == [1]
    assert made_in_place(Load(G), SUB, Store(NEW), Become(NEW, OLD)) == [1]


def test_not_while_the_old_value_is_still_wanted() -> None:
    turned = version("w.T", NEAR)
    assert made_in_place(Load(G), SUB, Store(OLD), Become(NEW, OLD)) == []
    assert made_in_place(Load(G), Alias(OLD, turned), SUB, Store(turned), Become(NEW, OLD)) == []
    assert made_in_place(Load(G), Alias(OLD, turned), Store(turned), SUB, Become(NEW, OLD)) == [3]


def test_nor_by_a_move_of_the_parameter_itself() -> None:
    new = version("w.next", NEAR)
    assert made_in_place(Shift(OLD, new), Become(new, OLD)) == []
    assert made_in_place(Load(G), Shift(G, new), Become(new, OLD)) == [1]


def test_a_new_value_under_another_name_is_made_there_too() -> None:
    filled = version("w.filled", NEAR)
    compute = Compute((onnx.helper.make_node("Sub", ["w", "g"], ["w.filled"]),), (OLD, G), (filled,))
    assert made_in_place(Load(G), compute, Alias(filled, NEW), Become(NEW, OLD)) == [1]
    other = version("w.filled", TURNED)
    compute = Compute((onnx.helper.make_node("Relu", ["g"], ["w.filled"]),), (G,), (other,))
    assert made_in_place(Load(G), compute, Alias(other, NEW), Become(NEW, OLD)) == []


def test_a_version_lives_until_it_is_last_read_or_made_anew() -> None:
    work = (Load(G), Store(G), Load(G), Store(G))
    lives = Lives(work, ())
    assert [lives.next_use(G, number) for number in range(4)] == [1, None, 3, None]
    assert lives.maker(G, 2) == 0 and lives.maker(G, 0) is None


# --- homes -----------------------------------------------------------------------------------------------------------


def test_small_versions_have_two_homes_and_large_ones_live_in_lm() -> None:
    homes = Homes(Code())
    assert [place.memory for place in homes.make(OLD)] == ["GRF0", "GRF1"]
    assert [place.memory for place in homes.make(everywhere("a", 128))] == ["GRF0"]
    assert [place.memory for place in homes.make(everywhere("b", 128))] == ["GRF1"]
    assert sorted(homes.make(everywhere(name, 1024))[0].memory for name in "cd") == ["LM0", "LM1"]


@pytest.mark.slow
def test_residents_leave_more_of_grf_free_than_what_goes_again() -> None:
    code = Code()
    homes = Homes(code)
    for number in range(100):
        homes.make(everywhere(f"resident{number}", 16), SPARE_FOR_GOOD)
    assert min(code.largest(bank) for bank in ("GRF0", "GRF1")) in range(SPARE_FOR_GOOD, SPARE_FOR_GOOD + 16)
    assert homes.make(everywhere("resident", 16), SPARE_FOR_GOOD)[0].memory.startswith("LM")
    assert homes.make(everywhere("passing", 16))[0].memory == "GRF0"


def test_shared_room_is_free_when_its_last_owner_is_gone() -> None:
    code = Code()
    homes, room = Homes(code), code.largest("GRF0")
    homes.make(OLD)
    assert homes.share(NEW, OLD)[0].address == homes.of(OLD)[0].address
    assert not homes.alone(OLD)
    homes.give(OLD)
    assert homes.alone(NEW) and code.largest("GRF0") < room
    homes.give(NEW)
    assert code.largest("GRF0") == room


def test_what_can_never_fit_names_its_words_and_those_there_are() -> None:
    with pytest.raises(NoRoom, match=r"'a' \(8192\) needs 8192 words per PE; the largest free pieces are .*4096 of LM"):
        Homes(Code()).make(everywhere("a", 8192))


def doubled(size: int) -> list[str]:
    """Where a vector is, and where a loop puts twice that, while the other LM is fuller."""
    builder = Builder("twice")
    builder.input("z", (512,), np.float32)
    builder.input("x", (size,), np.float32)
    builder.op("Add", "x", "x", name="y")
    builder.output("y")
    builder.output("z")
    x, y, z = everywhere("x", size), everywhere("y", size), everywhere("z", 512)
    model = builder.finish()
    loop = Compute(tuple(model.graph.node), (x,), (y,))
    built = build(Plan(model, (Load(z), Load(x), loop, Store(y), Store(z))))
    (piece,) = (piece for piece in built.pieces if piece.action is loop)
    return [place.memory for found in (x, y) for place in piece.places[found]]


def test_a_loop_writes_to_the_lm_that_it_does_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allocate, "SMALL", 0)
    monkeypatch.setattr(allocate, "MEDIUM", 0)  # all is in LM
    assert doubled(64) == ["LM1", "LM0"]
    assert everywhere("x", 8).map.longs == 4, "read at once: then the result goes where most room is"
    assert doubled(8) == ["LM1", "LM1"]


# --- spills ----------------------------------------------------------------------------------------------------------


def stored_in_turn() -> Plan:
    """Five inputs, all loaded before the first of them is stored."""
    names = [f"x{number}" for number in range(5)]
    builder = Builder("many")
    for name in names:
        builder.input(name, (256, 16), np.float32)
        builder.op("Identity", name, name=f"{name}.out")
        builder.output(f"{name}.out")
    loaded = [version(name, NEAR) for name in names]
    stored = [version(f"{name}.out", NEAR) for name in names]
    ends = [action for pair in zip(loaded, stored, strict=True) for action in (Alias(*pair), Store(pair[1]))]
    return Plan(builder.finish(), (*map(Load, loaded), *ends))


def without_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """PEs hold four versions of 16 words."""
    sizes = {"GRF0": 32, "GRF1": 32, "LM0": 16, "LM1": 16, "L1BM": 8192, "L2BM": 32768, "PDM": 1 << 19}
    monkeypatch.setattr(code_module, "_sizes", lambda: sizes)
    monkeypatch.setattr(code_module, "RESERVED", {})


def check_stored(built: Built) -> None:
    found = walk(built, {f"x{number}": values(number) for number in range(5)})
    assert not found.wrong, str(found)
    assert not trespasses(built)
    assert not difference(built)


@pytest.mark.slow
def test_what_is_needed_latest_waits_in_dram(monkeypatch: pytest.MonkeyPatch) -> None:
    without_room(monkeypatch)
    monkeypatch.setattr(passes, "made_again", lambda plan, *_: plan)
    plan = stored_in_turn()
    built = build(plan)
    spilled = [piece.action for piece in built.pieces if isinstance(piece.action, Spill)]
    (latest,) = (action.target for action in plan.actions if isinstance(action, Load) and action.target.value == "x3")
    assert spilled == [Spill(latest, back=False), Spill(latest, back=True)]
    check_stored(built)


@pytest.mark.slow
def test_an_input_for_which_there_is_no_room_is_loaded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    without_room(monkeypatch)
    built = build(stored_in_turn())
    actions = [piece.action for piece in built.pieces]
    assert not any(isinstance(action, Spill) for action in actions)
    assert [a.target.value for a in actions if isinstance(a, Load)] == ["x0", "x1", "x2", "x3", "x4", "x3"]
    assert built.put_away > 0
    check_stored(built)

"""-O1 beside -O0: the same bits, at every use in every copy, whatever the kernels leave behind."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.chip import program
from haribote.chip.codegen import ChipPiece, Find
from haribote.chip.program import Compiled, ProgramPart, link
from haribote.compiler import compile_for_sim, start_session
from haribote.frontend.torch import trace_step
from haribote.passes.placement import homes_of, placement_of
from haribote.resident import rooms
from haribote.training.backends import example_batch
from haribote.training.models import mlp
from haribote.training.sim_backend import SimBackend
from simulator import Machine, assemble
from simulator.assembly.checks import check
from tests.haribote.batches import batch
from tests.haribote.resident import learners
from tests.haribote.resident.walk import Walk
from tests.long_runs import LONG

Widths = tuple[int, ...]
STEP: Widths = (784, 16, 10)
SMALL: Widths = (16, 10)


@pytest.fixture
def unscheduled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs as they are linked: the scheduler has tests of its own, and takes its time."""
    monkeypatch.setattr(program, "schedule", lambda found: found)


def assert_same_bits(
    widths: Widths, size: int = 256, bias: bool = True, engine: str = "native", find: Find | None = None, steps: int = 3
) -> Compiled:
    """Losses, all parameters with their padding, and logits; what -O1 made."""
    plain, resident = (
        SimBackend(mlp(*widths, bias=bias), 0.1, size, solutions=True, engine=engine, find=find, level=level)
        for level in (0, 1)
    )
    for seed in range(steps):
        images, labels = batch(seed, size, widths[0])
        assert plain.step(images, labels % widths[-1]) == resident.step(images, labels % widths[-1])
    wanted, found = plain.padded_parameters(), resident.padded_parameters()
    assert wanted.keys() == found.keys()
    for name, value in wanted.items():
        assert value.tobytes() == found[name].tobytes(), name
    assert plain.logits(images).tobytes() == resident.logits(images).tobytes()
    assert (plain.compiled.chip_count, plain.compiled.node_count) == (
        resident.compiled.chip_count,
        resident.compiled.node_count,
    )
    return resident.compiled


def compiled_step(widths: Widths, size: int, level: int, find: Find | None = None, bias: bool = True) -> Compiled:
    model = mlp(*widths, bias=bias)
    return compile_for_sim(trace_step(model, *example_batch(model, size, 0.1)), True, find=find, level=level)


@pytest.mark.slow
def test_the_step_is_the_same_to_the_bit_and_takes_half_the_cycles() -> None:
    made = assert_same_bits(STEP)
    assert made.chip_count == made.node_count == 28 and len(made.homes) == 4
    assert made.unscheduled is not None and made.cost.steps < made.unscheduled.steps < 1000
    assert made.cost.cycles < 9000 and made.cost.moves == 46
    programs = [part.program for part in made.parts if isinstance(part, ProgramPart)]
    assert not [finding for program in programs for finding in check(program) if finding.severity == "error"]


@pytest.mark.usefixtures("unscheduled")
def test_parameters_are_as_before_after_a_run_that_is_no_training() -> None:
    made = compiled_step(SMALL, 256, 1)
    session, random = start_session(made), np.random.default_rng(1)
    weights = random.standard_normal((10, 16)).astype(np.float32)
    values = {"0.weight": weights, "0.bias": weights[:, 0], "labels": np.arange(256) % 10}
    values["x"] = random.standard_normal((256, 16)).astype(np.float32)
    for name, value in values.items():
        session.write(name, value)
    session.run()
    first = session.outputs()
    assert np.array_equal(session.read("0.weight"), weights)
    assert not np.array_equal(first["0.weight.next"], weights)
    session.run()
    assert all(np.array_equal(value, session.outputs()[name]) for name, value in first.items())
    session.step({})
    assert np.array_equal(session.read("0.weight"), first["0.weight.next"])


@pytest.mark.usefixtures("unscheduled")
@pytest.mark.parametrize(
    ("widths", "size", "bias", "find"),
    [
        (STEP, 256, True, None),
        ((10, 7, 5, 3), 256, True, None),
        pytest.param((784, 40, 10), 100, False, None, marks=pytest.mark.slow),
        pytest.param((30, 17, 4), 300, True, None, marks=pytest.mark.slow),
        (STEP, 256, True, learners.without("5.3", "5.11", "5.18", "5.24")),
    ],
)
def test_every_word_that_is_read_holds_what_it_should(widths: Widths, size: int, bias: bool, find: Find | None) -> None:
    compiled = compiled_step(widths, size, 1, find, bias)
    walk = Walk(compiled)
    for _ in range(2):
        walk.run()
    assert walk.uses > 2 * len([piece for piece in compiled.pieces if isinstance(piece, ChipPiece)]) * 0.9


@pytest.mark.usefixtures("unscheduled")
@pytest.mark.parametrize("change", ["address", "order"])
def test_the_walk_finds_a_tensor_that_is_not_where_it_is_read(change: str) -> None:
    compiled = compiled_step(SMALL, 256, 1)
    pieces = list(compiled.pieces)
    number = next(n for n, piece in enumerate(pieces) if piece.node.op_type == "Copy")
    if change == "order":
        pieces[number - 1], pieces[number] = pieces[number], pieces[number - 1]
    else:
        entry = next(e for e in pieces[number].node.metadata_props if e.key == "haribote.in0.address")
        entry.value = str(int(entry.value) + 4)
    walk = Walk(link(compiled.model, pieces))
    with pytest.raises(AssertionError):
        walk.run()


@pytest.mark.slow
@pytest.mark.usefixtures("unscheduled")
def test_every_copy_that_is_read_has_the_bits_of_o0() -> None:
    """Each operand in LM, right before its kernel runs, in all copies that its layout names."""
    plain, made = compiled_step(STEP, 256, 0), compiled_step(STEP, 256, 1)
    reference, session = start_session(plain, Machine("native")), start_session(made, Machine("native"))
    random = np.random.default_rng(3)
    images, labels = batch(0)
    values = {"x": images, "labels": labels}
    values |= {name: value.detach().numpy() for name, value in mlp(*STEP).named_parameters()}
    for name, value in values.items():
        reference.write(name, value)
        session.write(name, value)
    reference.run()
    machine = session.machine
    free = range(max(home.place.address + home.place.layout.words for home in homes_of(made.model).values()), 4096)
    for memory, first in ((machine.lm0, free.start), (machine.lm1, 0)):
        memory[first:] = random.integers(0, 1 << 32, (1, memory.shape[1]), np.uint32)
    walk, looked = Walk(made), 0
    for piece in made.pieces:
        if not isinstance(piece, ChipPiece):
            continue
        for slot, name in walk.inputs(piece.node):
            spot = placement_of(piece.node, slot)
            if spot.memory != "DRAM":
                memory = machine.lm0 if spot.memory == "LM0" else machine.lm1
                wanted = np.ascontiguousarray(reference.read(walk.value(name), padded=True)).view(np.uint32).reshape(-1)
                assert (spot.layout.gather_copies(memory, spot.address or 0) == wanted).all(), (piece.node.name, name)
                looked += 1
        machine.run(assemble("\n".join(piece.lines)))
        if piece.node.op_type in ("DL", "UL", "Copy"):
            walk.same[piece.node.output[0]] = walk.value(piece.node.input[0])
    assert looked > 50


@pytest.mark.usefixtures("unscheduled")
@pytest.mark.slow
def test_junk_in_other_copies_is_never_read() -> None:
    made = assert_same_bits(STEP, find=learners.changed(learners.junk_in_other_copies, "5.12"), steps=2)
    assert len(made.homes) == 4
    (note,) = made.notes
    assert "the Relu of task 5.12" in note and "only copy 0 counts" in note


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "tasks"),
    [
        (learners.as_it_is, ()),
        (learners.junk_in_other_copies, ("5.15", "5.18")),
        (learners.junk_in_other_copies, ("5.3",)),
        (learners.clears_other_words, ("5.12", "5.24")),
        (learners.stays_where_it_was, ("5.14", "5.18")),
        (learners.takes_its_place_for_granted, ("5.12",)),
    ],
)
def test_whatever_a_learners_kernel_leaves_the_bits_are_the_same(
    change: learners.Change, tasks: tuple[str, ...]
) -> None:
    assert_same_bits(STEP, find=learners.changed(change, *tasks))


@pytest.mark.slow
@pytest.mark.parametrize(
    "find",
    [
        learners.without("5.3", "5.11", "5.18", "5.24"),
        learners.only("relu", "add_bias", "exp", "gemm_xwt", "greater", "mul"),
        learners.only(),
    ],
)
def test_what_has_no_kernel_runs_on_the_host_with_the_same_bits(find: Find) -> None:
    assert_same_bits(STEP, find=find)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("widths", "size", "bias"),
    [
        (STEP, 100, False),
        pytest.param((784, 40, 10), 256, True, marks=LONG),
        pytest.param((784, 16, 40), 256, True, marks=LONG),
        pytest.param((784, 20, 33, 10), 100, False, marks=LONG),
        pytest.param((30, 17, 4), 300, True, marks=LONG),
        ((1100, 8, 10), 3, True),
    ],
)
def test_other_networks_have_the_same_bits(widths: Widths, size: int, bias: bool) -> None:
    assert_same_bits(widths, size, bias)


@LONG
@pytest.mark.slow
def test_both_engines_agree() -> None:
    assert_same_bits(STEP, engine="numpy")


@pytest.mark.usefixtures("unscheduled")
@pytest.mark.parametrize("room", [pytest.param(400, marks=pytest.mark.slow), 350])
def test_what_does_not_fit_goes_back_to_dram(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = compiled_step(SMALL, 256, 1)
    monkeypatch.setattr(rooms, "SCRATCH", room)
    made = assert_same_bits(SMALL, steps=2)
    assert made.cost.moves > usual.cost.moves
    Walk(made).run()

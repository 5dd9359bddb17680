import numpy as np

from haribote.stack.picks.needs import Needs
from haribote.stack.planner.families import candidates
from haribote.stack.planner.gathers import PICKED, _wants, gather_cycles
from simulator import isa


def test_a_sample_wants_nothing_that_the_whole_gather_does_not() -> None:
    index = np.random.default_rng(0).integers(-1, 64 * 24, (64, 40))
    source, target = candidates((64, 24))[0][1], candidates((64, 40))[0][1]
    whole = Needs.of(target, source, index.ravel()).wants
    some = _wants(source, target, index)
    assert some.may.any()
    assert not (some.may & ~whole.may).any()


def test_what_stays_in_its_row_is_cheaper_than_what_crosses_rows() -> None:
    rows = np.arange(256 * 16).reshape(256, 16)
    maps = [found for _, found in candidates((256, 16))]
    still, within, across = (
        [gather_cycles(found, found, index) for found in maps]
        for index in (rows, np.roll(rows, 1, axis=1), np.roll(rows, 100, axis=0))
    )
    assert still == [isa.STEP_CYCLES * PICKED * found.longs for found in maps], "nothing travels"
    assert min(within) < min(across)


def test_a_value_of_no_axes_is_picked_too() -> None:
    """A seed of the random graphs showed it: NumPy unravels no index of a shape without axes."""
    source, target = candidates(())[0][1], candidates((3,))[0][1]
    assert gather_cycles(source, target, np.zeros(3, np.int64)) >= isa.STEP_CYCLES * PICKED * target.longs

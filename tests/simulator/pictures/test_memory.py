"""draw.memory against the machine."""

from __future__ import annotations

import numpy as np
import pytest

from haribote import draw
from simulator import Machine
from simulator.errors import SimulatorError
from tests.haribote.picture_checks import SVG, check_picture, texts, tree


def test_who_is_filled() -> None:
    machine = Machine()
    machine.lm0[4:12, 64:128] = np.float32(1.5).view(np.uint32)
    machine.lm0[4, 200] = 7
    picture = check_picture(lambda: draw.memory(machine, "lm0", "n0c0b1m2p3", count=16))
    found = texts(picture)
    assert found[0] == "LM0: 65 of 4,096 PEs hold something"
    assert found.count("1.5") == 8 and found.count("0") >= 8
    titles = [title.text for title in tree(picture).iter(f"{SVG}title")]
    assert "L2B 0, L1B 1: up to 8 words in a PE" in titles and "L2B 0, L1B 3: up to 1 words in a PE" in titles
    assert "word 4: 0x3fc00000" in titles


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    "name", ["l1bm", "dram", *(pytest.param(x, marks=SLOW) for x in ("lm1", "grf0", "grf1", "t", "l2bm", "pdm"))]
)
def test_every_memory_can_be_drawn(name: str) -> None:
    machine = Machine()
    assert "0 of" in texts(draw.memory(machine, name, count=16))[0]
    if name == "dram":
        machine.dram[2][3:5] = 9
    else:
        getattr(machine, name)[..., 3] = 9
    assert not texts(check_picture(lambda: draw.memory(machine, name, count=16, dtype="i")))[0].startswith("0 of")


def test_words_in_every_notation() -> None:
    machine = Machine()
    machine.dram[1][0:1] = (0xFFFFFFFE << 32) + 0x3F800000
    for dtype, wanted in (("f", ["nan", "1"]), ("i", ["-2", "1065353216"]), ("x", ["fffffffe", "3f800000"])):
        found = texts(draw.memory(machine, "dram", "n1", count=1, dtype=dtype))
        assert found[-2:] == wanted
    for wrong in ({"name": "lm7"}, {"unit": "n9"}, {"dtype": "q"}, {"first": -1}, {"count": 0}):
        with pytest.raises(SimulatorError):
            draw.memory(machine, **{"name": "lm0", **wrong})

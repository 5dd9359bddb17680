"""draw.timeline against the profile."""

from __future__ import annotations

import re

import numpy as np
import pytest

from haribote import draw
from simulator import assemble
from simulator.explain.profile import LANES, Busy, profile_of
from simulator.pictures.timeline import LEFT, RIGHT, busy_share, ticks
from tests.haribote.picture_checks import SVG, check_picture, texts, tree
from tests.simulator.pictures.programs import SHORT

LONG = "\n".join(f"fvadd $lm{8 * n}v $lm{8 * n}v $lr0v\nnop/2\nfvmul $lr0v $lr0v $ln{8 * n}v" for n in range(60))


def test_intervals_stand_where_the_profile_has_them() -> None:
    picture = check_picture(lambda: draw.timeline(SHORT))
    profile = profile_of(assemble(SHORT))
    drawn = []
    for rect in tree(picture).iter(f"{SVG}rect"):
        found = re.match(r"line (\d+): ", rect.findtext(f"{SVG}title") or "")
        if found:
            drawn.append((int(found[1]), float(rect.get("x", 0)), float(rect.get("width", 0))))
    scale = (RIGHT - LEFT) / profile.cost.cycles
    wanted = sorted((busy.line, LEFT + busy.start * scale, busy.cycles * scale - 1) for busy in profile.busy)
    np.testing.assert_allclose(sorted(drawn), wanted, atol=0.01)


def test_a_long_program_is_drawn_by_its_density() -> None:
    picture = check_picture(lambda: draw.timeline(LONG))
    assert "960 cycles: 240 steps, 120 of them nops, and 0 MV" in texts(picture)
    busy = [Busy("MAU", 0, 4, 1), Busy("MAU", 8, 2, 2)]
    assert busy_share(busy, 16, 4).tolist() == [1, 0, 0.5, 0]
    assert "50%" in texts(picture) and "waiting" in texts(picture)
    assert len([text for text in texts(picture) if text.startswith("line ")]) <= 5


def test_shares_are_those_of_the_profile() -> None:
    found = texts(draw.timeline(SHORT))
    shares = profile_of(assemble(SHORT)).lanes
    assert [text for text in found if text.endswith("%")] == [f"{shares[lane]:.0%}" for lane in LANES]


@pytest.mark.parametrize("end", [1, 7, 60, 99.5, 28264, 1e-3, 0.4])
def test_ticks_are_round_and_few(end: float) -> None:
    found = ticks(end)
    assert found[0] == 0 and 2 <= len(found) <= 8 and found[-1] <= end * (1 + 1e-9)
    digits = f"{found[1]:.6e}".split("e")[0].rstrip("0").rstrip(".")
    assert digits in ("1", "2", "5") and found[-1] + found[1] > end

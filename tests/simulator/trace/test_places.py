"""Names of words: which are read, and which are refused."""

from __future__ import annotations

import pytest

from simulator import SimulatorError
from simulator.effects.places import parse_place


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("$n4n0c0b3m2p1", ["$n4n0c0b3m2p1"]),
        ("$ln4n0c0b3m2p1", ["$n4n0c0b3m2p1", "$n5n0c0b3m2p1"]),
        ("$t2n1", ["$t cycle 2 word 0 n1c0b0m0p0", "$t cycle 2 word 1 n1c0b0m0p0"]),
        ("$lb7n3c1b7", ["$lb7n3c1b7 high word", "$lb7n3c1b7 low word"]),
        ("$d5n2", ["$d5n2 high word", "$d5n2 low word"]),
    ],
)
def test_names(text: str, places: list[str]) -> None:
    assert [str(place) for place in parse_place(text)] == places


@pytest.mark.parametrize("text", ["$x0", "m0", "$lm5000", "$lm0n9", "", "$lb0m1"])
def test_bad_names(text: str) -> None:
    with pytest.raises(SimulatorError, match="cannot trace"):
        parse_place(text)

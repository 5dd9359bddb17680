"""The generator of programs."""

from __future__ import annotations

import random

from benchmarks.fuzz import generate


def test_the_same_seed_gives_the_same_program() -> None:
    assert generate.program(random.Random(8)) == generate.program(random.Random(8))

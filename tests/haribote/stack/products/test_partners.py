"""Maps for the other operand: those that a train step by hand uses are among them, and all have a core."""

from __future__ import annotations

from random import Random

import pytest

from haribote.stack.maps import BitMap
from haribote.stack.products import Precision, Spec, cores, partners
from tests.haribote.stack.products.maps import COLUMNS, L1B, L2B, MAB, NEAR, at, make
from tests.haribote.stack.products.operands import contraction, deal

X = make((256, 1024), i=at(0, 1, 2, 3, 4) + L1B, j=NEAR + MAB + L2B)
W1 = make((16, 1024), i=at(0, 1, 2, 3), j=NEAR + MAB + L2B, copies=L1B)
W2 = make((16, 16), i=at(0, 1, 2, 3), j=MAB, copies=NEAR + L1B + L2B)
G = make((256, 16), i=NEAR + at(4, 5) + L1B, j=at(0, 1, 2, 3), copies=MAB + L2B)


@pytest.mark.parametrize(
    ("spec", "which", "known", "wanted"),
    [
        ("nk,mk->nm", "b", X, W1),
        ("nk,mk->nm", "a", W1, X),
        ("rm,im->ri", "b", COLUMNS, W2),
        ("ri,rk->ik", "a", X, G),
        ("ri,rk->ik", "b", G, X),
        ("ri,rj->ij", "b", COLUMNS, G),
    ],
)
def test_what_a_step_by_hand_uses_is_found(spec: str, which: str, known: BitMap, wanted: BitMap) -> None:
    found = partners(spec, which, known, wanted.shape)
    key = {frozenset(where(candidate).items()) for candidate in found}
    assert frozenset(where(wanted).items()) in key


def where(found: BitMap) -> dict[str, int]:
    """What stands at units; the order of addresses is left open."""
    return {str(bit): carry for bit, carry in found.carries if bit.level != "address"}


@pytest.mark.parametrize("seed", range(20))
def test_partners_have_cores(seed: int) -> None:
    random = Random(seed)
    spec = contraction(random)
    a, b = deal(random, spec, near=seed % 2 == 0)
    _all_have_cores(spec, a, b, "float")


@pytest.mark.parametrize("seed", range(20))
def test_partners_for_halves_have_cores(seed: int) -> None:
    random = Random(seed)
    spec = contraction(random)
    a, b = deal(random, spec, near=True, half=True)
    _all_have_cores(spec, a, b, "half")
    if any(core.matrix for core in cores(str(spec), a, b, "half") if core.turns == (None, None)):
        found = partners(str(spec), "b", a, b.shape, "half")
        assert any(core.matrix for other in found for core in cores(str(spec), a, other, "half"))


def _all_have_cores(spec: Spec, a: BitMap, b: BitMap, precision: Precision) -> None:
    for which, known, other in (("b", a, b), ("a", b, a)):
        found = partners(str(spec), which, known, other.shape, precision)
        assert found
        for candidate in found:
            both = (candidate, known) if which == "a" else (known, candidate)
            assert cores(str(spec), *both, precision)

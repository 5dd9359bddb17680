"""The picture of a cut says what the cut says."""

from __future__ import annotations

import pytest

from haribote.partition.cut import cut
from haribote.partition.picture import MOST_PIECES, cut_picture
from haribote.partition.pieces import Cut, Piece
from tests.haribote.partition.test_cut import chain
from tests.haribote.picture_checks import check_picture, texts, tree


@pytest.fixture(scope="module")
def found() -> Cut:
    return cut(chain(), by_cost=False)


def test_pieces_values_times_and_reasons(found: Cut) -> None:
    picture = check_picture(lambda: cut_picture(found, "chain"))
    shown = "\n".join(texts(picture))
    assert f"chain: 4 of 6 nodes on the chip, {found.microseconds:,.1f} us" in shown
    for number, piece in enumerate(found.pieces, 1):
        assert f"{number}  {piece.nodes} node" in shown and f"{piece.microseconds:,.1f} us" in shown
    for crossing in found.crossings:
        way, time = f"{crossing.source + 1} -> {crossing.target + 1}", f"{crossing.microseconds:,.1f} us"
        assert f"{way}: {crossing.name} float32[8, 4], 128 bytes, {time}" in shown
    assert "no rule for RandomNormalLike" in picture.text and "assumed: 750 MHz" in shown
    pairs = {(crossing.source, crossing.target) for crossing in found.crossings}
    lines = [e for e in tree(picture).iter() if (e.get("class") or "") in ("h0-line", "h1-line")]
    assert len(lines) == len(pairs) == 5


def test_a_cut_in_many_pieces_ends_with_how_many_are_left_out(found: Cut) -> None:
    one: Piece = found.pieces[1]
    many = Cut(found.model, (one,) * (MOST_PIECES + 7))
    assert "and 7 pieces more" in texts(check_picture(lambda: cut_picture(many)))

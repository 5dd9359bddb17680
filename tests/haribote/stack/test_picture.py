"""The picture of a map: complete, and what it shows is what the map says."""

from __future__ import annotations

import pytest

from haribote.stack.collection import collection
from haribote.stack.picture import map_picture
from tests.haribote.picture_checks import check_picture, texts

MAPS = collection()


@pytest.mark.parametrize("name", MAPS)
def test_every_bit_is_in_the_picture(name: str) -> None:
    found = MAPS[name]
    drawn = check_picture(lambda: map_picture(found))
    carries = [carry for _, carry in found.carries if carry >= 0]
    shown = texts(drawn)
    for carry in range(found.width):
        assert shown.count(found.name(carry)) == 1 + carries.count(carry)
    assert shown.count("=") == len(found.copies())
    assert drawn.text.count('-line" d=') == len(carries) and "carries" in drawn.title

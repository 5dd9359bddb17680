"""Bars, and the picture of a walk through memory."""

from __future__ import annotations

import xml.etree.ElementTree as xml
from functools import partial

import pytest

from haribote.draw.bars import bars
from haribote.errors import HariboteError
from haribote.lessons.walk import walk


@pytest.mark.parametrize("picture", [partial(walk, "ijp"), partial(walk, "tiled"), partial(bars, {"a": 3.0, "b": 0.0})])
def test_pictures_are_svg(picture) -> None:
    assert xml.fromstring(picture().text).tag.endswith("svg")


def test_bars_sum_what_is_too_much_and_refuse_what_is_none() -> None:
    assert "3 others 9" in bars({str(i): 3.0 for i in range(5)}, most=2).title
    with pytest.raises(HariboteError, match="not negative"):
        bars({"a": -1.0})
    with pytest.raises(HariboteError):
        bars({})

"""A digit that a learner draws."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from haribote.data import strokes
from haribote.errors import HariboteError

pytestmark = pytest.mark.usefixtures("with_solutions")


def test_strokes_become_a_digit() -> None:
    seven = strokes.image([[(0.3, 0.2), (0.7, 0.2), (0.4, 0.9)]])
    rows, columns = np.nonzero(seven > 64)
    assert seven.shape == (28, 28) and seven.dtype == np.uint8 and seven.max() == 255
    assert 18 <= np.ptp(rows) + 1 <= 21 and np.ptp(columns) + 1 <= 20
    assert strokes.image([[(0.5, 0.5)]]).max() > 200
    some: list[Any] = [[], [[]], "digit", [[(0.1, 0.2, 0.3)]]]
    for wrong in some:
        with pytest.raises(HariboteError):
            strokes.image(wrong)


def test_the_pad_needs_nothing_from_elsewhere() -> None:
    page = strokes.pad()._repr_html_()
    assert re.match(r'<iframe srcdoc="[^"]*" width', page) and "http" not in page

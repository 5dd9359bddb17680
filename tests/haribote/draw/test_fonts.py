"""matplotlib's figures: Japanese where a font can write it, English where none can, never boxes."""

from __future__ import annotations

import io
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.text import Text

from haribote.draw import fonts
from haribote.draw.fonts import SAMPLES, font_with, lettered
from haribote.training.checkpoint import Run
from haribote.training.train import loss_figure
from simulator.language import spoken
from simulator.messages import tr

RUN = Run([16], 2, 0.1, 1, "synthetic", True, 2, [2.3, 1.9, 1.5, 1.2], [0.5, 0.75])


def words(figure: Figure) -> list[str]:
    """What the figure says, but for the numbers at its axes."""
    texts = [text.get_text() for text in figure.findobj(Text) if isinstance(text, Text)]
    return sorted(text for text in texts if any(map(str.isalpha, text)))


def picture(figure: Figure) -> bytes:
    """The figure as a PNG; a character that no font has is an error."""
    content = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        figure.savefig(content, format="png")
    return content.getvalue()


@pytest.fixture
def no_font(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The only font with a promising name cannot write Japanese."""
    named = shutil.copy(findfont(FontProperties()), tmp_path / "meiryo.ttf")
    monkeypatch.setattr(fonts, "findSystemFonts", lambda: [str(named)])
    monkeypatch.setattr(fonts, "font_with", font_with.__wrapped__)


def test_the_default_font_cannot_write_the_samples() -> None:
    default = get_font(findfont(FontProperties()))
    assert not any(default.get_char_index(ord(character)) for character in SAMPLES["ja"] if character.isalpha())


def test_a_figure_is_in_english_in_english() -> None:
    with lettered():
        assert words(loss_figure(RUN)) == sorted(
            [
                "a training run of 784-16-10 on digits from fonts",
                "accuracy",
                "epoch",
                "loss",
                "loss",
                "test accuracy in %",
            ]
        )


@pytest.mark.usefixtures("no_font")
def test_a_figure_is_in_english_where_no_font_has_the_characters() -> None:
    with lettered():
        english = loss_figure(RUN)
    with spoken("ja"), lettered():
        figure = loss_figure(RUN)
    assert words(figure) == words(english) and picture(figure) == picture(english)


def test_a_figure_is_in_japanese_where_a_font_has_the_characters() -> None:
    if not font_with(SAMPLES["ja"]):
        pytest.skip("no Japanese font is installed")
    with spoken("ja"), lettered():
        figure = loss_figure(RUN)
    assert words(figure) == sorted(
        ["784-16-10 の学習：フォントで描いた数字", "エポック", "テストの正解率（%）", "損失", "損失", "正解率"]
    )
    assert np.frombuffer(picture(figure), np.uint8).size > 1000


def test_the_language_is_as_before_afterwards() -> None:
    with spoken("ja"):
        with lettered():
            pass
        assert tr("loss") == "損失" and rcParams["font.family"] == ["sans-serif"]

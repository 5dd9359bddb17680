"""The picture and the film: their sizes, what moves in them, and that they are the same every time."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from haribote.share import canvas, film
from haribote.share.frame import FIELD, MARGIN, Player
from simulator.language import spoken
from tests.haribote.share.stories import story


def test_picture_has_the_size_that_links_show() -> None:
    content = film.picture(story(name="Aki"))
    image = Image.open(io.BytesIO(content))
    assert image.format == "PNG" and image.size == (1200, 630)
    assert len(content) < 300_000
    assert content == film.picture(story(name="Aki")) != film.picture(story(name="Bo"))


@pytest.mark.slow
def test_film_plays_for_a_few_seconds_and_is_small() -> None:
    content = film.film(story(name="Aki"))
    image = Image.open(io.BytesIO(content))
    times = []
    for number in range(image.n_frames):
        image.seek(number)
        times.append(image.info["duration"])
    assert image.format == "GIF" and image.n_frames == film.FRAMES and image.info["loop"] == 0
    assert 3_000 < sum(times) < 10_000
    assert len(content) < 1_500_000  # of noise, which packs worst
    assert content == film.film(story(name="Aki"))


def test_field_is_drawn_where_each_pe_is() -> None:
    told = story()
    player = Player(told)
    pixels = np.asarray(player.frame(0, 0.0))
    field = pixels[MARGIN : MARGIN + FIELD, MARGIN : MARGIN + FIELD]
    bright = told.recording.moments[0].field.reshape(64, 64)
    gaps = np.arange(64) // 8 + 2 * (np.arange(64) // 16) + 2 * (np.arange(64) // 32)
    centres = np.round((np.arange(64) * 7 + 1.5 * gaps + 2) * FIELD / (64 * 7 + 1.5 * gaps[-1])).astype(int)
    blue = field[np.ix_(centres, centres)][:, :, 2].astype(int)  # the first kernel is of the kind "down", which is blue
    levels = [set(blue[bright == level].tolist()) for level in range(16)]
    assert all(len(colours) == 1 for colours in levels)
    shades = [colours.pop() for colours in levels]
    assert shades == sorted(shades) and len(set(shades)) == 16


def test_boxes_of_any_size_can_be_drawn() -> None:
    drawn = canvas.Canvas(300, 40)
    for number in range(3000):
        drawn.box(100 + number / 7.3, 4, 1.0, 18, canvas.INK, number % 3)
    drawn.box(10, 4, 0.2, 18, canvas.INK, 3)
    pixels = np.asarray(drawn.image)
    assert (pixels[:, :90] == canvas.PAGE).all() and (pixels[10, 110:280] == canvas.INK).all()


def test_text_fits_its_room() -> None:
    drawn = canvas.Canvas(400, 60)
    width = drawn.text(10, 30, "a name that is as long as names can be, and longer", 40, room=300)
    assert width <= 300
    pixels = np.asarray(drawn.image)
    assert (pixels[:, 320:] == canvas.PAGE).all() and (pixels[:, 10:310] != canvas.PAGE).any()


def test_pictures_are_english_where_no_font_has_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(film, "font_with", lambda sample: "")
    english = film.picture(story())
    with spoken("ja"):
        assert film.picture(story()) == english


def test_a_name_that_no_font_can_write_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canvas, "font_with", lambda sample: "")
    assert canvas.can_write("Zoë Ångström") and not canvas.can_write("\U0001f980 秋")


def test_nothing_is_read_from_where_the_command_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = film.picture(story())
    monkeypatch.chdir(tmp_path)
    assert film.picture(story()) == here

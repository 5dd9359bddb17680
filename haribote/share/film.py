"""The picture, a PNG of 1200 x 630 as links show it, and the film, a GIF of a few seconds."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext

import numpy as np
from PIL import Image

from haribote.draw.fonts import SAMPLES, font_with
from haribote.share.canvas import COURSE, EMPTY, GOOD, INK, KINDS, LINE, PAGE, PAPER, mixed
from haribote.share.frame import FIELD, HEIGHT, MARGIN, WIDTH, Player
from haribote.share.story import Story
from simulator.language import in_english, language

FRAMES, MILLISECONDS, LAST = 36, 120, 2000
"""Of the film: how many pictures, how long each is shown, and the last one."""
FILM = 720, 378
COLOURS, LEVELS = 64, 8
"""Of the film: in all, and of the brightness of a PE."""


def picture(story: Story) -> bytes:
    """The PNG: the liveliest moment of the step, and all that was learnt."""
    with _writable():
        image = Player(story).frame(story.recording.liveliest, 1.0)
    assert image.size == (WIDTH, HEIGHT)
    content = io.BytesIO()
    image.save(content, format="PNG", optimize=True)
    return content.getvalue()


def film(story: Story) -> bytes:
    """The GIF, which begins again and again."""
    with _writable():
        small = list(_frames(Player(story), len(story.recording.moments)))
    palette = _palette()
    frames = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in small]
    content = io.BytesIO()
    times = [MILLISECONDS] * (FRAMES - 1) + [LAST]
    frames[0].save(content, format="GIF", save_all=True, append_images=frames[1:], duration=times, loop=0)
    return content.getvalue()


def _frames(player: Player, moments: int) -> Iterator[Image.Image]:
    """Smaller ones, with the field drawn for their size: that is sharper, and packs better."""
    scale = FILM[0] / WIDTH
    place = round(MARGIN * scale)
    for number, moment in enumerate(np.linspace(0, moments - 1, FRAMES)):
        image = player.frame(int(moment), (number + 1) / FRAMES).resize(FILM, Image.Resampling.LANCZOS)
        image.paste(player.field(round(FIELD * scale), LEVELS), (place, place))
        yield image


def _palette() -> Image.Image:
    """The colours of the film: of the PEs as they are, and shades of the rest for the edges of letters."""
    colours = [mixed(colour, level / LEVELS) for colour in KINDS.values() for level in range(1, LEVELS + 1)]
    colours += [PAGE, PAPER, EMPTY, LINE, INK, GOOD, COURSE]
    shades = np.linspace(PAGE, INK, COLOURS - len(colours) + 2)[1:-1]
    colours += [(int(red), int(green), int(blue)) for red, green, blue in shades]
    image = Image.new("P", (1, 1))
    image.putpalette([value for colour in colours for value in colour])
    return image


def _writable() -> AbstractContextManager[None]:
    """In English where no installed font has the characters of the language."""
    sample = SAMPLES.get(language(), "")
    return in_english() if sample and not font_with(sample) else nullcontext()

"""One picture of the film: the field of PEs at a moment, and what has been learnt by then."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from haribote.own.ledger import MEASURES
from haribote.own.shares import per_cent
from haribote.share import texts
from haribote.share.canvas import COURSE, CURVE, EMPTY, FAINT, GOOD, INK, KINDS, LINE, PAPER, Canvas, Colour, mixed
from haribote.share.field import BRIGHTEST, SIDE
from haribote.share.recording import NO_KERNEL
from haribote.share.story import Story
from haribote.words import word
from simulator.messages import shown, tr

if TYPE_CHECKING:
    from PIL.Image import Image

WIDTH, HEIGHT = 1200, 630
MARGIN, FIELD = 34, 516
COLUMN = 592
ROOM = WIDTH - MARGIN - COLUMN
FADE = 0.62
NAMES = tuple(KINDS)


class Player:
    """Draws moments of a story, one after another: what was bright fades."""

    def __init__(self, story: Story) -> None:
        """Before the first moment."""
        self.story = story
        self._glow = np.zeros(SIDE * SIDE)
        self._kind = np.zeros(SIDE * SIDE, np.int64)
        self._next = 0
        self._table = np.array([[mixed(KINDS[name], n / 64) for n in range(65)] for name in NAMES], np.uint8)

    def frame(self, moment: int, learnt: float) -> Image:
        """The picture. learnt: how far the short run is, 0 to 1; the race of the levels likewise."""
        while self._next <= moment:
            self._step(self._next)
            self._next += 1
        canvas = Canvas(WIDTH, HEIGHT)
        canvas.box(MARGIN - 10, MARGIN - 10, FIELD + 20, FIELD + 20, PAPER, 10)
        canvas.image.paste(self.field(FIELD), (MARGIN, MARGIN))
        self._draw_time(canvas, moment)
        self._draw_head(canvas, moment)
        self._draw_loss(canvas, learnt)
        self._draw_digit(canvas, learnt)
        self._draw_race(canvas, learnt)
        self._draw_shares(canvas)
        return canvas.image

    def _step(self, number: int) -> None:
        moment = self.story.recording.moments[number]
        kind = "" if moment.kernel == NO_KERNEL else self.story.recording.kernels[moment.kernel].kind
        value = np.where(moment.field > 0, 0.12 + 0.88 * moment.field / BRIGHTEST, 0.0)
        self._glow *= FADE
        brighter = value > self._glow
        self._glow[brighter] = value[brighter]
        self._kind[brighter] = NAMES.index(kind)

    def field(self, size: int, levels: int = 64) -> Image:
        """The field alone, with gaps between the L1Bs and wider ones between L2Bs and groups.

        size: in pixels, each way. levels: of brightness; few of them make a small film.
        """
        from PIL import Image

        gaps = np.arange(SIDE) // 8 + 2 * (np.arange(SIDE) // 16) + 2 * (np.arange(SIDE) // 32)
        unit = size / (SIDE * 7 + 1.5 * gaps[-1])
        starts, cell = np.round((np.arange(SIDE) * 7 + 1.5 * gaps) * unit).astype(int), int(6.2 * unit)
        within: NDArray[np.int64] = np.full(size, -1)
        for number, start in enumerate(starts):
            within[start : start + cell] = number
        brightness = np.round(levels * self._glow).astype(int) * (64 // levels)
        colours = self._table[self._kind, brightness].reshape(SIDE, SIDE, 3)
        pixels = np.empty((size, size, 3), np.uint8)
        pixels[:] = PAPER
        used = within >= 0
        pixels[np.ix_(used, used)] = colours[np.ix_(within[used], within[used])]
        return Image.fromarray(pixels)

    def _draw_time(self, canvas: Canvas, number: int) -> None:
        """The kernels of the step in their order, by kind and by whose they are, and where we are."""
        recording, top = self.story.recording, MARGIN + FIELD + 20
        canvas.box(MARGIN, top, FIELD, 26, EMPTY)
        for kernel in recording.kernels:
            x, width = (FIELD * value / recording.cycles for value in (kernel.start, kernel.cycles))
            canvas.box(MARGIN + x, top, max(1.0, width - 0.6), 18, KINDS[kernel.kind])
            canvas.box(MARGIN + x, top + 20, max(1.0, width - 0.6), 6, INK if kernel.owner == "yours" else COURSE)
        x = MARGIN + FIELD * recording.moments[number].cycle / recording.cycles
        canvas.box(x - 1, top - 4, 3, 34, INK)

    def _draw_head(self, canvas: Canvas, number: int) -> None:
        story, moment = self.story, self.story.recording.moments[number]
        canvas.text(COLUMN, 50, texts.title(story), 40, room=ROOM, bold=True)
        about = tr("trains {widths} on a simulated MN-Core 2", story.widths)
        canvas.text(COLUMN, 92, about, 21, FAINT, ROOM)
        kernel = None if moment.kernel == NO_KERNEL else story.recording.kernels[moment.kernel]
        label = texts.kernel_label(story, kernel) if kernel else texts.between()
        canvas.box(COLUMN, 120, 18, 18, KINDS[kernel.kind if kernel else ""], 4)
        canvas.text(COLUMN + 28, 129, label, 21, room=ROOM - 28)

    def _draw_loss(self, canvas: Canvas, learnt: float) -> None:
        losses = self.story.losses
        left, right, top, bottom = COLUMN + 24, COLUMN + 258, 172, 290
        highest = max(0.5, 1.05 * max(losses))
        for value in range(int(highest) + 1):
            y = bottom - (bottom - top) * value / highest
            canvas.line([(left, y), (right, y)], LINE)
            canvas.text(COLUMN, y, str(value), 17, FAINT)
        points = [
            (left + (right - left) * n / max(1, len(losses) - 1), bottom - (bottom - top) * loss / highest)
            for n, loss in enumerate(losses)
        ]
        shown_ = points[: max(1, round(learnt * len(points)))]
        canvas.line(points, LINE, 2)
        canvas.line(shown_, CURVE, 3)
        canvas.dot(*shown_[-1], 6, CURVE)
        said = tr("loss {loss:.2f} after {steps} steps", losses[len(shown_) - 1], len(shown_))
        canvas.text(COLUMN, 316, said, 18, FAINT, 262)

    def _draw_digit(self, canvas: Canvas, learnt: float) -> None:
        from PIL import Image

        story = self.story
        size, left = 112, COLUMN + 300
        picture = Image.fromarray(np.ascontiguousarray(story.digit.picture)).resize(
            (size, size), Image.Resampling.NEAREST
        )
        canvas.image.paste(picture.convert("RGB"), (left, 174))
        reached = learnt * len(story.losses)
        answers = [one for one in story.answers if one.steps <= reached] or [story.answers[0]]
        answer = story.answers[-1] if learnt >= 1 else answers[-1]
        for digit, share in enumerate(answer.shares):
            y, first = 178 + 11.4 * digit, digit == answer.digit
            canvas.text(left + size + 14, y, str(digit), 12, INK if first else FAINT, bold=first)
            canvas.box(left + size + 30, y - 4, max(2.0, (ROOM - 300 - size - 34) * share), 8,
                       GOOD if first else COURSE, 3)  # fmt: skip
        percent = f"{100 * answer.shares[answer.digit]:.0f} %"
        canvas.text(left, 316, tr("it says {digit} ({percent})", answer.digit, percent), 18, INK, 262)

    def _draw_race(self, canvas: Canvas, learnt: float) -> None:
        """All at one speed: the bar of the shortest step is full first."""
        lanes = self.story.lanes
        longest = max(lane.cycles for lane in lanes)
        full = ROOM - 100 - 160
        canvas.text(COLUMN, 360, tr("the same step at each level"), 18, FAINT, ROOM)
        for number, lane in enumerate(lanes):
            y = 392 + min(31.0, 116 / len(lanes[1:])) * number
            length = full * lane.cycles / longest
            share = min(1.0, learnt * longest / lane.cycles)
            colour: Colour = GOOD if share >= 1 else COURSE
            canvas.text(COLUMN, y, shown(lane.name), 20, INK, 92)
            canvas.box(COLUMN + 100, y - 9, length, 18, EMPTY, 4)
            canvas.box(COLUMN + 100, y - 9, length * share, 18, colour, 4)
            canvas.text(COLUMN + 112 + length, y, texts.cycles(lane.cycles), 18, INK if share >= 1 else FAINT, 150)

    def _draw_shares(self, canvas: Canvas) -> None:
        """What of the step is the author's."""
        story = self.story
        told = tr("of the step, by {name}:", texts.whose(story, story.author))
        canvas.text(COLUMN, 532, texts.all_of_it(story) or told, 18, FAINT, ROOM)
        for number, measure in enumerate(MEASURES):
            x, share = COLUMN + number * (ROOM / 4), story.ledger.share(measure, story.author)
            width = ROOM / 4 - 14
            canvas.box(x, 552, width, 10, COURSE, 3)
            canvas.box(x, 552, width * share, 10, GOOD, 3)
            canvas.text(x, 583, f"{per_cent(share)} {word(measure)}", 18, INK, width)

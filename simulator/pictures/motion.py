"""Pictures that move: the cells of one cycle light up while their words travel, then those of the next.

Everything is CSS within the SVG. Without it, or where a reader asks for less motion, what remains is the still picture
with all cycles at once. Time is counted in slots: a cycle of a step, or a whole MV instruction.

Classes: `r3` is read in slot 3, `w3` written there; `g3` travels through the whole of slot 3, `i3` through its first
half, `o3` through the second; `s3` spreads from one place to many, `c3` comes together. Names of keyframes end in the
picture's own mark, since rules in a notebook reach the whole page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from zlib import crc32

from simulator.messages import Text, shown, tr
from simulator.pictures.canvas import Canvas, Picture, Point, inline, width_of

SLOT = 1.5
"""Seconds that a slot takes."""
HOLD = 2
"""Slots for which everything is seen together at the end."""
FLIGHTS = {"g": (0.2, 0.8), "i": (0.12, 0.46), "o": (0.54, 0.88), "s": (0.2, 0.8), "c": (0.2, 0.8)}
"""When a word is on its way, as a share of a slot."""
CLOSED, HALF = "translateY(var(--y)) scaleX(0.02)", "translateY(calc(var(--y) / 2)) scaleX(0.5)"
PATHS = {"s": (CLOSED, "none"), "c": ("none", CLOSED)}
"""How words fly that go from one place to many, or from many to one: they are drawn in the many."""
LANDED = {"r": 0.0, "w": 0.8}
"""From when on a cell is lit, as a share of a slot."""
UNLIT, LIT = ("fill-opacity: 0.18;", "fill: var(--faint);"), ("fill-opacity: 1;", "fill: var(--on);")
"""What a cell looks like that is not at work, and one that is: its rectangles, its text."""
SQUARE = 9
"""Pixels of a word on its way that has no label."""


class Moving(Canvas):
    """A canvas on which words travel. slots: begun so far; every panel counts its cycles from `first`."""

    def __init__(self) -> None:
        super().__init__()
        self.first = self.slots = 0
        self.labels: list[str] = []
        self.flying: list[str] = []
        self.squares: dict[tuple[str, str, int, int], list[tuple[float, float, str]]] = {}

    def begin(self, labels: list[str]) -> None:
        """As of a canvas."""
        self.first = self.slots
        self.slots += len(labels)
        self.labels += labels

    def lit(self, cycle: int, kind: str) -> str:
        """As of a canvas, in the slots of this line."""
        return f"{kind}{self.first + cycle}"

    def packet(
        self, cycle: int, start: Point, end: Point, style: str, *, label: str = "", flight: str = "g", data: str = ""
    ) -> None:
        """As of a canvas, in the slots of this line."""
        across, down = round(end[0] - start[0]), round(end[1] - start[1])
        name = f"{flight}{self.first + cycle}"
        if not label:
            self.squares.setdefault((name, style, across, down), []).append((*start, data))
            return
        width, x = width_of(label, "m") + 6, round(start[0])
        attributes = f'style="--x:{across}px;--y:{down}px"' + (f' data-name="{data}"' if data else "")
        words = Canvas()
        words.rect(round(x - width / 2), round(start[1] - 8), round(width), 16, style, round_=3)
        words.text(x, round(start[1] + 4), label, "m on", anchor="middle")
        self.flying.append(f'<g class="{name}" {attributes}>{"".join(words.parts)}</g>')

    def spread(
        self, cycle: int, one: Point, many: Sequence[Point], style: str, *, back: bool = False, data: str = ""
    ) -> None:
        """As of a canvas, in the slots of this line."""
        name, down = f"{'c' if back else 's'}{self.first + cycle}", round(one[1] - many[0][1])
        attributes = f'style="--y:{down}px;transform-origin:{one[0]:.0f}px 0" data-name="{data}"'
        self.flying.append(f'<path class="{style} {name}" d="{"".join(_square(*at) for at in many)}" {attributes}/>')

    def _landed(self) -> list[str]:
        """Everything that flies, to be painted over all else; squares that fly side by side as one shape."""
        merged = []
        for (name, style, across, down), squares in self.squares.items():
            path = "".join(_square(x, y) for x, y, _ in squares)
            data = ";".join(data for *_, data in squares if data)
            attributes = f'style="--x:{across}px;--y:{down}px" data-name="{data}"'
            merged.append(f'<path class="{style} {name}" d="{path}" {attributes}/>')
        return self.flying + merged

    def film(self, still: Picture, height: float) -> Film:
        """The whole, moving. still: the same picture as it stands."""
        title = still.title
        self.parts += self._landed()
        moving = self.picture(title, height).text
        mark = f"v{crc32(moving.encode()):08x}"
        sheet = rules(mark, self.slots, moving)
        text = moving.replace('class="hbp"', f'class="hbp {mark}"', 1).replace("</style>", f"{sheet}\n</style>", 1)
        return Film(text, still.text, title, mark, tuple(self.labels))


class Film(Picture):
    """A picture that moves, with buttons that work without a script. labels: of its slots."""

    def __init__(self, text: str, still: str, title: str, mark: str, labels: tuple[str, ...]) -> None:
        super().__init__(text, title)
        self.still, self.mark, self.labels = still, mark, labels

    def _repr_svg_(self) -> str:
        """The picture that stands, with everything at once: it is a quarter as long."""
        return self.still

    def stopped(self, slot: int) -> str:
        """The HTML of the picture as it stands in the middle of a slot; -1: with everything at once."""
        name = f"stop-{self.mark}-{slot + 1}"
        style = [f".{name} svg * {{ animation: none !important; }}"]
        style += stopped_at(f".{name}.{name}", slot, len(self.labels)) if slot >= 0 else []
        shows = shown(self.labels[slot] if slot >= 0 else tr("all at once"))
        told = f'<div style="font-size: 13px">{shows}</div>'
        return f'<div class="{name}"><style>{" ".join(style)}</style>{told}{inline(self.text)}</div>'

    def _repr_html_(self) -> str:
        """A form, so that its buttons are a group of their own wherever it is copied to."""
        slots = [("slot", label) for label in self.labels]
        buttons = [("play", Text("play")), ("pause", Text("pause")), *slots, ("all", Text("all at once"))]
        inputs = "".join(
            f'<label class="{kind}">'
            f'<input type="radio" name="at" value="{number}"{" checked" * (number == 0)}> {shown(name)}</label>'
            for number, (kind, name) in enumerate(buttons)
        )
        style = controls(self.mark, len(self.labels))
        form = f'<form class="film-{self.mark}" data-lm-suppress-shortcuts="true">'  # keys are its own
        return f"{form}<style>{style}</style><div>{inputs}</div>{inline(self.text)}</form>"


def rules(mark: str, slots: int, text: str) -> str:
    """The style sheet of a picture's slots; nothing in it moves where a reader asks for less motion."""
    whole = (slots + HOLD) * SLOT
    end = 100 * slots / (slots + HOLD)
    packets = [name for slot in range(slots) for kind in FLIGHTS if _used(name := f"{kind}{slot}", text)]
    cells = [name for slot in range(slots) for kind in LANDED if _used(name := f"{kind}{slot}", text)]

    def at(name: str, share: float) -> str:
        return f"{100 * (int(name[1:]) + share) / (slots + HOLD):.2f}%"

    moves: list[str] = []
    for name in packets:
        leaves, lands = FLIGHTS[name[0]]
        start, end_ = PATHS.get(name[0], ("none", "translate(var(--x), var(--y))"))
        moves.append(
            f"@keyframes {mark}{name} {{ 0%, {at(name, leaves - 0.05)} {{ opacity: 0; transform: {start}; }} "
            f"{at(name, leaves)} {{ opacity: 1; transform: {start}; }} "
            f"{at(name, lands)} {{ opacity: 1; transform: {end_}; }} "
            f"{at(name, lands + 0.05)}, 100% {{ opacity: 0; transform: {end_}; }} }}\n"
            f".{mark} .{name} {{ animation: {mark}{name} {whole:g}s ease-in-out infinite; }}"
        )
    for name in cells:
        lit, after = LANDED[name[0]], LIT if name[0] == "w" else UNLIT
        for part, dark, light, last in zip(("rect", "text.on"), UNLIT, LIT, after, strict=True):
            key = f"{mark}{name}{part[0]}"
            moves.append(
                f"@keyframes {key} {{ 0%, {at(name, lit)} {{ {dark} }} "
                f"{at(name, lit + 0.06)}, {at(name, 1)} {{ {light} }} "
                f"{at(name, 1.06)}, {end:.2f}% {{ {last} }} {end + 1:.2f}%, 100% {{ {light} }} }}\n"
                f".{mark} .{name} {part} {{ animation: {key} {whole:g}s linear infinite; }}"
            )
    hidden = f".{mark} :is({', '.join(f'.{name}' for name in packets)}) {{ opacity: 0; }}" if packets else ""
    return "\n".join([hidden, "@media (prefers-reduced-motion: no-preference) {", *moves, "}"])


def controls(mark: str, slots: int) -> str:
    """The style sheet of the buttons: what each of them makes of the picture, and how they look."""
    form = f".film-{mark}"
    style = [
        f"{form} div {{ margin-bottom: 4px; }}",
        f"{form} label {{ margin-right: 1em; white-space: nowrap; font-size: 13px; }}",
        f"{form}:has([value='1']:checked) svg * {{ animation-play-state: paused !important; }}",
        f"{form}:has(.slot :checked, .all :checked) svg * {{ animation: none !important; }}",
        f"@media (prefers-reduced-motion: reduce) {{ {form} :is(.play, .pause) {{ display: none; }} }}",
    ]
    for slot in range(slots):
        style += stopped_at(f"{form}:has([value='{slot + 2}']:checked)", slot, slots)
    return " ".join(style)


def stopped_at(within: str, slot: int, slots: int) -> list[str]:
    """The rules of a picture that stands still in the middle of a slot. within: a selector of what is around it."""
    every = ", ".join(f".{kind}{n}" for kind in LANDED for n in range(slots))
    lit = ", ".join([f".r{slot}", *(f".w{n}" for n in range(slot + 1))])
    half = "opacity: 1; transform: translate(calc(var(--x) / 2), calc(var(--y) / 2));"
    return [
        f"{within} :is(.g{slot}, .i{slot}, .o{slot}) {{ {half} }}",
        f"{within} :is(.s{slot}, .c{slot}) {{ opacity: 1; transform: {HALF}; }}",
        f"{within} :is({every}):not({lit}) rect {{ {UNLIT[0]} }}",
        f"{within} :is({every}):not({lit}) text.on {{ {UNLIT[1]} }}",
    ]


def _used(name: str, text: str) -> bool:
    return re.search(rf'class="[^"]*\b{name}"', text) is not None


def _square(x: float, y: float) -> str:
    return f"M{round(x - SQUARE / 2)} {round(y - SQUARE / 2)}h{SQUARE}v{SQUARE}h-{SQUARE}z"

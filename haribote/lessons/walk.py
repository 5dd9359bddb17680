"""Which elements a product touches first, as a picture: what the order of three loops means for the memory."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product

from haribote.errors import HariboteError
from simulator.messages import tr
from simulator.pictures.canvas import MARGIN, WIDTH, Canvas, Picture

M, N, K = 4, 8, 6
CELL, GAP = 22.0, 44.0
TOUCHES = 8
_TILE = 4

Touch = tuple[tuple[int, int], tuple[int, int], tuple[int, int]]
"""Row and column in a, in b, and in y."""


def walk(order: str, count: int = TOUCHES) -> Picture:
    """The first products a(i, p) b(p, j) that are added to y(i, j), for a 4x6 and a 6x8 matrix, numbered by time.

    order: of the loops, outermost first: "ijp" as the formula says, "pij", any other, or "tiled": a tile of y of 4x4
    stays in registers while p runs. Raises HariboteError for another text.
    """
    touched = [*islice(touches(order), count)]
    canvas = Canvas()
    names = {"tiled": tr("in tiles of y")}
    canvas.text(
        MARGIN, 28, tr("Loops {order}: the first {count} additions", names.get(order, " ".join(order)), count), "head"
    )
    x = MARGIN + 8
    for number, (name, rows, columns) in enumerate((("a", M, K), ("b", K, N), ("y", M, N))):
        times: dict[tuple[int, int], list[int]] = {}
        for time, touch in enumerate(touched):
            times.setdefault(touch[number], []).append(time + 1)
        canvas.text(x, 58, f"{name} [{rows}, {columns}]", "b")
        for row, column in product(range(rows), range(columns)):
            _cell(canvas, x + column * CELL, 68 + row * CELL, times.get((row, column), []))
        x += columns * CELL + GAP
    text = ", ".join(f"y[{y[0]}, {y[1]}] += a[{a[0]}, {a[1]}] b[{b[0]}, {b[1]}]" for a, b, y in touched)
    return canvas.picture(f"Loops {order}: {text}", 68 + K * CELL + 14, max(WIDTH, x))


def touches(order: str) -> Iterator[Touch]:
    """What each addition reads and writes, in the order of the loops. Raises HariboteError as `walk`."""
    if order == "tiled":
        for column, p, i, j in product(range(0, N, _TILE), range(K), range(M), range(_TILE)):
            yield (i, p), (p, column + j), (i, column + j)
        return
    if sorted(order) != ["i", "j", "p"]:
        raise HariboteError(
            tr("an order of loops is made of i, j and p, or is 'tiled'; received {order!r}", order), '"pij"'
        )
    sizes = {"i": M, "j": N, "p": K}
    for indices in product(*(range(sizes[letter]) for letter in order)):
        at = dict(zip(order, indices, strict=True))
        yield (at["i"], at["p"]), (at["p"], at["j"]), (at["i"], at["j"])


def _cell(canvas: Canvas, x: float, y: float, times: list[int]) -> None:
    """One element: when it is touched first, darker the more often."""
    style = "empty" if not times else f"e{min(len(times) - 1, 3)}"
    canvas.rect(x + 1, y + 1, CELL - 2, CELL - 2, style, round_=2, title=tr("touched {times} times", len(times)))
    if times:
        canvas.text(x + CELL / 2, y + CELL / 2 + 4, str(times[0]), "s on" if len(times) > 4 else "s", anchor="middle")

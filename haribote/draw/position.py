"""Horizontal positions in a layered drawing: every vertex near the mean of its neighbours, none overlapping."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

Layers = Sequence[Sequence[int]]
Neighbours = Sequence[Sequence[int]]

ROUNDS = 72
TRUNK_PULL = 6.0
"""How much more than by a neighbour a bend is pulled to the middle of its trunk, which makes long wires straight."""
NEARLY = 8.0
"""Pixels: a wire shorter than this counts as straight."""


def place_in_layers(
    layers: Layers,
    above: Neighbours,
    below: Neighbours,
    trunks: Sequence[Sequence[int]],
    widths: Sequence[float],
    gap: float,
) -> list[float]:
    """The middle of every vertex in whole pixels, the leftmost edge at 0; the order in each layer is kept.

    Minimises the squares of the wires' horizontal lengths, one layer after another, down and up in turn. The first
    half of the rounds looks at the layer just placed only, which carries a shift through the whole graph quickly.

    Args:
        trunks: the bends of each long wire.
        gap: the room between two vertices of a layer.
    """
    x = _packed(layers, widths, gap)
    trunk_of = {bend: trunk for trunk in trunks for bend in trunk}
    for number in range(ROUNDS):
        down = number % 2 == 0
        for layer in layers if down else reversed(layers):
            wishes, weights = [], []
            for vertex in layer:
                near: Sequence[int] = above[vertex] if down else below[vertex]
                if number >= ROUNDS // 2 or not near:
                    near = [*above[vertex], *below[vertex]]
                wish, weight = _wish(vertex, near, trunk_of.get(vertex, ()), x)
                wishes.append(wish)
                weights.append(weight)
            for vertex, place in zip(layer, spread(wishes, weights, _steps(layer, widths, gap)), strict=True):
                x[vertex] = place
    left = min((x[vertex] - widths[vertex] / 2 for vertex in range(len(x))), default=0.0)
    x = _whole(layers, [place - left for place in x], widths, gap)
    _straighten(layers, trunks, x, widths, gap)
    return x


def spread(wishes: Sequence[float], weights: Sequence[float], steps: Sequence[float]) -> list[float]:
    """The places nearest to the wishes (weighted least squares) such that place i is at least steps[i] after i-1.

    Less the steps up to it, no place may be left of the one before: the pool-adjacent-violators rule solves that
    exactly. steps[0] is not used.
    """
    offsets = [0.0]
    for step in steps[1:]:
        offsets.append(offsets[-1] + step)
    pools: list[tuple[float, float, int]] = []  # mean, weight, members
    for wish, weight, offset in zip(wishes, weights, offsets, strict=False):
        mean, members = wish - offset, 1
        while pools and pools[-1][0] > mean:
            other, other_weight, count = pools.pop()
            mean = (mean * weight + other * other_weight) / (weight + other_weight)
            weight, members = weight + other_weight, members + count
        pools.append((mean, weight, members))
    flat = [mean for mean, _, members in pools for _ in range(members)]
    return [place + offset for place, offset in zip(flat, offsets, strict=False)]


def _wish(vertex: int, near: Sequence[int], trunk: Sequence[int], x: Sequence[float]) -> tuple[float, float]:
    """Where a vertex would like to be, and how much.

    Weights that fall with the distance make the sum of lengths small, not that of squares: a chain becomes a straight
    line with one jump in it instead of a slanting one.
    """
    pulls = [(x[other], 1 / (NEARLY + abs(x[other] - x[vertex]))) for other in near]
    if trunk:
        pulls.append((sum(x[bend] for bend in trunk) / len(trunk), TRUNK_PULL / NEARLY))
    weight = sum(pull for _, pull in pulls)
    return (sum(place * pull for place, pull in pulls) / weight, weight) if pulls else (x[vertex], 1e-3)


def _steps(layer: Sequence[int], widths: Sequence[float], gap: float) -> list[float]:
    return [0.0, *((widths[left] + widths[right]) / 2 + gap for left, right in pairwise(layer))]


def _packed(layers: Layers, widths: Sequence[float], gap: float) -> list[float]:
    """Every layer set from left to right about the same middle."""
    x = [0.0] * len(widths)
    for layer in layers:
        place, places = 0.0, []
        for step in _steps(layer, widths, gap):
            place += step
            places.append(place)
        for vertex, here in zip(layer, places, strict=False):
            x[vertex] = here - place / 2
    return x


def _whole(layers: Layers, x: Sequence[float], widths: Sequence[float], gap: float) -> list[float]:
    """Rounded to whole pixels, to the right where rounding would bring two nearer than half the gap."""
    result = list(x)
    for layer in layers:
        edge = float("-inf")
        for vertex in layer:
            half = widths[vertex] / 2
            result[vertex] = float(round(max(x[vertex], edge + gap / 2 + half)))
            edge = result[vertex] + half
    return result


def _straighten(
    layers: Layers, trunks: Iterable[Sequence[int]], x: list[float], widths: Sequence[float], gap: float
) -> None:
    """Move the bends of each trunk to its middle, as far as half the gap to their neighbours allows."""
    beside = {
        vertex: (left, right)
        for layer in layers
        for left, vertex, right in zip([None, *layer], layer, [*layer[1:], None], strict=False)
    }
    for trunk in trunks:
        middle = float(round(sum(x[bend] for bend in trunk) / len(trunk)))
        for bend in trunk:
            left, right = beside[bend]
            lowest, highest = float("-inf"), float("inf")
            if left is not None:
                lowest = x[left] + (widths[left] + widths[bend] + gap) / 2
            if right is not None:
                highest = x[right] - (widths[right] + widths[bend] + gap) / 2
            x[bend] = min(max(middle, lowest), highest)

"""The order of the vertices in each layer of a drawing: few crossings of wires."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from itertools import pairwise

Layers = list[list[int]]
Neighbours = Sequence[Sequence[int]]

ROUNDS = 12
LARGEST_LAYER_TO_SWAP = 60  # swapping neighbours is quadratic; a wider layer is sorted only


def order_layers(layers: Layers, above: Neighbours, below: Neighbours) -> Layers:
    """The layers reordered by barycentres, down and up in turn, and swaps; the best order of all rounds.

    Args:
        layers: the vertices of each layer, top to bottom.
        above, below: of each vertex, its neighbours in the layer above it and in the one below.
    """
    best, fewest = layers, crossings(layers, below)
    current = layers
    for number in range(ROUNDS):
        if fewest == 0:
            break
        current = _sorted_by(current, above) if number % 2 == 0 else _sorted_by(current[::-1], below)[::-1]
        current = _swapped(current, above, below)
        count = crossings(current, below)
        if count < fewest:
            best, fewest = current, count
    return best


def crossings(layers: Layers, below: Neighbours) -> int:
    """How many pairs of wires cross between neighbouring layers."""
    total = 0
    for upper, lower in pairwise(layers):
        place = {vertex: number for number, vertex in enumerate(lower)}
        seen: list[int] = []
        for vertex in upper:
            ends = sorted(place[target] for target in below[vertex])
            total += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return total


def _sorted_by(layers: Layers, neighbours: Neighbours) -> Layers:
    """Each layer sorted by the mean place of its neighbours in the layer before it; without any, a vertex stays."""
    result: Layers = []
    place: dict[int, int] = {}
    for layer in layers:
        key = {
            vertex: sum(place[other] for other in neighbours[vertex]) / len(neighbours[vertex])
            if neighbours[vertex]
            else float(number)
            for number, vertex in enumerate(layer)
        }
        result.append(sorted(layer, key=key.__getitem__))
        place = {vertex: number for number, vertex in enumerate(result[-1])}
    return result


def _swapped(layers: Layers, above: Neighbours, below: Neighbours) -> Layers:
    """Neighbours swapped wherever that removes crossings."""
    result = [list(layer) for layer in layers]
    place = {vertex: number for layer in result for number, vertex in enumerate(layer)}
    for layer in result:
        if len(layer) > LARGEST_LAYER_TO_SWAP:
            continue
        changed = True
        while changed:
            changed = False
            for number in range(len(layer) - 1):
                left, right = layer[number : number + 2]
                gain = sum(
                    _pairs(side[left], side[right], place) - _pairs(side[right], side[left], place)
                    for side in (above, below)
                )
                if gain > 0:
                    layer[number], layer[number + 1] = right, left
                    place[left], place[right] = number + 1, number
                    changed = True
    return result


def _pairs(left: Sequence[int], right: Sequence[int], place: dict[int, int]) -> int:
    """How many wires of `left` cross one of `right`, if their vertices stand in this order."""
    return sum(place[a] > place[b] for a in left for b in right)

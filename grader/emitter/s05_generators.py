"""The forms of the generators' tasks, 5.35 to 5.47."""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.emitter.forms import Form, Function
from grader.emitter.kernels import op_of, operand_of, text_of
from grader.emitter.loading import REFUSED, Refused
from grader.emitter.values import Value, Values, listed
from haribote.layout import Layout

NOTHING = -1


def accesses(function: Function, given: Values) -> dict[str, Value]:
    """Given: line. Answer: reads and writes, lists of [place, address, cycle]."""
    reads, writes = function(given["line"])
    return {"reads": [_access(it) for it in reads], "writes": [_access(it) for it in writes]}


def _access(access: Any) -> list[Value]:
    place, address, cycle = access
    return [str(place), int(address), int(cycle)]


def place_nops(function: Function, given: Values) -> dict[str, Value]:
    """Given: lines. Answer: text."""
    return text_of(function(list(listed(given["lines"]))))


def wanted(function: Function, given: Values) -> dict[str, Value]:
    """Given: layout in its notation, everywhere. Answer: pairs."""
    return {"pairs": np.asarray(function(Layout.parse(str(given["layout"])), bool(given["everywhere"])))}


def addresses(function: Function, given: Values) -> dict[str, Value]:
    """Given: pairs, want. Answer: addresses, [step, cycle], NOTHING for None; {} where the whole result is None."""
    found = function(np.asarray(given["pairs"]), np.asarray(given["want"]))
    if found is None:
        return {}
    steps = [[NOTHING if at is None else int(at) for at in cycles] for cycles in found]
    return {"addresses": np.array(steps, np.int64)}


def ways(function: Function, given: Values) -> dict[str, Value]:
    """Given: image, up, sums. Answer: ways, a list of their fields."""
    found = function(np.asarray(given["image"]), bool(given["up"]), frozenset(map(str, listed(given["sums"]))))
    return {"ways": [_way(way) for way in found]}


def _way(way: Any) -> dict[str, Value]:
    lines, name, length, block, pairs = way
    return {
        "l2bm": [str(line) for line in lines],
        "name": str(name),
        "length": str(length),
        "block": int(block),
        "pairs": np.ascontiguousarray(pairs, np.int16),
    }


def spread(function: Function, given: Values) -> dict[str, Value]:
    """Given: small and large, layouts in their notation, axis. Answer: words, or what is refused."""
    layouts = [Layout.parse(str(given[name])) for name in ("small", "large")]
    try:
        return {"words": [int(word) for word in function(*layouts, int(str(given["axis"])))]}
    except Refused as error:
        return {REFUSED: str(error)}


def vectors(function: Function, given: Values) -> dict[str, Value]:
    """Given: operand, free, start. Answer: the text of the lines, and the registers of the groups by block of k."""
    found, lines = function(operand_of(given["operand"]), int(str(given["free"])), int(str(given["start"])))
    return {**text_of(list(lines)), "groups": [[int(group) for group in groups] for groups in found.groups]}


def kernel(function: Function, given: Values) -> dict[str, Value]:
    """Given: an operator. Answer: the text of its kernel, or what is refused."""
    try:
        return text_of(function(op_of(given)))
    except Refused as error:
        return {REFUSED: str(error)}


FORMS: dict[str, Form] = {
    "5.35": accesses,
    "5.36": place_nops,
    "5.37": wanted,
    "5.38": addresses,
    "5.39": ways,
    "5.43": spread,
    "5.46": vectors,
    **dict.fromkeys(("5.40", "5.41", "5.42", "5.44", "5.45", "5.47"), kernel),
}

"""What a known mistake would give in place of the right result: another operation, another sign, an operand left out.

A guess is named where its values are those that were received, so what the sentence says was seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from grader.feedback.causes import (
    FACTOR,
    MASK,
    NEGATIVE,
    NOT_USED,
    OFF_BY_ONE,
    OPERATION,
    SIGN,
    SWAPPED,
    TRANSPOSED,
    WRONG_COLUMNS,
)
from grader.rigs.kernel_cases import Array, Case
from haribote.problems.meaning import meaning as right_result
from simulator.messages import Text, tr

Meaning = Callable[..., Array]

MOST = 0.9  # share of the wrong elements that a guess must account for
NEAR = 1e-4  # relative; kernels round on the way
FEWEST = 4  # wrong elements: fewer may be equal to a guess by chance
MOST_ONES = 4  # in a row of OneHot: with more it is not about where the one stands


@dataclass(frozen=True, eq=False)
class Guess:
    """What a mistake gives. everywhere: most elements of the result must be so, not only most of the wrong ones."""

    cause: str
    words: str
    values: Array
    everywhere: bool = False


def guessed(case: Case, right: Array, received: Array, wrong: Array) -> tuple[str, str] | None:
    """The first guess that the wrong elements of a computed result agree with, as a cause and what was seen."""
    with np.errstate(all="ignore"):
        received = received.astype(np.float64)
        return (
            _other_columns(case, received, wrong)
            or _start(case, right, received, wrong)
            or _first_of(guesses(case, right), case, received, wrong)
            or _factor(right, received, wrong)
        )


def _first_of(some: Iterator[Guess], case: Case, received: Array, wrong: Array) -> tuple[str, str] | None:
    if wrong.sum() < FEWEST:
        return None
    sums = case.row.op in ("Gemm", "ReduceSum")
    for guess in some:
        values = np.broadcast_to(guess.values, received.shape)
        scale = np.abs(values[np.isfinite(values)]).max(initial=0) if sums else 0
        near = (received == values) | (np.abs(received - values) <= NEAR * np.maximum(np.abs(values), scale))
        if near[wrong].mean() > MOST and (not guess.everywhere or near.mean() > MOST):
            return guess.cause, _told(near & wrong, wrong, guess.words)
    return None


def _told(explained: Array, wrong: Array, words: str) -> str:
    """How many of the elements that is true of."""
    count, of = int(explained.sum()), int(wrong.sum())
    if count < of:
        return tr("{count} of the {of} wrong elements are {words}", count, of, words)
    if of == wrong.size:
        return tr("every element is {words}", words)
    return tr("all {of} wrong elements are {words}", of, words)


def _not(words: str, asked: str) -> str:
    """What a result is, in place of what is asked for."""
    return tr("{words}, should be {asked}", words, asked)


def _without(words: str, asked: str, other: str) -> str:
    """The same, where something that is asked for has no part in the result."""
    return tr("{words}, should be {asked}: {other} has no part in it", words, asked, other)


def guesses(case: Case, right: Array) -> Iterator[Guess]:
    """What the likely mistakes give, the likeliest first. right: the right result."""

    def meaning(*arrays: Array) -> Array:
        return right_result(case.row, arrays, case.constant)[0]

    op = case.row.op
    if op == "Gemm":
        yield from _of_products(case, meaning)
    elif op in ("ReduceMax", "ReduceSum"):
        yield from _of_reductions(case)
    elif len(case.arrays) == 2:
        yield from _of_two(case, right)
    elif op in ("OneHot", "GreaterCast"):
        yield from _of_choices(case, right)
    else:
        yield from _of_one(case, meaning, right)
    yield Guess(SIGN, tr("the right value with the opposite sign"), -right)
    if right.ndim == 2 and right.shape[0] == right.shape[1]:
        yield Guess(TRANSPOSED, tr("what belongs in the transposed place"), right.T)


_BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "{a} + {b}": np.add, "{a} - {b}": np.subtract, "{a} * {b}": np.multiply, "{a} / {b}": np.divide,
    Text("the larger of {a} and {b}"): np.maximum, Text("the smaller of {a} and {b}"): np.minimum,
}  # fmt: skip
_ASKED = {"Add": "{a} + {b}", "Sub": "{a} - {b}", "Mul": "{a} * {b}", "Div": "{a} / {b}"}


def _of_two(case: Case, right: Array) -> Iterator[Guess]:
    """Element-wise operations on two operands, one of them perhaps a vector."""
    a, b = (array.astype(np.float64) for array in case.arrays)
    b = b[:, None] if case.row.variant == "rows" else b
    first, second = (operand.name for operand in case.op.inputs)
    wanted = _ASKED[case.row.op]
    asked = wanted.format(a=first, b=second)
    if case.row.op in ("Sub", "Div"):
        yield Guess(SWAPPED, _not(wanted.format(a=second, b=first), asked), _BINARY[wanted](b, a))
    if case.row.op in ("Add", "Sub"):
        signs = ((1, 1), (1, -1), (-1, 1), (-1, -1))
        for s, t in signs:
            words = f"{'-' if s < 0 else ''}{first} {'-' if t < 0 else '+'} {second}"
            yield Guess(SIGN, _not(words, asked), s * a + t * b)
    for text, operation in _BINARY.items():
        yield Guess(OPERATION, _not(text.format(a=first, b=second), asked), operation(a, b))
        yield Guess(OPERATION, _not(text.format(a=second, b=first), asked), operation(b, a))
    for used, name, other in ((a, first, second), (b, second, first)):
        same = used + np.zeros_like(right)
        plain = [(name, same), (f"-{name}", -same), (f"1 / {name}", 1 / same)]
        twice = [(text.format(a=name, b=name), _BINARY[text](same, same)) for text in ("{a} + {b}", "{a} * {b}")]
        for words, values in plain + twice:
            yield Guess(NOT_USED, _without(words, asked, other), values)


def _of_one(case: Case, meaning: Meaning, right: Array) -> Iterator[Guess]:
    """Relu, Exp, and Mul by a constant."""
    x, name = case.arrays[0].astype(np.float64), case.op.x.name
    if case.row.op == "Relu":
        words = tr("{name} where it is negative and 0 elsewhere: the two sides are exchanged", name)
        yield Guess(MASK, words, np.minimum(x, 0), everywhere=True)
        yield Guess(OPERATION, tr("the size of {name}, without its sign", name), np.abs(x), everywhere=True)
    if case.row.op == "Exp":
        yield Guess(OPERATION, tr("2 to the power of {name}, should be e to that power", name), np.exp2(x))
    if case.row.variant == "constant":
        c = float(np.float32(case.op.attributes["constant"]))
        asked = f"{c:.6g} * {name}"
        yield Guess(NOT_USED, _without(tr("{name} itself", name), asked, tr("the constant")), x)
        yield Guess(NOT_USED, _without(tr("the constant"), asked, name), np.full_like(right, c))
        yield Guess(OPERATION, _not(f"{name} + {c:.6g}", asked), x + c)
        yield Guess(OPERATION, _not(f"{name} - {c:.6g}", asked), x - c)
        yield Guess(OPERATION, _not(f"{name} / {c:.6g}", asked), x / c)
        yield Guess(FACTOR, _not(f"{c:.6g} * {c:.6g} * {name}", asked), c * c * x)
    yield Guess(OPERATION, tr("{name} itself", name), x, everywhere=True)
    yield Guess(OPERATION, f"-{name}", -x, everywhere=True)
    yield Guess(OPERATION, f"{name} * {name}", x * x, everywhere=True)
    yield Guess(SIGN, tr("what is right for -{name}", name), meaning(-case.arrays[0]))


def _of_choices(case: Case, right: Array) -> Iterator[Guess]:
    """Results of zeros and ones: a wrong one is always the other, so a guess must hold everywhere."""
    x, name = case.arrays[0], case.op.x.name
    yield Guess(
        MASK, tr("1 where 0 belongs and 0 where 1 belongs: the two sides are exchanged"), 1 - right, everywhere=True
    )
    yield Guess(SIGN, tr("-1 where 1 belongs"), -right, everywhere=True)
    if case.row.op == "GreaterCast":
        yield Guess(
            MASK, tr("1 where {name} is less than 0, should be where it is greater", name), x < 0, everywhere=True
        )
        yield Guess(OPERATION, tr("{name} itself, should be 1 or 0", name), x, everywhere=True)
        yield Guess(OPERATION, tr("{name} itself where 1 belongs", name), np.maximum(x, 0), everywhere=True)


def _of_reductions(case: Case) -> Iterator[Guess]:
    x = case.arrays[0].astype(np.float64)
    columns = case.row.variant == "columns"
    axis, asked = int(not columns), tr("the largest element") if case.row.op == "ReduceMax" else tr("the sum")
    for words, values in (
        (tr("the smallest element"), x.min(axis)), (tr("the largest element"), x.max(axis)),
        (tr("the sum"), x.sum(axis)),
        (tr("the mean"), x.mean(axis)), (tr("the sum of the sizes"), np.abs(x).sum(axis)),
        (tr("the product"), x.prod(axis)),
        (tr("the largest size"), np.abs(x).max(axis)), (tr("the sum of the squares"), (x * x).sum(axis)),
    ):  # fmt: skip
        of_a_line = tr("{words} of the column", words) if columns else tr("{words} of the row", words)
        yield Guess(OPERATION, _not(of_a_line, asked), values)


def _of_products(case: Case, meaning: Meaning) -> Iterator[Guess]:
    for at, array in enumerate(case.arrays):
        if array.shape[0] == array.shape[1]:
            name = case.op.inputs[at].name
            arrays = [other.T if other is array else other for other in case.arrays]
            yield Guess(
                TRANSPOSED, tr("the product with {name} turned: its rows as its columns", name), meaning(*arrays)
            )


def _factor(right: Array, received: Array, wrong: Array) -> tuple[str, str] | None:
    """Every wrong element is the right one times the same number."""
    usable = wrong & np.isfinite(received) & np.isfinite(right) & (right != 0)
    if usable.sum() < max(FEWEST, MOST * wrong.sum()):
        return None
    ratios = received[usable] / right[usable]
    factor = float(np.median(ratios))
    near = np.abs(ratios - factor) <= NEAR * abs(factor)
    if near.mean() < MOST or abs(factor - 1) < 2.0**-7 or factor == 0:
        return None
    marks = np.zeros_like(wrong)
    marks[usable] = near
    return FACTOR, _told(marks, wrong, tr("{factor:.6g} times the right value", factor))


def _start(case: Case, right: Array, received: Array, wrong: Array) -> tuple[str, str] | None:
    """ReduceMax: every wrong element is the same number, which is larger than all that it should be the largest of."""
    start = received[wrong][0]
    if case.row.op != "ReduceMax" or wrong.sum() < FEWEST or (np.maximum(right, start) != received).any():
        return None
    cause = NEGATIVE if (right[wrong] < 0).all() else OPERATION
    words = tr(
        "{start:.6g}, which is larger than all elements of the row: does the maximum start at {start:.6g}?", start
    )
    return cause, _told(wrong, wrong, words)


def _other_columns(case: Case, received: Array, wrong: Array) -> tuple[str, str] | None:
    """OneHot: the columns of the ones in a row follow from its label, but are not that of the label alone."""
    if case.row.op != "OneHot" or not np.isin(received, (0, 1)).all():
        return None
    labels = case.arrays[0]
    found: dict[int, tuple[int, ...]] = {}
    for row in np.flatnonzero((labels >= 0) & (labels < received.shape[1])):
        columns = tuple(np.flatnonzero(received[row]).tolist())
        if found.setdefault(int(labels[row]), columns) != columns or len(columns) > MOST_ONES:
            return None
    elsewhere = {label: columns for label, columns in found.items() if set(columns) - {label}}
    rows = int(np.isin(labels[wrong.any(axis=1)], list(elsewhere)).sum())
    if rows < FEWEST or len({*found.values()}) <= len(found) / 2:
        return None
    label, columns = min(elsewhere.items())
    alone = all(len(columns) == 1 for columns in elsewhere.values())
    where = (
        tr("column {columns}", columns[0]) if len(columns) == 1 else tr("columns {value}", ", ".join(map(str, columns)))
    )
    shifts = {
        columns[0] - label
        for label, columns in elsewhere.items()
        if 0 < label < received.shape[1] - 1 and len(columns) == 1
    }
    one_off = alone and shifts in ({1}, {-1})
    seen = tr("{rows} rows have a 1 in another column: for label {label} in {where}", rows, label, where)
    if alone:
        seen = tr("{rows} rows have their 1 in another column: for label {label} in {where}", rows, label, where)
    return OFF_BY_ONE if one_off else WRONG_COLUMNS, seen

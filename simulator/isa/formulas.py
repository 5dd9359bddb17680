"""Index formulas: which word goes where, written once in the table of instructions.

`L1BM[B + 16*c + j] = L2BM[A + 16*c + j] | j < 16` says: for every cycle c and every j below 16, the long word at A + …
of the L2BM goes to the address B + ... of the L1BM. The NumPy engine executes this text (`gather`), `explain`
prints it, `trace` solves it; the native engine and the tests say the same in their own words. Names (isa.md, sections 6
to 9):

A, B: address of source and destination. c: cycle. w: long word of the datum of a PE. p, m, b, l, g: PE of its MAB,
MAB of its L1B, L1B of its L2B, L2B of its group, group. After the bar stand the limits of other letters, and
conditions. A letter that only the source has is reduced over. What is constant in one instruction (addresses, sizes,
chosen units) is given by `simulator.isa.transfers`.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from types import CodeType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.messages import tr
from simulator.parsing import compiled_expression, parsed_expression

Constants = Mapping[str, int]
Index = NDArray[np.int64]

LIMITS: Mapping[str, str] = {"c": "4", "w": "W", "p": "4", "m": "16", "b": "8", "l": "2", "g": "4"}
"""The values of the standing letters: 0 up to, but not including, this."""
_STANDING = {name: parsed_expression(limit) for name, limit in LIMITS.items()}


@dataclass(frozen=True)
class Reference:
    """One side of a formula: a memory and its coordinates, the address (or what stands for it) last."""

    memory: str
    coordinates: tuple[ast.expr, ...]

    @cached_property
    def names(self) -> list[str]:
        """The letters of the coordinates, in order of appearance."""
        nodes = (node for coordinate in self.coordinates for node in ast.walk(coordinate))
        return list(dict.fromkeys(node.id for node in nodes if isinstance(node, ast.Name)))


@dataclass(frozen=True, eq=False)  # each is parsed once, so that it can be a key
class Formula:
    """A parsed formula. limits: of the letters that are not standing ones; conditions: on the letters."""

    destination: Reference
    source: Reference
    limits: Mapping[str, ast.expr]
    conditions: tuple[ast.expr, ...]

    def limit(self, name: str, constants: Constants) -> int:
        """How many values a letter has."""
        expression = self.limits.get(name) or _STANDING[name]
        return int(_value(expression, constants))

    def points(self, constants: Constants, chosen: Mapping[str, Sequence[int]] | None = None) -> tuple[Index, Index]:
        """All pairs of coordinates: destination and source as int64 [pair, coordinate].

        constants: values of letters that are fixed. chosen: values of letters that do not take all below their limit.
        """
        chosen = chosen or {}
        letters = dict.fromkeys((*self.destination.names, *self.source.names))
        free = [name for name in letters if name not in constants]
        ranges = [chosen[name] if name in chosen else range(self.limit(name, constants)) for name in free]
        grid = np.meshgrid(*(np.array(values, np.int64) for values in ranges), indexing="ij")
        values: dict[str, Any] = {**constants, **{name: axis.ravel() for name, axis in zip(free, grid, strict=True)}}
        count = grid[0].size if grid else 1
        keep = np.ones(count, np.bool_)
        for condition in self.conditions:
            keep &= _value(condition, values) != 0
        ends = [
            np.stack([np.broadcast_to(_value(x, values), count)[keep] for x in side.coordinates], axis=1)
            for side in (self.destination, self.source)
        ]
        return ends[0], ends[1]

    def text(self, constants: Constants, chosen: Mapping[str, Sequence[int]], reduction: str = "") -> str:
        """The formula with the constants put in."""
        left, right = (
            f"{side.memory}[{', '.join(render(x, constants, self) for x in side.coordinates)}]"
            for side in (self.destination, self.source)
        )
        over = [name for name in self.source.names if name not in self.destination.names and name not in constants]
        if reduction:
            right = tr("{reduction} over {over} of {right}", reduction, ", ".join(over), right)
        bounds = [f"{name} < {self.limit(name, constants)}" for name in self.limits if name not in chosen]
        bounds += [f"{name} in {{{', '.join(map(str, values))}}}" for name, values in chosen.items()]
        bounds += [render(condition, constants, self) for condition in self.conditions]
        return f"{left} = {right}{bounded(bounds)}"


def bounded(bounds: Sequence[str]) -> str:
    """What stands behind a formula: over what it counts, in the language of the moment."""
    return tr("   for {bounds}", ", ".join(bounds)) if bounds else ""


@lru_cache(maxsize=256)
def parse(text: str) -> Formula:
    """A formula from its text; it is our own, so a mistake in it is an assertion."""
    equation, _, bounds = text.partition("|")
    left, right = equation.split("=")
    limits: dict[str, ast.expr] = {}
    conditions: list[ast.expr] = []
    for bound in filter(None, (part.strip() for part in bounds.split(","))):
        expression = parsed_expression(bound)
        assert isinstance(expression, ast.Compare)
        if isinstance(expression.left, ast.Name) and isinstance(expression.ops[0], ast.Lt):
            limits[expression.left.id] = expression.comparators[0]
        else:
            conditions.append(expression)
    return Formula(_reference(left), _reference(right), limits, tuple(conditions))


def _reference(text: str) -> Reference:
    expression = parsed_expression(text.strip())
    assert isinstance(expression, ast.Subscript) and isinstance(expression.value, ast.Name)
    inside = expression.slice
    return Reference(expression.value.id, tuple(inside.elts) if isinstance(inside, ast.Tuple) else (inside,))


@cache  # as many as the table has
def _code(expression: ast.expr) -> CodeType:
    return compiled_expression(expression, "<formula>")


def _value(expression: ast.expr, values: Mapping[str, Any]) -> Index:
    return np.asarray(eval(_code(expression), {}, dict(values)))


# --- printing --------------------------------------------------------------------------------------------------------

_SIGNS: Mapping[type[ast.AST], str] = {
    ast.Add: " + ",
    ast.Sub: " - ",
    ast.FloorDiv: " div ",
    ast.Mod: " mod ",
    ast.BitAnd: " AND ",
}


def render(expression: ast.expr, constants: Constants, formula: Formula) -> str:
    """An expression as people write it, the constants put in and worked out: `4*W*c + p` gives `8c + p`."""
    if isinstance(expression, ast.Compare):
        return (
            f"{render(expression.left, constants, formula)} = {render(expression.comparators[0], constants, formula)}"
        )
    names = {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}
    if names <= constants.keys():
        return str(int(_value(expression, constants)))
    if isinstance(expression, ast.Name):
        return expression.id
    assert isinstance(expression, ast.BinOp)
    return _render_operation(expression, constants, formula)


def _render_operation(expression: ast.BinOp, constants: Constants, formula: Formula) -> str:
    left, right = (render(x, constants, formula) for x in (expression.left, expression.right))
    operator = expression.op
    if isinstance(operator, ast.Mult):
        return _product(left, right)
    if isinstance(operator, ast.Add | ast.Sub) and right.lstrip("-").isdecimal():
        value = int(right) if isinstance(operator, ast.Add) else -int(right)
        return left if not value else f"{left} {'+' if value > 0 else '-'} {abs(value)}"
    if isinstance(operator, ast.Add) and "0" in (left, right):
        return left if right == "0" else right
    if isinstance(operator, ast.Mod) and left in LIMITS and formula.limit(left, constants) <= int(right):
        return left
    return (
        f"{_factor(left)}{_SIGNS[type(operator)]}{right}" if not isinstance(operator, ast.Add) else f"{left} + {right}"
    )


def _product(left: str, right: str) -> str:
    if "0" in (left, right):
        return "0"
    if left == "1":
        return right
    return f"{left}{_factor(right)}"


def _factor(text: str) -> str:
    return f"({text})" if " " in text else text

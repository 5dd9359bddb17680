"""Mutants of an answer's source: one small change to what a learner writes of it, its solution or its holes.

They stand for slips that nobody thought of: swapped operands, another constant, a dropped statement, a flipped
comparison, another name. Kernels have mutants of their emitted text instead, see `grader.selftest.mutants`.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

SEED = 7
UNTOUCHED = ("require", "HariboteError", "UnsupportedShape", "GraphError", "UnsupportedOp")  # messages, not meaning
NAMES_ONLY = ("part", "name")  # keywords that only give a value of a graph its name

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv,
    ast.Div: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.MatMult: ast.Mult, ast.Pow: ast.Mult,
}  # fmt: skip
_OTHER = {
    "Add": "Sub", "Sub": "Add", "Mul": "Add", "Div": "Mul", "Gemm": "Add", "MatMul": "Mul", "Greater": "Less",
    "argmax": "argmin", "mean": "sum", "sum": "max", "max": "min", "min": "max", "input": "output", "output": "input",
    "transA": "transB", "transB": "transA", "append": "remove", "extend": "append", "zeros": "ones",
}  # fmt: skip
_SIGNS = (("+=", "-="), (" + ", " - "), (" - ", " + "), ("<", "<="), (" * ", " + "), (" / ", " * "), ("/$imr", "/$omr"))


@dataclass(frozen=True)
class Mutant:
    """A changed source. name: line, what was there and what kind of change it is."""

    name: str
    source: str


@dataclass(frozen=True)
class _Change:
    """One change to a tree, which can be taken back. kind: counts towards the most of each kind."""

    kind: str
    node: ast.AST
    do: Callable[[], Callable[[], object]]


def source_mutants(source: str, most: int) -> Iterator[Mutant]:
    """At most `most` mutants of each kind, always the same ones for the same source."""
    lines = source.split("\n")
    own = learners_lines(lines)
    tree = ast.parse(source)
    changes: dict[str, list[_Change]] = {}
    for change in _changes(tree, own):
        changes.setdefault(change.kind, []).append(change)
    for kind, found in changes.items():
        chosen = random.Random(f"{kind} {SEED}").sample(range(len(found)), min(most, len(found)))
        for number in sorted(chosen):
            node, before = found[number].node, ast.unparse(tree)
            text = lines[getattr(node, "lineno", min(own)) - 1].strip()
            undo = found[number].do()
            mutated = ast.unparse(ast.fix_missing_locations(tree))
            undo()
            if mutated != before:
                yield Mutant(f"line {getattr(node, 'lineno', 0)} `{text}`: {kind} ({_at(before, mutated)})", mutated)


def _at(before: str, mutated: str) -> str:
    """The first line that is different, as it is now."""
    pairs = zip(before.split("\n"), mutated.split("\n"), strict=False)
    return next((new.strip() for old, new in pairs if old != new), "")


def learners_lines(lines: list[str]) -> set[int]:
    """The numbers of the lines, from 1 on, that are left to the learner."""
    inside, found = False, set()
    for number, line in enumerate(lines, 1):
        if line.strip().startswith(("### BEGIN", "### END")):
            inside = line.strip().startswith("### BEGIN")
        elif inside:
            found.add(number)
    return found


def _changes(tree: ast.Module, own: set[int]) -> Iterator[_Change]:
    """All changes to what lies in these lines."""
    inside = [node for node in _walk(tree) if getattr(node, "lineno", 0) in own]
    names = sorted({node.id for node in inside if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)})
    arguments = [node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)]
    names += [name for name in arguments if name not in names and any(_uses(node, name) for node in inside)]
    for node in inside:
        yield from _dropped(node)
        yield from _swapped(node)
        yield from _constant(node)
        yield from _flipped(node)
        yield from _other_name(node, names)


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Every node but messages, names of values and what `in` looks through, in the order of the text."""
    yield node
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
        yield from _walk(node.left)
        return
    for child in ast.iter_child_nodes(node):
        is_message = isinstance(child, ast.Call) and _called(child) in UNTOUCHED
        if is_message and isinstance(child, ast.Call):
            for argument in child.args[:1]:
                yield from _walk(argument)
        elif not (isinstance(child, ast.keyword) and child.arg in NAMES_ONLY):
            yield from _walk(child)


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _uses(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _set(node: Any, field: str, value: Any) -> Callable[[], Callable[[], object]]:
    """Set a field; the result takes it back."""

    def do() -> Callable[[], object]:
        before = getattr(node, field)
        setattr(node, field, value)
        return lambda: setattr(node, field, before)

    return do


def _dropped(node: ast.AST) -> Iterator[_Change]:
    for field in ("body", "orelse"):
        body = getattr(node, field, None)
        if not isinstance(body, list):
            continue
        for number, statement in enumerate(body):
            if isinstance(statement, ast.Expr | ast.Assign | ast.AugAssign | ast.If | ast.For | ast.Return):
                rest = [*body[:number], ast.copy_location(ast.Pass(), statement), *body[number + 1 :]]
                yield _Change("dropped statement", statement, _set(node, field, rest))


def _swapped(node: ast.AST) -> Iterator[_Change]:
    if isinstance(node, ast.BinOp):

        def swap(node: ast.BinOp = node) -> Callable[[], object]:
            node.left, node.right = node.right, node.left
            return lambda: swap(node)

        yield _Change("swapped operands", node, swap)
    if isinstance(node, ast.Call) and _called(node) not in UNTOUCHED:
        for number in range(len(node.args) - 1):
            args = [*node.args[:number], node.args[number + 1], node.args[number], *node.args[number + 2 :]]
            yield _Change("swapped operands", node, _set(node, "args", args))
    ordered = isinstance(node, ast.Tuple | ast.List) and isinstance(node.ctx, ast.Load) and len(node.elts) > 1
    if isinstance(node, ast.Tuple | ast.List) and ordered and not isinstance(node.elts[0], ast.Starred):
        yield _Change("swapped operands", node, _set(node, "elts", [*node.elts[1:], node.elts[0]]))


def _constant(node: ast.AST) -> Iterator[_Change]:
    if not isinstance(node, ast.Constant):
        return
    value = node.value
    if isinstance(value, bool):
        yield _Change("changed constant", node, _set(node, "value", not value))
    elif isinstance(value, int | float):
        yield _Change(
            "changed constant", node, _set(node, "value", 2 * value if isinstance(value, float) else value + 1)
        )
        if value:
            yield _Change("changed constant", node, _set(node, "value", type(value)(0)))
    elif isinstance(value, str):
        if value in _OTHER:
            yield _Change("other name", node, _set(node, "value", _OTHER[value]))
            return
        for number in re.finditer(r"\d+", value):
            text = f"{value[: number.start()]}{int(number[0]) + 1}{value[number.end() :]}"
            yield _Change("changed number in the text", node, _set(node, "value", text))
        for old, new in _SIGNS:
            if old in value:
                yield _Change("changed sign in the text", node, _set(node, "value", value.replace(old, new, 1)))


def _flipped(node: ast.AST) -> Iterator[_Change]:
    if isinstance(node, ast.Compare):
        for number, operator in enumerate(node.ops):
            ops = [*node.ops[:number], _COMPARISONS[type(operator)](), *node.ops[number + 1 :]]
            yield _Change("flipped comparison", node, _set(node, "ops", ops))
    elif isinstance(node, ast.BoolOp):
        yield _Change(
            "flipped comparison", node, _set(node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
        )
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        yield _Change("flipped comparison", node, _set(node, "test", ast.UnaryOp(ast.Not(), node.test)))
    elif isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in _ARITHMETIC:
        yield _Change("other operator", node, _set(node, "op", _ARITHMETIC[type(node.op)]()))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        yield _Change("other operator", node, _set(node, "operand", ast.UnaryOp(node.op, node.operand)))


def _other_name(node: ast.AST, names: list[str]) -> Iterator[_Change]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names and len(names) > 1:
        yield _Change("other name", node, _set(node, "id", names[(names.index(node.id) + 1) % len(names)]))
    elif isinstance(node, ast.Name) and node.id in ("max", "min"):
        yield _Change("other name", node, _set(node, "id", _OTHER[node.id]))
    elif isinstance(node, ast.Attribute) and node.attr in _OTHER:
        yield _Change("other name", node, _set(node, "attr", _OTHER[node.attr]))
    elif isinstance(node, ast.keyword) and node.arg in _OTHER:
        yield _Change("other name", node, _set(node, "arg", _OTHER[node.arg]))
    elif isinstance(node, ast.Call) and any(keyword.arg not in NAMES_ONLY for keyword in node.keywords):
        for keyword in node.keywords:
            if keyword.arg not in NAMES_ONLY:
                rest = [other for other in node.keywords if other is not keyword]
                yield _Change("dropped argument", node, _set(node, "keywords", rest))

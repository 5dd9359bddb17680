"""The same answer written otherwise: changes of a source that change nothing of what it does."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator

Rewriting = Callable[[ast.Module], None]
_MIRRORED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE, ast.Eq: ast.Eq, ast.NotEq: ast.NotEq,
}  # fmt: skip
_NO_ARRAYS = ("haribote.kernel", "haribote.layout")
"""Modules of things that have a shape, and no len()."""


class _Loops(ast.NodeTransformer):
    """Comprehensions of one name as map and filter, `yield from` as a loop."""

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        self.generic_visit(node)
        first = node.generators[0]
        if len(node.generators) > 1 or not isinstance(first.target, ast.Name) or len(first.ifs) > 1:
            return node
        items = first.iter
        name = ast.arguments([], [ast.arg(first.target.id)], None, [], [], None, [])
        for test in first.ifs:
            items = ast.Call(ast.Name("filter", ast.Load()), [ast.Lambda(name, test), items], [])
        mapped = ast.Call(ast.Name("map", ast.Load()), [ast.Lambda(name, node.elt), items], [])
        return ast.Call(ast.Name("list", ast.Load()), [mapped], [])

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        self.generic_visit(node)
        if not isinstance(node.value, ast.YieldFrom):
            return node
        each = ast.Expr(ast.Yield(ast.Name("each_", ast.Load())))
        return ast.For(ast.Name("each_", ast.Store()), node.value.value, [each], [], None)


class _Mirrored(ast.NodeTransformer):
    """`a < b` as `b > a`, `2 * x` as `x * 2`, both ways of an `if` exchanged."""

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        if len(node.ops) == 1 and type(node.ops[0]) in _MIRRORED:
            return ast.Compare(node.comparators[0], [_MIRRORED[type(node.ops[0])]()], [node.left])
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        numbers = [isinstance(side, ast.Constant) and isinstance(side.value, int) for side in (node.left, node.right)]
        if isinstance(node.op, ast.Mult | ast.Add) and any(numbers):
            return ast.BinOp(node.right, node.op, node.left)
        return node

    def visit_If(self, node: ast.If) -> ast.stmt:
        self.generic_visit(node)
        return ast.If(ast.UnaryOp(ast.Not(), node.test), node.orelse or [ast.Pass()], node.body)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        return ast.IfExp(ast.UnaryOp(ast.Not(), node.test), node.orelse, node.body)


class _Plain(ast.NodeTransformer):
    """`f"{x} y"` as a sum of texts, `x.shape[0]` as `len(x)` where what has a shape is an array."""

    arrays = True

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt:
        self.arrays &= node.module not in _NO_ARRAYS
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        parts: list[ast.expr] = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                if part.conversion != -1:
                    return node
                spec = [self.visit(part.format_spec)] if part.format_spec else []
                parts.append(ast.Call(ast.Name("format", ast.Load()), [self.visit(part.value), *spec], []))
            else:
                parts.append(part)
        total = parts[0] if parts else ast.Constant("")
        for part in parts[1:]:
            total = ast.BinOp(total, ast.Add(), part)
        return total

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        first = isinstance(node.slice, ast.Constant) and node.slice.value == 0 and isinstance(node.ctx, ast.Load)
        if first and self.arrays and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            return ast.Call(ast.Name("len", ast.Load()), [node.value.value], [])
        return node


class _Named(ast.NodeTransformer):
    """What is returned or yielded has a name first."""

    def visit_Return(self, node: ast.Return) -> ast.stmt | list[ast.stmt]:
        if node.value is None:
            return node
        return [_assigned(node.value), ast.Return(ast.Name("result_", ast.Load()))]

    def visit_Expr(self, node: ast.Expr) -> ast.stmt | list[ast.stmt]:
        if not isinstance(node.value, ast.Yield) or node.value.value is None:
            return node
        return [_assigned(node.value.value), ast.Expr(ast.Yield(ast.Name("result_", ast.Load())))]


def _assigned(value: ast.expr) -> ast.Assign:
    return ast.Assign([ast.Name("result_", ast.Store())], value)


def _transformed(transformer: type[ast.NodeTransformer]) -> Rewriting:
    return lambda module: transformer().visit(module)


def _renamed(module: ast.Module) -> None:
    """Names that a function gives to values of its own."""
    for function in (node for node in module.body if isinstance(node, ast.FunctionDef)):
        given = {argument.arg for argument in ast.walk(function) if isinstance(argument, ast.arg)}
        own = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        declared = [node for node in ast.walk(function) if isinstance(node, ast.Global | ast.Nonlocal)]
        for node in ast.walk(function) if not declared else ():
            if isinstance(node, ast.Name) and node.id in own - given:
                node.id = f"my_{node.id}"


def _by_a_helper(module: ast.Module) -> None:
    """The whole function is that of a class, called by the one that is asked for."""
    own = [node for node in module.body if isinstance(node, ast.FunctionDef)]
    for function in own:
        spec = function.args
        if spec.vararg or spec.kwarg:
            continue
        inner = copy.deepcopy(function)
        inner.name, inner.decorator_list = function.name, [ast.Name("staticmethod", ast.Load())]
        holder = ast.ClassDef(f"Of_{function.name}", [], [], [inner], [])
        names = [ast.Name(argument.arg, ast.Load()) for argument in (*spec.posonlyargs, *spec.args)]
        keywords = [ast.keyword(argument.arg, ast.Name(argument.arg, ast.Load())) for argument in spec.kwonlyargs]
        called = ast.Call(ast.Attribute(ast.Name(holder.name, ast.Load()), function.name, ast.Load()), names, keywords)
        function.body = [ast.Return(called)]
        module.body.insert(module.body.index(function), holder)


def _at_once(module: ast.Module) -> None:
    """What was yielded one after the other is collected first."""
    for function in [node for node in module.body if isinstance(node, ast.FunctionDef)]:
        yields = [node for node in ast.walk(function) if isinstance(node, ast.Yield | ast.YieldFrom)]
        if yields:
            inner = copy.deepcopy(function)
            inner.decorator_list = []
            inner.name, inner.args = "lines_", ast.arguments([], [], None, [], [], None, [])
            called = ast.Call(ast.Name("lines_", ast.Load()), [], [])
            function.body = [inner, ast.Return(ast.Call(ast.Name("iter", ast.Load()), [
                ast.Call(ast.Name("list", ast.Load()), [called], [])], []))]  # fmt: skip


def _bare(module: ast.Module) -> None:
    """Without what says nothing to Python: texts of documentation, annotations."""
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
            for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                argument.annotation = None
        if isinstance(node, ast.FunctionDef | ast.Module) and len(node.body) > 1 and ast.get_docstring(node):
            node.body.pop(0)


_LINES = """
def spaced_(function):
    def call(*given, **named):
        for line in function(*given, **named):
            nops = line.partition("nop/")[2] if line.startswith("nop/") else ""
            yield from [f"   {line}   # as before", ""] if not nops.isdigit() else ["nop"] * int(nops)
    return call

def joined_(function):
    def call(*given, **named):
        yield "\\n".join(function(*given, **named))
    return call
"""


def _decorated(name: str) -> Rewriting:
    """The generators that the module has for others give their lines otherwise: with blanks and remarks, or all in one
    text. What its helpers give is its own business: parts of lines, and values.
    """

    def rewrite(module: ast.Module) -> None:
        answers = [node for node in module.body if isinstance(node, ast.FunctionDef)]
        used = {node.id for node in ast.walk(module) if isinstance(node, ast.Name)}
        for function in (answer for answer in answers if answer.name not in used):
            if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(function)):
                function.decorator_list.append(ast.Name(name, ast.Load()))
        future = max((n for n, node in enumerate(module.body) if isinstance(node, ast.ImportFrom)), default=-1)
        module.body[future + 1 : future + 1] = ast.parse(_LINES).body

    return rewrite


REWRITINGS: dict[str, Rewriting] = {
    "loops": _transformed(_Loops),
    "mirrored": _transformed(_Mirrored),
    "plain": _transformed(_Plain),
    "named": _transformed(_Named),
    "renamed": _renamed,
    "by a helper": _by_a_helper,
    "at once": _at_once,
    "bare": _bare,
}
OF_LINES: dict[str, Rewriting] = {"spaced": _decorated("spaced_"), "joined": _decorated("joined_")}


def rewritten(source: str, lines: bool) -> Iterator[tuple[str, str]]:
    """Names and texts of the answers that differ in the code itself. lines: the answer is one of lines of assembly."""
    before = ast.dump(ast.parse(source))
    for name, rewriting in (REWRITINGS | (OF_LINES if lines else {})).items():
        module = ast.parse(source)
        rewriting(module)
        if ast.dump(ast.fix_missing_locations(module)) != before:
            yield name, f"{ast.unparse(module)}\n"

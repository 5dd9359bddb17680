"""Cells of a translated notebook, whose code is English, speak its language: their texts are looked up in the
catalogues before a cell runs.

What `print` is given is one text, with names for what is put in; so is every other string of a cell. Only texts that a
catalogue has are replaced.
"""

from __future__ import annotations

import ast
import re
from typing import TypeGuard, cast

from simulator.language import language_or_english
from simulator.messages import knows

TELLER = "_tr"
"""What cells call `simulator.messages.tr`."""
GRAMMAR = frozenset(
    ["", "s", "es", "y", "ies", "a", "an", "is", "are", "was", "were", "has", "have", "do", "does", "it", "them"]
)
"""What an English text has in one form or another, and other languages have not."""


class Translated(ast.NodeTransformer):
    """Texts of a cell become calls of `tr`, as IPython's `ast_transformers` want it."""

    def visit(self, node: ast.AST) -> ast.AST:
        """As it is where English is spoken."""
        if isinstance(node, ast.Module) and language_or_english() == "en":
            return node
        changed: ast.AST = super().visit(node)
        return ast.fix_missing_locations(changed)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """What `print` is given becomes one text."""
        if prints(node):
            text = printed(node)
            template = form(text)
            if knows(template):
                keywords = [word for word in node.keywords if word.arg != "sep"]
                return ast.Call(node.func, [self._told(text, template)], keywords)
        return self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        """A text with places."""
        template = form(node)
        return self._told(node, template) if knows(template) else self._with_places(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """A text without any; single words may be names, and stay."""
        known = isinstance(node.value, str) and " " in node.value and knows(node.value)
        return ast.Call(ast.Name(TELLER, ast.Load()), [node], []) if known else node

    def _told(self, text: ast.JoinedStr, template: str) -> ast.Call:
        """The call that says a text in the language of the moment."""
        names: dict[str, str] = {}
        values = [part for part in text.values if isinstance(part, ast.FormattedValue) and not grammar(part.value)]
        keywords = {_name(part.value, names): self._with_places(ast.JoinedStr([part])) for part in values}
        arguments = [ast.keyword(name, value) for name, value in keywords.items()]
        return ast.Call(ast.Name(TELLER, ast.Load()), [ast.Constant(template)], arguments)

    def _with_places(self, text: ast.JoinedStr) -> ast.JoinedStr:
        """A text as it is, but for the strings in its places: a key is the same there as where it was given."""
        parts = (
            ast.FormattedValue(cast(ast.expr, self.visit(part.value)), part.conversion, part.format_spec)
            if isinstance(part, ast.FormattedValue)
            else part
            for part in text.values
        )
        return ast.JoinedStr(list(parts))


def prints(call: ast.Call) -> bool:
    """Whether it is a call of `print` with something to print."""
    return isinstance(call.func, ast.Name) and call.func.id == "print" and bool(call.args)


def printed(call: ast.Call) -> ast.JoinedStr:
    """What `print` is given, as one text with places."""
    separators = [word.value.value for word in call.keywords if word.arg == "sep" and is_text(word.value)]
    between = str(separators[0]) if separators else " "
    parts: list[ast.expr] = []
    for argument in call.args:
        if parts:
            parts.append(ast.Constant(between))
        if isinstance(argument, ast.JoinedStr):
            parts += argument.values
        elif isinstance(argument, ast.Starred):
            parts.append(ast.FormattedValue(_spread(argument.value, between), -1))
        else:
            parts.append(argument if is_text(argument) else ast.FormattedValue(argument, -1))
    return ast.JoinedStr(parts)


def _spread(values: ast.expr, between: str) -> ast.expr:
    """What `print(*values)` prints, as one value: an f-string takes no star."""
    strings = ast.Call(ast.Name("map", ast.Load()), [ast.Name("str", ast.Load()), values], [])
    return ast.Call(ast.Attribute(ast.Constant(between), "join", ast.Load()), [strings], [])


def is_text(node: ast.expr) -> TypeGuard[ast.Constant]:
    """Whether it is a string without places."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def form(node: ast.JoinedStr) -> str:
    """An f-string with names in place of expressions: the template that catalogues have of it.

    A place for words of English grammar is empty: `{count} word{|s}` says so with bars.
    """
    parts: list[str] = []
    names: dict[str, str] = {}
    for value in node.values:
        if isinstance(value, ast.Constant):
            parts.append(str(value.value).replace("{", "{{").replace("}", "}}"))
        elif isinstance(value, ast.FormattedValue):
            parts.append("{" + (grammar(value.value) or _name(value.value, names)) + "}")
    return "".join(parts)


def grammar(node: ast.expr) -> str:
    """`is|are` of `'is' if one else 'are'`, `|s` of `'s' * many`; "" for other expressions."""
    if isinstance(node, ast.IfExp) and all(_short(end) for end in (node.body, node.orelse)):
        return "|".join(sorted({node.body.value, node.orelse.value}, key=len))  # type: ignore[attr-defined]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and _short(node.left):
        return "|" + node.left.value  # type: ignore[attr-defined,no-any-return]
    return ""


def _short(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in GRAMMAR


def _name(node: ast.expr, names: dict[str, str]) -> str:
    """A name for an expression, another one for each expression of a text."""
    source = ast.unparse(node)
    if source not in names:
        words = [word for word in re.findall(r"[A-Za-z]+", _innermost(node)) if word not in ("self", "str")]
        name = "_".join(words[-2:]).lower() or "value"
        taken = set(names.values())
        names[source] = next(n for n in (name, *(f"{name}{i}" for i in range(2, 99))) if n not in taken)
    return names[source]


def _innermost(node: ast.expr) -> str:
    """What of an expression says most of it: the last name of an attribute, the argument of a call."""
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Call):
        return _innermost(node.args[0]) if node.args else _innermost(node.func)
    if isinstance(node, ast.Subscript):
        return _innermost(node.value)
    return node.id if isinstance(node, ast.Name) else ""

"""The register of rules, each of which writes the nodes of some operators in others."""

from __future__ import annotations

from collections.abc import Callable

from haribote.core.rewrite import Rule

RULES: dict[str, list[Rule]] = {}
"""Operator to the rules that write it; the first one that fits does."""


def rule(*op_types: str) -> Callable[[Rule], Rule]:
    """Register a rule of these operators."""

    def register(function: Rule) -> Rule:
        for op_type in op_types:
            RULES.setdefault(op_type, []).append(function)
        return function

    return register

"""Mutants of sources: small changes inside the solution, none outside."""

from __future__ import annotations

import ast

from grader.selftest.source_mutants import source_mutants

SOURCE = '''
LIMIT = 5


def f(g, a: int, b: int = 3) -> int:
    """The contract: 1 + 1."""
    ### BEGIN SOLUTION
    g.require(a == 1, "only 1 is supported")
    total = [a, 2]
    if a < b and b:
        total[0] = max(a, 10 - b)
    return g.op("Add", total, f"$lm{a}v {b} + 4", part="5", axis=6)
    ### END SOLUTION
'''


def mutants(most: int = 99) -> dict[str, str]:
    return {mutant.name: mutant.source for mutant in source_mutants(SOURCE, most)}


def test_all_kinds_of_mutants() -> None:
    names = "\n".join(mutants())
    for text in (
        "dropped statement (pass)", "swapped operands (total[0] = max(a, b - 10))", "changed constant (total = [a, 3])",
        "flipped comparison (if a <= b and b:)", "flipped comparison (if a < b or b:)", "flipped comparison (if not",
        "other operator (total[0] = max(a, 10 + b))", "other name (return g.op('Sub'", "min(a, 10 - b)",
        "dropped argument (return g.op('Add', total, f'$lm{a}v {b} + 4', part='5'))",
        "changed number in the text (return g.op('Add', total, f'$lm{a}v {b} + 5'", "{b} - 4'", "g.require(a != 1",
    ):  # fmt: skip
        assert text in names, text


def test_what_is_outside_stays() -> None:
    for source in mutants().values():
        assert "LIMIT = 5" in source and "1 + 1" in source and "b: int=3" in source
        assert "only 1 is supported" in source or "g.require" not in source
        assert "part='5'" in source or "g.op" not in source
        ast.parse(source)


def test_they_are_always_the_same_and_limited() -> None:
    assert list(mutants(1)) == list(mutants(1)) and len(mutants(1)) == 9
    assert len(set(mutants().values())) == len(mutants())

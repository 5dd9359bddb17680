"""Threads parse one after the other, also where something else gets its turn in the middle of a parse."""

from __future__ import annotations

import ast
import gc
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from simulator import parsing
from simulator.parsing import compiled_expression, parsed, parsed_expression

SOURCE = Path(parsing.__file__).read_text(encoding="utf-8")


@pytest.fixture
def turns() -> Iterator[None]:
    """Other threads get their turn whenever the garbage collector runs, and it runs often."""

    def other(phase: str, info: dict[str, int]) -> None:
        time.sleep(0.0001)

    before = gc.get_threshold()
    gc.callbacks.append(other)
    gc.set_threshold(50)
    try:
        yield
    finally:
        gc.callbacks.remove(other)
        gc.set_threshold(*before)


@pytest.mark.usefixtures("turns")
def test_threads_do_not_disturb_each_other() -> None:
    with ThreadPoolExecutor(4) as pool:
        trees = list(pool.map(parsed, [SOURCE] * 40))
    assert {ast.dump(tree) for tree in trees} == {ast.dump(ast.parse(SOURCE))}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.usefixtures("turns")
def test_a_forked_process_parses_too() -> None:
    with ThreadPoolExecutor(1) as pool:
        busy = pool.map(parsed, [SOURCE] * 40)
        for _ in range(5):
            child = os.fork()
            if child == 0:
                os._exit(0 if parsed(SOURCE).body else 1)
            assert os.waitpid(child, 0)[1] == 0
        assert len(list(busy)) == 40


def test_an_expression_has_a_tree_and_code() -> None:
    tree = parsed_expression("2 * x")
    assert ast.unparse(tree) == "2 * x" and eval(compiled_expression(tree, "<here>"), {"x": 3}) == 6
    with pytest.raises(SyntaxError):
        parsed_expression("2 *")

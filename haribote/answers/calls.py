"""How often a run calls the functions that answer tasks, whose they are, and how many nodes of a graph they write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import GeneratorType
from typing import Any, Literal

Owner = Literal["yours", "reference", "product"]
"""The learner; a reference answer in place of theirs; the product's own function."""


@dataclass
class Calls:
    """What was called while it was watched, by task and owner. nodes: that the functions added to graphs."""

    times: Counter[tuple[str, Owner]] = field(default_factory=Counter)
    nodes: Counter[tuple[str, Owner]] = field(default_factory=Counter)


_watching: list[Calls] = []


@contextmanager
def watched() -> Iterator[Calls]:
    """Inside, calls are counted, in all threads."""
    calls = Calls()
    _watching.append(calls)
    try:
        yield calls
    finally:
        _watching.remove(calls)


def counted(task: str, owner: Owner, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What a function gives, its call and the nodes that it writes counted for all who watch."""
    if not _watching:
        return function(*args, **kwargs)
    key = task, owner
    for calls in _watching:
        calls.times[key] += 1
    before = _nodes(args)
    result = function(*args, **kwargs)
    if isinstance(result, GeneratorType):
        return _counted_as_yielded(key, result, args)
    _add(key, _nodes((result,)) - before if hasattr(result, "graph") else _nodes(args) - before)
    return result


def _counted_as_yielded(key: tuple[str, Owner], given: Iterator[Any], args: tuple[Any, ...]) -> Iterator[Any]:
    """The same values; nodes are counted as they are written, from value to value."""
    while True:
        before = _nodes(args)
        try:
            value = next(given)
        except StopIteration:
            return
        finally:
            _add(key, _nodes(args) - before)
        yield value


def _add(key: tuple[str, Owner], nodes: int) -> None:
    if nodes > 0:
        for calls in _watching:
            calls.nodes[key] += nodes


def _nodes(args: tuple[Any, ...]) -> int:
    """The nodes of the graph that the first argument is, or grows with its `builder`; 0 for anything else."""
    first = args[0] if args else None
    model = getattr(getattr(first, "builder", None), "model", first)
    graph = getattr(model, "graph", None)
    return len(graph.node) if graph is not None and hasattr(graph, "node") else 0

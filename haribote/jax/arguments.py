"""Arguments of a call: which are static, and how the leaves of the others are called in the graph."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any

import jax


class StaticArguments:
    """Which arguments are values of the compiler. As for `jax.jit`, a number stands for the name at that place."""

    def __init__(self, function: Callable[..., Any], settings: dict[str, Any]) -> None:
        numbers, names = settings.get("static_argnums"), settings.get("static_argnames")
        self.numbers = {numbers} if isinstance(numbers, int) else set(numbers or ())
        self.names = {names} if isinstance(names, str) else set(names or ())
        places = _places(function)
        if names is None:
            self.names |= {places[k] for k in self.numbers if -len(places) <= k < len(places)}
        if numbers is None:
            self.numbers |= {places.index(name) for name in self.names if name in places}

    def without(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The other arguments."""
        numbers = {number % len(args) if args else number for number in self.numbers if number < len(args)}
        kept = tuple(value for number, value in enumerate(args) if number not in numbers)
        return kept, {name: value for name, value in kwargs.items() if name not in self.names}


def _places(function: Callable[..., Any]) -> list[str]:
    """The names of positional arguments."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    try:
        return [name for name, one in inspect.signature(function).parameters.items() if one.kind in kinds]
    except (TypeError, ValueError):
        return []


def leaf_names(tree: Any) -> list[str]:
    """A name for every leaf of (arguments, keywords): `arg0.weights.1`, `scale`."""
    numbered = jax.tree_util.tree_unflatten(tree, range(tree.num_leaves))
    names: list[str] = []
    for path, _ in jax.tree_util.tree_flatten_with_path(numbered)[0]:
        parts = [re.sub(r"\W", "", jax.tree_util.keystr((part,))) for part in path[1:]]
        parts[0] = f"arg{parts[0]}" if parts[0].isdigit() else parts[0]
        name = ".".join(parts)
        names.append(name if name not in names else f"{name}.{len(names)}")
    return names


def next_values(donated: Sequence[bool], arguments: Sequence[Any], results: Sequence[Any]) -> dict[int, int]:
    """For each donated argument the result that takes its place: the next one of its shape and type, in order.

    arguments, results: their shapes and types, by number, as are the keys and values given back.
    """
    free = list(range(len(results)))
    found: dict[int, int] = {}
    for number, (argument, given) in enumerate(zip(arguments, donated, strict=True)):
        kind = (argument.shape, argument.dtype)
        match = next((k for k in free if (results[k].shape, results[k].dtype) == kind), None) if given else None
        if match is not None:
            found[number] = match
            free.remove(match)
    return found

"""What is given to an answer stays as it is: lists, tables, sets and arrays are looked at before and after a call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np


class Kept:
    """The arguments of a call as they were."""

    def __init__(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        self._given: list[tuple[int | str, Any]] = [*enumerate(args), *kwargs.items()]
        self._before = [_copy(value) for _, value in self._given]

    def changed(self, function: Callable[..., Any]) -> str:
        """The name of the first parameter whose argument is not what it was, or ""."""
        for (key, value), before in zip(self._given, self._before, strict=True):
            if not _same(before, value):
                return key if isinstance(key, str) else _name(function, key)
        return ""


def _name(function: Callable[..., Any], position: int) -> str:
    names = list(inspect.signature(function).parameters)
    return names[min(position, len(names) - 1)]


def _copy(value: Any) -> Any:
    """The same value, its containers and arrays copied; everything else is the object itself."""
    if type(value) is np.ndarray:
        return value.copy()
    if type(value) in (list, tuple):
        return [_copy(item) for item in value]
    if type(value) is dict:
        return {key: _copy(item) for key, item in value.items()}
    return value.copy() if type(value) is set else value


def _same(before: Any, value: Any) -> bool:
    """Whether a value is what its copy says."""
    if type(value) is np.ndarray:
        return bool(before.shape == value.shape and before.tobytes() == value.tobytes())
    if type(value) in (list, tuple):
        return len(before) == len(value) and all(map(_same, before, value))
    if type(value) is dict:
        return list(before) == list(value) and all(_same(before[key], value[key]) for key in before)
    return bool(before == value) if type(value) is set else before is value

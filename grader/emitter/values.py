"""Plain values and their text: what goes to an emitter and what comes back, as one line of JSON each. No pickle."""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Mapping
from math import prod
from typing import Any, TypeAlias, Union

import numpy as np
from numpy.typing import NDArray

from haribote.errors import HariboteError
from simulator.messages import tr

Array = NDArray[Any]
Value: TypeAlias = Union[Array, bytes, str, int, float, bool, list["Value"], dict[str, "Value"], None]  # noqa: UP007
Values = Mapping[str, Value]

DTYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
)  # fmt: skip
WHOLE = ("int8", "int16", "int32")
"""In which arrays of wider whole numbers are written where they fit."""
LIMIT = 64 * 2**20  # characters of one line
MOST_AXES = 16
ARRAY, BYTES, FLOAT = "$array", "$bytes", "$float"


class ValueFormatError(HariboteError):
    """A line is not what `encode` writes, or a value is none that it can write."""


def encode(values: Values) -> str:
    """One line of JSON, without its line end; every table keeps its order. Arrays become dtype, shape and base64,
    and the type that the base64 is of where that is a narrower one.

    Raises ValueFormatError.
    """
    try:
        return json.dumps({key: _plain(value, key) for key, value in values.items()}, allow_nan=False)
    except RecursionError as error:
        raise ValueFormatError(tr("the values are nested too deeply")) from error
    except ValueError as error:  # an integer of thousands of digits
        raise ValueFormatError(tr("a value cannot be written: {error}", error)) from error


def decode(text: str | bytes, limit: int = LIMIT) -> dict[str, Value]:
    """What `encode` wrote. Every array's dtype and size are checked before it is made.

    limit: the most characters. Raises ValueFormatError on anything that `encode` does not write.
    """
    if len(text) > limit:
        raise ValueFormatError(tr("a line has at most {limit} characters, received {text}", limit, len(text)))
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:  # JSONDecodeError, UnicodeDecodeError, numbers of many digits
        raise ValueFormatError(tr("a line of JSON was expected: {error}", error)) from error
    if not isinstance(values, dict):
        raise ValueFormatError(tr("a JSON object was expected, received {name}", type(values).__name__))
    try:
        return {key: _value(value) for key, value in values.items()}
    except RecursionError as error:
        raise ValueFormatError(tr("the values are nested too deeply")) from error


def copied(values: Values) -> dict[str, Value]:
    """The same values with arrays, lists and tables of their own, so that nobody's changes reach the original."""
    return {key: _copy(value) for key, value in values.items()}


def _copy(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, list):
        return [_copy(item) for item in value]
    return copied(value) if isinstance(value, Mapping) else value


def listed(value: Any) -> list[Any]:
    """A value that must be a list. Raises TypeError."""
    if not isinstance(value, list):
        raise TypeError(tr("a list was to be given"))
    return value


def ints(value: Any) -> list[int]:
    """The whole numbers of a list. Raises TypeError."""
    return [int(number) for number in listed(value)]


def _plain(value: Any, where: str) -> Any:
    if isinstance(value, np.ndarray):
        if value.dtype.name not in DTYPES:
            raise ValueFormatError(
                tr("{where}: an array must be of {dtypes}, received {dtype}", where, ", ".join(DTYPES), value.dtype)
            )
        stored = _narrowest(np.asarray(value))
        little = value.astype(stored.newbyteorder("<"), order="C")
        parts = [value.dtype.name, list(value.shape), base64.b64encode(little.tobytes()).decode()]
        return {ARRAY: parts if stored == value.dtype else [*parts, stored.name]}
    if isinstance(value, bytes):
        return {BYTES: base64.b64encode(value).decode()}
    if isinstance(value, float) and not math.isfinite(value):
        return {FLOAT: repr(float(value))}
    if isinstance(value, str | bool | int | float) or value is None:
        return value
    if isinstance(value, list | tuple):
        return [_plain(item, where) for item in value]
    if isinstance(value, Mapping) and all(isinstance(key, str) and not key.startswith("$") for key in value):
        return {key: _plain(item, f"{where}.{key}") for key, item in value.items()}
    raise ValueFormatError(
        tr("{where}: {name} is no plain value", where, type(value).__name__), tr("an array, a number, text or bytes")
    )


def _narrowest(array: Array) -> np.dtype[Any]:
    """The type in which an array is written: whole numbers that are small need few bytes each."""
    if array.dtype.kind not in "iu" or not array.size:
        return array.dtype
    least, most = int(array.min()), int(array.max())
    fitting = (np.dtype(name) for name in WHOLE if np.iinfo(name).min <= least and most <= np.iinfo(name).max)
    return min((array.dtype, *fitting), key=lambda dtype: dtype.itemsize)


def _is_narrower(stored: object, dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "iu" and stored in WHOLE and np.dtype(str(stored)).itemsize < dtype.itemsize


def _value(value: Any) -> Value:
    if isinstance(value, list):
        return [_value(item) for item in value]
    if not isinstance(value, dict):
        return value  # type: ignore[no-any-return]  # str, int, float, bool or None, by json
    if ARRAY in value:
        return _array(value)
    if BYTES in value:
        return _bytes(value, BYTES)
    if FLOAT in value:
        if value != {FLOAT: value[FLOAT]} or value[FLOAT] not in ("nan", "inf", "-inf"):
            raise ValueFormatError(tr("{float} must be nan, inf or -inf, received {value}", FLOAT, str(value)[:80]))
        return float(value[FLOAT])
    return {key: _value(item) for key, item in value.items()}


def _array(value: dict[str, Any]) -> Array:
    parts = value[ARRAY]
    if len(value) != 1 or not isinstance(parts, list) or len(parts) not in (3, 4):
        raise ValueFormatError(tr("{array} must be [dtype, shape, base64], received {value}", ARRAY, str(value)[:80]))
    dtype, shape, _, stored = [*parts, parts[0]][:4]
    if dtype not in DTYPES or not (stored == dtype or _is_narrower(stored, np.dtype(dtype))):
        raise ValueFormatError(tr("an array must be of {dtypes}, received {dtype}", ", ".join(DTYPES), str(dtype)[:80]))
    sizes = isinstance(shape, list) and all(type(size) is int and 0 <= size < 2**40 for size in shape)
    if not sizes or len(shape) > MOST_AXES:
        raise ValueFormatError(
            tr("a shape is a list of at most {most_axes} sizes, received {shape}", MOST_AXES, str(shape)[:80])
        )
    content = _bytes({BYTES: parts[2]}, BYTES)
    kept = np.dtype(stored).newbyteorder("<")
    if len(content) != prod(shape) * kept.itemsize:
        raise ValueFormatError(
            tr("an array of {dtype} {shape} has another size than {content} bytes", dtype, shape, len(content))
        )
    return np.frombuffer(content, kept).astype(dtype).reshape(shape)


def _bytes(value: dict[str, Any], key: str) -> bytes:
    text = value[key]
    if len(value) != 1 or not isinstance(text, str):
        raise ValueFormatError(tr("{key} must be text in base64, received {value}", key, str(value)[:80]))
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueFormatError(tr("{key} must be text in base64: {error}", key, error)) from error

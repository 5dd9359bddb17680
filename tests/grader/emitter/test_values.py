"""Plain values as text: they come back as they were, and nothing else gets through."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
import pytest

from grader.emitter.values import DTYPES, ValueFormatError, copied, decode, encode


def test_values_come_back_as_they_were() -> None:
    values: dict[str, Any] = {
        "text": "naïve\n", "bytes": bytes(range(256)), "numbers": [1, -2.5, 10**18, True, None, float("inf")],
        "table": {"a": {"b": [b""]}}, "empty": np.zeros((0, 3), np.float32), "scalar": np.array(7, np.int64),
        "strided": np.arange(12, dtype=np.float64).reshape(3, 4).T[::-1],
    }  # fmt: skip
    line = encode(values)
    assert "\n" not in line
    back: dict[str, Any] = decode(line)
    for key in ("text", "bytes", "numbers", "table"):
        assert back[key] == values[key]
    for key in ("empty", "scalar", "strided"):
        assert back[key].dtype == values[key].dtype and np.array_equal(back[key], values[key])
    assert np.isnan(decode(encode({"x": float("nan")}))["x"])


def test_tables_keep_their_order() -> None:
    """Graphs are given as tables of nodes in their order, which an answer may rely on."""
    given: dict[str, Any] = {"z": {"n10": 1, "n9": {"b": 0, "a": 1}}, "a": [{"y": 0, "x": 1}]}
    back: Any = decode(encode(given))
    assert list(back) == ["z", "a"] and list(back["z"]) == ["n10", "n9"]
    assert list(back["z"]["n9"]) == ["b", "a"] and list(back["a"][0]) == ["y", "x"]


@pytest.mark.parametrize("most", [127, 128, -(2**15), 2**15, 2**31 - 1, 2**31, 2**63 - 1])
def test_whole_numbers_take_no_more_room_than_they_need(most: int) -> None:
    array = np.full(1000, most)
    text = encode({"x": array})
    back: Any = decode(text)["x"]
    assert back.dtype == array.dtype and np.array_equal(back, array)
    width = next(width for width in (1, 2, 4, 8) if -(2 ** (8 * width - 1)) <= most < 2 ** (8 * width - 1))
    assert 1000 * width < 3 / 4 * len(text) < 1000 * width + 100


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_keeps_its_bits(dtype: str) -> None:
    array = (np.arange(32, dtype=np.uint8) % 2 if dtype == "bool" else np.arange(32, dtype=np.uint8)).view(dtype)
    back = decode(encode({"x": array}))["x"]
    assert isinstance(back, np.ndarray) and back.dtype == array.dtype and back.tobytes() == array.tobytes()
    back[:1] = 0  # it may be written to


@pytest.mark.parametrize(
    "value", [object(), np.array(["text"]), np.array([object()]), {1: 2}, {"$array": 3}, 1j, np.float32(1), {1, 2}]
)
def test_other_objects_are_refused(value: Any) -> None:
    with pytest.raises(ValueFormatError):
        encode({"x": value})


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "3", "{", "nonsense", '{"x": ' + "[" * 100_000, '{"x": 1' + "0" * 10_000 + "}",
        '{"x": {"$array": ["object", [1], "AAAA"]}}', '{"x": {"$array": ["float32", [1000000], "AAAA"]}}',
        '{"x": {"$array": ["float32", [-1], ""]}}', '{"x": {"$array": ["float32", [1.5], "AAAA"]}}',
        '{"x": {"$array": ["float32", [true], "AAAAAA=="]}}', '{"x": {"$array": [["float32"], [1], "AAAAAA=="]}}',
        '{"x": {"$array": ["uint8", ["1"], "AA=="]}}', '{"x": {"$array": ["uint8", [1], 3]}}', '{"x": {"$array": 3}}',
        '{"x": {"$array": ["uint8", [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1], "AA=="]}}',
        '{"x": {"$bytes": "***"}}', '{"x": {"$bytes": 3}}', '{"x": {"$float": "1e5"}}', '{"x": {"$float": []}}',
        '{"x": {"$bytes": "", "y": 1}}', b"\xff\xfe{}",
    ],
)  # fmt: skip
def test_hostile_lines_are_refused(text: str | bytes) -> None:
    with pytest.raises(ValueFormatError):
        decode(text)


@pytest.mark.parametrize(("told", "kept"), [("int8", "int32"), ("float32", "int8"), ("int64", "float32")])
def test_numbers_are_kept_in_a_narrower_whole_type_alone(told: str, kept: str) -> None:
    size = np.dtype(kept).itemsize
    text = base64.b64encode(bytes(size)).decode()
    with pytest.raises(ValueFormatError, match="an array must be of"):
        decode(json.dumps({"x": {"$array": [told, [1], text, kept]}}))


def test_a_line_has_a_limit() -> None:
    with pytest.raises(ValueFormatError, match="at most 20 characters"):
        decode(encode({"x": "y" * 100}), 20)


def test_copies_share_nothing() -> None:
    values: dict[str, Any] = {"a": np.zeros(3), "b": [np.zeros(2)], "c": {"d": [1]}}
    other: Any = copied(values)
    other["a"][0] = other["b"][0][0] = 1
    other["c"]["d"].append(2)
    assert not values["a"].any() and not values["b"][0].any() and values["c"] == {"d": [1]}

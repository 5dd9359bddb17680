"""Types that are no words of the chip: computed there as NumPy computes them, whole numbers modulo their range."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from haribote import onnx_backend
from haribote.graph import Index
from haribote.stack.planner.narrow import WORDS, in_words

ONNX = {"float32": "float"}


def graph(dtype: str, body: str) -> onnx.ModelProto:
    """Nodes on two inputs a and b; the results of all of them are outputs."""
    kind = ONNX.get(dtype, dtype)
    outputs = ", ".join(f"{kind}[5, 7] {line.split(' = ')[0]}" for line in body.splitlines())
    head = '<ir_version: 10, opset_import: ["": 20]>'
    return onnx.parser.parse_model(f"{head}\ntest ({kind}[5, 7] a, {kind}[5, 7] b) => ({outputs}) {{\n{body}\n}}")


WHOLE = ("int8", "uint8", "int16", "uint16")


@pytest.mark.parametrize("dtype", WHOLE)
def test_whole_numbers_wrap_as_in_numpy(dtype: str) -> None:
    info = np.iinfo(dtype)
    random = np.random.default_rng(1)
    a, b = (random.integers(info.min, info.max, (5, 7), dtype, endpoint=True) for _ in range(2))
    model = graph(dtype, "sum = Add (a, b)\nproduct = Mul (a, b)\nless = Sub (a, b)\nmost = Max (a, b)")
    rep = onnx_backend.prepare(model, "CHIP")
    with np.errstate(over="ignore"):
        wanted = (a + b, a * b, a - b, np.maximum(a, b))
    for found, expected in zip(rep.run([a, b]), wanted, strict=True):
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)
    assert rep.last is not None and not rep.last.reasons


def test_halves_are_computed_in_single_and_rounded_at_the_end() -> None:
    a, b = (np.random.default_rng(k).standard_normal((5, 7)).astype(np.float16) for k in range(2))
    rep = onnx_backend.prepare(graph("float16", "c = Mul (a, b)\nsum = Add (c, b)"), "CHIP")
    (found,) = rep.run([a, b])[-1:]
    assert found.dtype == np.float16
    wanted = (a.astype(np.float32) * b.astype(np.float32) + b.astype(np.float32)).astype(np.float16)
    np.testing.assert_allclose(found.astype(float), wanted.astype(float), rtol=1e-3)


@pytest.mark.parametrize("dtype", ["float16", *WHOLE])
def test_no_narrow_type_is_left(dtype: str) -> None:
    model = onnx_backend.specialised(graph(dtype, "sum = Add (a, b)"), {"a": np.zeros((5, 7), dtype)}, set())
    assert not {str(found) for found in Index(in_words(model)).dtype.values()} & WORDS.keys()


def test_other_models_stay_as_they_are() -> None:
    model: onnx.ModelProto = onnx_backend.specialised(graph("float32", "sum = Add (a, b)"), {}, set())
    assert in_words(model) is model

"""Quotients on the chip that are rounded to whole numbers, or divided by a constant: the last bit must be right."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from haribote import onnx_backend

RANDOM = np.random.default_rng(0)
DIVISORS = RANDOM.integers(1, 200, 400).astype(np.float32)
DIVIDENDS = (DIVISORS * RANDOM.integers(-400, 400, 400) / 2).astype(np.float32)
"""Multiples of the divisors, and halves between them."""


@pytest.mark.parametrize(
    ("last", "kind", "oracle"),
    [
        ("Floor", "float", np.floor),
        ("Ceil", "float", np.ceil),
        ("Round", "float", np.round),
        ("Cast <to = 6>", "int32", lambda q: q.astype(np.int32)),
    ],
)
def test_a_quotient_rounded_to_a_whole_number_is_that_of_numpy(last, kind, oracle) -> None:
    found = run(f"(float[400] x, float[400] y) => ({kind}[400] z) {{ q = Div (x, y) z = {last} (q) }}")
    np.testing.assert_array_equal(found, oracle(DIVIDENDS / DIVISORS))


@pytest.mark.parametrize("divisor", [3.0, 7.0, 0.25, -10.0, 255.0])
def test_a_quotient_by_a_constant_is_the_nearest_number(divisor: float) -> None:
    found = run(f"(float[400] x, float[400] y) => (float[400] z) <float k = {{{divisor}}}> {{ z = Div (x, k) }}")
    np.testing.assert_array_equal(found, DIVIDENDS / np.float32(divisor))


def run(body: str):
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["": 20]> test {body}')
    return onnx_backend.prepare(model, "CHIP").run([DIVIDENDS, DIVISORS])[0]

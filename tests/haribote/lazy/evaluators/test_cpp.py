"""What the C++ of an expression looks like, and how long a product takes that was found."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.cpp_times import measure
from haribote import lazy
from haribote.cpp.build import CompilerMissing, compiler
from haribote.lessons.cpp import product as gemm
from tests.haribote.lazy.programs import programs

pytestmark = pytest.mark.usefixtures("compiled")


@pytest.fixture
def compiled() -> None:
    try:
        compiler()
    except CompilerMissing as error:
        pytest.skip(str(error))


@pytest.mark.slow
def test_transposed_factors_are_not_copied_and_maps_join_the_product() -> None:
    x, w = lazy.array("x", (4, 6)), lazy.array("w", (5, 6))
    turned = lazy.reshape(w, (6, 5), lambda i, j: (j, i))
    source = lazy.compile(programs().product(x, turned) + 1.0, "cpp").evaluator.source  # type: ignore[attr-defined]
    assert "op::gemm<op::packed, 'N', 'T'>(x, w, number, result_out);" in source and "transpose" not in source


def test_a_convolution_is_one_product() -> None:
    x, w = lazy.array("x", (1, 2, 5, 5)), lazy.array("w", (3, 2, 2, 2))
    source = lazy.compile(programs().convolution(x, w), "cpp").evaluator.source  # type: ignore[attr-defined]
    assert source.count("op::gemm<op::packed") == 1


@pytest.mark.slow
@pytest.mark.parametrize(("m", "k", "n"), [(256, 784, 128), (64, 64, 64), (256, 784, 512)])
def test_a_product_takes_at_most_twice_the_time_of_gemm(m: int, k: int, n: int) -> None:
    random = np.random.default_rng(0)
    values = {"a": random.standard_normal((m, k), np.float32), "b": random.standard_normal((k, n), np.float32)}
    found = lazy.compile(programs().product(lazy.array("a", (m, k)), lazy.array("b", (k, n))), "cpp")
    np.testing.assert_allclose(found(**values), values["a"].astype(float) @ values["b"], atol=1e-3)
    session = gemm((m, k), (k, n), {}, "packed")

    def given() -> None:  # as an expression is: values in, run, results out
        for name, value in values.items():
            session.write(name, value)
        session.run()
        session.outputs()

    times = measure({"lazy": lambda: found(**values), "gemm": given}, 15)
    assert times["lazy"] < 2 * times["gemm"], times

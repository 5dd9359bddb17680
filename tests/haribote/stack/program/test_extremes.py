"""Operators whose axes are padded or masked give what ONNX's reference gives, for every value that a single may have.

Values reach from finfo.min to finfo.max, and infinities; integers all of int32.
"""

from __future__ import annotations

import warnings

import numpy as np
import onnx
import pytest
import torch

from haribote.compiler import compile_stack, start_session
from haribote.graph import Builder, Index, evaluate
from haribote.graphs.textual import parsed

INF, MOST = np.inf, float(np.finfo(np.float32).max)
LEAST_INT, MOST_INT = -(2**31), 2**31 - 1

ROWS = {
    "far below": [-1e31, -2e31, -3e31],
    "lowest": [-MOST, -MOST, -MOST],
    "highest": [MOST, MOST, -MOST],
    "mixed": [-MOST, 1.0, MOST],
    "one infinite": [INF, 1.0, 2.0],
    "below": [-INF, 1.0, 2.0],
    "all -inf": [-INF, -INF, -INF],
    "all inf": [INF, INF, INF],
    "zeros": [0.0, -0.0, 0.0],
    "both": [-INF, INF, 0.0],
}
FLOATS = np.array(list(ROWS.values()), np.float32)
INTEGERS = np.array(
    [[LEAST_INT] * 3, [MOST_INT] * 3, [LEAST_INT, MOST_INT, 0], [LEAST_INT, LEAST_INT + 1, LEAST_INT], [-5, -7, -6],
     [MOST_INT - 1, MOST_INT, MOST_INT - 1]], np.int32)  # fmt: skip
N, M = len(FLOATS), len(INTEGERS)

OF_FLOATS = {
    "ReduceMax": f"(float[{N},1] y) <int64[1] a = {{1}}> {{ y = ReduceMax(x, a) }}",
    "ReduceMin": f"(float[{N},1] y) <int64[1] a = {{1}}> {{ y = ReduceMin(x, a) }}",
    "ReduceMax of columns": "(float[1,3] y) <int64[1] a = {0}> { y = ReduceMax(x, a) }",
    "ReduceMin of columns": "(float[1,3] y) <int64[1] a = {0}> { y = ReduceMin(x, a) }",
    "ReduceMax of all": "(float y) { y = ReduceMax<keepdims=0>(x) }",
    "ArgMax": f"(int64[{N},1] y) {{ y = ArgMax<axis=1>(x) }}",
    "ArgMin": f"(int64[{N},1] y) {{ y = ArgMin<axis=1>(x) }}",
    "last ArgMax": f"(int64[{N}] y) {{ y = ArgMax<axis=1, keepdims=0, select_last_index=1>(x) }}",
    "ArgMax of columns": "(int64[3] y) { y = ArgMax<axis=0, keepdims=0>(x) }",
    "Softmax": f"(float[{N},3] y) {{ y = Softmax<axis=1>(x) }}",
    "ReduceLogSumExp": f"(float[{N}] y) <int64[1] a = {{1}}> {{ y = ReduceLogSumExp<keepdims=0>(x, a) }}",
    "TopK": f"(float[{N},2] y, int64[{N},2] z) <int64[1] k = {{2}}> {{ y, z = TopK<axis=1>(x, k) }}",
    "least TopK": f"(float[{N},3] y, int64[{N},3] z) <int64[1] k = {{3}}> {{ y, z = TopK<axis=1, largest=0>(x, k) }}",
    "Concat": f"(float[{N},6] y) {{ y = Concat<axis=1>(x, x) }}",
    "Gather": f"(float[{N},2] y) <int64[2] i = {{2, 0}}> {{ y = Gather<axis=1>(x, i) }}",
    "Pad": f"(float[{N},5] y) <int64[4] p = {{0,1,0,1}}, float v = {{-inf}}> {{ y = Pad(x, p, v) }}",
    "GlobalMaxPool": f"(float[{N},1,1,1] y) <int64[4] s = {{{N},1,1,3}}> {{ w = Reshape(x, s) y = GlobalMaxPool(w) }}",
    **{
        f"Scatter {reduction}": f"(float[{N},3] y) <int64[{N},3] i = {{{', '.join(['1', '1', '0'] * N)}}}> "
        f'{{ y = ScatterElements<axis=1, reduction="{reduction}">(x, i, x) }}'
        for reduction in ("max", "min", "none")
    },
}  # fmt: skip

OF_INTEGERS = {
    "ReduceMax": f"(int32[{M},1] y) <int64[1] a = {{1}}> {{ y = ReduceMax(x, a) }}",
    "ReduceMin": f"(int32[{M},1] y) <int64[1] a = {{1}}> {{ y = ReduceMin(x, a) }}",
    "ReduceMax of columns": "(int32[3] y) <int64[1] a = {0}> { y = ReduceMax<keepdims=0>(x, a) }",
    "ReduceMin of columns": "(int32[3] y) <int64[1] a = {0}> { y = ReduceMin<keepdims=0>(x, a) }",
    "ArgMax": f"(int64[{M}] y) {{ y = ArgMax<axis=1, keepdims=0>(x) }}",
    "ArgMin": f"(int64[{M}] y) {{ y = ArgMin<axis=1, keepdims=0>(x) }}",
    "TopK": f"(int32[{M},2] y, int64[{M},2] z) <int64[1] k = {{2}}> {{ y, z = TopK<axis=1>(x, k) }}",
    "a sum of matches": f"(int32[{M}] y) <int32[1,3] w = {{-2147483648, 5, 7}}, int64[1] a = {{1}}> "
    "{ e = Equal(x, w) c = Cast<to=6>(e) y = ReduceSum<keepdims=0>(c, a) }",
    "a sum of matches of one": "(int32 y) <int32[3] w = {3, 5, 7}, int64[2] b = {0, 0}, int64[2] f = {1, 1}, "
    "int64[1] a = {0}, int64[1] n = {1}> "
    "{ h = Slice(x, b, f) g = Reshape(h, n) e = Equal(g, w) c = Cast<to=6>(e) y = ReduceSum<keepdims=0>(c, a) }",
    "OneHot": f"(float[{M},3,5] y) <int64 d = {{5}}, float[2] v = {{0, 1}}> {{ y = OneHot(x, d, v) }}",
    **{
        f"Scatter {reduction}": f"(int32[{M},3] y) <int64[{M},3] i = {{{', '.join(['1', '1', '0'] * M)}}}> "
        f'{{ y = ScatterElements<axis=1, reduction="{reduction}">(x, i, x) }}'
        for reduction in ("max", "min", "none")
    },
}


def compared(text: str | onnx.ModelProto, values, expected=None) -> None:
    """The chip's results, and the reference's where nothing is expected; not where these are no numbers."""
    model = parsed(text) if isinstance(text, str) else text
    if expected is None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = evaluate(model, {"x": values})
    session = start_session(compile_stack(model))
    session.step({"x": values})
    for name in Index(model).outputs:
        wanted, found = expected[name], np.asarray(session.read(name))
        assert found.shape == wanted.shape
        known = ~np.isnan(wanted) if wanted.dtype.kind == "f" else np.ones(wanted.shape, bool)
        np.testing.assert_allclose(found[known], wanted[known], rtol=1e-5, atol=1e-6, err_msg=f"{name} of\n{values}")


@pytest.mark.some(7)
@pytest.mark.parametrize("name", OF_FLOATS)
def test_floats(name: str) -> None:
    compared(f"(float[{N},3] x) => {OF_FLOATS[name]}", FLOATS)


@pytest.mark.some(6)
@pytest.mark.parametrize("name", OF_INTEGERS)
def test_integers(name: str) -> None:
    compared(f"(int32[{M},3] x) => {OF_INTEGERS[name]}", INTEGERS)


def test_log_softmax() -> None:
    """ONNX's reference takes the logarithm of a softmax that is 0."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        wide = FLOATS.astype(np.float64)
        less = wide - wide.max(axis=1, keepdims=True)
        wanted = (less - np.log(np.exp(less).sum(axis=1, keepdims=True))).astype(np.float32)
    compared(f"(float[{N},3] x) => (float[{N},3] y) {{ y = LogSoftmax<axis=1>(x) }}", FLOATS, {"y": wanted})


POOL = "kernel_shape=[1,3], pads=[0,1,0,1]"


@pytest.mark.slow
def test_max_pool_and_its_gradient() -> None:
    """As in torch: a window of -inf has its largest element, the first, in the image."""
    x = torch.from_numpy(FLOATS).reshape(N, 1, 1, 3).requires_grad_()
    y, places = torch.nn.functional.max_pool2d(x, (1, 3), 1, (0, 1), return_indices=True)
    flat = places.numpy() + 3 * np.arange(N).reshape(N, 1, 1, 1)
    text = f"(float[{N},1,1,3] x) => (float[{N},1,1,3] y, int64[{N},1,1,3] z) {{ y, z = MaxPool<{POOL}>(x) }}"
    images = FLOATS.reshape(N, 1, 1, 3)
    compared(text, images, {"y": y.detach().numpy(), "z": flat})
    y.sum().backward()
    builder = Builder("gradient")
    builder.input("x", images.shape, np.float32)
    ones = builder.constant(np.ones(images.shape, np.float32), "ones")
    given = {"kernel_shape": [1, 3], "pads": [0, 1, 0, 1], "strides": [1, 1]}
    builder.output(builder.op("MaxPoolGrad", ones, "x", name="y", **given))
    compared(builder.finish(), images, {"y": x.grad.numpy()})

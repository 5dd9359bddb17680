"""Operators along axes: sums, extremes, Softmax, norms, running sums, sorting."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.growing import COUNT, FLOAT, LABEL, TRUTH, Grower
from haribote.errors import GraphError


def _reduce(g: Grower) -> None:
    _over(g, g.random.choice(("ReduceSum", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceMean")), FLOAT)


def _reduce_more(g: Grower) -> None:
    op_types = ("ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSumExp", "ReduceProd", "ReduceLogSum")
    _over(g, g.random.choice(op_types), FLOAT)


def _reduce_whole(g: Grower) -> None:
    op_type = g.random.choice(("ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceSumSquare"))
    _over(g, op_type, g.random.choice((LABEL, COUNT)))


def _reduce_truth(g: Grower) -> None:
    _over(g, g.random.choice(("ReduceMax", "ReduceMin")), TRUTH)


def _over(g: Grower, op_type: str, dtype: str) -> None:
    """Over some axes, over all, or over none."""
    x = g.some(dtype, least=g.random.choice((0, 1, 1, 1)))
    if op_type == "ReduceLogSum" and g.values[x].min() < 0.25:
        raise GraphError("no logarithm")
    axes = g.axes(x) if g.values[x].ndim else []
    said = g.random.choice(([g.constant(*axes)], [g.constant(*axes)], [g.constant(*axes)], [], [g.constant()]))
    extra: dict[str, Any] = {"noop_with_empty_axes": g.random.randint(0, 1)} if g.random.random() < 0.2 else {}
    kept: dict[str, Any] = {"keepdims": g.random.randint(0, 1)} if g.random.random() < 0.8 else {}
    exact = op_type in ("ReduceSum", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceSumSquare")
    g.add(op_type, x, *said, rounds=not exact, **extra, **kept)


def _softmax(g: Grower) -> None:
    x = g.some(least=1)
    if np.abs(g.values[x]).max() > 30:
        raise GraphError("too large")
    axis: dict[str, Any] = {"axis": g.said(x, g.axis(x))} if g.random.random() < 0.8 else {}
    g.add(g.random.choice(("Softmax", "LogSoftmax")), x, **axis, rounds=True)


def _arg(g: Grower) -> None:
    x = g.some(g.random.choice((FLOAT, FLOAT, LABEL, COUNT)), exact=True, least=1)
    last: dict[str, Any] = {"select_last_index": g.random.randint(0, 1)} if g.random.random() < 0.3 else {}
    kept: dict[str, Any] = {"keepdims": g.random.randint(0, 1)} if g.random.random() < 0.8 else {}
    g.add(g.random.choice(("ArgMax", "ArgMin")), x, axis=g.said(x, g.axis(x)), **kept, **last)


def _running(g: Grower) -> None:
    x = g.some(g.random.choice((FLOAT, FLOAT, LABEL, COUNT)), least=1)
    axis = g.number(g.said(x, g.axis(x)))
    g.add("CumSum", x, axis, exclusive=g.random.randint(0, 1), reverse=g.random.randint(0, 1))


def _top(g: Grower) -> None:
    x = g.some(g.random.choice((FLOAT, LABEL)), exact=True, least=1)
    axis = g.axis(x)
    size = g.values[x].shape[axis]
    if g.values[x].size * size > 1 << 14:
        raise GraphError("too large")
    count = g.constant(g.random.randint(1, size))
    g.add("TopK", x, count, axis=g.said(x, axis), largest=g.random.randint(0, 1), outputs=2)


def _norm(g: Grower) -> None:
    x = g.some(least=1)
    axis = g.axis(x)
    shape = g.values[x].shape[axis:]
    bias = [g.input(shape)] if g.random.random() < 0.5 else []
    g.add("LayerNormalization", x, g.input(shape), *bias, axis=g.said(x, axis), epsilon=0.1, rounds=True)


def _norm_of_channels(g: Grower) -> None:
    n, c, spatial = g.random.choice((1, 2, 5)), g.random.choice((2, 4, 6)), g.shape(g.random.choice((1, 2)), 64)
    x, scale, bias = g.input((n, c, *spatial)), g.input((c,)), g.input((c,))
    op_type = g.random.choice(("BatchNormalization", "MeanVarianceNormalization"))
    match op_type:
        case "BatchNormalization":
            variance = g.given(np.linspace(0.25, 2, c, dtype=np.float32))
            g.add(op_type, x, scale, bias, g.input((c,)), variance, rounds=True)
        case _:
            if np.ptp(g.values[x], axis=tuple(k for k in range(len(spatial) + 2) if k != 1)).min() < 0.5:
                raise GraphError("no variance")
            g.add(op_type, x, axes=[k for k in range(len(spatial) + 2) if k != 1], rounds=True)


def _loss(g: Grower) -> None:
    """SoftmaxCrossEntropyLoss or NegativeLogLikelihoodLoss, of rows or of images."""
    rows, classes = g.random.choice((1, 2, 5, 7, 16)), g.random.choice((1, 2, 3, 10, 33))
    spatial = g.shape(g.random.choice((0, 0, 0, 1, 2)), 16)
    logits = g.input((rows, classes, *spatial))
    labels = g.input((rows, *spatial), g.random.choice((LABEL, COUNT)), classes)
    weights = [g.given((np.arange(classes) % 4 + 1).astype(np.float32) / 4)] if g.random.random() < 0.4 else []
    ignored: dict[str, Any] = (
        {"ignore_index": g.random.choice((0, classes - 1, -1, 99))} if g.random.random() < 0.4 else {}
    )
    reduction: dict[str, Any] = (
        {"reduction": g.random.choice(("mean", "sum", "none"))} if g.random.random() < 0.8 else {}
    )
    if g.random.random() < 0.3:
        g.add("NegativeLogLikelihoodLoss", logits, labels, *weights, rounds=True, **ignored, **reduction)
    else:
        outputs = g.random.choice((1, 1, 2))
        g.add("SoftmaxCrossEntropyLoss", logits, labels, *weights, rounds=True, outputs=outputs, **ignored, **reduction)


ALL = (
    _reduce, _reduce_more, _reduce_whole, _reduce_truth, _softmax, _arg, _running, _top, _norm,
    _norm_of_channels, _loss,
)  # fmt: skip

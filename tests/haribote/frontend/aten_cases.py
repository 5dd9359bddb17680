"""Programs that between them use every operation with a rule; small, since each runs in several tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from tests.haribote.frontend.aten_decomposed import DECOMPOSED
from tests.haribote.frontend.aten_values import (
    COMPARISON,
    ELEMENTWISE,
    IMAGES,
    KERNEL,
    LABELS,
    REDUCTION,
    ROWS,
    TRUE,
    A,
    B,
    C,
    M,
    N,
    X,
    Y,
    aten,
    cases,
    prims,
)

VIEWS = cases(
    shapes=(
        lambda x: (
            x.view(6, 4),
            x.reshape(3, -1),
            x.T,
            x.t(),
            x.permute(1, 0),
            x.transpose(0, 1),
            x.unsqueeze(1),
            x.unsqueeze(1).squeeze(1),
            x[None].squeeze(),
            x.flatten(),
            aten.squeeze.dims(x.unsqueeze(0), [0]),
            aten._unsafe_view.default(x, [24]),
        ),
        X,
    ),
    vector_transposed=(lambda x: x[0].t(), X),
    expand=(lambda x: (x.unsqueeze(0).expand(3, 4, 6), x[:1].expand(5, -1), x.repeat(2, 1, 3), x.repeat(2, 2)), X),
    parts=(lambda x: (x[1], x[:, -1], x[1:3], x[:, ::2], x[:, 1:], x[:], x[-2:], x.flip(1), x.narrow(1, 2, 3)), X),
    joins=(
        lambda x, y: (
            torch.cat([x, y]),
            torch.cat([x, y], 1),
            torch.stack([x, y], 1),
            torch.stack([x, y], -1),
            torch.hstack([x, y]),
        ),
        X,
        Y,
    ),
    splits=(lambda x: (*x.split(4, 1), *x.chunk(3, 1), *x.split([1, 3]), x.split(2)[1], *x.unbind(0)), X),
    split_with_sizes=(lambda x: (*x.split([1, 5], 1), aten.split_with_sizes.default(x, [1, 3])[1]), X),
    pads=(lambda x: (F.pad(x, (1, 2)), F.pad(x, (0, 1, 2, 0), value=3.0), F.pad(x, (-1, 1))), X),
    slice_gradients=(
        lambda x: (
            aten.slice_backward.default(x, [4, 9], 1, 2, 8, 1),
            aten.select_backward.default(x, [4, 3, 6], 1, -1),
        ),
        X,
    ),
    replaced=(
        lambda x, y: (aten.slice_scatter.default(x, y[:, :2], 1, 1, 3), aten.select_scatter.default(x, y[0], 0, 2)),
        X,
        Y,
    ),
    copies=(lambda x: (x.detach() + 1, x.clone() * 2, x.contiguous() - 1, aten.alias.default(x) + 1), X),
    triangles=(lambda x: (x.tril(), x.triu(1)), X),
    roll=(lambda x: x.roll(1, 1), X),
)
PICKS = cases(
    rows=(
        lambda x, r: (x[r], x.index_select(0, r), x[:, r], F.embedding(r, x), aten._unsafe_index.Tensor(x, [r])),
        X,
        ROWS,
    ),
    gather=(lambda x, m: (x.gather(1, m), x.gather(1, m[:2, :3])), X, M),
    scatter=(
        lambda x, y, m: (
            x.scatter(1, m[:, :1], y[:, :1]),
            x.scatter(1, m[:, :1], 9.0),
            x.scatter_add(1, m, y),
            x.scatter(1, m[:, :1], y),
        ),
        X,
        Y,
        M,
    ),
    one_hot=(lambda n: F.one_hot(n, 6), LABELS),
    embedding_gradient=(lambda y, r: aten.embedding_dense_backward.default(y[:3], r, 5, 2, False), Y, ROWS),
)
CONSTANTS = cases(
    filled=(
        lambda x: (
            x + torch.ones_like(x),
            x + torch.zeros(6),
            torch.full((4, 6), 2.0) * x,
            torch.full_like(x, 3) - x,
            x.new_zeros(6) + x,
            aten.copy.default(torch.empty_like(x), x) + 1,
            aten.copy.default(aten.new_empty_strided.default(x, list(x.shape), list(x.stride())), x) - 1,
            aten._efficientzerotensor.default(list(x.shape)) + x,
            aten.copy.default(torch.empty(6), x[0]) + 1,
            x.new_ones(6) + x,
            x.new_full((6,), 2.0) * x,
            torch.zeros_like(x) + x,
            torch.ones(6) * x,
            aten.fill.Scalar(x, 2.0) + x,
            torch.scalar_tensor(2.0) * x,
        ),
        X,
    ),
    ranges=(
        lambda x: (
            x + torch.arange(6),
            x * torch.arange(1, 7),
            x - torch.arange(0, 12, 2),
            x
            + prims.iota.default(
                6, start=1, step=2, dtype=torch.int64, device=torch.device("cpu"), requires_grad=False
            ),
        ),
        X,
    ),
    casts=(
        lambda x, n, t: (
            x.to(torch.int64) + 1,
            n.float() * 2,
            t.long() + 1,
            x.bool() | t,
            n.to(torch.int32) + 1,
            prims.convert_element_type.default(n, torch.float32) + 1,
        ),
        X,
        N,
        TRUE,
    ),
    copy=(
        lambda x, n: (aten.copy.default(x, n) + 1, aten.copy.default(x, n[0]) + 1, torch.zeros(4, 6).copy_(x) + 1),
        X,
        N,
    ),
    tensors=(lambda x: x + torch.tensor([1.0, 2, 3, 4, 5, 6]), X),
)
PRODUCTS = cases(
    products=(
        lambda a, b, c: (
            a @ b,
            torch.bmm(a, b),
            torch.baddbmm(c, a, b),
            torch.baddbmm(c, a, b, beta=0.5, alpha=2),
            a[0] @ b[0],
            torch.mv(a[0], b[0, :, 0]),
            torch.dot(a[0, 0], b[0, :, 0]),
        ),
        A,
        B,
        C,
    ),
    addmm=(lambda c, a, b: torch.addmm(c, a, b), C[0], A[0], B[0]),
    einsum=(
        lambda a, b: (
            torch.einsum("bij,bjk->bik", a, b),
            torch.einsum("bij,bjk->ik", a, b),
            torch.einsum("bij->bj", a),
        ),
        A,
        B,
    ),
    linear=(lambda x, y: F.linear(x, y, y[:, 0]), X, Y),
    attention=(lambda a: F.scaled_dot_product_attention(a, a, a), A),
    losses=(
        lambda x, y, n: (
            F.cross_entropy(x, n),
            F.mse_loss(x, y),
            F.l1_loss(x, y),
            F.huber_loss(x, y),
            F.binary_cross_entropy_with_logits(x, y.sigmoid()),
            F.cross_entropy(x, n, reduction="sum"),
            F.cross_entropy(x, n, ignore_index=2),
            F.cross_entropy(x, n, reduction="none"),
            F.cross_entropy(x, n, label_smoothing=0.1),
        ),
        X,
        Y,
        LABELS,
    ),
    normalisations=(
        lambda x: (
            F.layer_norm(x, (6,)),
            F.group_norm(x, 2),
            F.batch_norm(x, x[0] * 0, x[0] * 0 + 1),
            F.rms_norm(x, (6,)),
            F.batch_norm(x, None, None, training=True),
        ),
        X,
    ),
)
IMAGE = cases(
    convolution=(lambda x, w: (F.conv2d(x, w, w[:, 0, 0, 0], padding=1), F.conv2d(x, w, stride=2)), IMAGES, KERNEL),
    pooling=(
        lambda x: (
            F.max_pool2d(x, 2),
            F.max_pool2d(x, 3, 2, 1),
            F.adaptive_avg_pool2d(x, 1),
            F.avg_pool2d(x, 2),
            F.avg_pool2d(x, 3, 2, 1),
        ),
        IMAGES,
    ),
)


def _gradient(function: Callable[..., Tensor]) -> Callable[..., Any]:
    """The gradients of the sum of squares of what the function gives, by all its arguments."""

    def gradients(*args: Tensor) -> tuple[Tensor, ...]:
        leaves = [x.detach().requires_grad_() for x in args]
        return torch.autograd.grad(function(*leaves).square().sum(), leaves)

    return gradients


def _numbers(shape: tuple[int, ...]) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))


GRADIENTS = cases(
    **{
        f"{name}_gradient": (_gradient(function), X)
        for name, function in {
            "relu": F.relu,
            "gelu": F.gelu,
            "silu": F.silu,
            "tanh": torch.tanh,
            "sigmoid": torch.sigmoid,
            "elu": F.elu,
            "leaky_relu": F.leaky_relu,
            "threshold": lambda x: F.threshold(x, 0.3, -1.0),
            "softplus": F.softplus,
            "clamp": lambda x: x.clamp(-0.5, 0.5),
            "amax": lambda x: x.amax(1),
            "softmax": lambda x: x.softmax(1),
            "log_softmax": lambda x: x.log_softmax(1),
            "first_axis": lambda x: x.log_softmax(0),
            "layer_norm": lambda x: F.layer_norm(x, (6,)),
            "batch_norm": lambda x: F.batch_norm(x, None, None, training=True),
            "slices": lambda x: x[1:3, 2] * x[0, 1],
            "step": lambda x: x[:, ::2],
            "gather": lambda x: x.gather(1, M),
            "cumsum": lambda x: x.cumsum(1),
            "var": lambda x: x.var(1),
            "max": lambda x: x.max(1)[0],
            "norm": lambda x: x.norm(),
            "loss": lambda x: F.cross_entropy(x, LABELS),
            "loss_sum": lambda x: F.cross_entropy(x, LABELS, reduction="sum"),
            "loss_rows": lambda x: F.cross_entropy(x, LABELS, reduction="none"),
            "cat": lambda x: torch.cat([x, x * 2], 1),
            "rows": lambda x: x[ROWS],
            "power": lambda x: x**3,
            "abs": torch.abs,
            "expand": lambda x: x[:1].expand(3, 6),
        }.items()
    },
    attention_gradient=(_gradient(lambda a: F.scaled_dot_product_attention(a, a, a)), A),
    products_gradient=(_gradient(lambda a, b: a @ b), A, B),
    **{
        f"{name}_gradient": (_gradient(function), *map(_numbers, shapes))
        for name, (function, *shapes) in {
            "depthwise": (lambda x, w: F.conv2d(x, w, padding=1, stride=2, groups=4), (2, 4, 7, 6), (8, 1, 3, 3)),
            "in_groups": (lambda x, w: F.conv2d(x, w, dilation=2, groups=2), (2, 4, 7, 6), (6, 2, 3, 2)),
            "of_rows": (lambda x, w: F.conv1d(x, w, stride=3, padding=2), (2, 3, 11), (4, 3, 4)),
            "of_volumes": (lambda x, w: F.conv3d(x, w, padding=(1, 0, 1)), (1, 2, 4, 3, 3), (3, 2, 3, 2, 2)),
            "transposed": (
                lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1, output_padding=1, groups=2),
                (2, 4, 3, 4),
                (4, 3, 3, 3),
            ),
            "averages_of_volumes": (
                lambda x: F.avg_pool3d(x, 2, (1, 2, 2), 1, ceil_mode=True, count_include_pad=False),
                (2, 3, 3, 4, 5),
            ),
            "averages_of_padded": (
                lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, divisor_override=4),
                (2, 3, 6, 7),
            ),
            "adaptive_volumes": (lambda x: F.adaptive_avg_pool3d(x, (2, 3, 1)), (1, 2, 5, 4, 3)),
            "transposed_rows": (lambda x, w: F.conv_transpose1d(x, w, stride=2, dilation=2), (2, 3, 5), (3, 4, 2)),
        }.items()
    },
    convolution_gradient=(_gradient(lambda x, w: F.conv2d(x, w, w[:, 0, 0, 0], padding=1)), IMAGES, KERNEL),
    pooling_gradient=(_gradient(lambda x: F.max_pool2d(x, 2)), IMAGES),
    largest_gradients=(
        _gradient(
            lambda x: (
                F.max_pool2d(x, 3, 2, ceil_mode=True).sum()
                + F.max_pool2d(x, 2, 1, dilation=2).square().sum()
                + F.max_pool3d(x, 2, 1).sum()
                + F.adaptive_max_pool2d(x, 3).square().sum()
            )
        ),
        IMAGES[:1, :, :6, :6],
    ),
    average_gradient=(_gradient(lambda x: F.avg_pool2d(x, (3, 2))), IMAGES),
    embedding_gradient_of_a_table=(_gradient(lambda x: F.embedding(ROWS, x)), X),
)
CASES = [*ELEMENTWISE, *COMPARISON, *REDUCTION, *VIEWS, *PICKS, *CONSTANTS, *PRODUCTS, *IMAGE, *DECOMPOSED]

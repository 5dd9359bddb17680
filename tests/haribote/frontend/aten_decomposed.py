"""Programs for the operations that `haribote.frontend.decompositions` writes in others, and for TopK."""

from __future__ import annotations

import torch
from torch.nn import functional as F

from haribote.core.special import SPECIAL
from tests.haribote.frontend.aten_values import IMAGES, ROWS, A, B, M, X, Y, aten, cases

FAR = torch.tensor([-9.0, -3, -1, -0.5, -0.2, 0, 0.2, 0.499, 0.5, 0.9, 1.7, 3, 5, 8, 9])
REPEATED = torch.tensor([[3.0, 1, 2, 1, 3, 0], [0, 0, 0, 0, 0, 0], [5, 4, 3, 2, 1, 0], [-1, 7, 7, -1, 2, 2]])
COLUMNS = torch.tensor([5, -1, 0])
STEPS = torch.tensor([-1.0, 0, 0.5, 2])

TWO = ("atan2", "hypot", "special_zeta")
SHARES = X.sigmoid()
ONE = [name for row in SPECIAL for name in row.aten.split() if name not in TWO and "polynomial" not in name]
POLYNOMIALS = [name for row in SPECIAL for name in row.aten.split() if "polynomial" in name]


def polynomials(x: torch.Tensor, n: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """All of several numbers, of one number, and of one argument."""
    packets = [getattr(aten, name) for name in POLYNOMIALS]
    return tuple(f(*given) for f in packets for given in ((x, n), (x, 3), (0.5, n)))


SPECIAL_FUNCTIONS = cases(
    special=(lambda x: tuple(getattr(aten, name)(x) for name in ONE), SHARES),
    polygamma=(lambda x: tuple(torch.polygamma(order, x) for order in range(3)), SHARES),
    zeta=(
        lambda x, y: (torch.special.zeta(x, y), torch.special.zeta(3.0, y), torch.special.zeta(x, 0.5)),
        SHARES + 2,
        Y.sigmoid(),
    ),
    chebyshev=(polynomials, X, torch.tensor([[4.0, 1, 0, -2, 7, 5]])),
    frexp=(lambda x: (*torch.frexp(x), *torch.frexp(x * 0), torch.frexp(torch.exp2(x.round()))[0]), X),
    bilinear=(lambda a, b, w: F.bilinear(a[0], b[0, :3], w), A, B, torch.arange(60.0).reshape(3, 4, 5).cos()),
    pdist=(lambda x: (torch.pdist(x), torch.pdist(x, 1)), X),
    erfc=(lambda x, far: (torch.erfc(x), torch.erfc(far)), X, FAR),
    atan2=(lambda x, y: (torch.atan2(x, y), torch.atan2(x.sign(), y.round())), X, Y),
    hypot=(lambda x, y: (torch.hypot(x, y), torch.hypot(x * 1e30, y * 1e30), torch.hypot(x * 0, y * 0)), X, Y),
    angle=(lambda x: (x.angle(), x.signbit(), torch.dist(x, x + 1, 3)), X),
    signs_of_zeros=(lambda x, y: ((x * 0).signbit(), torch.copysign(x, y * 0)), X, Y),
    decimals=(lambda x: (torch.round(x, decimals=1), torch.round(x * 100, decimals=-1)), X),
    beside_nan=(lambda x, y: (torch.fmax(x, y), torch.fmin(x, y)), X, Y),
    ldexp=(lambda x, n: torch.ldexp(x, n), X, torch.tensor([[3, -4, 0, 1, -20, 9]])),
    cdist=(
        lambda a, b: (*(torch.cdist(a, b.mT, p) for p in (0.0, 1.0, 2.0, 3.0, float("inf"))),),
        A,
        B,
    ),
    weighted_loss=(
        lambda x, labels, w: (
            F.nll_loss(x, labels, w),
            F.nll_loss(x, labels, w, reduction="none"),
            F.nll_loss(x.T[None], labels[None, :] % 4, ignore_index=2, reduction="sum"),
        ),
        X,
        torch.tensor([0, 5, 2, 2]),
        Y[0].abs(),
    ),
    no_label=(lambda x, labels: F.nll_loss(x[0], labels[0], ignore_index=0), X, torch.tensor([0, 5, 2, 2])),
    copysign=(lambda x, y: (torch.copysign(x, y), torch.copysign(x, -2.0)), X, Y),
    added_products=(
        lambda a, b: (
            torch.addmv(a[0, :, 0], a[0], b[0, :, 0], beta=0.5, alpha=2),
            torch.addmm(a[0, :, :1], a[0], b[0], beta=0, alpha=3),
            torch.addbmm(a[0, :, :1], a, b, beta=2),
            torch.addr(a[0], a[0, :, 0], b[0, :, 1], alpha=0.5),
        ),
        A,
        B,
    ),
)
SORTED = cases(
    topk=(lambda x: (*torch.topk(x, 2), torch.topk(x, 3, 0, largest=False)[1], x.topk(2)[0]), X),
    sort=(lambda x: (*x.sort(), *x.sort(dim=0, descending=True, stable=True), x.argsort(dim=1, stable=True)), REPEATED),
    kth=(lambda x: (*x.kthvalue(2), *x.kthvalue(3, 0, keepdim=True)), X),
    medians=(lambda x: (x.median(), *x.median(1), *x.median(0, keepdim=True), x.nanmedian(), *x.nanmedian(1)), X),
    running=(lambda x: (*x.cummax(1), *x.cummin(0), x.logcumsumexp(1), (x * 100).logcumsumexp(1)), REPEATED),
    mode=(lambda x: (*x.mode(), *x.mode(0, keepdim=True)), REPEATED),
    histogram=(lambda x: (torch.histc(x, 4), torch.histc(x, 3, 0, 2)), REPEATED),
    bags=(
        lambda x, i, ends: (
            F.embedding_bag(i, x, ends),
            F.embedding_bag(i, x, ends, mode="sum", per_sample_weights=x[0], padding_idx=1),
            F.embedding_bag(i, x, ends, mode="max"),
            F.embedding_bag(i, x, ends[:3], include_last_offset=True),
        ),
        X,
        torch.tensor([0, 3, 1, 1, 2, 0]),
        torch.tensor([0, 2, 2, 5]),
    ),
    intervals=(
        lambda x, steps: (
            torch.bucketize(x, steps),
            torch.bucketize(x, steps, right=True, out_int32=True),
            torch.searchsorted(steps, x),
            torch.searchsorted(x.sort()[0], x[:, :2].contiguous(), right=True),
        ),
        X,
        STEPS,
    ),
)
AT_PLACES = cases(
    diagonals=(
        lambda x, i: (x.diagonal() + 1, x.diagonal(2) + 1, x.trace(), x.diagonal(-1) * 2, i.diagonal(1, -1, -2) + 0),
        X,
        IMAGES,
    ),
    windows=(lambda x: (x.unfold(1, 3, 2) + 0, x.unfold(0, 2, 1) * 2), X),
    strided_back=(
        lambda x: (
            x.as_strided_scatter(x[:1, :3] * 2, (1, 3), (1, 4), 2),
            x.as_strided_scatter(-x, x.shape, x.stride()),
        ),
        X,
    ),
    strided=(lambda x: (x.as_strided((3, 2), (6, 2), 1) + 0, x.as_strided((4,), (7,)) * 2), X),
    take_and_put=(
        lambda x, m: (x.take(m), x.take(-m), x.put(m[0, :1], x[0, :1]), x.put(m, x, accumulate=True)),
        X,
        M,
    ),
    several=(
        lambda x, i, r, c: (x[r, c], i[:, r - 1, :, c + 1], i[:, :, r[:, None], c[None]], i[r - 2, c - 3, r]),
        X,
        IMAGES[:, :, :5, :7],
        torch.tensor([1, 2, 3]),
        torch.tensor([5, 1, 0]),
    ),
    written=(
        lambda x, y, r, c: (
            torch.index_put(x, [r, c], y[0, :3]),
            torch.index_put(x, [r, c], y[0, :3], accumulate=True),
            aten.index_put.default(x, [None, c], y[:, :3]),
            torch.index_put(x, [r], y[:3], accumulate=True),
            torch.masked_fill(x, x > 0, 2.0),
            torch.index_put(x, [x > 0], y[0, 0]),
            torch.index_put(x, [r.sum() > x[:, 0] * 0 + c[2]], y, accumulate=True),
            torch.index_put(x, [torch.arange(4) > 1], y[:2]),
            torch.index_put(x, [torch.arange(4) > 1], y[:1]),
        ),
        X,
        Y,
        ROWS,
        COLUMNS,
    ),
    reduced=(
        lambda x, m, y: tuple(
            x.scatter_reduce(1, m, y, reduce, include_self=own)
            for reduce in ("sum", "mean", "prod", "amax", "amin")
            for own in (True, False)
        ),
        X,
        M,
        Y,
    ),
    joined=(
        lambda x, m, y, r: (
            x.scatter(1, m, y, reduce="add"),
            x.scatter(0, m[:1] - 1, 3.0, reduce="multiply"),
            *(
                x.index_reduce(0, r, y[:3], reduce, include_self=own)
                for reduce in ("prod", "mean", "amax", "amin")
                for own in (True, False)
            ),
            x.masked_scatter(y > 0, y),
        ),
        X,
        M,
        Y,
        ROWS,
    ),
    replaced=(
        lambda x, y: (
            torch.slice_scatter(x, y[:, :3], 1, 0, 6, 2),
            torch.diagonal_scatter(x, y[0, :3], -1),
            torch.diagonal_scatter(x, y[0, :4], 2),
            torch.ops.aten.narrow_copy.default(x, 1, 2, 3),
            torch.ops.aten.view_copy.default(x, [3, 8]),
            torch.ops.aten.permute_copy.default(x, [1, 0]),
            *torch.ops.aten.unbind_copy.int(x),
            torch.ops.aten.as_strided_copy.default(x, [3, 2], [6, 2], 1),
        ),
        X,
        Y,
    ),
    numbered=(
        lambda x, r, y: (
            x.index_add(0, r, y[:3]),
            x.index_fill(0, r, 2.0),
            x.index_copy(0, r, y[:3]),
            x.repeat_interleave(2, 1),
        ),
        X,
        ROWS,
        Y,
    ),
)
RESIZED = cases(
    nearest=(
        lambda i: (
            F.interpolate(i, scale_factor=2),
            F.interpolate(i, size=(5, 3)),
            F.interpolate(i[:, 0], size=5),
            F.interpolate(i, size=(5, 3), mode="nearest-exact"),
        ),
        IMAGES,
    ),
    linear=(
        lambda i: (
            F.interpolate(i, scale_factor=2, mode="bilinear"),
            F.interpolate(i, size=(5, 3), mode="bilinear", align_corners=True),
            F.interpolate(i[:, 0], size=5, mode="linear"),
        ),
        IMAGES,
    ),
    largest=(
        lambda i: (
            *F.max_pool2d(i, 3, 2, 1, return_indices=True),
            F.max_pool2d(i, 3, 2, ceil_mode=True),
            *F.max_pool2d(i[0], 2, 2, dilation=(1, 3), ceil_mode=True, return_indices=True),
            *F.max_pool1d(i[:, :, 0], 3, 2, ceil_mode=True, return_indices=True),
            *F.max_pool3d(i, 2, 1, 1, dilation=2, return_indices=True),
            *F.adaptive_max_pool2d(i, (3, 5), return_indices=True),
            *F.adaptive_max_pool3d(i, (2, 3, 1), return_indices=True),
        ),
        IMAGES[:, :, :7],
    ),
    smoothed=(
        lambda i: tuple(
            F.interpolate(i, size, mode=mode, antialias=True)
            for size in ((3, 2), (9, 13))
            for mode in ("bilinear", "bicubic")
        ),
        IMAGES[:, :1],
    ),
    adaptive=(lambda i: (F.adaptive_avg_pool2d(i, 3), F.adaptive_avg_pool1d(i[:, 0], 4)), IMAGES),
)


def histograms(x: torch.Tensor, w: torch.Tensor, edges: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Of one axis and of two, with bins by number and by edges; single values have a bin around them."""
    return (
        *torch.histogram(x, 5),
        *torch.histogram(x, 4, range=(-0.5, 1.0), weight=w, density=True),
        *torch.histogram(x, edges, density=True),
        *torch.histogram(x[0] * 0 + 3, 2),
        *aten._histogramdd_bin_edges(x[:, :2], [3, 2]),
        aten._histogramdd_from_bin_cts(x[:, :2], [3, 2], range=[-1.0, 1.0, -2.0, 2.0]),
        aten._histogramdd_from_bin_tensors(x[:, :2], [edges, edges], weight=w[:, 0].contiguous(), density=True),
    )


def segments(x: torch.Tensor, lengths: torch.Tensor, ends: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """By lengths and by ends, with and without a value to begin with; one segment is empty."""
    ways, reduce = ("sum", "mean", "max", "min", "prod"), aten.segment_reduce.default
    return (
        *(reduce(x, way, lengths=lengths, initial=0.5) for way in ways),
        *(reduce(x, way, offsets=ends) for way in ways if way != "mean"),
        *(reduce(x, way, lengths=lengths.expand(4, 4), axis=1, unsafe=True, initial=0.5) for way in ways),
    )


AT_COMPUTED_PLACES = cases(
    sampled=(
        lambda i, g: tuple(
            F.grid_sample(i[:, :, :5, :4], g, mode, padding, corners)
            for mode in ("bilinear", "nearest", "bicubic")
            for padding, corners in (("zeros", False), ("border", True), ("reflection", False), ("reflection", True))
        ),
        IMAGES,
        (X[:2].reshape(2, 3, 1, 2) * 1.1).contiguous(),
    ),
    sampled_bodies=(
        lambda i, g: tuple(
            F.grid_sample(i[:, :, :4].reshape(2, 3, 4, 2, 4), g, mode, padding, corners)
            for mode in ("bilinear", "nearest")
            for padding, corners in (("zeros", True), ("border", False), ("reflection", False))
        ),
        IMAGES,
        X[:2].reshape(2, 1, 2, 1, 3).contiguous(),
    ),
    histograms=(histograms, X, Y.sigmoid(), STEPS),
    segments=(segments, X, torch.tensor([1, 0, 2, 1]), torch.tensor([0, 1, 1, 3, 4])),
)
DECOMPOSED = [*SPECIAL_FUNCTIONS, *SORTED, *AT_PLACES, *RESIZED, *AT_COMPUTED_PLACES]

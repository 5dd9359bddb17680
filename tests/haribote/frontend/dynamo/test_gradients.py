"""Gradients that torch leaves to kernels of its own: compiled, and PyTorch's."""

from __future__ import annotations

import functools
from collections.abc import Callable
from math import inf

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from haribote.frontend.dynamo import backend
from haribote.frontend.dynamo.entry import reports
from haribote.frontend.dynamo.graphs import GraphReport

Case = tuple[Callable[..., Tensor], tuple[Tensor, ...]]
ROWS, OFFSETS = torch.tensor([1, 3, 0, 3, 2, 1]), torch.tensor([0, 2, 2, 5])


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def distances(p: float) -> Case:
    same = drawn(4, 3)
    return lambda a, b: torch.cdist(a, b, p), (same, torch.cat([same[1:2], drawn(4, 3, seed=1)]))


def of_pairs(p: float) -> Case:
    return lambda x: F.pdist(x, p), (torch.cat([drawn(3, 2), drawn(3, 2)[:1]]),)


def bags(mode: str, weights: bool = False, padding: int | None = None) -> Case:
    """The second bag is empty."""

    def summed(table: Tensor, *given: Tensor) -> Tensor:
        return F.embedding_bag(
            ROWS, table, OFFSETS, mode=mode, padding_idx=padding, per_sample_weights=given[0] if given else None
        )

    return summed, (drawn(5, 3), *([drawn(6, seed=1)] if weights else []))


def padded(mode: str, *sizes: int) -> Case:
    return lambda x: F.pad(x, sizes, mode), (drawn(2, 3, 5, 4),)


def sampled(mode: str, padding: str = "zeros", align_corners: bool = False) -> Case:
    grid = torch.tanh(drawn(1, 3, 2, 2, seed=2)) * 1.2
    return lambda x, g: F.grid_sample(x, g, mode, padding, align_corners), (drawn(1, 2, 4, 5), grid)


def sampled_body(mode: str, padding: str) -> Case:
    grid = torch.tanh(drawn(1, 2, 1, 2, 3, seed=2)) * 1.2
    return lambda x, g: F.grid_sample(x, g, mode, padding), (drawn(1, 2, 3, 4, 2), grid)


def transposed(stride: int, padding: int, more: int, dilation: int) -> Case:
    convolved = functools.partial(
        F.conv_transpose2d, stride=stride, padding=padding, output_padding=more, dilation=dilation
    )
    return convolved, (drawn(2, 2, 3, 4), drawn(2, 3, 2, 3, seed=1), drawn(3, seed=2))


def resized(mode: str, *sizes: int, **options: object) -> Case:
    return lambda x: F.interpolate(x, mode=mode, **options), (drawn(1, 2, *sizes),)


MASK = drawn(3, 4, seed=5) > 0
CASES: dict[str, Case] = {
    **{f"distances {p}": distances(p) for p in (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, inf)},
    **{f"pairs {p}": of_pairs(p) for p in (1.0, 2.0, 3.0, inf)},
    "one point": (lambda x: F.pdist(x) + 0, (drawn(1, 2),)),
    "sums of bags": bags("sum"),
    "weighted bags": bags("sum", weights=True),
    "means of bags": bags("mean", padding=3),
    "maxima of bags": bags("max"),
    "replicated": padded("replicate", 2, 1, 0, 3),
    "replicated and cut": padded("replicate", -1, 2, 1, -1),
    "circular": padded("circular", 1, 2, 2, 1),
    "bilinear samples": sampled("bilinear"),
    "nearest samples": sampled("nearest", "border"),
    "bicubic samples": sampled("bicubic", "reflection", True),
    "linear samples of a body": sampled_body("bilinear", "border"),
    "nearest samples of a body": sampled_body("nearest", "reflection"),
    "linear": resized("linear", 6, size=9),
    "bilinear": resized("bilinear", 5, 4, scale_factor=1.7),
    "bilinear with corners": resized("bilinear", 5, 4, size=(3, 9), align_corners=True),
    "trilinear": resized("trilinear", 2, 3, 4, scale_factor=(2.0, 1.5, 1.0), recompute_scale_factor=True),
    "bicubic": resized("bicubic", 5, 4, size=(8, 3)),
    "smoothed": (lambda x: F.interpolate(x, (3, 4), mode="bilinear", antialias=True), (drawn(1, 2, 7, 6),)),
    "cubically smoothed": (lambda x: F.interpolate(x, (3, 4), mode="bicubic", antialias=True), (drawn(1, 1, 7, 6),)),
    "scattered by a mask": (lambda x, s: x.masked_scatter(MASK, s), (drawn(3, 4), drawn(13, seed=1))),
    "transposed": transposed(3, 1, 2, 1),
    "transposed beyond": transposed(1, 0, 1, 2),
    "products so far": (lambda x: x.cumprod(1), (drawn(3, 4) * (drawn(3, 4, seed=1) > 0),)),
    "signs": (lambda x: torch.sgn(x) * x, (drawn(3, 4),)),
    "expanded": (lambda a, b: torch.tensordot(a, b, dims=2), (drawn(2, 3, 4), drawn(3, 4, 1, seed=1))),
}


def agree(function: Callable[..., Tensor], arguments: tuple[Tensor, ...], device: str) -> None:
    torch.compiler.reset()
    given = [one.clone().requires_grad_() for one in arguments]
    wanted = function(*given)
    tangent = drawn(*wanted.shape, seed=7)
    seen: list[GraphReport] = []
    token = reports.set(seen)
    try:
        compiled = torch.compile(function, backend=functools.partial(backend, options={"device": device}))
        found = compiled(*given)
        gradients = torch.autograd.grad(found, given, tangent)
    finally:
        reports.reset(token)
    torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-5)
    for got, other in zip(gradients, torch.autograd.grad(wanted, given, tangent), strict=True):
        torch.testing.assert_close(got, other, rtol=1e-4, atol=1e-4)
    assert seen and not any(report.left for report in seen)
    assert not any(piece.failure for report in seen for piece in report.pieces)


@pytest.mark.parametrize("name", CASES)
def test_on_the_host(name: str) -> None:
    agree(*CASES[name], "host")


@pytest.mark.slow
@pytest.mark.some(6)
@pytest.mark.parametrize("name", CASES)
def test_on_the_chip(name: str) -> None:
    agree(*CASES[name], "chip")


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.filterwarnings("ignore:.*stays with PyTorch")
def test_corners_that_fit_and_antialiasing_are_torchs(mode: str) -> None:
    """A combination that has no rule: PyTorch computes it."""
    torch.compiler.reset()
    x = drawn(1, 2, 7, 6).requires_grad_()
    resize = functools.partial(F.interpolate, size=(3, 4), mode=mode, antialias=True, align_corners=True)
    compiled = torch.compile(lambda x: resize(x), backend=functools.partial(backend, options={"device": "host"}))
    found, wanted = compiled(x), resize(x)
    torch.testing.assert_close(found, wanted)
    for one, other in zip(torch.autograd.grad(found.sum(), x), torch.autograd.grad(wanted.sum(), x), strict=True):
        torch.testing.assert_close(one, other)

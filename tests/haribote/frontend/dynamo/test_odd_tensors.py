"""Numbers, tensors without elements, narrow types: compiled like all else, and right."""

from __future__ import annotations

import functools

import pytest
import torch
from torch.utils._pytree import tree_leaves

from haribote.frontend.dynamo import StaysWithPyTorch, backend, explain
from haribote.frontend.dynamo.entry import reports

NUMBER, EMPTY, X = torch.tensor(1.5), torch.zeros(0, 6), torch.randn(4, 6, generator=torch.Generator().manual_seed(1))
FIRST, ONE = torch.tensor(0), torch.tensor([0])
LIMITS = torch.tensor([-(2**31), 1 - 2**31, 2**31 - 1, 2**31 - 2, -7, 7, 0], dtype=torch.int32)
MULTIPLES = 0.1 * torch.arange(-60, 60) + torch.tensor(0.0)  # quotients that rounding makes whole numbers
FAR = torch.tensor([0, 1e-8, 0.5, 88.5, 1e10, 1e30, 1e38, 3.4e38, float("inf")])


def far(x):
    """What is inf of inf, and of what is large no inf before the result is."""
    finite = x[:-1]
    return (
        x.log(), x.sqrt(), x.log1p(), x.expm1(), x.asinh(), (x + 1).acosh(), x**0.5, (x + 1) ** -0.5,
        torch.stack([x, -x, x.flip(0)]).logsumexp(0), x.logsumexp(0), torch.hypot(x, x.flip(0)),
        torch.atan2(finite, finite.flip(0)), torch.atan2(-finite, finite + 1),
        (x + 1).lgamma(), torch.polygamma(1, x + 1),
    )  # fmt: skip


def quotients(x):
    return (
        *(x // d for d in (3, -3, 10, -4, 2**31 - 1)), *(x % d for d in (3, -3, -4)),
        *(torch.div(x, d, rounding_mode="trunc") for d in (3, -3)), x[:2] // x[2:4],
    )  # fmt: skip


def rests(x):
    far = torch.tensor(float("inf"))
    return x // 0.1, x % 0.1, x // -0.3, x % -0.3, torch.fmod(x, 0.1), x % far, x // far


WIDE = torch.tensor([1.0, -1, 6, -6, 7, -7, 0.3, 1e8, -1e8, 0])
INFINITE = torch.tensor([torch.inf, -torch.inf, 2, 0])

PROGRAMS = {
    "far out": (far, FAR),
    "whole quotients": (quotients, LIMITS),
    "below zero, without a sign": (lambda x: ((x * 3).to(torch.uint8), (x * 60).to(torch.int8)), MULTIPLES),
    "quotients near whole numbers": (rests, MULTIPLES),
    "sums so far": (lambda s: (s.cumsum(0) + 0, s.cumprod(0) + 0), NUMBER),
    "softmax": (lambda s: (s.softmax(0), s.log_softmax(-1)), NUMBER),
    "order": (lambda s: (*s.sort(), *s.topk(1), *s.kthvalue(1), *s.median(0)), NUMBER),
    "extremes": (lambda s: (*s.max(0), *s.min(-1), s.argmax(0), s.argmin(), *s.cummax(0)), NUMBER),
    "picks": (lambda s: (s.gather(0, FIRST), s.index_select(0, ONE), s.take(FIRST), s.unfold(0, 1, 1)), NUMBER),
    "writes": (lambda s: (s.scatter(0, FIRST, s * 2), s.index_reduce(0, ONE, s * 3, "amax")), NUMBER),
    "intervals": (lambda s: torch.bucketize(s, torch.tensor([0.0, 1, 2])), NUMBER),
    "sums of none": (lambda e: (e.sum(0), e.sum() + 1, e.prod(0) + 1, e.mean(0), (e > 0).all()), EMPTY),
    "whether any of none": (lambda e: ((e > 0).any(), (e > 0).any(0), (e != 0).any(0, keepdim=True), e.all()), EMPTY),
    "floors of quotients": (lambda x: (x // 0.1, x // -3, x // 0.2, x // torch.inf, x // -torch.inf), WIDE),
    "floors of infinite quotients": (lambda x: (x // 0.0, x // torch.zeros_like(x)), WIDE[:6]),
    "remainders": (
        lambda x: (x % 3, x % -3, x[:7] % 0.3, x[:7] % 0.1, x[:7] % -0.2, x % torch.inf, x % -torch.inf),
        WIDE,
    ),
    "powers that are 1": (lambda x: (x**0, 1.0**x), INFINITE),
    "products of none": (lambda e: X[:, :0] @ e + 1, EMPTY),
    "joined to none": (lambda e: torch.cat([e, X]) * 2, EMPTY),
    "written nowhere": (lambda e: X.scatter_add(0, e.long(), e) * 2, EMPTY),
    "of the dtype of none": (lambda e: e.new_zeros(3) + 1, EMPTY),
}


def agree(function, argument: torch.Tensor, device: str, left: int = 0, tolerance: float = 1e-5) -> None:
    torch.compiler.reset()
    seen: list = []
    token = reports.set(seen)
    try:
        compiled = torch.compile(function, backend=functools.partial(backend, options={"device": device}))
        found = tree_leaves(compiled(argument))
    finally:
        reports.reset(token)
    for got, wanted in zip(found, tree_leaves(function(argument)), strict=True):
        torch.testing.assert_close(got, wanted, rtol=tolerance, atol=tolerance, equal_nan=True)
    assert sum(len(report.left) for report in seen) == left
    assert not any(piece.failure for report in seen for piece in report.pieces)


@pytest.mark.parametrize("name", PROGRAMS)
def test_on_the_host(name):
    agree(*PROGRAMS[name], "host")


@pytest.mark.slow
@pytest.mark.some(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_on_the_chip(name):
    agree(*PROGRAMS[name], "chip")


def whole(x):
    """What wraps, and what must not."""
    least, far = torch.iinfo(x.dtype).min, torch.iinfo(x.dtype).max
    quotients = x // 3, x // far, x // (least or 7), x % 5, x % far, torch.div(x, far, rounding_mode="trunc")
    return x * 3 + 1, x * x, -x, *quotients, x.cumsum(0), *x.max(1), x.clamp(3, 50), x.sort(1)[0], x.float() / 3, ~x


def half(x):
    return x * 2 + 1, x.softmax(1), x @ x.T, x.float() + 1, x.to(torch.bfloat16) * 1.5, x.mean(), x > 0


@pytest.mark.slow
@pytest.mark.parametrize("device", ["host", "chip"])
@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int16])
def test_narrow_integers_wrap(dtype, device):
    limits = torch.iinfo(dtype)
    values = torch.randint(limits.min, limits.max + 1, (3, 5), dtype=dtype, generator=torch.Generator().manual_seed(2))
    agree(whole, values, device)


@pytest.mark.slow
@pytest.mark.parametrize("device", ["host", "chip"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_short_floats_are_computed_in_single(dtype, device):
    agree(half, X.to(dtype), device, tolerance=2e-2 if dtype is torch.bfloat16 else 2e-3)


def test_a_piece_that_fails_when_it_runs_is_pytorchs(monkeypatch: pytest.MonkeyPatch):
    def fail(*_):
        raise KeyError("no such word")

    monkeypatch.setattr("haribote.frontend.compiled.CompiledGraph.run", fail)
    torch.compiler.reset()
    compiled = torch.compile(lambda x: torch.relu(x) + 1, backend=backend, options={"device": "host"})
    with pytest.warns(StaysWithPyTorch, match="PyTorch runs a compiled piece of 2 operations.*KeyError"):
        torch.testing.assert_close(compiled(X), torch.relu(X) + 1)
    found = explain(lambda x: torch.relu(x) + 1, X, options={"device": "host"})
    assert "PyTorch ran a piece of 2: the compiler fails: KeyError" in str(found)


def test_what_values_decide_stays_with_pytorch():
    def chosen(x):
        return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,)) * 2

    found = explain(chosen, X, options={"device": "host"})
    assert "what runs depends on values" in str(found)


@pytest.mark.parametrize("dtype", [torch.bool, torch.float64, torch.int64, torch.float32])
def test_sorting_is_stable_wherever_it_runs(dtype):
    """A float64 stays with PyTorch, whose topk is not stable; nor does it take bools."""
    x = torch.randint(0, 2, (4, 50), generator=torch.Generator().manual_seed(0)).to(dtype)
    left = 2 if dtype == torch.float64 else 0
    agree(lambda x: (*x.sort(dim=1, stable=True), *x.sort(dim=0, stable=True, descending=True)), x, "host", left)
    if dtype == torch.int64:  # more than 32 bits
        large = x + 2**40
        found = torch.compile(lambda x: x.sort(dim=1, stable=True), backend="haribote")(large)
        assert all(map(torch.equal, found, large.sort(dim=1, stable=True)))

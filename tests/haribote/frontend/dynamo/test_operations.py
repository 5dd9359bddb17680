"""Every operation with a rule computes what torch computes, on the host's reference and on the chip."""

from __future__ import annotations

import pytest
import torch
from torch import fx
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._pytree import tree_leaves

from haribote.frontend.compiled import Options
from haribote.frontend.decompositions import COMPILED, decompositions
from haribote.frontend.dynamo.graphs import compile_graph
from haribote.frontend.lowering import RULES
from tests.haribote.frontend.aten_cases import CASES, GRADIENTS
from tests.haribote.frontend.aten_decomposed import AT_COMPUTED_PLACES
from tests.haribote.frontend.aten_values import Case
from tests.long_runs import LONG

STAYS = {"clamp_gradient": "aten.logical_and_.default"}
"""In place: AOTAutograd writes it otherwise, but here there is only its tracer."""
ONLY_IN_A_TRACED_STEP = {
    "aten.nll_loss_forward.default",
    "aten.nll_loss_backward.default",
    "aten.max_pool2d_with_indices_backward.default",
}
"""torch.compile decomposes them, see `decompositions.COMPILED`."""


ON_THE_HOST_ALONE = {"signs_of_zeros", "no_label"}
"""The chip has no NaN, and 1 / 0 is no infinity there: zeros look alike."""


def traced(case: Case) -> fx.GraphModule:
    table = decompositions() | COMPILED
    with sdpa_kernel(SDPBackend.MATH):
        tracer = make_fx(case.function, table, tracing_mode="fake", _allow_non_fake_inputs=True)
        return tracer(*case.args)


def check(case: Case, device: str) -> None:
    joined, report = compile_graph(traced(case), case.name, Options(device))
    assert [left.operation for left in report.left] == ([STAYS[case.name]] if case.name in STAYS else [])
    found, expected = tree_leaves(joined(*case.args)), tree_leaves(case.function(*case.args))
    for a, b in zip(found, expected, strict=True):
        assert (a.dtype, a.stride()) == (b.dtype, b.stride())
        scale = b.abs().max().item() if b.is_floating_point() and b.isfinite().all() else 1
        torch.testing.assert_close(a, b, rtol=2e-5, atol=2e-6 * max(scale, 1), equal_nan=True)


def named(cases: list[Case]) -> list:
    return [pytest.param(case, id=case.name) for case in cases]


@pytest.mark.some(30)
@pytest.mark.parametrize("case", named(CASES))
def test_on_the_host(case):
    check(case, "host")


@pytest.mark.slow
@pytest.mark.parametrize("case", named(GRADIENTS))
def test_gradients_on_the_host(case):
    check(case, "host")


@pytest.mark.slow
@pytest.mark.parametrize("case", named(AT_COMPUTED_PLACES))
def test_at_computed_places_on_the_chip(case):
    """That of histograms has a masked write to the LM that it reads: what is copied for it must not clash again."""
    check(case, "chip")


@pytest.mark.slow
@LONG
@pytest.mark.parametrize("case", named([case for case in (*CASES, *GRADIENTS) if case.name not in ON_THE_HOST_ALONE]))
def test_on_the_chip(case):
    check(case, "chip")


@pytest.mark.slow
def test_every_rule_is_used():
    used = {node.target for case in [*CASES, *GRADIENTS] for node in traced(case).graph.nodes}
    assert {str(target) for target in RULES.keys() - used} == ONLY_IN_A_TRACED_STEP

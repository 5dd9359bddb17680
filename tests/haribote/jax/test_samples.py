"""Every primitive, as its rule writes it, beside `jax.jit`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax")

from docs.tables.primitives import BY_FLATTENING, where  # noqa: E402
from docs.tables.samples import Sample, samples  # noqa: E402
from haribote.jax import mnjit  # noqa: E402
from haribote.jax.flat.keys import KEYS  # noqa: E402
from haribote.jax.flat.values import Operation  # noqa: E402
from haribote.jax.rules import RULES  # noqa: E402
from tests.long_runs import LONG  # noqa: E402

SAMPLES = samples()


pytestmark = pytest.mark.slow


def check(name: str, found: Any, wanted: Any) -> None:
    """The same shapes and types, and numbers as close as float32 lets them be."""
    pairs = zip(jax.tree_util.tree_leaves(found), jax.tree_util.tree_leaves(wanted), strict=True)
    for a, b in pairs:
        assert a.aval == b.aval, name
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-5, err_msg=name)


def test_all_on_the_host() -> None:
    """In one graph, so that JAX compiles once."""
    functions = {sample.primitive: sample.function for sample in SAMPLES}
    arguments = {sample.primitive: sample.arguments for sample in SAMPLES}

    def every(arguments: dict[str, Any]) -> dict[str, Any]:
        return {name: function(*arguments[name]) for name, function in functions.items()}

    compiled = mnjit(every, device="host")
    found, wanted = compiled(arguments), jax.jit(every)(arguments)
    for name in functions:
        check(name, found[name], wanted[name])
    present = {item.name for item in compiled.compiled(arguments).flat.items if isinstance(item, Operation)}
    assert {name for name in functions if name not in present} <= {*BY_FLATTENING, *KEYS}


def test_every_rule_has_a_sample() -> None:
    named = {sample.primitive for sample in SAMPLES}
    assert set(RULES) - named == {"eq_to", "le_to", "lt_to"}  # of the comparisons that sort makes
    assert set(KEYS) <= named


@LONG
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: str(sample.primitive))
def test_on_the_chip(sample: Sample) -> None:
    """All of it, where the table says so."""
    compiled = mnjit(sample.function)
    check(sample.primitive, compiled(*sample.arguments), jax.jit(sample.function)(*sample.arguments))
    program = compiled.compiled(*sample.arguments).program
    on_chip, _, nodes = program.coverage.split()
    assert (on_chip == nodes) == (where(sample) == "chip")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["exp", "dot_general", "reduce_max", "select_n", "transpose", "rem"])
def test_some_on_the_chip(name: str) -> None:
    sample = next(sample for sample in SAMPLES if sample.primitive == name)
    check(name, mnjit(sample.function)(*sample.arguments), jax.jit(sample.function)(*sample.arguments))

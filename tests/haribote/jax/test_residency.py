"""A donated argument stays on the device: what a call has returned is not written again by the next one."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

from haribote.frontend.compiled import CompiledGraph  # noqa: E402
from haribote.graph import updates  # noqa: E402
from haribote.jax import mnjit  # noqa: E402

START = {"w": jnp.arange(4.0), "b": jnp.float32(1)}


def step(state: Any, x: Any) -> Any:
    return {"w": state["w"] * 0.5 + x, "b": state["b"] + state["w"].sum()}, x * 2


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the inputs that were written."""
    names: list[str] = []
    write = CompiledGraph.write
    monkeypatch.setattr(
        CompiledGraph, "write", lambda self, name, value: (names.append(name), write(self, name, value))[1]
    )
    return names


def test_the_graph_says_what_it_updates() -> None:
    (graph,) = mnjit(step, donate_argnums=0).graphs(START, jnp.ones(4))
    assert set(updates(graph)) == {"arg0.w", "arg0.b"}
    assert updates(mnjit(step).graphs(START, jnp.ones(4))[0]) == {}


@pytest.mark.parametrize("device", ["host", pytest.param("chip", marks=pytest.mark.slow)])
def test_what_was_returned_is_not_written_again(written: list[str], device: Any) -> None:
    ours, theirs = mnjit(step, donate_argnums=0, device=device), jax.jit(step)
    mine, wanted = START, START
    for number in range(3):
        written.clear()
        mine, _ = ours(mine, jnp.full(4, number))
        wanted, _ = theirs(wanted, jnp.full(4, number))
        assert set(written) == ({"arg0.w", "arg0.b", "arg1"} if number == 0 else {"arg1"})
        jax.tree_util.tree_map(partial(np.testing.assert_allclose, rtol=1e-6), mine, wanted)


def test_another_state_is_written(written: list[str]) -> None:
    ours, x = mnjit(step, donate_argnums=0, device="host"), jnp.ones(4)
    first, _ = ours(START, x)
    ours({"w": first["w"], "b": jnp.float32(7)}, x)
    written.clear()
    again, _ = ours(START, x)
    assert set(written) == {"arg0.w", "arg0.b", "arg1"}
    np.testing.assert_array_equal(again["w"], first["w"])
    mixed, _ = ours({"w": again["w"], "b": jnp.float32(7)}, x)
    assert float(mixed["b"]) == 7 + float(again["w"].sum())


def test_what_a_loop_carries_stays(written: list[str]) -> None:
    def loop(x: Any) -> Any:
        return jax.lax.fori_loop(0, 5, lambda i, c: jnp.sin(c) + i, x)

    ours = mnjit(loop, device="host", unroll=0)
    np.testing.assert_allclose(ours(START["w"]), jax.jit(loop)(START["w"]), rtol=1e-6)
    assert len(written) == 2  # the number of the round and x, in the first round only


def test_what_is_rounded_when_it_returns_does_not_stay(written: list[str]) -> None:
    def shrink(x: Any) -> Any:
        return x * jnp.float16(1.1)

    ours, mine, wanted = mnjit(shrink, donate_argnums=0, device="host"), jnp.float16(0.1), jnp.float16(0.1)
    for _ in range(5):
        mine, wanted = ours(mine), jax.jit(shrink)(wanted)
        assert mine == wanted and mine.dtype == np.float16
    assert len(written) == 5

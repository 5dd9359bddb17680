"""`mnjit` in place of `jax.jit`: the same values, shapes, types and trees, in and out of transformations."""

from __future__ import annotations

import re
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

from haribote.errors import HariboteError, UnsupportedOp  # noqa: E402
from haribote.jax import mnjit  # noqa: E402

host = partial(mnjit, device="host")
X = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)
W = np.linspace(0, 1, 8, dtype=np.float32).reshape(4, 2)


def agree(found: Any, wanted: Any, tolerance: float = 1e-5) -> None:
    """Trees, shapes and types are the same, weak ones too; numbers are close."""
    assert jax.tree_util.tree_structure(found) == jax.tree_util.tree_structure(wanted)
    for a, b in zip(jax.tree_util.tree_leaves(found), jax.tree_util.tree_leaves(wanted), strict=True):
        assert (a.aval, type(a)) == (b.aval, type(b))
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


def both(function: Any, *arguments: Any, **settings: Any) -> Any:
    """The function's value by `mnjit` on the host, compared with `jax.jit`; what was compiled."""
    names = {key: value for key, value in settings.items() if key.startswith("static")}
    compiled = host(function, **settings)
    agree(compiled(*arguments), jax.jit(function, **names)(*arguments))
    return compiled.compiled(*arguments)


class Pair(NamedTuple):
    left: Any
    right: Any


def test_trees_go_in_and_out() -> None:
    def function(tree: Any, scale: Any = 2.0) -> Any:
        return {"sum": tree["a"] + tree["b"][0] * scale, "pair": Pair(tree["a"], None), "none": None, "text": (1, 2.5)}

    tree = {"a": X, "b": [X * 2, jnp.int32(3)]}
    both(function, tree)
    agree(host(function)(tree, scale=3.0), jax.jit(function)(tree, scale=3.0))


def test_what_has_no_elements_in_other_shapes() -> None:
    def function(x: Any) -> Any:
        y = x + 1
        return y.reshape(0, 3), y.reshape(-1), y.reshape(2, 2, 0), jnp.concatenate([y.reshape(0, 5), jnp.ones((3, 5))])

    both(function, jnp.zeros((4, 0)))


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.uint32, np.bool_, np.int8, "float16", "bfloat16"])
def test_types(dtype: Any) -> None:
    x = jnp.asarray(X * 4, dtype)

    def function(x: Any) -> Any:
        return x, x.T, jnp.where(x > 0, x, x[0]), x.sum(), x.astype(jnp.float32) * 2

    found, wanted = host(function)(x), jax.jit(function)(x)
    agree([value.astype(jnp.float32) for value in found], [value.astype(jnp.float32) for value in wanted], 1e-2)
    assert [value.aval for value in found] == [value.aval for value in wanted]


def test_numbers_and_weak_types() -> None:
    both(lambda x, y: (x + y, x * 2, y / 3, x > y, -x), 2.0, 3)
    both(lambda x: x + 1, np.float32(2))
    both(lambda x: x**2 + jnp.arange(3), True)


def test_static_arguments_are_values_of_the_compiler() -> None:
    def power(x: Any, n: int, times: int = 1) -> Any:
        assert isinstance(n, int) and isinstance(times, int)
        return x**n * times

    numbered = host(power, static_argnums=(1, 2))
    agree(numbered(X, 3, 2), X**3 * jnp.float32(2))
    agree(numbered(X, 2), jnp.asarray(X**2))
    assert len(numbered.cache) == 2
    named = host(power, static_argnames=("n", "times"))
    agree(named(X, n=3, times=2), X**3 * jnp.float32(2))
    agree(named(X, 3), jnp.asarray(X**3))


def test_one_compilation_for_the_same_shapes() -> None:
    counted = []
    function = host(lambda x: (counted.append(1), x * 2)[1])
    for x in (X, X + 1, jnp.asarray(X)):
        function(x)
    assert len(counted) == len(function.cache) == 1
    function(X[:2])
    function(X.astype(np.int32))
    assert len(counted) == len(function.cache) == 3
    compiled = function.compiled(X)
    assert compiled.first_seconds > 0 and compiled.last_seconds > 0


def test_donations_are_taken_and_the_array_stays() -> None:
    x = jnp.asarray(X)
    function = host(lambda x: x + 1, donate_argnums=0)
    agree(function(x), x + 1)
    agree(function(x), x + 1)


def test_decorators_and_methods() -> None:
    class Model:
        scale = 3.0

        @partial(mnjit, static_argnums=0, device="host")
        def apply(self, x: Any) -> Any:
            """Scaled."""
            return x * self.scale

    agree(Model().apply(X), X * jnp.float32(3))
    assert Model.apply.__doc__ == "Scaled."


def test_nested_compilations_are_one_graph() -> None:
    inner = jax.jit(lambda x: jnp.sin(x) + 1)
    compiled = both(lambda x: host(lambda y: inner(y) * 2)(x) + jax.checkpoint(inner)(x), X)
    assert len(compiled.program.models) == 1


def test_derivatives_inside() -> None:
    def loss(w: Any, x: Any) -> Any:
        return jnp.mean(jax.nn.softmax(jnp.tanh(x @ w)) ** 2)

    both(jax.value_and_grad(jax.checkpoint(loss)), W, X)
    both(jax.vmap(jax.grad(loss), (None, 0)), W, X[:, None])
    both(jax.hessian(lambda x: (x**3).sum()), X[0])
    both(lambda x: jax.jvp(jnp.sin, (x,), (x,)), X)


def test_derivatives_outside() -> None:
    function = lambda w, x: jnp.tanh(x @ w).sum(0)  # noqa: E731
    ours = host(function)
    loss = lambda f: lambda w, x: (f(w, x) ** 2).sum()  # noqa: E731
    agree(jax.grad(loss(ours), (0, 1))(W, X), jax.grad(loss(function), (0, 1))(W, X))
    agree(jax.jvp(ours, (W, X), (W, X)), jax.jvp(function, (W, X), (W, X)))
    assert jax.grad(lambda s: host(lambda x: x * s)(3.0))(2.0) == 3.0


@pytest.mark.slow
def test_more_transformations_outside() -> None:
    function = lambda w, x: jnp.tanh(x @ w).sum(0)  # noqa: E731
    ours = host(function)
    loss = lambda f: lambda w, x: (f(w, x) ** 2).sum()  # noqa: E731
    agree(jax.hessian(loss(ours))(W, X), jax.hessian(loss(function))(W, X), 1e-4)
    agree(jax.vmap(ours, (None, 0))(W, X[:, None]), jax.vmap(function, (None, 0))(W, X[:, None]))
    agree(jax.jit(jax.grad(loss(ours)))(W, X), jax.grad(loss(function))(W, X))


def test_own_derivatives() -> None:
    @jax.custom_vjp
    def clipped(x: Any) -> Any:
        return x * 2

    clipped.defvjp(lambda x: (clipped(x), x), lambda x, g: (jnp.clip(g * x, -0.1, 0.1),))

    @jax.custom_jvp
    def odd(x: Any) -> Any:
        return x**3

    odd.defjvp(lambda primals, tangents: (odd(primals[0]), 7.0 * tangents[0]))
    for function in (clipped, odd):
        both(function, X)
        both(jax.grad(lambda x, f=function: f(x).sum()), X)
        agree(jax.grad(lambda x, f=function: host(f)(x).sum())(X), jax.grad(lambda x, f=function: f(x).sum())(X))


def test_branches_are_both_computed_and_selected() -> None:
    both(lambda x: jax.lax.cond(x.sum() > 0, lambda v: v * 2, lambda v: v - 1, x), X)
    both(lambda x: jax.lax.switch(x[0, 0].astype(int) + 1, [jnp.sin, jnp.cos, jnp.tanh], x), X)
    both(jax.grad(lambda x: jax.lax.cond(x[0, 0] > 0, jnp.sin, lambda v: v * v, x).sum()), X)


@pytest.mark.parametrize("unroll", [0, 100])
def test_loops_are_unrolled_or_run_by_the_host(unroll: int) -> None:
    def by_scan(x: Any) -> Any:
        return jax.lax.scan(lambda c, row: (c * 0.9 + row, (c.sum(), row)), x[0], x, reverse=True)

    def by_while(x: Any) -> Any:
        start = (jnp.int32(3), x, 0.0)
        return jax.lax.while_loop(lambda c: c[0] < 20, lambda c: (c[0] + 5, jnp.sin(c[1]), c[2] + c[1].sum()), start)

    for function in (by_scan, by_while, lambda x: jax.lax.fori_loop(2, 7, lambda i, c: c * 0.5 + i, x)):
        compiled = both(function, X, unroll=unroll)
        assert bool(compiled.flat.loops) == (unroll == 0)
    both(jax.grad(lambda x: jax.lax.fori_loop(0, 4, lambda i, c: jnp.sin(c) * (i + 1), x).sum()), X, unroll=unroll)
    both(lambda x: jax.lax.map(lambda row: row / row.sum(), x + 3), X, unroll=unroll)


def test_a_loop_without_a_known_end_is_refused_with_its_line() -> None:
    def function(x: Any) -> Any:
        return jax.lax.while_loop(lambda v: v.sum() < 9, lambda v: v * 2, x)  # the user's line

    with pytest.raises(UnsupportedOp, match=rf"{re.escape(__file__)}:\d+: return jax.lax.while_loop.*user's line") as e:
        host(function)(X)
    assert "fori_loop" in str(e.value)


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda x: jnp.linalg.eigh(x[:, :3])[0], "eigh"),
        (lambda x: jnp.fft.fft(x).real, "complex numbers"),
        (lambda x: jax.pure_callback(np.sin, x, x), "pure_callback"),
        (lambda x: (jax.debug.print("{}", x), x * 2)[1], "debug"),
    ],
)
def test_what_has_no_rule_is_refused_with_its_line(function: Any, says: str) -> None:
    with pytest.raises(UnsupportedOp, match=rf"(?s){says}.*test_mnjit.py:\d+"):
        host(function)(X)


def test_of_what_a_function_of_jax_does_the_line_is_that_of_its_caller() -> None:
    host(lambda x: jnp.where(x > 0, jnp.sin(x), x))(X)  # the first caller is another line

    def function(x: Any) -> Any:
        return jnp.where(x > 0, jnp.sin(x), x)  # this one

    flat = host(function).compiled(X).flat
    assert {line.split("#")[-1].strip() for line in (item.where for item in flat.items)} == {"this one"}


def test_mistakes_are_told() -> None:
    with pytest.raises(HariboteError, match="no device 'gpu'"):
        mnjit(lambda x: x, device="gpu")


@pytest.mark.slow
def test_random_numbers_are_those_of_jax() -> None:
    def draw(key: Any) -> Any:
        first, second = jax.random.split(key)
        return jax.random.normal(first, (5,)), jax.random.randint(second, (4,), 0, 9), jax.random.bernoulli(key)

    both(draw, jax.random.PRNGKey(3))
    both(lambda key: jax.random.uniform(key, (3, 2)), jax.random.key(3))


@pytest.mark.filterwarnings("ignore:invalid value")  # -inf - -inf, which is not chosen
@pytest.mark.parametrize("reverse", [False, True])
def test_running_log_sums_of_infinities(reverse: bool) -> None:
    none = -np.inf
    x = np.array([[none, none, 0, 2, none, 3e38], [1, none, np.inf, 0, none, none]], np.float32)
    both(lambda x: jax.lax.cumlogsumexp(x, 1, reverse=reverse), x)


def test_a_program_without_nodes() -> None:
    x = jnp.asarray(X)
    found = host(lambda x: (x, 3.0, jnp.arange(2)))(x)
    assert found[0] is x
    agree(found, jax.jit(lambda x: (x, 3.0, jnp.arange(2)))(x))


def test_graphs_are_onnx_and_named_after_the_arguments() -> None:
    (graph,) = mnjit(lambda x, *, weights: x @ weights["w"]).graphs(X, weights={"w": W})
    assert [info.name for info in graph.graph.input] == ["arg0", "weights.w"]
    assert [node.op_type for node in graph.graph.node] == ["Gemm"]


def test_axes_that_a_reshape_turns() -> None:
    """`vmap` of a convolution and the gradient of a product write them as one primitive."""
    both(lambda x: jax.lax.reshape(x, (2, 6), dimensions=(1, 0)), X)
    both(jax.grad(lambda x: jnp.prod(x, 1).sum()), X)
    random = np.random.default_rng(0)
    x, w = (random.normal(size=size).astype(np.float32) for size in ((2, 2, 3, 5, 4), (2, 4, 3, 3, 2)))
    both(jax.vmap(lambda x, w: jax.lax.conv_general_dilated(x, w, (2, 1), "SAME")), x, w)


def test_programs_on_single_elements_are_no_calls() -> None:
    """A reduction by a function of one's own, and an update by one."""
    pairs = host(lambda x: jax.lax.reduce((x, x * 2), (0.0, 1.0), lambda a, b: (a[0] + b[0], a[1] * b[1]), (1,)))
    with pytest.raises(UnsupportedOp, match=r"reduce\(.*: mnjit has no rule for it"):
        pairs(X)
    with pytest.raises(UnsupportedOp, match=r"reduce_window\(.*: mnjit has no rule for it"):
        host(lambda x: jax.lax.reduce_window(x, 1.0, jax.lax.mul, (2, 2), (1, 1), "VALID"))(X)
    with pytest.raises(UnsupportedOp, match=r"x.at\[i\].set\(f\(x\[i\]\)\) is the same"):
        host(lambda x: x.at[jnp.array([0, 2])].apply(jnp.sin))(X)
    both(lambda x: x.at[jnp.array([0, 2])].set(jnp.sin(x[jnp.array([0, 2])])), X)


def test_values_held_in_fewer_or_more_axes() -> None:
    both(lambda x: jnp.meshgrid(x[0:1, None, :].reshape(1, 4)[0], x[1]), X)
    both(lambda x: jnp.percentile(x, 30.0), X)
    both(lambda x: jnp.select([x < 0, x < 1], [x, x * 2], 7.0), X[0])


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.uint32])
def test_floats_beyond_an_integer_type(dtype: Any) -> None:
    x = np.array([1.5, -1.5, 0, 300.7, -300.7, 7e4, -7e4], np.float32)
    both(lambda x: (x.astype(dtype), (x / 100).astype(dtype).astype(np.float32)), x)


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.uint32])
def test_sums_and_orders_of_types_that_onnx_has_none_for(dtype: Any) -> None:
    x = (np.arange(-6, 6) * 11).astype(dtype).reshape(3, 4)
    both(lambda x: (jnp.sort(x), jnp.argmax(x, 1), jnp.argmin(x), jnp.argsort(x, 0), x.max(), x.min(0)), x)
    if dtype is not np.bool_:
        both(lambda x: (jnp.cumsum(x, 1, x.dtype), x.sum(0, x.dtype), x.prod(1, x.dtype)), x)
        both(lambda x: (-x, jnp.sign(x), jax.lax.dot(x, x.T), jax.lax.top_k(x, 2)), x)

"""What makes `mnjit` a citizen of JAX's transformations: grad, vmap and jit of a function that runs on the device.

A call under a transformation is one primitive, whose parameter is the program as a jaxpr. Its derivative and its
transposition are programs too, made from that jaxpr by JAX, and run on the device as well. Backward passes compute the
forward values anew.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr, Primitive, jaxpr_as_fun
from jax.interpreters import ad, batching, mlir

from haribote.frontend.compiled import Options

Run = Callable[[ClosedJaxpr, Options, int, list[Any]], list[Any]]

mnjit_p = Primitive("mnjit")
mnjit_p.multiple_results = True
_run: list[Run] = []


def use(run: Run) -> Run:
    """Say what runs a program on the device."""
    _run[:] = [run]
    return run


def bind(jaxpr: ClosedJaxpr, leaves: Sequence[Any], options: Options, unroll: int) -> list[Any]:
    """Call a program under a transformation. What it has caught of an outer trace becomes an argument."""
    inner = jaxpr.jaxpr
    caught = [const for const in jaxpr.consts if isinstance(const, jax.core.Tracer)]
    if caught:
        flat = inner.replace(constvars=[], invars=[*inner.constvars, *inner.invars], debug_info=None)
        jaxpr, leaves = ClosedJaxpr(flat, []), [*jaxpr.consts, *leaves]
    results: list[Any] = mnjit_p.bind(*leaves, jaxpr=jaxpr, options=options, unroll=unroll)
    return results


def _call(function: Callable[..., Any], arguments: Sequence[Any], options: Options, unroll: int) -> list[Any]:
    """A function that gives a list, as a program on the device."""
    traced = jax.make_jaxpr(function)(*arguments)
    return bind(traced, arguments, options, unroll)


def _now(*arguments: Any, jaxpr: ClosedJaxpr, options: Options, unroll: int) -> list[Any]:
    return _run[0](jaxpr, options, unroll, list(arguments))


mnjit_p.def_impl(_now)


def _shapes(*_: Any, jaxpr: ClosedJaxpr, **__: Any) -> Any:
    return jaxpr.out_avals


mnjit_p.def_abstract_eval(_shapes)


def _jvp(
    primals: Sequence[Any], tangents: Sequence[Any], *, jaxpr: ClosedJaxpr, options: Options, unroll: int
) -> tuple[list[Any], list[Any]]:
    """The values, and by a second program their derivative along the tangents that are not zero."""
    outputs = mnjit_p.bind(*primals, jaxpr=jaxpr, options=options, unroll=unroll)
    moving = [k for k, tangent in enumerate(tangents) if not isinstance(tangent, ad.Zero)]
    changing = [k for k, aval in enumerate(jaxpr.out_avals) if jnp.issubdtype(aval.dtype, np.inexact)]
    count = len(primals)

    def derivative(*arguments: Any) -> list[Any]:
        values, given = list(arguments[:count]), arguments[count:]

        def along(*moved: Any) -> list[Any]:
            for k, value in zip(moving, moved, strict=True):
                values[k] = value
            results = jaxpr_as_fun(jaxpr)(*values)
            return [results[k] for k in changing]

        found: list[Any] = jax.jvp(along, tuple(values[k] for k in moving), tuple(given))[1]
        return found

    results = _call(derivative, [*primals, *(tangents[k] for k in moving)], options, unroll)
    found = dict(zip(changing, results, strict=True))
    zeros = [found.get(k, ad.Zero(aval.to_tangent_aval())) for k, aval in enumerate(jaxpr.out_avals)]
    return outputs, zeros


ad.primitive_jvps[mnjit_p] = _jvp


def _transpose(
    cotangents: Sequence[Any], *arguments: Any, jaxpr: ClosedJaxpr, options: Options, unroll: int
) -> list[Any]:
    """Cotangents of the arguments in which the program is linear."""
    linear = [k for k, value in enumerate(arguments) if ad.is_undefined_primal(value)]
    known = [value for value in arguments if not ad.is_undefined_primal(value)]
    wanted = [jax.ShapeDtypeStruct(arguments[k].aval.shape, arguments[k].aval.dtype) for k in linear]
    present = [k for k, cotangent in enumerate(cotangents) if not isinstance(cotangent, ad.Zero)]

    def back(*given: Any) -> list[Any]:
        others = list(given[: len(known)])

        def forward(*values: Any) -> list[Any]:
            rest, moved = iter(others), iter(values)
            every = [next(moved) if k in linear else next(rest) for k in range(len(arguments))]
            results = jaxpr_as_fun(jaxpr)(*every)
            return [results[k] for k in present]

        return list(jax.linear_transpose(forward, *wanted)(list(given[len(known) :])))

    results = iter(_call(back, [*known, *(cotangents[k] for k in present)], options, unroll))
    return [next(results) if k in linear else None for k in range(len(arguments))]


ad.primitive_transposes[mnjit_p] = _transpose


def _batch(
    arguments: Sequence[Any], axes: Sequence[Any], *, jaxpr: ClosedJaxpr, options: Options, unroll: int
) -> tuple[list[Any], list[int]]:
    """All of a batch in one program."""
    results = _call(jax.vmap(jaxpr_as_fun(jaxpr), in_axes=list(axes)), arguments, options, unroll)
    return results, [0] * len(results)


batching.primitive_batchers[mnjit_p] = _batch


def _from_jit(*arguments: Any, jaxpr: ClosedJaxpr, options: Options, unroll: int) -> list[Any]:
    """Inside of `jax.jit` the device is called back."""
    shapes = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in jaxpr.out_avals]
    call = functools.partial(_called_back, jaxpr, options, unroll)
    results: list[Any] = jax.pure_callback(call, shapes, *arguments, vmap_method="sequential")
    return results


def _called_back(jaxpr: ClosedJaxpr, options: Options, unroll: int, *arguments: Any) -> list[Any]:
    return [np.asarray(result) for result in _run[0](jaxpr, options, unroll, list(arguments))]


mlir.register_lowering(mnjit_p, mlir.lower_fun(_from_jit, multiple_results=True))

"""Products, convolutions and pools."""

from __future__ import annotations

from typing import Any

from benchmarks.growing import SIZES, Grower
from haribote.errors import GraphError


def _mat_mul(g: Grower) -> None:
    x = g.some(least=2)
    *batch, rows, k = g.values[x].shape
    other = g.input([*([] if g.random.random() < 0.5 else batch), k, g.random.choice(SIZES)])
    if g.random.random() < 0.3:
        other = g.input([*batch, g.random.choice(SIZES), rows])
        g.add("MatMul", other, x)
    else:
        g.add("MatMul", x, other)


def _mat_mul_spread(g: Grower) -> None:
    n, k, m = (g.random.choice((1, 3, 8, 16)) for _ in range(3))
    a, b = (g.random.choice(((), (2,), (3, 1), (1, 4), (3, 4))) for _ in range(2))
    g.add("MatMul", g.input((*a, n, k)), g.input((*b, k, m)))


def _mat_mul_vector(g: Grower) -> None:
    """With operands of one axis."""
    x = g.some(least=1)
    shape = g.values[x].shape
    if g.random.random() < 0.5:
        g.add("MatMul", x, g.input(shape[-1:]))
    else:
        g.add("MatMul", g.input(shape[-2:-1] or shape), x)


def _mat_mul_itself(g: Grower) -> None:
    """A value with its own transpose."""
    x = g.some(least=2)
    rank = g.values[x].ndim
    g.add("Transpose", x, perm=[*range(rank - 2), rank - 1, rank - 2])
    g.add("MatMul", *g.two(x, next(reversed(g.values))))


def _gemm(g: Grower) -> None:
    x = g.some(least=2)
    if g.values[x].ndim != 2:
        raise GraphError("no matrix")
    turned, across, width = g.random.randint(0, 1), g.random.randint(0, 1), g.random.choice(SIZES)
    rows, k = g.values[x].shape[::-1] if turned else g.values[x].shape
    shape = (width, k) if across else (k, width)
    bias = [g.input(g.random.choice(((width,), (rows, width), (1,), (), (rows, 1), (1, width))))]
    given: dict[str, Any] = {"transA": turned, "transB": across, "alpha": g.random.choice((1.0, 0.5, 0.0, -2.0))}
    if g.random.random() < 0.5:
        given["beta"] = g.random.choice((1.0, 0.5, 0.0))
    g.add("Gemm", x, g.input(shape), *g.random.choice((bias, bias, [])), **given)


def _einsum(g: Grower) -> None:
    sizes = {letter: g.random.choice(SIZES) for letter in "abcd"}
    equation = g.random.choice(("ab,cb->ac", "abc,dbc->ad", "abc,abd->acd", "ab,ac->bc", "abc,cd->abd", "ab,ab->a"))
    _product(g, sizes, equation)


def _einsum_any(g: Grower) -> None:
    sizes = {letter: g.random.choice((1, 2, 3, 5, 8, 16)) for letter in "abcd"}
    some = ("aa->a", "abc->ca", "ab,c->a", "ab,bc,cd->ad", "a,b->ba", "ab,ab", "aab,bc->ac", "abc->", "ab,->ba")
    _product(g, sizes, g.random.choice(some))


def _product(g: Grower, sizes: dict[str, int], equation: str) -> None:
    sides = equation.split("->")[0].split(",")
    g.add("Einsum", *(g.input([sizes[c] for c in side]) for side in sides), equation=equation)


def _conv(g: Grower) -> None:
    """Of one to three axes, in groups or not, with any padding."""
    rank, group = g.random.choice((1, 2, 2, 2, 3)), g.random.choice((1, 1, 1, 2))
    n, c, m = (g.random.choice((1, 2, 3, 4)) for _ in range(3))
    size = [g.random.choice((5, 7, 8, 10) if rank < 3 else (3, 4)) for _ in range(rank)]
    window = [g.random.choice((1, 2, 3)) for _ in range(rank)]
    bias = [g.input((m * group,))] if g.random.random() < 0.5 else []
    image, kernel = g.input((n, c * group, *size)), g.input((m * group, c, *window))
    g.add("Conv", image, kernel, *bias, **_window(g, rank), group=group)


def _window(g: Grower, rank: int) -> dict[str, Any]:
    """Strides and padding."""
    given: dict[str, Any] = {"strides": [g.random.choice((1, 1, 2)) for _ in range(rank)]}
    if g.random.random() < 0.2:
        return given | {"auto_pad": g.random.choice(("SAME_UPPER", "SAME_LOWER", "VALID"))}
    if g.random.random() < 0.7:
        given["pads"] = [g.random.choice((0, 1)) for _ in range(2 * rank)]
    if g.random.random() < 0.3:
        given["dilations"] = [g.random.choice((1, 2)) for _ in range(rank)]
    return given


def _conv_transpose(g: Grower) -> None:
    n, c, m = (g.random.choice((1, 2, 3)) for _ in range(3))
    size, window = g.random.choice((3, 4, 5)), g.random.choice((1, 2, 3))
    strides = [g.random.choice((1, 2)) for _ in range(2)]
    image, kernel = g.input((n, c, size, size + 1)), g.input((c, m, window, window))
    g.add("ConvTranspose", image, kernel, strides=strides)


def _pool(g: Grower) -> None:
    image = g.input((g.random.choice((1, 3)), g.random.choice((1, 4)), g.random.choice((4, 8, 9)), 6))
    op_type, k = g.random.choice(("MaxPool", "AveragePool")), g.random.choice((2, 3))
    given = _window(g, 2) | {"ceil_mode": g.random.choice((0, 0, 1))}
    average = op_type == "AveragePool"
    if average:
        given["count_include_pad"] = g.random.randint(0, 1)
    g.add(op_type, image, kernel_shape=[k, k], rounds=average, **given)


def _pool_all(g: Grower) -> None:
    x = g.some(least=3)
    g.add(g.random.choice(("GlobalAveragePool", "GlobalMaxPool")), x, rounds=True)


ALL = (
    _mat_mul, _mat_mul_spread, _mat_mul_vector, _mat_mul_itself, _gemm, _einsum, _einsum_any, _conv, _conv_transpose,
    _pool, _pool_all,
)  # fmt: skip

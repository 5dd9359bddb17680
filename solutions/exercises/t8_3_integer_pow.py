"""Task 8.3: a rule for a power of JAX (by squaring: as many products as the exponent's bits and ones say)."""

from __future__ import annotations

from haribote.jax.flat.values import Value
from haribote.jax.rules.lowering import Held, Lowering


def integer_pow(g: Lowering, x: Value, y: int) -> Held:
    """Add the nodes of x ** y, for any whole number y, and return what holds the result.

    `g.small(x)` is what holds x. `g.each("Mul", a, b)` adds a product, element by element, and returns what holds it.
    Use no more products than squaring needs: x, x * x, (x * x) * (x * x), ... and the product of those of them
    that the bits of y ask for. So x ** 12 takes four, x ** 2 one, and x ** 1 none: it is `g.small(x)`. For a negative y
    it is the `Reciprocal` of x ** -y, one node more. x ** 0 is `g.scalar(1, x)`: a single number of x's type is enough,
    since it broadcasts to the shape of x.
    """
    ### BEGIN SOLUTION
    total, square, rest = None, g.small(x), abs(y)
    while rest:
        if rest % 2:
            total = g.each("Mul", total, square) if total else square
        rest //= 2
        if rest:
            square = g.each("Mul", square, square)
    if total is None:
        return g.scalar(1, x)
    return g.each("Reciprocal", total) if y < 0 else total
    ### END SOLUTION

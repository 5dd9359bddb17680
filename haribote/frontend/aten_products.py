"""The lowering rules of matrix products other than those of Linear; see `haribote.frontend.aten`."""

from __future__ import annotations

from haribote.frontend.aten import Lowering, Scalar, aten, rule


@rule(aten.bmm.default, aten.mv.default, aten.dot.default)
def _matmul(g: Lowering, a: str, b: str) -> str:
    return g.op("MatMul", a, b)


@rule(aten.baddbmm.default)
def _baddbmm(g: Lowering, c: str, a: str, b: str, *, beta: Scalar = 1, alpha: Scalar = 1) -> str:
    product = g.scaled(g.op("MatMul", a, b, part="matmul"), alpha)
    return product if beta == 0 else g.op("Add", product, g.scaled(c, beta))

"""The Gemm of choice, and C++ for one product written out: the loops with the shapes as numbers (`--gemm emitted`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import onnx

from haribote.answers.ownership import exercise
from haribote.answers.resolve import Function, resolve
from haribote.cpp.blas import BLAS
from haribote.cpp.operators import ALGORITHMS
from haribote.errors import HariboteError
from haribote.graph import Index, attributes
from haribote.operators.functions import FUNCTIONS
from simulator.messages import tr

EMITTED = "emitted"
"""The Gemm whose loops `gemm_loops` writes, for each product of the graph its own."""
CHOICES = (*ALGORITHMS, BLAS, EMITTED)


@exercise("3.1")
def gemm_loops(m: int, n: int, k: int, trans_a: bool, trans_b: bool) -> Iterator[str]:
    """The lines of C++ that set y [m, n] to the product of a and b; loops in the order k m n, see `gemm.hpp`."""
    raise NotImplementedError


@dataclass(frozen=True, order=True)
class Product:
    """y [m, n] = a b, where a is [m, k], or [k, m] with trans_a, and b is [k, n], or [n, k] with trans_b."""

    m: int
    n: int
    k: int
    trans_a: bool = False
    trans_b: bool = False

    @property
    def name(self) -> str:
        """The C++ function: `product_NT_256x16x784`."""
        return f"product_{'NT'[self.trans_a]}{'NT'[self.trans_b]}_{self.m}x{self.n}x{self.k}"

    def definition(self, lines: Iterator[str] | list[str]) -> str:
        """The C++ function with these lines as its body. Raises HariboteError where they are no lines of text."""
        signature = "const float* __restrict a, const float* __restrict b, float* __restrict y"
        return f"static void {self.name}({signature}) {{\n{''.join(map(_indented, lines))}}}\n"


def default_gemm() -> str:
    """`emitted` where somebody has written task 3.1, else `packed`, the fastest that needs no library
    (`python -m benchmarks.widths`)."""
    answer = resolve("3.1")
    return EMITTED if isinstance(answer, Function) and answer.owner != "product" else "packed"


def products(model: onnx.ModelProto) -> set[Product]:
    """All products of singles in the graph, in fused nodes too, and of stacks of matrices that of two of them."""
    index, found = Index(model), set()
    bodies = {function.name: function for function in model.functions if function.name not in FUNCTIONS}
    for node in model.graph.node:
        body = bodies.get(node.op_type)
        given = dict(zip(body.input, node.input, strict=True)) if body else {}
        for inner in body.node if body else [node]:
            names = [given.get(name, name) for name in inner.input[:2]]
            if inner.op_type in ("Gemm", "MatMul") and all(index.dtype[name] == np.float32 for name in names):
                left, right = (index.shape[name] for name in names)
                (rows, depth), (second, columns) = (1, *left)[-2:], right[-2:] if len(right) > 1 else (*right, 1)
                trans_a, trans_b = (bool(attributes(inner).get(name, 0)) for name in ("transA", "transB"))
                m, k = (depth, rows) if trans_a else (rows, depth)
                found.add(Product(m, second if trans_b else columns, k, trans_a, trans_b))
    return {product for product in found if product.m * product.n * product.k}


def emitted(graphs: Mapping[str, onnx.ModelProto]) -> str:
    """The Gemm template `op::emitted`: a function for each product of the graphs, and `tiled` for the rest."""
    found = sorted(set().union(*map(products, graphs.values())))
    functions = "\n".join(
        product.definition(gemm_loops(product.m, product.n, product.k, product.trans_a, product.trans_b))
        for product in found
    )
    return _STRUCT.format(functions=functions, cases="".join(map(_case, found)))


_STRUCT = """\
// Products written out (task 3.1), each for its own shape and form. The tiled template does what is not single.
namespace {{

{functions}
}}  // namespace

namespace op {{

struct emitted {{
    template <char FormA, char FormB, Size K, class A, class B, class Y>
    static void product(A a, B b, Y y) {{
        [[maybe_unused]] constexpr Size M = Y::shape[0], N = Y::shape[1];
        [[maybe_unused]] constexpr bool single = std::is_same_v<typename Y::Value, float>;
{cases}        tiled::product<FormA, FormB, K>(a, b, y);
    }}
}};

}}  // namespace op
"""


def _case(product: Product) -> str:
    form_a, form_b = ("'T'" if flag else "'N'" for flag in (product.trans_a, product.trans_b))
    shape = f"M == {product.m} && N == {product.n} && K == {product.k}"
    condition = f"single && FormA == {form_a} && FormB == {form_b} && {shape}"
    return f"        if constexpr ({condition}) {product.name}(a.data, b.data, y.data);\n        else\n"


def _indented(line: object) -> str:
    if not isinstance(line, str):
        kind = type(line).__name__
        raise HariboteError(tr("task 3.1 must yield lines of C++, received {kind} {line!r}", kind, line), 'yield f"…"')
    return f"    {line}\n"

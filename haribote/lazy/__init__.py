"""Arrays as expressions: a few primitives, a reference in NumPy that defines them, C++ and the simulated chip.

from haribote import lazy

x, w = lazy.array("x", (256, 784)), lazy.array("w", (784, 16))
terms = lazy.broadcast(x, (256, 784, 16), (0, 1)) * lazy.broadcast(w, (256, 784, 16), (1, 2))
product = lazy.lazy_reduce(lambda a, b: a + b, terms, [1])
lazy.evaluate(product, "cpp", x=…, w=…)
"""

from haribote.core.notation import equal, exp, log, maximum, minimum, sqrt, tanh, where
from haribote.draw.expressions import draw
from haribote.lazy.evaluators.compiled import Function as compile
from haribote.lazy.evaluators.compiled import evaluate
from haribote.lazy.operators import convolution
from haribote.lazy.primitives.arrays import Array, array, broadcast, constant, lazy_map, lazy_reduce, reshape, stack
from haribote.lazy.primitives.fusing import fuse
from haribote.lazy.primitives.indices import LazyError

__all__ = [
    "Array", "LazyError", "array", "broadcast", "compile", "constant", "convolution", "draw", "equal", "evaluate",
    "exp", "fuse", "lazy_map", "lazy_reduce", "log", "maximum", "minimum", "reshape", "sqrt", "stack", "tanh", "where",
]  # fmt: skip

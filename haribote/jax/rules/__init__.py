"""One small rule per primitive of JAX: how it is written in ONNX. Files by theme."""

from haribote.jax.rules import (
    arithmetic,
    comparison,
    convolution,
    indexing,
    products,
    reductions,
    scatters,
    shapes,
)
from haribote.jax.rules.lowering import RULES, Lowering

__all__ = ["RULES", "Lowering"]
__all__ += ["arithmetic", "comparison", "convolution", "indexing", "products", "reductions", "scatters", "shapes"]

"""From ONNX to the core: every operator that is a combination of core operators is written in them, one file a theme.

    products                          Einsum, Gemm, MatMul     convolution, pooling, windows    images
    reductions, cumulative, sorting   along axes               normalization, rare              the rest
    lookups, scatters, labels         by indices that are computed; indexing, blocks: by those that are known
    inline                            operators that ONNX defines by others

An operator without a rule is written by the function body that ONNX gives it. The same rules serve the chip, C++ and
the gradients; each says which operators it takes as they are, and those stay. To add an operator that is a combination
of others, write one function in the file of its theme.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from types import MappingProxyType

import onnx

from haribote.core import rewrite
from haribote.core.from_onnx import (  # noqa: F401  (each registers the rules of its theme)
    blocks,
    convolution,
    cumulative,
    labels,
    lookups,
    normalization,
    pooling,
    products,
    quantized,
    rare,
    recurrent,
    reductions,
    resizing,
    scatters,
    sorting,
    spectra,
)
from haribote.core.from_onnx.empty import without_empty
from haribote.core.from_onnx.inline import computed, inline
from haribote.core.from_onnx.rules import RULES
from haribote.core.operators import CORE
from haribote.core.rewrite import Rewriter, Rule
from haribote.graph import Index

Takes = Callable[[onnx.NodeProto, Index], bool]
"""Whether who asked does a node as it is."""


def lower(
    model: onnx.ModelProto,
    takes: Takes = lambda node, index: False,
    more: Mapping[str, Rule] = MappingProxyType({}),
    but: Container[str] = (),
    first: Mapping[str, Rule] = MappingProxyType({}),
) -> onnx.ModelProto:
    """The same function in operators of the core; what has neither rule nor body stays as it is.

    Args:
        model: a graph whose shapes are known.
        takes: nodes that stay, whatever they are.
        more: rules beside those of `RULES`, for operators of the core that are to be written otherwise.
        but: operators of the core that their function bodies are to be written for.
        first: rules that are tried before those of `RULES`.

    Raises:
        GraphError: the graph is not valid.
    """
    known = (CORE | RULES.keys() | more.keys()) - {name for name in CORE if name in but}

    def stays(node: onnx.NodeProto, index: Index) -> bool:
        return node.op_type in known or takes(node, index)

    def write(g: Rewriter) -> bool:
        name = g.node.op_type
        rules = [rule for rule in (first.get(name), *RULES.get(name, ()), more.get(name)) if rule is not None]
        return bool(rules) and not takes(g.node, g.index) and any(rule(g) for rule in rules)

    inlined = rewrite.to_fixed_point(without_empty(computed(model)), lambda graph: inline(graph, stays))
    return rewrite.to_fixed_point(
        without_empty(inlined), lambda graph: rewrite.once(graph, write), lambda graph: inline(graph, stays)
    )

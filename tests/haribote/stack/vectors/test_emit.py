"""Chains of element-wise operators on the machine give what the reference evaluator gives."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper
from onnx.reference import ReferenceEvaluator

from haribote.operators.functions import OPSET
from haribote.stack.maps import BitMap
from tests.haribote.stack.vectors.chip import BANKS, WORDS, Watched, run
from tests.haribote.stack.vectors.random_chains import SHAPES, Chain, chain, first_map, operand_map


def reference(found: Chain) -> dict[str, NDArray[Any]]:
    """The outputs by ONNX's own evaluator."""
    info = helper.make_tensor_value_info
    given = found.arrays | found.constants
    inputs = [info(name, helper.np_dtype_to_tensor_dtype(array.dtype), None) for name, array in given.items()]
    outputs = [info(name, onnx.TensorProto.UNDEFINED, None) for name in found.outputs]
    graph = helper.make_graph(found.nodes, "chain", inputs, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
    return dict(zip(found.outputs, ReferenceEvaluator(model).run(None, given), strict=True))


def disagreement(seed: int, length: int) -> str:
    """Run a random chain; what differs from the reference, "" for nothing."""
    random = Random(seed)
    first = first_map(random, random.choice(SHAPES))
    maps: dict[str, BitMap] = {f"x{n}": operand_map(random, first) for n in range(random.randint(1, 4))}
    found = chain(random, maps, length)
    code = Watched()
    reads = {
        name: [code.place(bank, maps[name]) for bank in random.sample(BANKS, random.choice((1, 1, 2)))] for name in maps
    }
    writes = {
        name: [code.place(bank, first) for bank in random.choices(BANKS, k=random.choice((1, 2)))]
        for name in found.outputs
    }
    results = run(code, found.nodes, found.arrays, reads, writes, found.constants)
    for name, expected in reference(found).items():
        wanted = np.broadcast_to(expected, first.shape).astype(WORDS[str(expected.dtype)]).ravel()
        for place, words in zip(writes[name], results[name], strict=True):
            if not np.array_equal(words.view(wanted.dtype), np.broadcast_to(wanted, words.shape)):
                return f"seed {seed}: {name} in {place.memory}\n" + "\n".join([str(found.nodes), *code.lines])
    return ""


def test_random_chains() -> None:
    assert [found for seed in range(12) if (found := disagreement(seed, 1 + seed % 8))] == []


@pytest.mark.slow
def test_many_random_chains() -> None:
    assert [found for seed in range(60, 1500) if (found := disagreement(seed, 1 + seed % 12))] == []

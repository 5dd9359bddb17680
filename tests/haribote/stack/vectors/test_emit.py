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

from haribote.errors import UnsupportedOp
from haribote.layout import LayoutError
from haribote.operators.functions import OPSET
from haribote.stack.code import MASK_ENTRIES, Code
from haribote.stack.maps import BitMap, W
from haribote.stack.places import Place
from haribote.stack.vectors.emit import emit, steps
from tests.haribote.stack.vectors.chip import BANKS, WORDS, Watched, everywhere, node, run
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


def disagreement(seed: int, length: int, reach: int = 6) -> str:
    """Run a random chain; what differs from the reference, "" for nothing. reach: as in `chain`."""
    random = Random(seed)
    first = first_map(random, random.choice(SHAPES))
    maps: dict[str, BitMap] = {f"x{n}": operand_map(random, first) for n in range(random.randint(1, 4))}
    found = chain(random, maps, length, reach)
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
    assert [found for seed in range(6) if (found := disagreement(seed, 1 + seed % 8))] == []


@pytest.mark.slow
def test_many_random_chains() -> None:
    assert [found for seed in range(60, 120) if (found := disagreement(seed, 1 + seed % 12))] == []


@pytest.mark.slow
def test_long_chains_of_which_much_is_read_late() -> None:
    assert [found for seed in range(200, 240) if (found := disagreement(seed, 15 + seed % 25, reach=99))] == []


def test_a_condition_is_read_again_after_more_than_the_mask_register_has_entries() -> None:
    code, count = Watched(), len(MASK_ENTRIES) + 2
    x, y = code.place("LM0", everywhere()), code.place("LM1", everywhere())
    constants = {f"c{n}": np.array(1000.0 * n, np.float32) for n in range(count)}
    nodes = [node(f"t{n} = Greater x c{n}") for n in range(count)]
    nodes += [node(f"v{n + 1} = Where t{n} c{n} {f'v{n}' if n else 'x'}") for n in range(count)]
    values = np.arange(32768, dtype=np.float32) / 2 - 3000
    found = run(code, [*nodes, node(f"y = Where t0 v{count} c1")], {"x": values}, {"x": [x]}, {"y": [y]}, constants)
    wanted = np.where(values > 0, np.minimum(np.ceil(values / 1000) - 1, count - 1) * 1000, 1000)
    assert (found["y"][0].view(np.float32) == wanted).all()


FLOAT = np.dtype(np.float32)
RATE = {"rate": np.array(0.5, np.float32)}
UPDATE = [node("s = Mul rate g"), node("v = Sub w s")]


def test_an_update_in_place_is_one_line() -> None:
    code = Watched()
    w, g = code.place("LM0", everywhere()), code.place("GRF0", everywhere())
    arrays = {"w": np.arange(32768, dtype=np.float32), "g": np.full(32768, 3, np.float32)}
    found = run(code, UPDATE, arrays, {"w": [w], "g": [g]}, {"v": [w]}, RATE)
    assert len(code.lines) == 1
    assert (found["v"][0].view(np.float32) == arrays["w"] - 1.5).all()


def test_all_operands_and_results_may_lie_in_one_lm() -> None:
    code = Watched()
    a, b, y, z = (code.place("LM1", everywhere()) for _ in range(4))
    arrays = {"a": np.arange(32768, dtype=np.float32), "b": np.full(32768, 3, np.float32)}
    nodes = [node("y = Sub a b"), node("z = Mul y a")]
    found = run(code, nodes, arrays, {"a": [a], "b": [b]}, {"y": [y], "z": [z]})
    assert (found["y"][0].view(np.float32) == arrays["a"] - 3).all()
    assert (found["z"][0].view(np.float32) == (arrays["a"] - 3) * arrays["a"]).all()


def test_an_input_is_read_before_it_is_overwritten() -> None:
    code = Watched()
    w, y = code.place("GRF0", everywhere()), code.place("LM1", everywhere())
    nodes = [node("a = Add w w"), node("b = Exp a"), node("y = Mul b w")]
    found = run(code, nodes, {"w": np.ones(32768, np.float32)}, {"w": [w]}, {"a": [w], "y": [y]})
    assert (found["a"][0].view(np.float32) == 2).all()
    assert np.allclose(found["y"][0].view(np.float32), np.exp(2), rtol=1e-6)


def test_an_input_that_is_handed_on_is_read_before_it_is_overwritten() -> None:
    code = Watched()
    w, y = code.place("GRF0", everywhere()), code.place("LM1", everywhere())
    nodes = [node("a = Neg w"), node("y = Identity w")]
    found = run(code, nodes, {"w": np.ones(32768, np.float32)}, {"w": [w]}, {"a": [w], "y": [y]})
    assert (found["a"][0].view(np.float32) == -1).all()
    assert (found["y"][0].view(np.float32) == 1).all()


def test_operands_and_output_in_one_memory() -> None:
    """A step reads LM at one address, and does not write it elsewhere: both operands are copied first."""
    code = Watched()
    a, b, y = (code.place("LM1", everywhere()) for _ in range(3))
    z = code.place("LM0", everywhere())
    arrays = {"a": np.arange(32768, dtype=np.float32), "b": np.full(32768, 3, np.float32)}
    nodes = [node("y = Sub a b"), node("z = Neg y")]
    found = run(code, nodes, arrays, {"a": [a], "b": [b]}, {"y": [y], "z": [z]})
    assert (found["y"][0].view(np.float32) == arrays["a"] - 3).all()
    assert (found["z"][0].view(np.float32) == 3 - arrays["a"]).all()


def test_both_engines_agree() -> None:
    x = np.linspace(-3, 3, 32768, dtype=np.float32)
    words = []
    for engine in ("native", "numpy"):
        code = Watched()
        reads, writes = {"x": [code.place("LM0", everywhere())]}, {"y": [code.place("LM1", everywhere())]}
        words.append(run(code, [node("y = Gelu x")], {"x": x}, reads, writes, engine=engine)["y"][0])
    assert np.array_equal(*words)


def test_an_output_over_another_part_of_an_input_is_refused() -> None:
    w, v = Place("LM0", 0, everywhere()), Place("LM0", 4, everywhere())
    with pytest.raises(LayoutError, match="written over 'w' before"):
        emit(Code(), [node("v = Neg w")], {"w": [w]}, {"v": [v]}, {"w": FLOAT}, {})


def test_a_place_outside_the_pes_is_refused() -> None:
    x = Place("L1BM", 0, BitMap.of("L1BM", (2,), {W: 0}))
    with pytest.raises(LayoutError, match="L1BM"):
        emit(Code(), [node("y = Neg x")], {"x": [x]}, {"y": [Place("LM0", 0, everywhere())]}, {"x": FLOAT}, {})


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["y = Relu x"], 1),
        (["p = Greater x zero", "q = Cast p", "y = Mul q g"], 2),
        (["p = Greater x g", "y = Where p x g"], 3),
        (["y = Exp x"], 13),
        (["y = Div x g"], 8),
        (["y = Div x rate"], 1),
        (["y = Sqrt x"], 10),
        (["y = Log x"], 18),
    ],
)
def test_steps(texts: list[str], expected: int) -> None:
    nodes = [node(text, **({"to": 1} if "Cast" in text else {})) for text in texts]
    constants = RATE | {"zero": np.array(0, np.float32)}
    assert steps(nodes, {"x": FLOAT, "g": FLOAT}, constants) == expected


def test_words_of_a_few_longs_are_written_by_themselves() -> None:
    for words in (2, 4):
        code = Watched()
        x = code.place("GRF0", everywhere(words))
        y = code.place("GRF1", everywhere(words))
        values = np.arange(4096 * words, dtype=np.float32)
        found = run(code, [node("y = Neg x")], {"x": values}, {"x": [x]}, {"y": [y]})
        assert (found["y"][0].view(np.float32) == -values).all()


def test_what_the_chip_has_no_operator_for_is_refused() -> None:
    places = {"x": [Place("LM0", 0, everywhere())]}
    for text, message in (
        ("y = MatMul x x", "MatMul is not among"),
        ("y = BitwiseNot x", "not for float, only for int"),
    ):
        with pytest.raises(UnsupportedOp, match=message):
            emit(Code(), [node(text)], places, {"y": [Place("LM1", 0, everywhere())]}, {"x": FLOAT}, {})
    with pytest.raises(UnsupportedOp, match="float64"):
        emit(Code(), [node("y = Neg x")], places, {"y": places["x"]}, {"x": np.dtype(np.float64)}, {})

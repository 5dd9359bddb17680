"""The streaming template: any shape, both engines alike, near float64, and what its closed form foretells."""

from __future__ import annotations

import re

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from haribote.stack.code import Code
from haribote.stack.places import UNIT_LONGS
from haribote.stack.plan import Stream, Version
from haribote.stack.products.stream import Panels, emit_stream
from haribote.stack.program.builder import Built
from haribote.stack.program.compiled import built
from haribote.stack.program.contents import ANYTHING, contents
from haribote.stack.program.ownership import trespasses
from haribote.stack.program.plan_table import table
from haribote.stack.program.session import session_of
from haribote.stack.program.walk import difference, junk, walk
from haribote.stack.tilings import Tiling, tilings
from simulator import Machine, assemble
from simulator.assembly.checks import check, fix_nops
from simulator.isa.cost import cost_of

SHAPES = ((1, 1, 1), (1, 1, 62), (64, 64, 64), (100, 65, 33), (7, 200, 150), (130, 70, 270), (33, 129, 5))
LARGE = ((600, 90, 333), (257, 130, 1030), (999, 64, 600), (140, 700, 140))


def gemm(m: int, k: int, n: int, turned: tuple[bool, bool] = (False, False)) -> onnx.ModelProto:
    """A product of two inputs; turned: of those that come transposed."""
    shapes = {"a": (k, m) if turned[0] else (m, k), "b": (n, k) if turned[1] else (k, n)}
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()]
    output = helper.make_tensor_value_info("c", TensorProto.FLOAT, (m, n))
    node = helper.make_node("Gemm", ["a", "b"], ["c"], name="gemm", transA=int(turned[0]), transB=int(turned[1]))
    graph = helper.make_graph([node], "gemm", inputs, [output])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def feeds(model: onnx.ModelProto) -> dict[str, np.ndarray]:
    random = np.random.default_rng(0)
    sizes = {info.name: [d.dim_value for d in info.type.tensor_type.shape.dim] for info in model.graph.input}
    return {name: random.standard_normal(shape).astype(np.float32) for name, shape in sizes.items()}


def product(found: Built, given: dict[str, np.ndarray], engine: str) -> np.ndarray:
    machine = Machine(engine)
    junk(machine)
    session = session_of(found.executable, machine)
    session.step(given)
    return np.asarray(session.read("c"))


def right(shape: tuple[int, int, int], turned: tuple[bool, bool]) -> Built:
    """The program of a product, looked at from all sides."""
    model = gemm(*shape, turned)
    given, found = feeds(model), built(model)
    assert any(isinstance(action, Stream) for action in found.plan.actions)
    assert not list(check(found.executable.program)) and not trespasses(found)
    walked = walk(found, given, tolerance=1e-6)
    assert not walked.wrong and not walked.unknown, str(walked)
    assert not difference(found)
    result = product(found, given, "native")
    wanted = np.matmul(
        *(g.T.astype(float) if t else g.astype(float) for g, t in zip(given.values(), turned, strict=True))
    )
    assert np.abs(result - wanted).max() < 3e-7 * np.abs(wanted).max()
    assert product(found, given, "native").tobytes() == result.tobytes()
    return found


@pytest.mark.some(1)
@pytest.mark.parametrize("shape", SHAPES)
def test_products_of_any_shape(shape: tuple[int, int, int]) -> None:
    number = sum(shape)
    right(shape, (bool(number & 1), bool(number & 2)))


@pytest.mark.slow
@pytest.mark.parametrize("shape", LARGE)
@pytest.mark.parametrize("turned", [(False, False), (True, True)])
def test_large_products(shape: tuple[int, int, int], turned: tuple[bool, bool]) -> None:
    right(shape, turned)


@pytest.mark.parametrize("shape", [(40, 70, 100), (130, 65, 20)])
def test_both_engines_give_the_same_bits(shape: tuple[int, int, int]) -> None:
    model = gemm(*shape)
    found, given = built(model), feeds(model)
    assert product(found, given, "native").tobytes() == product(found, given, "numpy").tobytes()


def lines(tiling: Tiling) -> list[str]:
    code = Code()
    emit_stream(code, tiling, 0, 1 << 24, 1 << 25)
    return code.lines


@pytest.mark.parametrize("shape", [(6, 4, 4), (4, 4, 6), (1, 1, 1), (7, 3, 2), (130, 5, 3), (3, 5, 130), (40, 9, 36)])
def test_nothing_is_written_beside_the_result(shape: tuple[int, int, int]) -> None:
    for tiling in tilings(*shape):
        room = -(-Panels(tiling).result.map.longs // UNIT_LONGS) * UNIT_LONGS
        moves = [re.search(r"mvp/n(\d+) \S+ \$d(\d+)", line) for line in lines(tiling)]
        ends = [int(move[1]) + int(move[2]) - (1 << 25) for move in moves if move]
        assert ends and max(ends) <= room, str(tiling)


@pytest.mark.some(1)
@pytest.mark.parametrize("shape", [(512, 512, 512), (256, 784, 256), (300, 500, 200), (1000, 64, 900)])
def test_the_closed_form(shape: tuple[int, int, int]) -> None:
    for tiling in tilings(*shape):
        cost = cost_of(assemble(fix_nops(assemble("\n".join(lines(tiling)) + "\n"))))
        assert cost.cycles - 4 * cost.steps == tiling.moved
        assert abs(tiling.steps - cost.steps) < 0.08 * cost.steps + 40, str(tiling)


@pytest.mark.parametrize("by_group", ["rows", "columns"])
@pytest.mark.parametrize("sides", [(False, False, False), (True, False, True), (True, True, True)])
def test_every_element_has_its_place_in_a_panel(by_group: str, sides: tuple[bool, bool, bool]) -> None:
    tiling = Tiling(140, 70, 66, by_group, most_columns=16)  # type: ignore[arg-type]
    panels = Panels(tiling, sides[:2], sides[2])
    for panel in (panels.matrix, panels.vectors, panels.result):
        shape = panel.map.shape
        version = Version("x", panel.map, tuple((size,) for size in shape))
        table = contents(panel.map, version.split, shape)
        found = table[(table != ANYTHING) & (table < np.prod(shape))]
        assert sorted(found) == list(range(int(np.prod(shape))))


def test_the_plan_says_how_a_product_is_cut() -> None:
    text = table(built(gemm(300, 100, 70)))
    assert "streamed: c, " in text and "tiles of" in text and "at least" in text

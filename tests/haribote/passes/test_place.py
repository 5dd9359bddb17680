"""From decomposed graph to placed graph: the meaning stays, every operator of the chip is placed."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import pytest

from haribote.compiler import STAGES, lower
from haribote.errors import HariboteError
from haribote.frontend.torch import trace_inference, trace_step
from haribote.graph import Index, clone, evaluate, load, metadata, put
from haribote.graphs.cases import load_case, reference_case, save_case, unit_cases, unit_name
from haribote.passes import fuse_greater, pad
from haribote.passes.place import DramPlanner, OutOfMemory, place
from haribote.passes.placement import op_of, placement_of, row_of
from haribote.training.backends import example_batch
from haribote.training.models import mlp
from simulator import isa
from tests.haribote.whole_outputs import cropped


@pytest.fixture(scope="module")
def traced() -> onnx.ModelProto:
    model = mlp(784, 16, 10)
    return trace_step(model, *example_batch(model, 256, 0.01))


@pytest.fixture(scope="module")
def feeds(traced: onnx.ModelProto) -> dict[str, np.ndarray]:
    random = np.random.default_rng(0)
    inputs = {name: value.detach().numpy() for name, value in mlp(784, 16, 10).named_parameters()}
    images = random.uniform(-0.43, 2.82, (256, 784)).astype(np.float32)
    return inputs | {"x": images, "labels": random.integers(0, 10, 256)}


def test_the_step_is_28_operators_each_with_a_kernel(traced: onnx.ModelProto) -> None:
    placed = lower(traced)
    counts = Counter(node.op_type for node in placed.graph.node if row_of(node))
    transfers = counts.pop("DL") + counts.pop("UL")
    assert counts == {
        "Gemm": 5, "Add": 2, "Relu": 1, "ReduceMax": 1, "Sub": 2 + 4, "Exp": 1, "ReduceSum": 3, "Div": 1, "OneHot": 1,
        "Mul": 2 + 4, "GreaterCast": 1,
    }  # fmt: skip
    assert transfers == 66
    assert all(node.name.startswith("loss") for node in placed.graph.node if row_of(node) is None)


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_means_the_same(
    stage: str, traced: onnx.ModelProto, feeds: dict[str, np.ndarray], tmp_path: Path
) -> None:
    lower(traced, stop_after=stage, save_to=tmp_path)
    assert sorted(file.stem for file in tmp_path.iterdir()) == sorted(list(STAGES)[: list(STAGES).index(stage) + 1])
    model = load(tmp_path / f"{stage}.onnx")
    expected = evaluate(traced, feeds)
    outputs = cropped(model, evaluate(model, pad.pad_inputs(model, feeds)))  # one tile each: nothing to cut
    assert outputs.keys() == expected.keys()
    for name, value in expected.items():
        assert np.abs(outputs[name] - value).max() < 1e-6, name


def test_an_unknown_stage_is_refused(traced: onnx.ModelProto) -> None:
    with pytest.raises(HariboteError, match="simplify, pad, decompose"):
        lower(traced, stop_after="fold")


def test_operands_of_one_operator_do_not_overlap_and_dl_writes_where_the_kernel_reads(traced: onnx.ModelProto) -> None:
    placed = lower(traced)
    index = Index(placed)
    for node in placed.graph.node:
        row = row_of(node)
        if row is None or row.op in ("DL", "UL"):
            continue
        op = op_of(node, row, index)
        ends = {"LM0": 0, "LM1": 0}
        for operand in (*op.inputs, op.output):
            if operand.memory != "DRAM":
                assert operand.address == ends[operand.memory]
                ends[operand.memory] += operand.words
        for number, operand in enumerate(op.inputs):
            producer = index.producer[operand.name]
            assert producer.op_type == "DL"
            assert placement_of(producer, "out") == placement_of(node, f"in{number}")


def test_dram_rooms_are_whole_moves_and_never_overlap(traced: onnx.ModelProto) -> None:
    placed = lower(traced)
    shapes = Index(placed).shape
    addresses: dict[str, int] = json.loads(metadata(placed)["haribote.dram"])
    end = 0
    for name, address in sorted(addresses.items(), key=lambda item: item[1]):
        assert address % isa.MV_UNIT == 0 and address >= end, name
        size = int(np.prod(shapes[name]))
        end = address + (size + 1) // 2 if size <= 16 else address + size // 8


def test_operands_that_do_not_fit_in_lm_are_refused(traced: onnx.ModelProto) -> None:
    model = clone(lower(traced, stop_after="transfer"))
    relu = next(node for node in model.graph.node if node.op_type == "Relu")
    put(relu, "haribote.in0.layout", "((8_L2B:1, 2052:2, 8_L1B:1), (2:1, 4_PE:1, 2_W:1))")
    with pytest.raises(OutOfMemory, match=r"1\.out \(Relu\).*4096 words"):
        place(model)


def test_a_full_dram_is_refused() -> None:
    planner = DramPlanner()
    planner.address("large", (1 << 31, 2))  # the whole of it
    with pytest.raises(OutOfMemory, match="tensor small"):
        planner.address("small", (16,))


def test_greater_with_another_bound_or_reader_is_left_alone() -> None:
    model = mlp(16, 16, 10)
    graph = lower(trace_step(model, *example_batch(model, 256, 0.1)), stop_after="decompose")
    assert any(node.op_type == "GreaterCast" for node in fuse_greater.run(graph).graph.node)
    greater = next(node for node in graph.graph.node if node.op_type == "Greater")
    changed = clone(graph)
    bound = next(tensor for tensor in changed.graph.initializer if tensor.name == greater.input[1])
    bound.CopyFrom(onnx.numpy_helper.from_array(np.ones(tuple(bound.dims), np.float32), bound.name))
    assert not any(node.op_type == "GreaterCast" for node in fuse_greater.run(changed).graph.node)


def test_inference_lowers_to_five_operators() -> None:
    model = mlp(784, 16, 10)
    placed = lower(trace_inference(model, example_batch(model, 256, 0.01)[1]))
    names = [row.op for node in placed.graph.node if (row := row_of(node)) and row.op not in ("DL", "UL")]
    assert names == ["Gemm", "Add", "Relu", "Gemm", "Add"]


def test_a_case_survives_the_disk(traced: onnx.ModelProto, feeds: dict[str, np.ndarray], tmp_path: Path) -> None:
    case = reference_case("step", traced, feeds)
    save_case(case, tmp_path)
    again = load_case(tmp_path)
    assert again.model == case.model
    for mine, theirs in ((case.inputs, again.inputs), (case.outputs, again.outputs)):
        assert all(np.array_equal(mine[name], theirs[name]) for name in mine) and mine.keys() == theirs.keys()


def test_a_damaged_case_is_named(traced: onnx.ModelProto, feeds: dict[str, np.ndarray], tmp_path: Path) -> None:
    with pytest.raises(HariboteError, match="not a case"):
        load_case(tmp_path)
    save_case(reference_case("step", traced, feeds), tmp_path)
    broken = tmp_path / "inputs" / "x.npy"
    broken.write_bytes(broken.read_bytes()[:1000])
    with pytest.raises(HariboteError, match=r"x\.npy is not a complete"):
        load_case(tmp_path)
    np.save(broken, np.zeros((2, 2), np.float32))
    with pytest.raises(HariboteError, match=r"float32\[256, 784\], received float32\[2, 2\]"):
        load_case(tmp_path)
    broken.unlink()
    with pytest.raises(HariboteError, match="inputs must hold"):
        load_case(tmp_path)


def test_unit_cases_cover_every_node(traced: onnx.ModelProto, feeds: dict[str, np.ndarray]) -> None:
    graph = lower(traced, stop_after="decompose")
    cases = list(unit_cases(graph, pad.pad_inputs(graph, feeds)))
    assert len(cases) == len(graph.graph.node)
    for case in cases:
        for name, value in evaluate(case.model, case.inputs).items():
            assert np.array_equal(value, case.outputs[name]), case.name
    assert unit_name(graph.graph.node[0], Index(graph)) == "Gemm_256x1024_16x1024_256x16_transB"

"""Places in LM and DRAM: nothing overlaps, and what does not fit is refused."""

from __future__ import annotations

import json

import numpy as np
import onnx
import pytest

from haribote.compiler import lower
from haribote.graph import Index, clone, metadata, put
from haribote.passes.place import DramPlanner, OutOfMemory, place
from haribote.passes.placement import op_of, placement_of, row_of
from simulator import isa


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

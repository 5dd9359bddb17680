"""Addresses: of every operand in local memory, and of every tensor in DRAM.

LM: the inputs of an operator lie one after another from word 0 of LM0, its result from word 0 of LM1. DRAM: every
tensor gets room of its own that is never freed, at the same address in all four groups. Moves (`mv…`) transfer whole
multiples of 64 long words (isa.md, section 6), so addresses and rooms are multiples of 64.
"""

from __future__ import annotations

import json
from dataclasses import replace

import onnx

from haribote.answers.ownership import exercise
from haribote.errors import HariboteError
from haribote.graph import Index, clone, set_metadata, verify
from haribote.passes.placement import placement_of, row_of, set_placement, tensor_inputs
from simulator import isa
from simulator.messages import tr


class OutOfMemory(HariboteError):
    """The operands do not fit in the memory they are to be placed in."""


def place(model: onnx.ModelProto) -> onnx.ModelProto:
    """Give every operand of the chip an address; model metadata `haribote.dram` maps tensors to theirs.

    Raises OutOfMemory where the operands of one operator exceed a local memory, or the tensors exceed the DRAM.
    """
    result = clone(model)
    index, planner = Index(result), DramPlanner()
    for node in result.graph.node:
        if row_of(node) is None:
            continue
        ends = {"LM0": 0, "LM1": 0}
        slots = [(f"in{k}", name) for k, name in enumerate(tensor_inputs(node, index))] + [("out", node.output[0])]
        for slot, name in slots:
            spot = placement_of(node, slot)
            if spot.memory == "DRAM":
                address = planner.address(name, index.shape[name])
            elif node.op_type == "DL":
                address = _operand_address(index.consumers[name][0], name, index)
            else:
                address = ends[spot.memory]
                ends[spot.memory] += spot.layout.words
            _require_fit(node, slot, spot.memory, address + (0 if spot.memory == "DRAM" else spot.layout.words))
            set_placement(node, slot, replace(spot, address=address))
    set_metadata(result, dram=json.dumps(planner.addresses))
    verify(result)
    return result


class DramPlanner:
    """Hands out DRAM addresses one after another and never takes one back."""

    def __init__(self) -> None:
        self.addresses: dict[str, int] = {}
        self._next = 0

    def address(self, name: str, shape: tuple[int, ...]) -> int:
        """The address of a tensor in long words, the same in every group; a new one on first sight."""
        if name not in self.addresses:
            address, end = map(int, reserve(self._next, shape))  # an answer may give NumPy's integers
            if end > isa.DRAM_LONGS:
                raise OutOfMemory(
                    tr(
                        "tensor {name} of shape {shape} needs {value} long words at {address} of each DRAM group, "
                        "which has {dram_longs}",
                        name=name,
                        shape=shape,
                        value=end - address,
                        address=address,
                        dram_longs=isa.DRAM_LONGS,
                    ),
                    tr("a smaller batch or model"),
                )
            self.addresses[name], self._next = address, end
        return self.addresses[name]


@exercise("6.1")
def reserve(end: int, shape: tuple[int, ...]) -> tuple[int, int]:
    """The address of a new tensor behind what ends at `end`, and where its room ends, in long words per group."""
    raise NotImplementedError


def _operand_address(consumer: onnx.NodeProto, name: str, index: Index) -> int:
    """Where the consumer wants its operand: after the operands before it."""
    names = tensor_inputs(consumer, index)
    before = range(names.index(name))
    return sum(placement_of(consumer, f"in{number}").layout.words for number in before)


def _require_fit(node: onnx.NodeProto, slot: str, memory: str, end: int) -> None:
    if memory != "DRAM" and end > isa.LM_WORDS:
        raise OutOfMemory(
            tr(
                "node {name} ({op_type}): {slot} ends at word {end} of {memory}, which has {lm_words} words",
                name=node.name,
                op_type=node.op_type,
                slot=slot,
                end=end,
                memory=memory,
                lm_words=isa.LM_WORDS,
            ),
            tr("smaller tiles, so that the operands of one operator fit"),
        )

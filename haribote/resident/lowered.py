"""A plan as a placed graph: the operators with DL, UL and Copy between them, every operand with its address."""

from __future__ import annotations

import json
from collections.abc import Collection

import onnx

from haribote.graph import Builder, Index, put, set_metadata, updates
from haribote.kernel_table import BY_TRANSFER, KernelRow
from haribote.layout import dram_layout, layout_of
from haribote.passes.place import DramPlanner
from haribote.passes.placement import Home, Placement, row_of, set_homes, set_placement, set_row, tensor_inputs
from haribote.resident.plan import Action, Compute, Copy, Host, Load, Plan, Store, Task, Version
from haribote.resident.planner import plan
from haribote.resident.rooms import SCRATCH

COPY = "Copy"
"""The operator that copies a tensor from a place in LM to another."""


def place(
    model: onnx.ModelProto,
    on_host: Collection[str] = (),
    alone: Collection[str] = (),
    weak: Collection[str] = (),
    words: int | None = None,
) -> onnx.ModelProto:
    """The graph after the stage `layout`, placed so that values stay in LM.

    on_host, alone, weak: names of operators without a kernel, and of those that `plan.Task` calls so. words: of each LM
    that there are for tensors, to see what a smaller memory would mean.
    """
    index = Index(model)
    tasks = [_task(node, index, on_host, alone, weak) for node in model.graph.node]
    return _Lowering(model, index).run(plan(tasks, index.outputs, updates(model), words))


def _task(
    node: onnx.NodeProto, index: Index, on_host: Collection[str], alone: Collection[str], weak: Collection[str]
) -> Task:
    row = None if node.name in on_host else row_of(node)
    if row is None:
        return Task(node, None, tuple(name for name in node.input if name))
    return Task(node, row, tuple(tensor_inputs(node, index)), row.inputs, node.name in alone, node.name in weak)


class _Lowering:
    """Writes the actions of a plan as nodes."""

    def __init__(self, model: onnx.ModelProto, index: Index) -> None:
        self._builder, self._index, self._dram = Builder.like(model), index, DramPlanner()

    def run(self, found: Plan) -> onnx.ModelProto:
        """The placed graph."""
        for action in found.actions:
            self._add(action)
        result = self._builder.finish()
        set_metadata(result, dram=json.dumps(self._dram.addresses))
        homes = {name: Home(_place_of(version), updated) for name, (version, updated) in found.homes.items()}
        set_homes(result, homes)
        return result

    def _add(self, action: Action) -> None:
        match action:
            case Host(task):
                self._builder.keep(task.node)
            case Compute():
                self._compute(action)
            case Load(target):
                node = self._move("DL", target.value, target.name, target.name, BY_TRANSFER["DL", target.tag])
                self._in_dram(node, "in0", target.value, target.tag)
                set_placement(node, "out", _place_of(target))
            case Store(source):
                name = f"{source.name.removesuffix('.lm')}.ul"
                node = self._move("UL", source.name, source.value, name, BY_TRANSFER["UL", source.tag])
                set_placement(node, "in0", _place_of(source))
                self._in_dram(node, "out", source.value, source.tag)
            case Copy(source, target):
                name = f"{target.name}.home" if target.home else target.name
                node = self._move(COPY, source.name, target.name, name)
                set_placement(node, "in0", _place_of(source))
                set_placement(node, "out", _place_of(target))

    def _compute(self, action: Compute) -> None:
        task, inputs = action.task, list(action.task.node.input)
        for value, version in zip(task.inputs, action.inputs, strict=True):
            inputs[inputs.index(value)] = version.name
        node = self._builder.keep(task.node, inputs)
        for number, version in enumerate(action.inputs):
            set_placement(node, f"in{number}", _place_of(version))
        assert task.row is not None
        if action.output is None:
            self._in_dram(node, "out", node.output[0], task.row.output)
        else:
            node.output[0] = action.output.name
            set_placement(node, "out", _place_of(action.output))
        if not task.alone:
            put(node, "haribote.scratch", str(SCRATCH))

    def _move(self, op: str, source: str, target: str, name: str, row: KernelRow | None = None) -> onnx.NodeProto:
        self._builder.op(op, source, name=target, reserved=True)
        node: onnx.NodeProto = self._builder.model.graph.node[-1]
        node.name = name
        if row is not None:
            set_row(node, row)
        return node

    def _in_dram(self, node: onnx.NodeProto, slot: str, value: str, tag: str) -> None:
        address = self._dram.address(value, self._index.shape[value])
        set_placement(node, slot, Placement(dram_layout(layout_of(tag).shape), "DRAM", address))


def _place_of(version: Version) -> Placement:
    return Placement(layout_of(version.tag), version.memory, version.address)

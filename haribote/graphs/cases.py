"""A case: a graph with inputs and the outputs that a backend must give. What `export` writes and `test` reads.

On disk a case is a folder: `model.onnx`, `inputs/<name>.npy`, `outputs/<name>.npy`.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.errors import HariboteError
from haribote.graph import Builder, Index, evaluate, load, save
from simulator.files import write_file
from simulator.messages import tr
from simulator.shell import command_line

Array = NDArray[Any]


class CaseError(HariboteError):
    """A folder is not a case, or an array in it does not fit the graph."""


@dataclass(frozen=True)
class Case:
    """A graph, its inputs and the expected outputs, all by value name."""

    name: str
    model: onnx.ModelProto
    inputs: dict[str, Array]
    outputs: dict[str, Array]


def reference_case(name: str, model: onnx.ModelProto, inputs: Mapping[str, Array]) -> Case:
    """A case whose outputs are what ONNX's reference evaluator gives."""
    return Case(name, model, dict(inputs), evaluate(model, inputs))


def save_case(case: Case, folder: Path) -> None:
    """Write the case; every file appears whole or not at all, `model.onnx` last."""
    for kind, arrays in (("inputs", case.inputs), ("outputs", case.outputs)):
        for name, array in arrays.items():
            content = io.BytesIO()
            np.save(content, array)
            write_file(folder / kind / f"{quote(name, safe='')}.npy", content.getvalue())
    save(case.model, folder / "model.onnx")


def load_case(folder: Path) -> Case:
    """Read a case. Raises CaseError where the folder is not one or an array does not fit the graph."""
    if not (folder / "model.onnx").is_file():
        raise CaseError(
            tr("{folder} is not a case: it has no model.onnx", folder),
            tr("`{value}` to make one", command_line("haribote", "export", "-o", folder)),
        )
    model = load(folder / "model.onnx")
    index = Index(model)
    inputs, outputs = _arrays(folder / "inputs"), _arrays(folder / "outputs")
    for kind, arrays, names in (("inputs", inputs, index.inputs), ("outputs", outputs, index.outputs)):
        if set(arrays) != set(names):
            raise CaseError(
                tr(
                    "{value} must hold {names}, received {value2}",
                    folder / kind,
                    ", ".join(sorted(names)),
                    ", ".join(sorted(arrays)) or tr("nothing"),
                ),
                tr("`{value}` to write it anew", command_line("haribote", "export", "-o", folder)),
            )
        for name, array in arrays.items():
            if array.shape != index.shape[name] or array.dtype != index.dtype[name]:
                raise CaseError(
                    tr(
                        "{value}.npy: the graph wants {dtype}{shape}, received {dtype2}{shape2}",
                        value=folder / kind / name,
                        dtype=index.dtype[name],
                        shape=list(index.shape[name]),
                        dtype2=array.dtype,
                        shape2=list(array.shape),
                    )
                )
    return Case(folder.name, model, inputs, outputs)


def unit_cases(model: onnx.ModelProto, inputs: Mapping[str, Array]) -> Iterator[Case]:
    """One case per node of the graph, with the real values that reach it.

    A case is named by operator and shapes: `Gemm_256x16_16x16_256x16_transB`.
    """
    index, values = Index(model), evaluate(model, inputs, every_value=True)
    for node in model.graph.node:
        single = one_node_model(model, node, index)
        feeds = {info.name: values[info.name] for info in single.graph.input}
        yield Case(unit_name(node, index), single, feeds, {name: values[name] for name in node.output})


def one_node_model(model: onnx.ModelProto, node: onnx.NodeProto, index: Index | None = None) -> onnx.ModelProto:
    """The graph that holds only this node; constants stay constants."""
    index = index or Index(model)
    builder = Builder(node.name)
    builder.model.functions.extend(model.functions)
    for name in dict.fromkeys(node.input):
        if name in index.constants:
            builder.constant(index.constants[name], name)
        elif name:
            builder.input(name, index.shape[name], index.dtype[name])
    builder.keep(node)
    for name in node.output:
        builder.output(name)
    return builder.finish()


def unit_name(node: onnx.NodeProto, index: Index) -> str:
    """Operator, shapes of its tensors, and the transpositions: `Gemm_256x16_16x16_256x16_transB`."""
    names = [*(name for name in node.input if name and index.shape[name]), *node.output]
    shapes = ("x".join(map(str, index.shape[name])) or "scalar" for name in names)
    flags = (attribute.name for attribute in node.attribute if attribute.name.startswith("trans") and attribute.i)
    return "_".join([node.op_type, *shapes, *flags])


def _arrays(folder: Path) -> dict[str, Array]:
    arrays: dict[str, Array] = {}
    for path in sorted(folder.glob("*.npy")):
        try:
            arrays[unquote(path.stem)] = np.load(path, allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            raise CaseError(
                tr("{path} is not a complete .npy file: {error}", path, error), tr("`haribote export` to write it anew")
            ) from error
    return arrays

"""`haribote deploy`: a graph as a folder with a program in C++ that needs no Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path

import onnx

from haribote.deploy.folder import array_bytes, usage, write_folder
from haribote.deploy.graphs import deployable
from haribote.errors import HariboteError
from haribote.frontend.onnx_file import read
from haribote.graph import Index, kind
from haribote.graphs.cases import load_case
from haribote.network import NETWORKS
from haribote.training.checkpoint import load_checkpoint
from simulator.messages import tr
from simulator.shell import command_line


def deploy_command(
    path: Path,
    folder: Path,
    data: Sequence[str] = (),
    sizes: Mapping[str, int] | None = None,
    scaling: tuple[float | None, float | None] = (None, None),
    checkpoint: Path | None = None,
    gemm: str = "",
) -> str:
    """Write the program of an ONNX file, or of a folder that `export` wrote; sentences that say what was written.

    Args:
        data: names of the inputs that are no parameters.
        sizes: of axes that the file leaves open.
        scaling: mean and deviation of pixels in 0..1; by default MNIST's for our own graphs of its pictures, else 0, 1.
        checkpoint: of a training, whose parameters are taken.

    Raises:
        HariboteError.
    """
    model = read(path, sizes)
    values = load_case(path).inputs if (path / "inputs").is_dir() else {}
    if checkpoint is not None:
        trained = load_checkpoint(checkpoint)[1]
        strange = [name for name in trained if name not in values or values[name].shape != trained[name].shape]
        if strange:
            raise HariboteError(
                tr("{checkpoint}: the graph has no parameter like its {strange!r}", checkpoint, strange[0]),
                tr("its own graph"),
            )
        values |= trained
    found = deployable(model, values, data)
    mean, deviation = (known if asked is None else asked for asked, known in zip(scaling, _scaling(model), strict=True))
    if deviation == 0:
        raise HariboteError(tr("--deviation must not be 0"))
    write_folder(folder, found, mean, deviation, gemm)
    graphs = ", ".join(f"{name} ({len(graph.graph.node)} nodes)" for name, graph in found.graphs.items())
    lines = [
        tr(
            "wrote {folder}: {graphs}; {parameters} parameters, {parameters2:,} bytes",
            folder=folder,
            graphs=graphs,
            parameters=len(found.parameters),
            parameters2=array_bytes(found.parameters),
        )
    ]
    for name in found.graphs:
        command = f"{command_line(folder / 'run')} {usage(found, name)}"
        if name in found.rows:
            lines.append(tr("{name} takes any number of rows: {command}", name, command))
        else:
            lines.append(tr("{name} takes arrays of exactly its shapes: {command}", name, command))
    return "\n".join([*lines, tr("next: {value}", command_line("make", "-C", folder))])


def _scaling(model: onnx.ModelProto) -> tuple[float, float]:
    index = Index(model)
    shape = index.shape[index.inputs[0]] if index.inputs else ()
    ours = {network.pixels: (network.mean, network.deviation) for network in NETWORKS.values()} if kind(model) else {}
    return ours.get(prod(shape[1:]), (0.0, 1.0))

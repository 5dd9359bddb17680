"""What products and train steps of any shape cost at -O2, beside what they cost at least.

    python -m benchmarks.shapes                                            the table of the shapes that we watch
    python -m benchmarks.shapes --gemm 300x500x200 --mlp 784-64-10:256 --onnx FILE [--json] [--keep FOLDER]
    python -m benchmarks.shapes --gemms 30 --mlps 20 --seed 1              random ones too; the median of all ratios

`--gemm MxKxN` is a MatMul of two inputs of the step; `--mlp WIDTHS:BATCH` the train step of a network; `--onnx` any
graph, whose open axes `--size NAME=N` gives sizes. `bound`: cycles of the matrix units or of DRAM, whichever binds,
without padding (`haribote.stack.products.bound`). `serial`, `overlapped`: cycles of the step, MVs after or beside the
steps of the PEs. `compile s`: CPU seconds of all processes with empty caches. `run s`: wall seconds of one run on the
simulator. `error`: the largest difference from the same graph in float64, over the largest value of that output; where
it is more than rounding makes, that is said, and the status is 1.

With `--json`, one object a line. With `--keep`, a folder for each shape: `model.onnx`, `step.vsm`, `executable.npz`
(`haribote.stack.program.executable.from_bytes` reads it for a session) and `values.npz` with all inputs and
outputs of the run that is compared.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from haribote.commands.command import run_command
from haribote.commands.options import size
from haribote.errors import HariboteError
from haribote.graph import Index, attributes, updates
from haribote.stack.products.bound import Bound, gemm_bound, mlp_bound, model_bound
from simulator.cache import VARIABLE
from simulator.files import write_file

WATCHED = (
    *(("gemm", shape) for shape in ("256x784x256", "512x512x512", "256x1024x1024", "1024x1024x1024")),
    *(("mlp", shape) for shape in ("784-16-10:256", "784-64-10:64", "784-64-10:256", "784-256-10:256")),
)
COLUMNS = ("shape", "bound", "serial", "overlapped", "ratio", "steps", "mv", "compile_cpu_s", "simulation_s", "error")
HEAD = (
    "shape                   bound    serial  overlapped  overlapped/bound   steps     MV  compile s   run s    error"
)
WRONG = 1e-5
"""An error that no rounding of singles makes in a product or a train step; in the graph of a file it may."""
SIDES, WIDTHS, BATCHES = (64, 1024), (16, 512), (32, 1024)
"""Least and most of the axes of random products, and of the layers and batches of random networks."""
WEIGHTS = (1, 4)
"""Least and most weights of a random network."""
CHOOSING = {"NegativeLogLikelihoodLoss": 1, "SoftmaxCrossEntropyLoss": 1, "Gather": 0, "GatherElements": 0}
"""Operators whose second input are numbers along an axis of the first; the axis where none is named."""
Values = dict[str, NDArray[Any]]
Row = dict[str, Any]


def main(arguments: list[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="shapes", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--gemm", action="append", default=[], metavar="MxKxN")
    parser.add_argument("--mlp", action="append", default=[], metavar="WIDTHS:BATCH")
    parser.add_argument("--onnx", action="append", default=[], metavar="FILE")
    parser.add_argument("--size", type=size, action="append", default=[], metavar="NAME=N", help="of axes open in FILE")
    parser.add_argument("--gemms", type=int, default=0, metavar="COUNT", help="so many random products")
    parser.add_argument("--mlps", type=int, default=0, metavar="COUNT", help="train steps of so many random networks")
    parser.add_argument("--seed", type=int, default=1, help="of the random ones (%(default)s)")
    parser.add_argument("--json", action="store_true", help="an object a line")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="write models, programs and values there")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)  # measure in this process
    parser.set_defaults(run=_run, command="")
    return run_command(parser, arguments)


def _run(options: argparse.Namespace) -> int:
    asked = [(kind, shape) for kind in ("gemm", "mlp", "onnx") for shape in getattr(options, kind)]
    if options.here:
        print(json.dumps(measured(*asked[0], options.keep, dict(options.size))))
        return 0
    if not options.json:
        print(HEAD)
    random = list(random_shapes(options.gemms, options.mlps, Random(options.seed)))
    failed = False
    rows: dict[str, list[Row]] = {}
    for kind, shape in [*asked, *random] or WATCHED:
        keep = ["--keep", str(options.keep)] if options.keep else []
        sizes = [f"--size={name}={count}" for name, count in options.size]
        row = row_in_a_new_process("benchmarks.shapes", f"--{kind}={shape}", *keep, *sizes)
        if row is not None:
            print(json.dumps(row) if options.json else _line(row), flush=True)
            rows.setdefault(kind, []).append(row)
        wrong = row is not None and kind != "onnx" and not row["error"] <= WRONG
        if wrong:
            print(f"{shape}: an error of more than {WRONG:.0e} is not one of rounding", file=sys.stderr)
        failed = failed or row is None or wrong
    for kind, found in rows.items() if random and not options.json else ():
        ratios = [row["ratio"] for row in found]
        print(f"{kind}, {len(ratios)}: overlapped/bound {median(ratios):.2f} at the median, {max(ratios):.2f} at most")
    return int(failed)


def random_shapes(gemms: int, mlps: int, random: Random) -> Iterator[tuple[str, str]]:
    """So many products, and so many networks with a batch, each with its kind."""
    for _ in range(gemms):
        yield "gemm", "x".join(str(random.randint(*SIDES)) for _ in range(3))
    for _ in range(mlps):
        widths = [random.randint(*WIDTHS) for _ in range(random.randint(*WEIGHTS) + 1)]
        yield "mlp", f"{'-'.join(map(str, widths))}:{random.randint(*BATCHES)}"


def row_in_a_new_process(benchmark: str, *arguments: str) -> Row | None:
    """The row that a benchmark measures `--here`, with nothing in any cache of a process; None where it could not be
    measured, which the process has said.
    """
    command = [sys.executable, "-m", benchmark, "--here", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        return None
    row: Row = json.loads(done.stdout.splitlines()[-1])
    return row


def _line(row: Row) -> str:
    formats = ("20", ">8,.0f", ">9,.0f", ">11,.0f", ">17.2f", ">7,", ">6,", ">10.1f", ">7.2f", ">8.1e")
    return " ".join(format(row[column], form) for column, form in zip(COLUMNS, formats, strict=True))


def measured(kind: str, shape: str, keep: Path | None = None, sizes: Mapping[str, int] | None = None) -> Row:
    """The row of a shape. sizes: of the axes that a file leaves open. Raises HariboteError where it is none, or where
    it cannot be compiled."""
    from haribote.chip.runtime import fastest_machine
    from haribote.compiler import compile_stack
    from haribote.stack.program.compiled import StackCompiled
    from haribote.stack.program.executable import to_bytes
    from haribote.stack.program.session import session_of

    model, least = file_model(shape, sizes) if kind == "onnx" else MODELS[kind](shape)
    machine = fastest_machine()  # built before the caches are empty
    with tempfile.TemporaryDirectory(prefix="shapes-") as folder:
        os.environ[VARIABLE] = folder
        begin = cpu_seconds()
        compiled = compile_stack(model)
        compile_cpu_s = cpu_seconds() - begin
    assert isinstance(compiled, StackCompiled)
    session = session_of(compiled.executable, machine)
    given = inputs_of(model)
    for name, value in given.items():
        session.write(name, value)
    machine.run(compiled.executable.program)  # what is loaded once is loaded
    for name, value in given.items():
        session.write(name, value)
    started = time.perf_counter()
    machine.run(compiled.executable.program)
    simulation_s = time.perf_counter() - started
    found = {name: np.asarray(session.read(name)) for name in Index(model).outputs}
    if keep is not None:
        place = keep / f"{kind}-{_file_name(shape) if kind == 'onnx' else shape.replace(':', '-')}"
        write_file(place / "model.onnx", model.SerializeToString())
        write_file(place / "step.vsm", compiled.text.encode())
        write_file(place / "executable.npz", to_bytes(compiled.executable))
        values = BytesIO()
        np.savez(values, **{**given, **found})  # type: ignore[arg-type]
        write_file(place / "values.npz", values.getvalue())
    cost = compiled.cost
    figures = (
        shape, least.cycles, cost.cycles, cost.fewest, cost.fewest / least.cycles, cost.steps, cost.moves,
        round(compile_cpu_s, 2), round(simulation_s, 3), error_of(model, given, found),
    )  # fmt: skip
    return dict(zip(COLUMNS, figures, strict=True))


def _file_name(path: str) -> str:
    """The names of a file and its folders as one: many graphs are called `model.onnx`."""
    return "-".join(part for part in Path(path).with_suffix("").parts if part not in (os.sep, ".."))


def cpu_seconds() -> float:
    """CPU seconds of this process and those that it has started and waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


# --- models ----------------------------------------------------------------------------------------------------------


def gemm_model(shape: str) -> tuple[onnx.ModelProto, Bound]:
    """C = A B of inputs of the step, and what it costs at least. Raises HariboteError."""
    m, k, n = _numbers(shape, "x", "MxKxN, such as 300x500x200", 3)
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, s) for name, s in (("a", (m, k)), ("b", (k, n)))]
    result = helper.make_tensor_value_info("c", TensorProto.FLOAT, (m, n))
    graph = helper.make_graph([helper.make_node("MatMul", ["a", "b"], ["c"], name="mm")], "gemm", values, [result])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return model, gemm_bound(m, k, n)


def mlp_model(shape: str) -> tuple[onnx.ModelProto, Bound]:
    """The train step of a network of these widths. Raises HariboteError."""
    from haribote.frontend.torch import trace_step
    from haribote.network import LEARNING_RATE
    from haribote.training.backends import example_batch
    from haribote.training.models import mlp

    wanted = "WIDTHS:BATCH, such as 784-64-10:256"
    first, _, batch = shape.partition(":")
    if not batch:
        raise HariboteError(f"{shape!r} is no shape without a batch", wanted)
    widths, (rows,) = _numbers(first, "-", wanted), _numbers(batch, ":", wanted, 1)
    if len(widths) < 2:
        raise HariboteError(f"{shape!r} has no layer", wanted)
    network = mlp(*widths, seed=1)
    return trace_step(network, *example_batch(network, rows, LEARNING_RATE)), mlp_bound(widths, rows)


def file_model(path: str, sizes: Mapping[str, int] | None = None) -> tuple[onnx.ModelProto, Bound]:
    """A graph from a file. Raises HariboteError."""
    from haribote.frontend.onnx_file import read

    model = read(Path(path), sizes)
    return model, model_bound(model)


MODELS = {"gemm": gemm_model, "mlp": mlp_model}


def _numbers(text: str, between: str, wanted: str, count: int | None = None) -> list[int]:
    """Positive whole numbers. Raises HariboteError."""
    parts = text.split(between)
    if not all(part.isdecimal() and int(part) for part in parts) or count not in (None, len(parts)):
        raise HariboteError(f"{text!r} is no shape", wanted)
    return [int(part) for part in parts]


# --- values ----------------------------------------------------------------------------------------------------------


def inputs_of(model: onnx.ModelProto) -> Values:
    """Random inputs: normal floats, parameters an eighth of that; whole numbers from 0 to 9, of fewer classes or rows
    those that there are.
    """
    random, index, kept = np.random.default_rng(0), Index(model), updates(model)
    numbers = _numbers_of(index)
    found: Values = {}
    for name in index.inputs:
        if index.dtype[name].kind == "f":
            scale = 8 if name in kept else 1
            found[name] = (random.standard_normal(index.shape[name]) / scale).astype(index.dtype[name])
        else:
            found[name] = random.integers(0, min(10, numbers.get(name, 10)), index.shape[name]).astype(
                index.dtype[name]
            )
    return found


def _numbers_of(index: Index) -> dict[str, int]:
    """How many classes or rows there are for whole numbers that choose one, by the name of these numbers."""
    found: dict[str, int] = {}
    for node in index.node.values():
        if node.op_type in CHOOSING:
            axis = attributes(node).get("axis", CHOOSING[node.op_type])
            found[node.input[1]] = min(index.shape[node.input[0]][axis], found.get(node.input[1], 10))
    return found


def error_of(model: onnx.ModelProto, given: Values, found: Values) -> float:
    """The largest difference of an output from float64, over its largest value."""
    wanted = onnx.reference.ReferenceEvaluator(in_doubles(model)).run(
        list(found),
        {name: value.astype(np.float64) if value.dtype.kind == "f" else value for name, value in given.items()},
    )
    errors = [
        np.abs(np.asarray(value, np.float64) - right).max(initial=0.0) / max(np.abs(right).max(initial=0.0), 1e-30)
        for value, right in zip(found.values(), wanted, strict=True)
    ]
    return float(max(errors, default=0.0))


def in_doubles(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same graph with double instead of single precision everywhere."""
    wide = onnx.ModelProto()
    wide.CopyFrom(model)
    graph = wide.graph
    del graph.value_info[:]
    for info in (*graph.input, *graph.output):
        if info.type.tensor_type.elem_type == TensorProto.FLOAT:
            info.type.tensor_type.elem_type = TensorProto.DOUBLE
    for tensor in graph.initializer:
        _widen(tensor)
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.name in ("to", "dtype") and attribute.i == TensorProto.FLOAT:
                attribute.i = TensorProto.DOUBLE
            if attribute.HasField("t"):
                _widen(attribute.t)
    return wide


def _widen(tensor: onnx.TensorProto) -> None:
    if tensor.data_type == TensorProto.FLOAT:
        tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor).astype(np.float64), tensor.name))


if __name__ == "__main__":
    sys.exit(main())

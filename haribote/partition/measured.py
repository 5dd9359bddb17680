"""What a piece takes on the host, by which engine: measured once for a graph, then read from the cache."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import metadata
from time import perf_counter
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.answers.deciding import digest
from haribote.cpp.build import headers
from haribote.errors import HariboteError
from haribote.graph import Index, clone
from haribote.partition.host import Run, engines
from simulator.cache import DAMAGED, cache_folder
from simulator.errors import UserError
from simulator.files import FileError, write_file
from simulator.messages import tr

Array = NDArray[Any]
SECONDS, MOST_RUNS = 0.05, 50
"""How long an engine is measured, and how often it runs at most; once at least."""


def measured(model: onnx.ModelProto, forced: str = "") -> tuple[str, float]:
    """The engine that takes the least time for the graph, and its microseconds per run.

    forced: the only engine to look at. Raises HariboteError where none takes the graph.
    """
    available = {name: make for name, make in engines().items() if forced in ("", name)}
    file = cache_folder() / "host" / f"{_key(model, tuple(available))}.json"
    with suppress(*DAMAGED):
        found = json.loads(file.read_text())
        return str(found["engine"]), float(found["microseconds"])
    engine, microseconds = _measured(model, available)
    with suppress(OSError, FileError):  # a cache that cannot be written costs time only
        write_file(file, json.dumps({"engine": engine, "microseconds": microseconds}), durable=False)
    return engine, microseconds


def _measured(
    model: onnx.ModelProto, available: Mapping[str, Callable[[onnx.ModelProto], Run | None]]
) -> tuple[str, float]:
    feeds, times, problem = _feeds(model), {}, ""
    for name, make in available.items():
        try:
            run = make(model)
            if run is not None:
                times[name] = _time(run, feeds)
        except Exception as error:  # what an engine cannot run it does not get
            problem = error.message if isinstance(error, UserError) else f"{type(error).__name__}: {str(error)[:200]}"
    if not times:
        nodes = ", ".join(dict.fromkeys(node.op_type for node in model.graph.node))
        raise HariboteError(
            tr("nothing on the host runs a piece of {nodes}: {value}", nodes, problem or tr("no engine")),
            tr("other operators"),
        )
    engine = min(times, key=lambda name: times[name])
    return engine, times[engine]


def _time(run: Run, feeds: Mapping[str, Array]) -> float:
    """Microseconds of the fastest run; the first one, which may prepare things, counts only where it is the only."""
    best, end = float("inf"), 0.0
    for number in range(MOST_RUNS + 1):
        start = perf_counter()
        run(feeds)
        last = perf_counter()
        end = end or last + SECONDS
        best = min(best, last - start) if number != 1 else last - start
        if last > end:
            break
    return best * 1e6


def _feeds(model: onnx.ModelProto) -> dict[str, Array]:
    """Numbers from 0 to 1, which probabilities and logarithms take too; zeros for integers, which may be indices."""
    random, index = np.random.default_rng(0), Index(model)
    return {
        name: random.random(index.shape[name]).astype(index.dtype[name])
        if index.dtype[name].kind == "f"
        else np.zeros(index.shape[name], index.dtype[name])
        for name in index.inputs
    }


def _key(model: onnx.ModelProto, names: tuple[str, ...]) -> str:
    versions = []
    for package in ("onnx", "numpy", "onnxruntime"):
        with suppress(metadata.PackageNotFoundError):
            versions.append(metadata.version(package))
    nameless = clone(model)
    nameless.graph.name = ""
    content = nameless.SerializeToString(deterministic=True)
    decides = content, names, versions, platform.node(), digest(__name__), headers()
    return hashlib.sha256(repr(decides).encode()).hexdigest()[:32]

"""ONNX's own interface of a runtime, `onnx.backend.base`: models run on the simulated chip, or as C++ on the host.

    from haribote import onnx_backend
    rep = onnx_backend.prepare(model, device="CHIP")
    outputs = rep.run([x, axes])

Open axes take the sizes of the arrays that are given. Inputs that say how a graph looks (axes, shapes, the k of a
TopK, whatever an operator of `DECIDING` reads there) become constants when they are first seen: a new value compiles
anew, one that was seen runs at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper
from onnx.backend.base import Backend, BackendRep, namedtupledict

from haribote.errors import GraphError, HariboteError
from haribote.frontend.onnx_file import adapted
from haribote.graph import Index, clone, complete
from haribote.model_file import inner_graphs
from haribote.operators.mended import evaluator
from haribote.partition.cut import cut
from haribote.partition.host import Run, generated, reference
from haribote.partition.session import CutSession
from haribote.passes.fold_constants import fold_constants
from haribote.progress import aloud
from haribote.stack.planner.narrow import in_words
from haribote.stack.program.packing import too_wide
from simulator.messages import tr

Array = NDArray[Any]

DEVICES = ("CHIP", "CPU")
DECIDING: Mapping[str, tuple[int, ...]] = {
    **dict.fromkeys(("Reshape", "Expand", "Tile", "Squeeze", "Unsqueeze", "TopK", "Split", "Trilu", "CumSum"), (1,)),
    **dict.fromkeys(
        ("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin"), (1,)
    ),
    **dict.fromkeys(("ReduceProd", "ReduceSum", "ReduceSumSquare", "OneHot", "CumProd", "ReverseSequence"), (1,)),
    **dict.fromkeys(("DFT", "STFT"), (1, 2, 3)),
    **dict.fromkeys(("BlackmanWindow", "HammingWindow", "HannWindow", "ConstantOfShape"), (0,)),
    **dict.fromkeys(("Slice", "Resize"), (1, 2, 3, 4)),
    "AffineGrid": (1,),
    "CenterCropPad": (1,),
    "Col2Im": (1, 2),
    "Compress": (1,),
    "Dropout": (1, 2),
    "If": (0,),
    "Loop": (0, 1),
    "MaxUnpool": (2,),
    "MelWeightMatrix": (0, 1, 2, 3, 4),
    "NonMaxSuppression": (0, 1, 2, 3, 4),
    "NonZero": (0,),
    "Pad": (1, 3),
    "Range": (0, 1, 2),
    "Unique": (0,),
    "Upsample": (1,),
}
"""Inputs of operators, by their numbers, that decide the shape of a result or which kernel makes it."""


class HariboteRep(BackendRep):
    """A model that runs.

    Attributes:
        prepared: what was compiled, by the values and shapes that decide.
        last: the one of these that ran last.
    """

    def __init__(self, model: onnx.ModelProto, device: str) -> None:
        self.model, self.device = model, device
        self.names = [info.name for info in model.graph.input if info.name not in _constants(model)]
        self.outputs = [info.name for info in model.graph.output]
        self.prepared: dict[object, Prepared] = {}
        self.last: Prepared | None = None
        self._deciding = set(deciding(model))

    def run(self, inputs: Any, **_: Any) -> tuple[Array, ...]:
        """All outputs for the inputs, an array each in the model's order (or a mapping by name).

        Raises GraphError for inputs that do not fit, HariboteError for a model that nothing here runs.
        """
        given = dict(inputs) if isinstance(inputs, Mapping) else dict(zip(self.names, inputs, strict=False))
        wrong = sorted({*self.names} - {*given})
        if wrong or (not isinstance(inputs, Mapping) and len(inputs) != len(self.names)):
            raise GraphError(
                tr("the model has the inputs {names}; received {inputs} of them", ", ".join(self.names), len(inputs))
            )
        feeds = {name: _array(value) for name, value in given.items()}
        for info in self.model.graph.input:
            if info.name in feeds:
                check(info, feeds[info.name])
        key = tuple(
            (name, value.shape, value.dtype.str, value.tobytes() if name in self._deciding else b"")
            for name, value in sorted(feeds.items())
        )
        if key not in self.prepared:
            self.prepared[key] = self._prepared(feeds)
        self.last = self.prepared[key]
        found = self.last(feeds)
        results: tuple[Array, ...] = namedtupledict("Outputs", self.outputs)(*(found[name] for name in self.outputs))
        return results

    def _prepared(self, feeds: Mapping[str, Array]) -> Prepared:
        """What we do not take at all, ONNX's reference runs as it is; what only follows from what decides, once."""
        try:
            return prepared(specialised(self.model, feeds, self._deciding), self.device)
        except HariboteError as why:
            names = [name for name in self.names if name in feeds]
            run = by_reference(self.model, names, str(why).splitlines()[0])
        if self._deciding and self._deciding >= set(self.names):
            found = run(feeds)
            return Prepared(self.names, self.outputs, "0 of 0", {}, evaluate=lambda _: dict(found))
        return run


@dataclass(frozen=True, eq=False)
class Prepared:
    """A graph on its device. names: of the inputs that it still has; coverage: `n of m` nodes that run on the device;
    reasons: of the others, by node, or by "" for a graph that is refused as a whole.
    """

    names: Sequence[str]
    outputs: Sequence[str]
    coverage: str
    reasons: Mapping[str, str]
    session: CutSession | None = None
    evaluate: Run | None = None

    @property
    def constant(self) -> bool:
        """Whether nothing is left to run: all outputs follow from what decides."""
        return self.coverage == "0 of 0"

    @property
    def refused(self) -> str:
        """Why nothing runs on the device; "" where something does."""
        return self.reasons.get("", "")

    def __call__(self, feeds: Mapping[str, Array]) -> dict[str, Array]:
        """One run: all outputs by name."""
        used = {name: feeds[name] for name in self.names}
        session, evaluate = self.session, self.evaluate
        if session is not None and not any(map(too_wide, used.values())):
            session.step(used)
            return {name: np.asarray(session.read(name)) for name in self.outputs}
        if session is not None:
            evaluate = reference(session.cut.model)
        assert evaluate is not None
        return {name: np.asarray(value) for name, value in evaluate(used).items()}


class HariboteBackend(Backend):
    """What ONNX's tests and tools call; see the module."""

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CHIP", **_: Any) -> HariboteRep:
        """A model made ready; it is compiled when its inputs are known. Raises HariboteError."""
        if not cls.supports_device(device):
            raise HariboteError(tr("there is no device {device!r}", device), tr("one of {devices}", ", ".join(DEVICES)))
        return HariboteRep(model, device)

    @classmethod
    def run_model(cls, model: onnx.ModelProto, inputs: Any, device: str = "CHIP", **_: Any) -> tuple[Array, ...]:
        """One run of a model."""
        return cls.prepare(model, device).run(inputs)

    @classmethod
    def run_node(
        cls, node: onnx.NodeProto, inputs: Any, device: str = "CHIP", outputs_info: Any = None, **kwargs: Any
    ) -> tuple[Array, ...]:
        """One run of a node alone. outputs_info: as in ONNX's interface; shapes and types are inferred anyway."""
        arrays = [_array(value) for value in inputs]
        version = kwargs.get("opset_version", onnx.defs.onnx_opset_version())
        graph = helper.make_graph(
            [node],
            "node",
            [
                helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
                for name, array in zip(filter(None, node.input), arrays, strict=True)
            ],
            [helper.make_empty_tensor_value_info(name) for name in node.output if name],
        )
        return cls.run_model(helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)]), inputs, device)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Whether there is such a device."""
        return device in DEVICES


def _array(value: Any) -> Array:
    """A value as an array of a type that ONNX has: its strings are objects."""
    found = np.asarray(value)
    return found.astype(object) if found.dtype.kind in "US" else found


def deciding(model: onnx.ModelProto) -> Iterator[str]:
    """The inputs of a model that decide how it looks: those from which an operand of DECIDING is computed."""
    nodes = list(_all_nodes(model.graph))
    producer = {name: node for node in nodes for name in node.output}
    inputs = {info.name for info in model.graph.input}
    waiting = [
        name
        for node in nodes
        for number, name in enumerate(node.input)
        if number in DECIDING.get(node.op_type, ()) and name
    ]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        if name in inputs:
            yield name
        elif name in producer and producer[name].op_type not in ("Shape", "Size"):
            waiting += producer[name].input
            waiting += [info.name for graph in inner_graphs(producer[name]) for info in graph.output]


def _all_nodes(graph: onnx.GraphProto) -> Iterator[onnx.NodeProto]:
    """The nodes of a graph and of the graphs inside of them, which see its values."""
    for node in graph.node:
        yield node
        for inner in inner_graphs(node):
            yield from _all_nodes(inner)


def specialised(model: onnx.ModelProto, feeds: Mapping[str, Array], constant: set[str]) -> onnx.ModelProto:
    """The model for inputs of these shapes, in which those named in `constant` have these values; as a graph of ours.

    Raises GraphError.
    """
    model = clone(model)
    for info in list(model.graph.input):
        if info.name not in feeds:
            continue
        value, kind = feeds[info.name], info.type.tensor_type
        kind.shape.CopyFrom(onnx.TensorShapeProto())
        for size in value.shape:
            kind.shape.dim.add().dim_value = size
        if info.name in constant:
            model.graph.initializer.append(numpy_helper.from_array(value, info.name))
            model.graph.input.remove(info)
    del model.graph.value_info[:]
    _without_compress(model)
    return adapted(model, {})


def _without_compress(model: onnx.ModelProto) -> None:
    """Compress by a known condition is a Gather. In place."""
    known = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    for number, node in enumerate(list(model.graph.node)):
        if node.op_type != "Compress" or node.input[1] not in known:
            continue
        data, axis = node.input[0], next((a.i for a in node.attribute if a.name == "axis"), None)
        at = len(model.graph.node) - len(model.graph.node[number:])
        model.graph.node.remove(node)
        names = [f"{node.output[0]}.{part}" for part in ("places", "flat", "all")]
        model.graph.initializer.append(numpy_helper.from_array(np.flatnonzero(known[node.input[1]]), names[0]))
        if axis is None:
            model.graph.initializer.append(numpy_helper.from_array(np.array([-1]), names[2]))
            model.graph.node.insert(at, helper.make_node("Reshape", [data, names[2]], [names[1]]))
            data, axis, at = names[1], 0, at + 1
        model.graph.node.insert(at, helper.make_node("Gather", [data, names[0]], list(node.output), axis=axis))


def check(info: onnx.ValueInfoProto, value: Array) -> None:
    """Raises GraphError for an array that is no value of this input."""
    if not info.type.HasField("tensor_type"):
        raise GraphError(tr("input {name!r} is no tensor", info.name), tr("a model of tensors"))
    kind = info.type.tensor_type
    if helper.np_dtype_to_tensor_dtype(value.dtype) != kind.elem_type:
        dtype = helper.tensor_dtype_to_np_dtype(kind.elem_type)
        raise GraphError(tr("input {name!r} must be of {dtype}, received {dtype2}", info.name, dtype, value.dtype))
    if not kind.HasField("shape"):
        return
    sizes = [dim.dim_value if dim.HasField("dim_value") else None for dim in kind.shape.dim]
    if len(sizes) != value.ndim or any(s not in (None, real) for s, real in zip(sizes, value.shape, strict=True)):
        wanted = "x".join("?" if size is None else str(size) for size in sizes)
        raise GraphError(
            tr(
                "input {name!r} must be {value}, received {shape}",
                info.name,
                wanted or tr("a scalar"),
                list(value.shape),
            )
        )


def prepared(model: onnx.ModelProto, device: str) -> Prepared:
    """A graph of ours on a device; what that does not take runs on the host, with the reason. Raises HariboteError."""
    folded = clone(model)
    fold_constants(folded, outputs=True)
    model = complete(folded)
    index, count = Index(model), len(model.graph.node)
    here = partial(Prepared, index.inputs, index.outputs)
    if count == 0:
        return here("0 of 0", {}, evaluate=reference(model))
    if device == "CPU":
        run = generated(model) or _in_words(model)
        if run is not None:
            return here(f"{count} of {count}", {}, evaluate=run)
        return here(
            f"0 of {count}", {"": tr("C++ has no template for one of its operators")}, evaluate=reference(model)
        )
    with aloud():
        found = cut(model, by_cost=False)
    reasons = {name: why for piece in found.pieces for name, why in piece.reasons.items()}
    return here(found.coverage, reasons, session=CutSession(found))


def _in_words(model: onnx.ModelProto) -> Run | None:
    """C++ of the types that it has, others computed in those; None where there is none."""
    try:
        wide = in_words(model)
    except HariboteError:
        return None
    run = None if wide is model else generated(wide)
    if run is None:
        return None
    given, wanted = Index(wide).dtype, Index(model).dtype
    return lambda feeds: {
        name: value.astype(wanted[name])
        for name, value in run({name: value.astype(given[name]) for name, value in feeds.items()}).items()
    }


def by_reference(model: onnx.ModelProto, names: Sequence[str], why: str) -> Prepared:
    """A model that is refused as a whole, run as it is by ONNX's reference. Raises GraphError where that fails too."""
    outputs = [info.name for info in model.graph.output]
    try:
        whole = evaluator(model)
    except Exception as error:  # its errors have no common class
        raise _neither(why, error) from error

    def run(feeds: Mapping[str, Array]) -> dict[str, Array]:
        try:
            return dict(zip(outputs, whole.run(None, dict(feeds)), strict=True))
        except Exception as error:
            raise _neither(why, error) from error

    return Prepared(names, outputs, f"0 of {len(model.graph.node)}", {"": why}, evaluate=run)


def _neither(why: str, error: Exception) -> GraphError:
    return GraphError(why, tr("other operators: ONNX's reference does not take the model either ({error})", error))


def _constants(model: onnx.ModelProto) -> set[str]:
    return {tensor.name for tensor in model.graph.initializer}


is_compatible = HariboteBackend.is_compatible
prepare = HariboteBackend.prepare
run_model = HariboteBackend.run_model
run_node = HariboteBackend.run_node
supports_device = HariboteBackend.supports_device

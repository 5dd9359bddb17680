"""Build, verify, look up, evaluate, save and load ONNX graphs. The interchange is `onnx.ModelProto` everywhere."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import DTypeLike, NDArray
from onnx import checker, helper, numpy_helper, shape_inference

from haribote.constants import Constants, replace_fields, without_large_constants
from haribote.constants import clone as clone  # as it is called everywhere
from haribote.errors import GraphError
from haribote.model_file import about, check_declared, declared, give_names, parsed, reason, within_limits
from haribote.operators.functions import DOMAIN, FUNCTIONS, OPSET
from haribote.operators.opset import at_our_opset
from haribote.operators.reference import operators, run_nodes
from simulator.files import write_file
from simulator.messages import Text, tr

Array = NDArray[Any]
Shape = tuple[int, ...]

IR_VERSION = 10
STATIC = Text("export it with static shapes, and with operators of ONNX's own")
KIND, UPDATES = "haribote.kind", "haribote.updates"
PADDING, TILES, DRAM = "haribote.padding", "haribote.tiles", "haribote.dram"
"""Keys of a model's metadata_props: "train" or "infer"; JSON {parameter: output}; JSON, see `passes.pad`; JSON, see
`passes.tile`; JSON {tensor: address in long words}, see `place`."""
INDICES = "haribote.indices"
"""Key of a node's metadata_props: "labels" where no index counts from the end."""
PART = "haribote.part"
"""Key of a node's metadata_props: "loss" for the nodes that only the loss value needs."""


class Index:
    """Lookups in one model: who makes a value, who uses it, its shape and dtype, its constant. A snapshot.

    Attributes:
        producer: value name to the node that makes it (not for inputs and constants).
        consumers: value name to the nodes that read it, in order; an empty list where none does.
        shape, dtype: of every value of the model.
        constants: initializer name to its array.
        inputs, outputs: names, in order.
    """

    def __init__(self, model: onnx.ModelProto) -> None:
        graph = model.graph
        self.constants: MutableMapping[str, Array] = Constants(graph.initializer)
        self.inputs = [info.name for info in graph.input]
        self.outputs = [info.name for info in graph.output]
        self.shape: dict[str, Shape] = {init.name: tuple(init.dims) for init in graph.initializer}
        self.dtype: dict[str, np.dtype[Any]] = {
            init.name: helper.tensor_dtype_to_np_dtype(init.data_type) for init in graph.initializer
        }
        for info in [*graph.input, *graph.value_info, *graph.output]:
            tensor = info.type.tensor_type
            if tensor.elem_type and tensor.HasField("shape") and all(d.HasField("dim_value") for d in tensor.shape.dim):
                self.shape[info.name] = tuple(d.dim_value for d in tensor.shape.dim)
                self.dtype[info.name] = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
        self.look_up_nodes(graph)

    def look_up_nodes(self, graph: onnx.GraphProto) -> None:
        """Again who makes a value and who uses it, after nodes have gone; shapes, dtypes and constants stay."""
        self.node = {node.name: node for node in graph.node}
        self.producer = {name: node for node in graph.node for name in node.output}
        self.consumers: dict[str, list[onnx.NodeProto]] = {name: [] for name in [*self.shape, *self.producer]}
        for node in graph.node:
            for name in dict.fromkeys(node.input):
                self.consumers.setdefault(name, []).append(node)


def attributes(node: onnx.NodeProto) -> dict[str, Any]:
    """The node's attributes as Python values; an absent one is absent (the operator's default holds)."""
    return {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}


def turned(node: onnx.NodeProto, rank: int) -> list[int]:
    """The axes of its input, of this rank, in the order in which a Transpose gives them."""
    return list(attributes(node).get("perm", range(rank)[::-1]))


def kind(model: onnx.ModelProto) -> str:
    """What the graph is: "train", "infer", or "" for a graph that is not ours."""
    return metadata(model).get(KIND, "")


def updates(model: onnx.ModelProto) -> dict[str, str]:
    """Parameter name to the output that holds its value after the step."""
    result: dict[str, str] = json.loads(metadata(model).get(UPDATES, "{}"))
    return result


def set_metadata(model: onnx.ModelProto, **values: str) -> None:
    """Set metadata_props `haribote.<key>`; the others stay."""
    named = {f"haribote.{key}": value for key, value in values.items()}
    helper.set_model_props(model, metadata(model) | named)


def mark_loss(node: onnx.NodeProto) -> None:
    """Mark a node as part of the loss value, which nothing in the update needs."""
    put(node, PART, "loss")


def is_loss(node: onnx.NodeProto) -> bool:
    """Whether `passes.decompose` marked the node as part of the loss value."""
    return metadata(node).get(PART) == "loss"


def mark_labels(node: onnx.NodeProto) -> None:
    """Say that a node's indices are labels: none counts from the end."""
    put(node, INDICES, "labels")


def has_labels(node: onnx.NodeProto) -> bool:
    """Whether `mark_labels` has marked the node."""
    return metadata(node).get(INDICES) == "labels"


def metadata(item: onnx.ModelProto | onnx.NodeProto) -> dict[str, str]:
    """The metadata_props of a model or a node."""
    return {prop.key: prop.value for prop in item.metadata_props}


def put(node: onnx.NodeProto, key: str, value: str) -> None:
    """Set a metadata entry of a node, replacing an older one."""
    for entry in node.metadata_props:
        if entry.key == key:
            entry.value = value
            return
    node.metadata_props.add(key=key, value=value)


class Builder:
    """Grows a graph node by node; `finish` gives the verified model.

    A node is named after its (only) output. A name that is taken gets a number: `relu`, `relu_1`.
    """

    def __init__(self, name: str) -> None:
        self.model = onnx.ModelProto(ir_version=IR_VERSION, producer_name="haribote")
        self.model.graph.name = name
        self._taken: set[str] = set()

    @classmethod
    def like(cls, model: onnx.ModelProto) -> Builder:
        """A builder with the model's inputs, outputs, constants and metadata, and no node yet.

        The names of all its values are reserved, so that a node added later may keep its name.
        """
        builder = cls(model.graph.name)
        builder.model.metadata_props.extend(model.metadata_props)
        builder.model.functions.extend(model.functions)
        for part in ("input", "output", "initializer"):
            getattr(builder.model.graph, part).extend(getattr(model.graph, part))
        builder._taken = {info.name for info in [*model.graph.input, *model.graph.initializer]}
        builder._taken |= {name for node in model.graph.node for name in node.output}
        return builder

    def fresh(self, name: str) -> str:
        """The name, or the first of name_1, name_2, ... that no value has; it counts as taken from now on."""
        number, result = 0, name
        while result in self._taken:
            number += 1
            result = f"{name}_{number}"
        self._taken.add(result)
        return result

    def input(self, name: str, shape: Shape, dtype: DTypeLike) -> str:
        """Declare a graph input."""
        self._taken.add(name)
        self.model.graph.input.append(tensor_info(name, shape, dtype))
        return name

    def output(self, name: str) -> None:
        """Declare a graph output; its shape is inferred."""
        self.model.graph.output.append(helper.make_empty_tensor_value_info(name))

    def function(self, function: onnx.FunctionProto) -> None:
        """Define an operator of the domain `haribote` that only this model has, as `passes.fuse` makes them."""
        self.model.functions.append(function)

    def constant(self, value: Array, name: str) -> str:
        """Add an initializer, or reuse the equal one of that name."""
        for init in self.model.graph.initializer:
            if init.name == name and same(numpy_helper.to_array(init), value):
                return name
        name = self.fresh(name)
        self.model.graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def scalar(self, value: float, dtype: DTypeLike = np.float32) -> str:
        """A constant of shape [], named after its value."""
        return self.constant(np.array(value, dtype), f"constant_{value:.9g}")

    def op(self, op_type: str, *inputs: str, name: str, reserved: bool = False, **attrs: Any) -> str:
        """Add a node with one output of that name (made unique unless `reserved` says the name is ours); returns it.

        An operator of `functions.FUNCTIONS`, or one that `function` defined, is of the domain `haribote`.
        """
        name = name if reserved else self.fresh(name)
        ours = op_type in FUNCTIONS or any(function.name == op_type for function in self.model.functions)
        domain = DOMAIN if ours else ""
        self.model.graph.node.append(helper.make_node(op_type, inputs, [name], name=name, domain=domain, **attrs))
        return name

    def keep(self, node: onnx.NodeProto, inputs: Iterable[str] | None = None) -> onnx.NodeProto:
        """Add a copy of a node of the model given to `like`, which reads `inputs` where they are given; returns it."""
        self.model.graph.node.append(node)
        copy: onnx.NodeProto = self.model.graph.node[-1]
        if inputs is not None:
            copy.input[:] = list(inputs)
        return copy

    def finish(self) -> onnx.ModelProto:
        """The model with all shapes inferred, verified."""
        return complete(self.model)


def _type_outputs(graph: onnx.GraphProto) -> None:
    """Outputs that are inputs or constants themselves get their types, which inference leaves out."""
    known = {info.name: info for info in graph.input}
    for init in graph.initializer:
        known[init.name] = helper.make_tensor_value_info(init.name, init.data_type, init.dims)
    for info in graph.output:
        if info.name in known and not info.type.HasField("tensor_type"):
            info.CopyFrom(known[info.name])


def tensor_info(name: str, shape: Shape, dtype: DTypeLike) -> onnx.ValueInfoProto:
    """Name, shape and element type of a value."""
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), shape)


def same(a: Array, b: Array) -> bool:
    """Whether two arrays agree in dtype, shape and every bit."""
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def complete(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model, in place: opset imports, function bodies and shapes inferred anew, verified. Ends every pass.

    The types of inner values and outputs are forgotten and inferred again, so a pass may change the inputs' shapes.

    Raises:
        GraphError: the graph is not valid; see `verify`. The model is as it was.
    """
    light = without_large_constants(model)
    graph = light.graph
    names = [info.name for info in graph.output]
    bodies = {function.name: function for function in clone(light).functions} | FUNCTIONS
    del graph.value_info[:], graph.output[:], light.opset_import[:], light.functions[:]
    graph.output.extend(helper.make_empty_tensor_value_info(name) for name in names)
    light.opset_import.append(helper.make_opsetid("", OPSET))
    ours = dict.fromkeys(node.op_type for node in graph.node if node.domain == DOMAIN)
    if ours:
        light.opset_import.append(helper.make_opsetid(DOMAIN, 1))
        light.functions.extend(bodies[op_type] for op_type in ours)
    light = _with_shapes(light)
    for info in [info for info in light.graph.value_info if info.name in names]:
        light.graph.value_info.remove(info)  # the outputs have it already
    _type_outputs(light.graph)
    verify(light)
    replace_fields(model, light, ("opset_import", "functions"))
    replace_fields(model.graph, light.graph, ("value_info", "output"))
    return model


def _with_shapes(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with all shapes. What depends on values is looked at only where it must be: that takes time for every
    element of a tensor."""
    found = inferred(model, check_type=True, strict_mode=True)
    shapes = Index(found).shape
    if all(name in shapes for node in found.graph.node for name in node.output if name):
        return found
    return inferred(model, check_type=True, strict_mode=True, data_prop=True)


def remove_unused_constants(graph: onnx.GraphProto) -> None:
    """Remove the constants that no node reads and that are no output. In place."""
    used = {name for node in graph.node for name in node.input} | {info.name for info in graph.output}
    for number in reversed(range(len(graph.initializer))):
        if graph.initializer[number].name not in used:
            del graph.initializer[number]


def verify(model: onnx.ModelProto) -> None:
    """Check what every pass must keep; a bug in a pass shows here, beside its cause.

    Raises:
        GraphError: onnx.checker refuses the model; a value is defined twice or used before its definition; a value has
            no static shape or dtype; node names are absent or not unique; a domain is not imported.
    """
    fault = next(_faults(model), None)
    if fault is not None:
        raise fault
    try:
        checker.check_model(model, full_check=True)
    except (checker.ValidationError, shape_inference.InferenceError) as error:
        raise GraphError(tr("graph {name!r}: onnx.checker: {error}", model.graph.name, reason(error))) from error


def _faults(model: onnx.ModelProto) -> Iterator[GraphError]:
    """What `verify` finds by itself."""
    graph = model.graph
    index = Index(model)
    imported = {entry.domain for entry in model.opset_import}
    defined = {*index.inputs, *index.constants, ""}
    names: set[str] = set()
    typed = [info for info in graph.value_info if info.type.WhichOneof("value")]
    others = {info.name for info in typed if not info.type.HasField("tensor_type")}

    def where(node: onnx.NodeProto) -> str:
        return tr("graph {name!r}, node {name2!r} ({op_type})", graph.name, node.name, node.op_type)

    for node in graph.node:
        if not node.name or node.name in names:
            yield GraphError(tr("{where}: every node has a name of its own", where(node)))
        if node.domain not in imported:
            what = tr("{where}: domain {domain!r} is not imported", where(node), node.domain)
            yield GraphError(what)
        for name in node.input:
            if name not in defined:
                yield GraphError(tr("{where}: reads {name!r} before it is defined", where(node), name))
        for name in filter(None, node.output):  # an output may be left out
            if name in defined:
                yield GraphError(tr("{where}: defines {name!r} a second time", where(node), name))
            if name in others:
                what = tr("{where}: {name!r} is a sequence, an optional or a map, no tensor", where(node), name)
                yield GraphError(what, STATIC)
            elif name not in index.shape:
                what = tr("{where}: the shape of {name!r} is not known statically", where(node), name)
                yield GraphError(what, STATIC)
        names.add(node.name)
        defined.update(node.output)
    for name in index.outputs:
        if name not in defined:
            yield GraphError(tr("graph {name!r}: nothing defines its output {name2!r}", graph.name, name))
        if index.outputs.count(name) > 1:
            yield GraphError(tr("graph {name!r}: its output {name2!r} is listed twice", graph.name, name))


def evaluate(model: onnx.ModelProto, feeds: Mapping[str, Array], *, every_value: bool = False) -> dict[str, Array]:
    """Run the graph node by node with ONNX's reference operators, the slow definition of its meaning.

    Args:
        model: any valid model, operators of the domain `haribote` included.
        feeds: every graph input by name, with exactly its shape and dtype.
        every_value: give every value of the graph, inputs and constants too (for comparisons node by node).

    Raises:
        GraphError: an input is missing, unknown, or of another shape or dtype; a node has a graph inside.
    """
    index = Index(model)
    if set(feeds) != set(index.inputs):
        raise GraphError(tr("inputs must be {inputs}, received {feeds}", sorted(index.inputs), sorted(feeds)))
    for name, array in feeds.items():
        dtype, shape = index.dtype[name], index.shape[name]
        if (dtype, shape) != (array.dtype, array.shape):
            raise GraphError(
                tr(
                    "input {name!r} must be {wanted}{wanted2}, received {got}{got2}",
                    name=name,
                    wanted=dtype,
                    wanted2=list(shape),
                    got=array.dtype,
                    got2=list(array.shape),
                )
            )
    with np.errstate(divide="ignore"):  # its LogSoftmax takes the logarithm of a probability that may be 0
        values = run_nodes(model.graph.node, {**index.constants, **feeds}, operators(model))
    return {name: np.asarray(values[name]) for name in (values if every_value else index.outputs)}


def save(model: onnx.ModelProto, path: str | Path) -> None:
    """Verify and write the model; the file appears whole or not at all.

    Raises:
        GraphError: the model is not valid.
        HariboteError: the file cannot be written.
    """
    verify(model)
    write_file(Path(path), model.SerializeToString())


def load(path: str | Path) -> onnx.ModelProto:
    """Read and verify a model; shapes that the file does not state are inferred, nodes without a name get one.

    Raises:
        GraphError: the file cannot be read, is not ONNX, is larger than `model_file` allows, is of an opset that cannot
            be converted to ours, or is not a valid graph with static shapes.
    """
    model = parsed(Path(path))
    with about(Path(path)):
        said = declared(model.graph)
        give_names(model)
        verify(model := inferred(at_our_opset(model)))
        check_declared(said, model)
        return within_limits(model)


def inferred(model: onnx.ModelProto, **options: bool) -> onnx.ModelProto:
    """The model with the shapes that ONNX infers. Raises GraphError where they contradict each other."""
    try:
        found: onnx.ModelProto = shape_inference.infer_shapes(model, **options)
        return found
    except Exception as error:  # its errors have no common class
        from haribote.misfit import misfit

        told = misfit(model) or reason(error)
        raise GraphError(tr("graph {name!r}: shapes do not fit: {told}", model.graph.name, told)) from error

"""Models that somebody might give to a command: each is wrong in one way, or more than anybody can compute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT = TensorProto.FLOAT
Make = Callable[[], "onnx.ModelProto | bytes"]
BAD: dict[str, Make] = {}
"""By what is wrong."""
HUGE = 1 << 40


def model(
    nodes: Sequence[onnx.NodeProto] = (),
    x: Sequence[Any] | None = (2, 3),
    y: Sequence[Any] | None = (2, 3),
    *,
    constants: Sequence[onnx.TensorProto] = (),
    kind: int = FLOAT,
    out: int = FLOAT,
    opset: int = 20,
) -> onnx.ModelProto:
    """A model with an input `x` and an output `y`."""
    nodes = nodes or [helper.make_node("Relu", ["x"], ["y"], name="n")]
    given = helper.make_tensor_value_info("x", kind, x)
    made = helper.make_tensor_value_info("y", out, y)
    graph = helper.make_graph(nodes, "g", [given], [made], list(constants))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def node(op: str, inputs: Sequence[str] = ("x",), outputs: Sequence[str] = ("y",), **given: Any) -> onnx.NodeProto:
    return helper.make_node(op, inputs, outputs, name="n", **given)


def ints(name: str, *values: int) -> onnx.TensorProto:
    return numpy_helper.from_array(np.array(values, np.int64), name)


def changed(change: Callable[[onnx.ModelProto], Any], **given: Any) -> Make:
    """The plain model after a change in place."""

    def make() -> onnx.ModelProto:
        made = model(**given)
        change(made)
        return made

    return make


def with_constant(change: Callable[[onnx.TensorProto], Any]) -> Make:
    """`x + w`, whose w was changed."""

    def make() -> onnx.ModelProto:
        w = numpy_helper.from_array(np.ones((2, 3), np.float32), "w")
        change(w)
        return model([node("Add", ["x", "w"])], constants=[w])

    return make


def one(op: str, *constants: onnx.TensorProto, x: Any = (2, 3), y: Any = None, **given: Any) -> Make:
    """One node of x and of constants."""
    return lambda: model([node(op, ["x", *(c.name for c in constants)], **given)], x, y, constants=constants)


def computed(op: str, *constants: onnx.TensorProto, **given: Any) -> Make:
    """A node of constants alone, which the compiler would compute, added to x."""

    def make() -> onnx.ModelProto:
        nodes = [
            helper.make_node(op, [c.name for c in constants], ["c"], name="c", **given),
            helper.make_node("Cast", ["c"], ["f"], name="f", to=FLOAT),
            helper.make_node("ReduceSum", ["f"], ["s"], name="s"),
            node("Add", ["x", "s"]),
        ]
        return model(nodes, y=None, constants=constants)

    return make


def number(value: float, name: str = "v", dtype: Any = np.float32) -> onnx.TensorProto:
    return numpy_helper.from_array(np.array(value, dtype), name)


def external(location: str) -> Make:
    def change(w: onnx.TensorProto) -> None:
        w.ClearField("raw_data")
        w.data_location = TensorProto.EXTERNAL
        w.external_data.add(key="location", value=location)

    return with_constant(change)


def metadata(**entries: str) -> Make:
    return changed(lambda m: helper.set_model_props(m, {f"haribote.{key}": value for key, value in entries.items()}))


def chain(length: int) -> onnx.ModelProto:
    names = ["x", *(f"v{i}" for i in range(length - 1)), "y"]
    return model([helper.make_node("Relu", [a], [b]) for a, b in pairwise(names)])


def calls_itself() -> onnx.ModelProto:
    made = model([helper.make_node("F", ["x"], ["y"], name="n", domain="d")])
    inner = helper.make_node("F", ["a"], ["b"], domain="d")
    imports = [helper.make_opsetid("", 20), helper.make_opsetid("d", 1)]
    made.functions.append(helper.make_function("d", "F", ["a"], ["b"], [inner], imports))
    made.opset_import.append(helper.make_opsetid("d", 1))
    return made


def branches() -> onnx.ModelProto:
    constant = helper.make_node("Constant", [], ["b"], value=number(1))
    inner = helper.make_graph([constant], "b", [], [helper.make_tensor_value_info("b", FLOAT, [])])
    made = model([node("If", ["c"], then_branch=inner, else_branch=inner)], y=[])
    made.graph.initializer.append(numpy_helper.from_array(np.array(True), "c"))
    return made


def two_outputs(m: onnx.ModelProto) -> None:
    m.graph.node.append(helper.make_node("Relu", ["x"], ["y"], name="again"))


def cycle() -> onnx.ModelProto:
    return model([helper.make_node("Add", ["x", "y"], ["z"]), helper.make_node("Relu", ["z"], ["y"])])


ESC = "\x1b]0;title\x07\x1b[31m"
BAD |= {
    "empty": lambda: b"",
    "text": lambda: b"a text, no model\n",
    "zeros": lambda: bytes(1000),
    "a picture": lambda: b"\x89PNG\r\n\x1a\n" + bytes(64),
    "an archive": lambda: b"PK\x03\x04" + bytes(64),
    "JSON": lambda: b'{"graph": {"node": []}}',
    "control bytes": lambda: ESC.encode() * 9,
    "cut short": lambda: model().SerializeToString()[:-9],
    "another message": lambda: model().graph.SerializeToString(),
    "no nodes": changed(lambda m: m.graph.ClearField("node")),
    "nothing in it": changed(lambda m: m.ClearField("graph")),
    "only the input goes out": lambda: helper.make_model(
        helper.make_graph([], "g", [i := helper.make_tensor_value_info("x", FLOAT, [2])], [i]),
        opset_imports=[helper.make_opsetid("", 20)],
    ),
    "no outputs": changed(lambda m: m.graph.ClearField("output")),
    "no opset": changed(lambda m: m.ClearField("opset_import")),
    "opset 0": changed(lambda m: setattr(m.opset_import[0], "version", 0)),
    "opset -5": changed(lambda m: setattr(m.opset_import[0], "version", -5)),
    "opset 1": lambda: model([node("Add", ["x", "x"], axis=0, broadcast=1)], opset=1),
    "opset 999": changed(lambda m: setattr(m.opset_import[0], "version", 999)),
    "an old operator": lambda: model([node("Upsample", scales=[1.0, 2.0], mode="nearest")], y=None, opset=7),
    "an operator nobody knows": lambda: model([node("Wibble")]),
    "a domain nobody knows": lambda: model([node("Relu", domain="com.acme")]),
    "an operator of ours nobody knows": lambda: model([node("Wibble", domain="haribote")]),
    "a function that calls itself": calls_itself,
    "branches": branches,
    "a loop without a body": lambda: model([node("Loop", ["", "", "x"])]),
    "an input without a type": changed(lambda m: m.graph.input[0].ClearField("type")),
    "an input without a shape": changed(lambda m: m.graph.input[0].type.tensor_type.ClearField("shape")),
    "an open axis": lambda: model(x=["batch", 3], y=["batch", 3]),
    "a negative axis": lambda: model(x=[-4, 3], y=None),
    "an axis of zero": lambda: model(x=[0, 3], y=[0, 3]),
    "strings": lambda: model([node("Identity")], kind=TensorProto.STRING, out=TensorProto.STRING),
    "complex numbers": lambda: model([node("Identity")], kind=TensorProto.COMPLEX64, out=TensorProto.COMPLEX64),
    "a type nobody knows": lambda: model(kind=77, out=77),
    "float8": lambda: model([node("Identity")], kind=TensorProto.FLOAT8E5M2, out=TensorProto.FLOAT8E5M2),
    "a sequence": changed(
        lambda m: m.graph.input[0].CopyFrom(helper.make_tensor_sequence_value_info("x", FLOAT, [2, 3]))
    ),
    "2^40 x 2^40": lambda: model(x=[HUGE, HUGE], y=[HUGE, HUGE]),
    "2^62 x 2^62": lambda: model(x=[1 << 62, 1 << 62], y=[1 << 62, 1 << 62]),
    "10^5 x 10^5": lambda: model(x=[10**5, 10**5], y=[10**5, 10**5]),
    "2^31": lambda: model(x=[1 << 31], y=[1 << 31]),
    "17 axes": lambda: model(x=[1] * 17, y=[1] * 17),
    "70 axes": lambda: model(x=[1] * 70, y=[1] * 70),
    "an outer product of 10^5": lambda: model([node("MatMul", ["x", "t"])], [10**5, 1], None, constants=[
        numpy_helper.from_array(np.ones((1, 10**5), np.float32), "t")]),
    "a constant too short": with_constant(lambda w: setattr(w, "raw_data", w.raw_data[:-4])),
    "a constant with half a number": with_constant(lambda w: setattr(w, "raw_data", w.raw_data[:-1])),
    "a constant too long": with_constant(lambda w: setattr(w, "raw_data", w.raw_data * 2)),
    "a constant without data": with_constant(lambda w: w.ClearField("raw_data")),
    "a constant of a negative size": with_constant(lambda w: w.dims.__setitem__(0, -2)),
    "a constant that says 2^40": with_constant(lambda w: w.dims.__setitem__(0, HUGE)),
    "a constant of no type": with_constant(lambda w: setattr(w, "data_type", 0)),
    "a constant of type 99": with_constant(lambda w: setattr(w, "data_type", 99)),
    "a constant of strings": with_constant(lambda w: (w.ClearField("raw_data"), setattr(w, "data_type", 8),
                                                      w.string_data.extend([b"a"] * 6))),
    "a constant elsewhere": external("weights.bin"),
    "a constant in /etc": external("/etc/passwd"),
    "a constant above": external("../../../../../../etc/passwd"),
    "a constant without a place": with_constant(lambda w: (w.ClearField("raw_data"), setattr(w, "data_location", 1))),
    "a constant twice": changed(lambda m: m.graph.initializer.extend([number(1), number(2)])),
    "a node without outputs": lambda: model([node("Relu", outputs=[])]),
    "a node with an empty output": lambda: model([node("Relu", outputs=[""])]),
    "a node without inputs": lambda: model([node("Relu", inputs=[])]),
    "too many inputs": lambda: model([node("Relu", ["x", "x", "x"])]),
    "too many outputs": lambda: model([node("Relu", outputs=["y", "z"])]),
    "an unknown input": lambda: model([node("Relu", ["nothing"])]),
    "an unknown output": changed(lambda m: setattr(m.graph.output[0], "name", "nothing")),
    "a value made twice": changed(two_outputs),
    "the wrong order": lambda: model([helper.make_node("Relu", ["z"], ["y"]), helper.make_node("Relu", ["x"], ["z"])]),
    "a cycle": cycle,
    "an attribute nobody knows": lambda: model([node("Relu", wibble=3)]),
    "an attribute of another type": lambda: model([node("Softmax", axis="one")]),
    "an attribute twice": changed(lambda m: m.graph.node[0].attribute.extend([helper.make_attribute("a", 1)] * 2)),
    "an attribute too few": lambda: model([node("Concat", ["x", "x"])], y=None),
    "an axis out of range": lambda: model([node("Softmax", axis=9)]),
    "a turn of too many axes": lambda: model([node("Transpose", perm=[2, 1, 0])], y=None),
    "a turn with an axis twice": lambda: model([node("Transpose", perm=[0, 0])], y=None),
    "shapes that do not fit": lambda: model([node("MatMul", ["x", "x"])], y=None),
    "rows that do not fit": one("Add", numpy_helper.from_array(np.ones((2, 4), np.float32), "w")),
    "a reshape to too much": one("Reshape", ints("s", 5, 5)),
    "a reshape to two unknowns": one("Reshape", ints("s", -1, -1)),
    "a reshape to -7": one("Reshape", ints("s", -7)),
    "a Gemm of three axes": lambda: model([node("Gemm", ["x", "x"])], [2, 2, 2], None),
    "a convolution by nothing": lambda: model([node("Conv", ["x", "w"])], [1, 1, 4, 4], None, constants=[
        numpy_helper.from_array(np.ones((1, 1, 0, 0), np.float32), "w")]),
    "a convolution in steps of 0": lambda: model([node("Conv", ["x", "w"], strides=[0, 0])], [1, 1, 4, 4], None,
        constants=[numpy_helper.from_array(np.ones((1, 1, 2, 2), np.float32), "w")]),
    "a convolution of 0 groups": lambda: model([node("Conv", ["x", "w"], group=0)], [1, 1, 4, 4], None, constants=[
        numpy_helper.from_array(np.ones((1, 1, 2, 2), np.float32), "w")]),
    "a pool wider than its picture": lambda: model([node("MaxPool", kernel_shape=[9, 9])], [1, 1, 4, 4], None),
    "a pool with a huge edge": lambda: model([node("MaxPool", kernel_shape=[1, 1], pads=[10**9] * 4)], [1, 1, 4, 4],
                                             None),
    "rows that are not there": one("Gather", ints("i", 99)),
    "parts that do not fit": one("Split", ints("s", 5, 5)),
    "a Constant without a value": computed("Constant"),
    "a constant of 2^40 from its shape": computed("ConstantOfShape", ints("s", HUGE)),
    "a constant of a negative shape": computed("ConstantOfShape", ints("s", -3)),
    "an Expand to 2^40": computed("Expand", number(1), ints("s", 1 << 20, 1 << 20)),
    "a Tile of 10^12": computed("Tile", numpy_helper.from_array(np.ones(1, np.float32), "v"), ints("t", 10**12)),
    "a Range to 10^12": computed("Range", number(0), number(1e12, "to"), number(1, "by")),
    "a Range in steps of 0": computed("Range", number(0), number(9, "to"), number(0, "by")),
    "an edge of 10^10": computed("Pad", numpy_helper.from_array(np.ones(1, np.float32), "v"), ints("p", 0, 10**10)),
    "a scale of 10^9": computed("Resize", numpy_helper.from_array(np.ones((1, 1, 2, 2), np.float32), "v"),
        ints("none"), numpy_helper.from_array(np.array([1, 1, 1e9, 1e9], np.float32), "s")),
    "a OneHot of 10^11": computed("OneHot", ints("i", 1), number(10**11, "d", np.int64),
        numpy_helper.from_array(np.array([0, 1], np.float32), "w")),
    "a product of constants of 10^5 x 10^5": computed("MatMul",
        numpy_helper.from_array(np.ones((10**5, 1), np.float32), "a"),
        numpy_helper.from_array(np.ones((1, 10**5), np.float32), "b")),
    "an Expand of x to 2^40": one("Expand", ints("s", HUGE, 2, 3)),
    "a division by 0": computed("Div", ints("a", 1), ints("b", 0)),
    "an output of another shape": lambda: model(y=[3, 2]),
    "an output of another rank": lambda: model(y=[6]),
    "an output of another type": lambda: model(out=TensorProto.INT64),
    "an inner value of another shape": lambda: _said_wrong([3, 3], FLOAT),
    "an inner value of another type": lambda: _said_wrong([2, 3], TensorProto.DOUBLE),
    "names that turn a terminal red": lambda: model([helper.make_node("Wibble", ["x"], ["y"], name=ESC)]),
    "an operator that sets the title": lambda: model([node(ESC)]),
    "an axis that sets the title": lambda: model(x=[ESC, 3], y=None),
    "names of two lines": lambda: model([helper.make_node("Wibble", ["x"], ["y"], name="a\nb")]),
    "a name of a million letters": lambda: model([helper.make_node("Wibble", ["x"], ["y"], name="a" * 10**6)]),
    "30,000 nodes": lambda: chain(30_000),
    "metadata that are no JSON": metadata(kind="train", updates="{", padding="[", tiles="(", dram="x"),
    "metadata of other types": metadata(kind="train", updates="[1]", padding="3", tiles="{}", dram='{"x": "y"}'),
    "updates of what is not there": metadata(kind="train", updates='{"w": "nothing"}'),
    "a sparse constant": changed(lambda m: m.graph.sparse_initializer.add()),
}  # fmt: skip


def _said_wrong(shape: list[int], kind: int) -> onnx.ModelProto:
    made = model([helper.make_node("Relu", ["x"], ["z"]), helper.make_node("Relu", ["z"], ["y"])])
    made.graph.value_info.append(helper.make_tensor_value_info("z", kind, shape))
    return made


def content(name: str) -> bytes:
    """The bytes of a bad file."""
    made = BAD[name]()
    return made if isinstance(made, bytes) else made.SerializeToString()

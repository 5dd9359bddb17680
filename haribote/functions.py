"""The operators of the custom domain `haribote`, each with the ONNX function body that defines its meaning.

A model that uses one carries its body, so any ONNX tool can check and evaluate the file.
"""

from __future__ import annotations

import onnx
import onnx.parser

DOMAIN = "haribote"
OPSET = 20

# Gradient of the negative log likelihood by the log probabilities, [N, classes] float32. labels: [N] integers;
# scale: the gradient of one row's loss (1/N for the mean), a scalar or [N, classes].
_NLL_LOSS_GRAD = """NLLLossGrad <classes> (scale, labels) => (grad) {
    depth = Constant <value_int: int = @classes> ()
    floats = Constant <value_floats = [0.0, -1.0]> ()
    off_on = CastLike (floats, scale)
    minus_one_hot = OneHot <axis = -1> (labels, depth, off_on)
    grad = Mul (minus_one_hot, scale)
}"""

# Gradient of LogSoftmax along axis 1 by its input, [N, classes], from the gradient by its output.
_LOG_SOFTMAX_GRAD = """LogSoftmaxGrad (log_p_grad, log_p) => (grad) {
    axis = Constant <value_ints = [1]> ()
    p = Exp (log_p)
    row_sum = ReduceSum <keepdims = 1> (log_p_grad, axis)
    share = Mul (p, row_sum)
    grad = Sub (log_p_grad, share)
}"""

# 1.0 where x > 0, else 0.0: Greater and Cast in one, as one kernel does them.
_GREATER_CAST = """GreaterCast (x) => (y) {
    zero = Constant <value_float: float = 0.0> ()
    above = Greater (x, zero)
    y = Cast <to = 1> (above)
}"""

# Gradient of MaxPool by its input x, [N, channels, height, width]: each element of grad goes to the largest element
# that its window saw, to the first one if there are several.
_MAX_POOL_GRAD = """MaxPoolGrad <kernel_shape, strides, pads> (grad, x) => (x_grad) {
    y, places = MaxPool <kernel_shape: ints = @kernel_shape, strides: ints = @strides, pads: ints = @pads> (x)
    flat = Constant <value_ints = [-1]> ()
    flat_grad = Reshape (grad, flat)
    flat_places = Reshape (places, flat)
    flat_x = Reshape (x, flat)
    size = Shape (flat_x)
    zero_floats = ConstantOfShape (size)
    zeros = CastLike (zero_floats, x)
    flat_x_grad = ScatterElements <axis = 0, reduction = "add"> (zeros, flat_places, flat_grad)
    shape = Shape (x)
    x_grad = Reshape (flat_x_grad, shape)
}"""

# DRAM to local memory and back: where the data lies changes, the values do not.
_DL = "DL (x) => (y) { y = Identity (x) }"
_UL = "UL (x) => (y) { y = Identity (x) }"


def _parse(body: str) -> onnx.FunctionProto:
    return onnx.parser.parse_function(f'<domain: "{DOMAIN}", opset_import: ["": {OPSET}]>\n{body}')


_BODIES = (_NLL_LOSS_GRAD, _LOG_SOFTMAX_GRAD, _GREATER_CAST, _MAX_POOL_GRAD, _DL, _UL)

FUNCTIONS: dict[str, onnx.FunctionProto] = {function.name: function for function in map(_parse, _BODIES)}
"""Operator name to its body."""

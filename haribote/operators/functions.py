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
_MAX_POOL_GRAD_BODY = """\
    y, places = MaxPool <kernel_shape: ints = @kernel_shape, strides: ints = @strides, pads: ints = @pads> ({x})
    flat = Constant <value_ints = [-1]> ()
    flat_grad = Reshape ({grad}, flat)
    flat_places = Reshape (places, flat)
    flat_x = Reshape ({x}, flat)
    size = Shape (flat_x)
    zero_floats = ConstantOfShape (size)
    zeros = CastLike (zero_floats, {x})
    flat_x_grad = ScatterElements <axis = 0, reduction = "add"> (zeros, flat_places, flat_grad)
    shape = Shape ({x})
    {x_grad} = Reshape (flat_x_grad, shape)"""
_MAX_POOL_GRAD = f"""MaxPoolGrad <kernel_shape, strides, pads> (grad, x) => (x_grad) {{
{_MAX_POOL_GRAD_BODY.format(grad="grad", x="x", x_grad="x_grad")}
}}"""

# Convolution and pooling of images [N, height, width, channels] with kernels [outputs, height, width, channels], as
# `passes.nhwc` makes them. The attributes mean what they mean in the ONNX operator.
_NCHW, _NHWC = "<perm = [0, 3, 1, 2]>", "<perm = [0, 2, 3, 1]>"
_POOL = "kernel_shape: ints = @kernel_shape, strides: ints = @strides, pads: ints = @pads"
_WINDOW = f"{_POOL}, dilations: ints = @dilations"
_CONV_NHWC = f"""ConvNHWC <kernel_shape, strides, pads, dilations> (x, w) => (y) {{
    images = Transpose {_NCHW} (x)
    kernel = Transpose {_NCHW} (w)
    result = Conv <{_WINDOW}> (images, kernel)
    y = Transpose {_NHWC} (result)
}}"""
_CONV_TRANSPOSE_NHWC = f"""ConvTransposeNHWC <kernel_shape, strides, pads, dilations, output_padding> (x, w) => (y) {{
    images = Transpose {_NCHW} (x)
    kernel = Transpose {_NCHW} (w)
    result = ConvTranspose <{_WINDOW}, output_padding: ints = @output_padding> (images, kernel)
    y = Transpose {_NHWC} (result)
}}"""
_MAX_POOL_NHWC = f"""MaxPoolNHWC <kernel_shape, strides, pads> (x) => (y) {{
    images = Transpose {_NCHW} (x)
    result = MaxPool <{_POOL}> (images)
    y = Transpose {_NHWC} (result)
}}"""
_MAX_POOL_GRAD_NHWC = f"""MaxPoolGradNHWC <kernel_shape, strides, pads> (grad, x) => (x_grad) {{
    images_grad = Transpose {_NCHW} (grad)
    images = Transpose {_NCHW} (x)
{_MAX_POOL_GRAD_BODY.format(grad="images_grad", x="images", x_grad="result")}
    x_grad = Transpose {_NHWC} (result)
}}"""

# Rounded to the nearest half 1-6-9 of MN-Core 2 (isa.md, section 11.1), ties to even, kept as float32: the product
# with 2^14 + 1 pushes out the 14 bits that a half does not have. Below 2^-30 it becomes 0, from 2^32 on infinite.
_ROUND_HALF = """RoundHalf (x) => (y) {
    lowest = Constant <value_float: float = -8589934592.0> ()
    highest = Constant <value_float: float = 8589934592.0> ()
    factor = Constant <value_float: float = 16385.0> ()
    smallest = Constant <value_float: float = 9.31322574615478515625e-10> ()
    limit = Constant <value_float: float = 4294967296.0> ()
    zero = Constant <value_float: float = 0.0> ()
    clipped = Clip (x, lowest, highest)
    scaled = Mul (clipped, factor)
    rest = Sub (scaled, clipped)
    rounded = Sub (scaled, rest)
    magnitude = Abs (rounded)
    vanishes = Less (magnitude, smallest)
    flushed = Where (vanishes, zero, rounded)
    overflows = GreaterOrEqual (magnitude, limit)
    one = Constant <value_float: float = 1.0> ()
    finite = Where (overflows, zero, one)
    y = Div (flushed, finite)
}"""

# Rounded to the nearest bfloat16, ties to even, kept as float32.
_ROUND_BFLOAT16 = """RoundBFloat16 (x) => (y) {
    short = Cast <to = 16> (x)
    y = Cast <to = 1> (short)
}"""

# The elements of x, flattened, that index names; `fill` where it is -1. What moves elements on the chip.
_PICK = """Pick <fill: float = 0.0> (x, index) => (y) {
    filled = Constant <value_float: float = @fill> ()
    flat_shape = Constant <value_ints = [-1]> ()
    first = Reshape (filled, flat_shape)
    like_x = CastLike (first, x)
    flat = Reshape (x, flat_shape)
    table = Concat <axis = 0> (like_x, flat)
    one = Constant <value_int: int = 1> ()
    like_index = CastLike (one, index)
    next = Add (index, like_index)
    y = Gather (table, next)
}"""

# DRAM to local memory and back: where the data lies changes, the values do not.
_DL = "DL (x) => (y) { y = Identity (x) }"
_UL = "UL (x) => (y) { y = Identity (x) }"
_COPY = "Copy (x) => (y) { y = Identity (x) }"  # from a place in local memory to another


def _parse(body: str) -> onnx.FunctionProto:
    return onnx.parser.parse_function(f'<domain: "{DOMAIN}", opset_import: ["": {OPSET}]>\n{body}')


_BODIES = (
    _NLL_LOSS_GRAD,
    _LOG_SOFTMAX_GRAD,
    _GREATER_CAST,
    _MAX_POOL_GRAD,
    _CONV_NHWC,
    _CONV_TRANSPOSE_NHWC,
    _MAX_POOL_NHWC,
    _MAX_POOL_GRAD_NHWC,
    _ROUND_HALF,
    _ROUND_BFLOAT16,
    _PICK,
    _DL,
    _UL,
    _COPY,
)

FUNCTIONS: dict[str, onnx.FunctionProto] = {function.name: function for function in map(_parse, _BODIES)}
"""Operator name to its body."""

"""Task 3.4: NCHW to NHWC.

It is taught in notebooks/03_fusion/04_layout_and_precision, section 3.
Check it with `grader check 3.4`; if you are stuck, `grader hint 3.4`.
"""

from __future__ import annotations

import onnx

from haribote.errors import NotWritten
from haribote.passes.nhwc import Images


def convert(g: Images, node: onnx.NodeProto) -> None:
    """Write one node of the graph in NHWC: images [N, height, width, channels] in place of [N, channels, …].

    Called for each node in the graph's order. NHWC = (0, 2, 3, 1) is the perm that turns an image so, NCHW the one that
    turns it back. A Transpose that stands behind a node is not written but waits; do one of three things:
        1. The node works on images (`g.has_nhwc_form(node)`): its first OPERATORS[node.op_type] inputs are images (a
           kernel is one too). Turn each with `g.turned(name, NHWC)`; `g.nhwc(node, images)` adds the operator's NHWC
           form, a bias included, and returns the result's name. The node's own value is that result turned by NCHW:
           say so with `g.postpone(value, result, NCHW)`.
        2. The node is element-wise (op_type in ELEMENTWISE) and `g.common_perm(node)` is not None: this is the perm by
           which all its inputs wait to be turned. Compute on what lies there: `g.source(name, perm)` of each input,
           `g.same_operator(node, sources)` for the result, and let the Transpose by `perm` wait behind the node.
        3. Anything else: `g.keep(node)` writes it as it was, and each Transpose that it needs.
    Import NCHW, NHWC and OPERATORS from haribote.passes.nhwc, and ELEMENTWISE from haribote.passes.fuse.
    """
    # TODO: about 10 lines.
    raise NotWritten("task 3.4 (NCHW to NHWC) is not written yet; check it with `grader check 3.4`")

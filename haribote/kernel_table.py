"""The kernel table: which operators run on the chip, in which layouts, at what par (design.md, section 5).

One row per operator and set of layouts; several rows may be served by one task's kernel. The vendor's public problem
set gives the layouts, the names of the test cases and the pars.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from haribote.kernel import Memory, Op, Operand
from haribote.layout import LAYOUTS, Layout, dram_layout, layout_of
from haribote.network import LEARNING_RATE


@dataclass(frozen=True)
class KernelRow:
    """One row: `inputs` and `output` are layout tags (`layout.layout_of`).

    variant: what distinguishes kernels of the same operator ("transB", "rows", "constant", …), see `variant_of`.
    room: words of LM0 behind the operands that the contract lets a kernel write without asking `op.scratch`, which may
    give more (5.34: of the LM that holds no input); None where LM may not change but for an output in it.
    module: the task's file in `haribote/kernels` and `solutions/kernels`. par: steps + MV of a first solution.
    testcase: stem of the vendor's test case, "" where there is none.
    """

    task: str
    name: str
    module: str
    op: str
    inputs: tuple[str, ...]
    output: str
    par: int
    variant: str = ""
    testcase: str = ""
    output_memory: Memory = "LM1"
    input_memory: Memory = "LM0"
    input_dtype: Literal["float32", "int32"] = "float32"
    room: int | None = 0


def _dl(task: str, tag: str, par: int, testcase: str = "") -> KernelRow:
    name = f"dl_{tag.replace('.', '_').lower()}"
    module = f"t{task.replace('.', '_')}_{name}"
    return KernelRow(task, name, module, "DL", (tag,), tag, par, "", testcase, "LM0", "DRAM", room=None)


def _ul(task: str, tag: str, par: int, testcase: str = "") -> KernelRow:
    name = f"ul_{tag.replace('.', '_').lower()}"
    module = f"t{task.replace('.', '_')}_{name}"
    return KernelRow(task, name, module, "UL", (tag,), tag, par, "", testcase, "DRAM", "LM1", room=None)


TILE_ROWS, TILE_FEATURES = LAYOUTS["256x1024"].shape
(TILE,) = LAYOUTS["16"].shape
"""What kernels take: rows of a batch, features of x, every other size. Padding fills them up, tiling cuts to them."""

A, P, B = "256x16.A", "256x16.P", "256x16.B"

KERNELS: tuple[KernelRow, ...] = (
    _dl("5.1", "16", 5, "dram_dl_16"),
    _dl("5.2", "16x16", 13, "dram_dl_16_16"),
    _dl("5.3", A, 5, "dram_dl_256_16"),
    _dl("5.4", "256", 11, "dram_dl_256"),
    _dl("5.5", P, 26, "dram_dl_256_16p"),
    _dl("5.6", B, 27, "dram_dl_256_16_l2b"),
    _ul("5.7", "16", 7, "dram_ul_16"),
    _ul("5.8", "16x16", 14, "dram_ul_16_16"),
    _ul("5.9", A, 6, "dram_ul_256_16"),
    _ul("5.10", "256", 39, "dram_ul_256"),
    _ul("5.11", P, 27, "dram_ul_256_16p"),
    KernelRow("5.12", "relu", "t5_12_relu", "Relu", (A,), A, 2, "", "relu"),
    KernelRow("5.13", "greater", "t5_13_greater", "GreaterCast", (A,), A, 3, "", "relu_grad"),
    KernelRow("5.14", "mul", "t5_14_mul", "Mul", (A, A), A, 4),
    KernelRow("5.15", "scale_256x16_a", "t5_15_scale", "Mul", (A,), A, 6, "constant"),
    KernelRow("5.15", "scale_16x16", "t5_15_scale", "Mul", ("16x16",), "16x16", 24, "constant"),
    KernelRow("5.15", "scale_16x1024", "t5_15_scale", "Mul", ("16x1024",), "16x1024", 12, "constant"),
    KernelRow("5.15", "scale_16", "t5_15_scale", "Mul", ("16",), "16", 3, "constant"),
    KernelRow("5.16", "add_bias", "t5_16_add_bias", "Add", (A, "16"), A, 3, "", "add_colvec"),
    KernelRow("5.18", "sub", "t5_18_update", "Sub", (A, A), A, 5, "", "mat_sub"),
    KernelRow("5.18", "update_16x16", "t5_18_update", "Sub", ("16x16", "16x16"), "16x16", 17),
    KernelRow("5.18", "update_16x1024", "t5_18_update", "Sub", ("16x1024", "16x1024"), "16x1024", 9),
    KernelRow("5.18", "update_16", "t5_18_update", "Sub", ("16", "16"), "16", 3),
    KernelRow(
        "5.19", "gemm_xwt", "t5_19_gemm_xwt", "Gemm", (A, "16x16"), A, 24, "transB", "matmul_trb_pkg_lm_256_16_16",
        room=16,
    ),
    KernelRow(
        "5.20", "gemm_gw", "t5_20_gemm_gw", "Gemm", (A, "16x16"), A, 40, "", "matmul_notr_pkg_lm_256_16_16", room=64
    ),
    KernelRow("5.21", "max_rows", "t5_21_max_rows", "ReduceMax", (P,), "256", 170, "rows", "max_row"),
    KernelRow("5.22", "sum_rows", "t5_22_sum_rows", "ReduceSum", (P,), "256", 160, "rows", "sum_row"),
    KernelRow("5.23", "sub_rows", "t5_23_sub_rows", "Sub", (P, "256"), P, 64, "rows", "sub_rowvec"),
    KernelRow("5.24", "exp", "t5_24_exp", "Exp", (A,), A, 65, "", "exp"),
    KernelRow("5.25", "div_rows", "t5_25_div_rows", "Div", (P, "256"), P, 137, "rows", "div_row"),
    KernelRow("5.26", "onehot", "t5_26_onehot", "OneHot", ("256",), P, 288, "", "onehot", input_dtype="int32"),
    KernelRow(
        "5.27", "sum_columns", "t5_27_sum_columns", "ReduceSum", (A,), "16", 12, "columns", "sum_col",
        output_memory="DRAM", room=None,
    ),
    KernelRow(
        "5.28", "gemm_gtx", "t5_28_gemm_gtx", "Gemm", (A, A), "16x16", 85, "transA",
        "matmul_tra_pkg_lmdram_16_256_16", output_memory="DRAM", room=64,
    ),
    _dl("5.29", "16x1024", 41, "dram_dl_16_1024"),
    _dl("5.30", "256x1024", 74),
    _dl("5.31", "1024x16", 11, "dram_dl_1024_16"),
    _ul("5.32", "16x1024", 43, "dram_ul_16_1024"),
    KernelRow(
        "5.33", "gemm_xwt_1024", "t5_33_gemm_xwt_1024", "Gemm", ("256x1024", "16x1024"), A, 123, "transB",
        output_memory="DRAM", room=None,
    ),
    KernelRow(
        "5.34", "gemm_gtx_1024", "t5_34_gemm_gtx_1024", "Gemm", (B, "256x1024"), "16x1024", 140, "transA",
        output_memory="DRAM", room=128,
    ),
)  # fmt: skip

BY_NAME: dict[str, KernelRow] = {row.name: row for row in KERNELS}
BY_TRANSFER: dict[tuple[str, str], KernelRow] = {(r.op, r.output): r for r in KERNELS if r.op in ("DL", "UL")}


DEALT = str(Layout.parse("((4_L2B:2, 8:2, 8_L1B:1), (2:1, 4_PE:1, 2_W:1))"))
DEALT_VECTOR = str(Layout.parse("((4_L2B:2, 4:1, 2_W:1, 8_L1B:1))"))
"""256x16 with eight rows to a PE, and 256 beside it. No kernel by hand is asked for these layouts: generators write
there all that a batch goes through, sums along rows too, and nothing has to move in between.
"""


def _dealt(row: KernelRow) -> KernelRow:
    """The row in these layouts."""
    tags = {A: DEALT, P: DEALT, "256": DEALT_VECTOR}
    inputs = tuple(tags.get(tag, tag) for tag in row.inputs)
    return replace(row, name=f"{row.name}.dealt", inputs=inputs, output=tags.get(row.output, row.output), testcase="")


DEALT_ROWS: dict[str, KernelRow] = {
    row.name: _dealt(row)
    for row in KERNELS
    if {A, P, "256"} & {*row.inputs, row.output} and "256x1024" not in row.inputs and row.task not in ("5.5", "5.11")
}
"""By the name of a row, the one in these layouts. 5.5 and 5.11 are DL and UL of the same tensor as 5.3 and 5.9."""
BY_TRANSFER |= {(row.op, row.output): row for row in DEALT_ROWS.values() if row.op in ("DL", "UL")}
_DEALT_BY_NAME = {row.name: row for row in DEALT_ROWS.values()}


def row_named(name: str) -> KernelRow:
    """A row by its name, those that only generators write included. Raises KeyError."""
    return _DEALT_BY_NAME.get(name) or BY_NAME[name]


OWN_ROWS: list[KernelRow] = []
"""Rows of operators that are not the course's; see `haribote.extend`."""


def rows_of(task: str) -> tuple[KernelRow, ...]:
    """The rows that the task of this id answers; none where it is no kernel."""
    return tuple(row for row in KERNELS if row.task == task)


Arrangement = tuple[Memory, Memory]
"""The memory of all inputs of a kernel that are in LM, and that of its output."""

_USUAL: tuple[Arrangement, ...] = (("LM0", "LM1"),)
_ACROSS: tuple[Arrangement, ...] = (*_USUAL, ("LM1", "LM0"))
_ANY_OUTPUT: tuple[Arrangement, ...] = (*_USUAL, ("LM0", "LM0"))
_ARRANGEMENTS: dict[str, tuple[Arrangement, ...]] = {
    **dict.fromkeys(("5.12", "5.13", "5.14", "5.15", "5.16", "5.18", "5.24"), _ACROSS),
    **dict.fromkeys(("5.19", "5.20", "5.21", "5.22", "5.23", "5.25"), _ANY_OUTPUT),
    "5.26": _USUAL,
    "5.28": (("LM0", "DRAM"),),
    **dict.fromkeys(("5.27", "5.33", "5.34"), (("LM0", "DRAM"), ("LM1", "DRAM"))),
}


def arrangements(row: KernelRow) -> tuple[Arrangement, ...]:
    """The memories that the contract of a row allows, the usual ones first."""
    if row.op == "DL":
        return ("DRAM", "LM0"), ("DRAM", "LM1")
    if row.op == "UL":
        return ("LM0", "DRAM"), ("LM1", "DRAM")
    return _ARRANGEMENTS.get(row.task, _USUAL)


def problem(row: KernelRow, constant: float = LEARNING_RATE) -> Op:
    """The operator of a row at the addresses of the problem set: inputs one after another from 0, the output at 0."""
    address, inputs = 0, []
    for number, tag in enumerate(row.inputs):
        operand = _operand(f"in{number}", tag, row.input_memory, address, row.input_dtype)
        inputs.append(operand)
        address += operand.words
    output = _operand("out", row.output, row.output_memory, 0, row.input_dtype if row.op in ("DL", "UL") else "float32")
    return Op(row.op, tuple(inputs), output, attributes_of(row, constant))


def attributes_of(row: KernelRow, constant: float = LEARNING_RATE) -> dict[str, object]:
    """The attributes that a row's operator has; a scaling gets `constant`."""
    attributes: dict[str, object] = {name: 1 for name in ("transA", "transB") if name == row.variant}
    if row.variant == "constant":
        attributes["constant"] = constant
    return attributes


def _operand(name: str, tag: str, memory: Memory, address: int, dtype: str) -> Operand:
    layout = layout_of(tag)
    shape = layout.shape
    return Operand(name, shape, dtype, dram_layout(shape) if memory == "DRAM" else layout, memory, address)

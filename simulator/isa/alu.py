"""ALU instructions (isa.md, section 10)."""

from __future__ import annotations

from simulator.isa.forms import form
from simulator.isa.rows import Row
from simulator.messages import Text

_ONE, _TWO = "first -> flags", "first second -> flags"


def _alu(
    name: str, precisions: str, signature: str, meaning: str, evidence: str, example: str, unsigned: str = ""
) -> Row:
    neighbour = {"msl": "(p - 1) % 4", "msr": "(p + 1) % 4"}.get(name)
    formula = f"PE[p, c, w] = PE[{neighbour}, c, w]" if neighbour else ""
    number = {"h": range(6, 10)} if name in ("bfn", "bfe") else {}
    forms = (form(signature, formula),)
    return Row(name, "alu", precisions, forms, meaning, evidence, example, unsigned, flush=True, number=number)


ROWS = (
    _alu("zero", "", "-> out", Text("every destination = 0"), "G", "zero $lln0v"),
    _alu(
        "imm",
        "",
        "literal -> out",
        Text("the literal word in every word (immu: words 1 and 3 are 0)"),
        "G",
        'imm f"1.5" $t',
    ),
    _alu("passa", "dfhlis", _ONE, Text("x unchanged, both long words"), "G", "lpassa $llm0v $llr0v"),
    _alu("inc", "lis", _ONE, "x + 1", "G", "iinc $lm0v $ln0v", "lis"),
    _alu("dec", "lis", _ONE, "x - 1", "G", "ldec $lm0v $ln0v", "lis"),
    _alu("add", "lis", _TWO, "x + y", "G", "iadd $lm0v $lr0v $ln0v", "lis"),
    _alu("sub", "lis", _TWO, "x - y", "G", "isub $lm0v $lr0v $ln0v $omr1", "lis"),
    _alu("not", "lis", _ONE, Text("the bits of x inverted"), "G", "lnot $lm0v $ln0v"),
    _alu("lnot", "lis", _ONE, Text("1 where x is 0, else 0"), "G", "ilnot $lm0v $ln0v"),
    _alu("and", "lis", _TWO, Text("x AND y, bit by bit"), "G", "land $lm0v $lr0v $ln0v"),
    _alu("or", "lis", _TWO, Text("x OR y, bit by bit"), "G", "lor $lm0v $lr0v $ln0v"),
    _alu("xor", "lis", _TWO, Text("x XOR y, bit by bit"), "G", "lxor $lm0v $lr0v $ln0v"),
    _alu("lsl", "lis", _TWO, Text("x shifted left by y"), "G", "ilsl $lm0v $lr0v $ln0v", "lis"),
    _alu(
        "lsr",
        "lis",
        _TWO,
        Text("x shifted right by y, with its sign unless `u`"),
        Text("G with `u`, else D"),
        "uilsr $lm0v $lr0v $ln0v",
        "lis",
    ),
    _alu("bsl", "lis", _TWO, Text("x rotated left by y"), "G", "ibsl $lm0v $lr0v $ln0v", "lis"),
    _alu("bsr", "lis", _TWO, Text("x rotated right by y"), "D", "ibsr $lm0v $lr0v $ln0v", "lis"),
    _alu(
        "max",
        "dfhlis",
        _TWO,
        Text("the larger of x and y"),
        Text("G, floating-point zeros D"),
        "fmax $lm0v $lr0v $ln0v",
        "lis",
    ),
    _alu(
        "min",
        "dfhlis",
        _TWO,
        Text("the smaller of x and y"),
        Text("G, floating-point zeros D"),
        "ulmin $lm0v $lr0v $ln0v",
        "lis",
    ),
    _alu(
        "packbit",
        "dfhlis",
        _TWO,
        Text("x shifted left by one, the top bit of y below it"),
        "G",
        "ipackbit $lm0v $lr0v $ln0v",
    ),
    _alu(
        "rsqrt",
        "dfh",
        _ONE,
        Text("roughly 1 / sqrt(|x|), from a table: at most 3.1 % off"),
        Text("G for singles v * 4^k, v = 1 or 1.0625 to 1.75, else A"),
        "frsqrt $lm0v $ln0v",
    ),
    _alu("floor", "dfh", "first -> out", Text("x rounded toward minus infinity"), "G", "ffloor $lm0v $ln0v"),
    _alu("ftoi", "dfh", "first -> out", Text("x as an integer, truncated (u: |x|)"), "G", "fftoi $lm0v $ln0v", "dfh"),
    _alu("relu", "dfh", _TWO, Text("y where the top bit of x is 0, else -0"), "G", "frelu $lm0v $lm0v $ln0v"),
    _alu("relu0", "dfh", _TWO, Text("y where the top bit of x is 0, else -0"), "D", "frelu0 $lm0v $lr0v $ln0v"),
    _alu("relu1", "dfh", _TWO, Text("y where the 2nd bit of x is 0, else -0"), "D", "frelu1 $lm0v $lr0v $ln0v"),
    _alu("relu2", "dfh", _TWO, Text("y where the 3rd bit of x is 0, else -0"), "D", "frelu2 $lm0v $lr0v $ln0v"),
    _alu("relu3", "dfh", _TWO, Text("y where the 4th bit of x is 0, else -0"), "D", "frelu3 $lm0v $lr0v $ln0v"),
    _alu("lrelud", "dfh", _TWO, Text("y where the top bit of x is 0, else y / 2"), "D", "flrelud $lm0v $lm0v $ln0v"),
    _alu("lreluo", "dfh", _TWO, Text("y where the top bit of x is 0, else y / 8"), "D", "flreluo $lm0v $lm0v $ln0v"),
    _alu("ilrelud", "dfh", _TWO, Text("y where the top bit of x is 0, else 2 y"), "G", "filrelud $lm0v $lm0v $ln0v"),
    _alu(
        "bfn",
        "dfgh",
        "converted -> out",
        Text("x as a block float: one common exponent"),
        Text("G, rounding and single precision D"),
        "gbfn $lm0v $lr0v",
    ),
    _alu(
        "bfe",
        "h",
        "converted -> out",
        Text("x as an extended block float"),
        Text("D, products of it unknown"),
        "hbfe/8 $lm0v $lr0v",
    ),
    _alu("msl", "", "first -> out", Text("PE p gets x of PE p-1 of its MAB (long word 0)"), "G", "msl $lm0v $lr0v"),
    _alu("msr", "", "first -> out", Text("PE p gets x of PE p+1 of its MAB (long word 0)"), "G", "msr $lm0v $lr0v"),
)

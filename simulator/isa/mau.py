"""MAU instructions (isa.md, section 9)."""

from __future__ import annotations

from collections.abc import Mapping

from simulator.isa.forms import form
from simulator.isa.rows import Row
from simulator.messages import Text

_VECTOR = {"d": 8, "f": 32, "h": 64}
_PRODUCT = {"d": 32, "f": 128, "g": 256, "h": 1024}


def _mau(
    name: str, signature: str, meaning: str, evidence: str, example: str, fma: Mapping[str, int], halves: str = ""
) -> Row:
    letters, forms = "".join(fma), (form(signature),)
    return Row(name, "mau", letters, forms, meaning, evidence, example, narrow=True, halves=halves, flush=True, fma=fma)


ROWS = (
    _mau(
        "vfma",
        "factor factor addend -> flags",
        Text("x * y + z, element by element"),
        Text("G, last bits of single and double products D"),
        "fvfma $lm0v $lr0v $t $ln0v",
        _VECTOR,
        "d",
    ),
    _mau(
        "vmul",
        "factor factor -> flags",
        Text("x * y, element by element"),
        Text("G, last bits of single and double products D"),
        "fvmul $lm0v $lr0v $ln0v",
        _VECTOR,
        "d",
    ),
    _mau("vadd", "factor addend -> flags", Text("x + y, element by element"), "G", "fvadd $lm0v -$lr0v $ln0v", _VECTOR),
    _mau("vpassa", "factor -> flags", Text("x * 1 + 0: x normalised"), "G", "fvpassa $lm0v $ln0v", _VECTOR),
    _mau(
        "mmul",
        "matrix factor -> flags",
        Text("matrix times x: element i = sum over j of M[i, j] * x[j], one vector x per cycle"),
        Text("G, single precision D"),
        "gmmul $lx $lr0v $ln0v",
        _PRODUCT,
        "d",
    ),
    _mau(
        "mfma",
        "matrix factor addend -> flags",
        Text("matrix times x plus y: element i = sum over j of M[i, j] * x[j] + y[i], one vector x per cycle"),
        Text("G, single precision D"),
        "gmfma $lx $lr0v $mauf $ln0v",
        _PRODUCT,
        "d",
    ),
    Row(
        "mwrite",
        "mau-write",
        "dfgh",
        (form("written -> rows", "M[(B + D*c + d) % N, E*p + k] = PE[p, c, d, k] | d < D, k < E"),),
        Text("writes matrix rows, in one step 4 of them (8 with $llx and $lly)"),
        "G",
        "gmwrite $lr0v $lx0",
    ),
    Row(
        "mread",
        "mau-read",
        "dfgh",
        (form("rows -> out", "PE[p, c, d, k] = M[E*p + k, (A + D*c + d) % N] | d < D, k < E"),),
        Text("reads matrix columns, in one step 4 of them (8 with $llx and $lly)"),
        "G",
        "gmread $lx0 $lr0v",
        flush=True,
    ),
)

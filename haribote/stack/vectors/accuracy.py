"""How accurate floating-point operators are, and where; tests measure it against float64.

The machine has no subnormals and no NaN: what is below 2^-126 is 0, on the way too; a product that ONNX rounds before
it is added is not rounded here. Comparisons, choices, limits, Abs, Neg, Relu, Floor, Ceil, Round, Sign and casts are
exact, integers too (modulo 2^32; division by 0 gives anything). An infinity is an ordinary 2^128 where the MAU reads
it: inf - inf is 0, 0 inf is 0, inf / inf is 0, and inf - (2^128 - 2^104) is 2^104. Extremes along axes (ReduceMax,
ArgMin, Softmax, MaxPool, …) are right for every value, infinities too. What has no number elsewhere, such as the
softmax of a row of -inf or of one with inf, is some number here; only Pow of a negative number and a fraction that is
no half, such as 0.3, gives the bits of a NaN.

Equal: numbers that differ by less than 2^-126 are equal. RoundHalf: 2^32 instead of what is larger.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Accuracy(NamedTuple):
    """ulps: largest error in units of the last place of the exact result; absolute: or this much, whichever allows
    more. low, high: of the magnitude of the operands. signed: both signs. elsewhere: what is given beyond.
    """

    ulps: float
    low: float
    high: float
    signed: bool = True
    absolute: float = 0.0
    elsewhere: str = ""


TINY, HUGE = 2.0**-126, 2.0**127

ACCURACY: Mapping[str, Accuracy] = {
    "Add": Accuracy(0.5, TINY, HUGE / 2, elsewhere="as the machine: inf is 2^128"),
    "Sub": Accuracy(0.5, TINY, HUGE / 2, elsewhere="as the machine: inf is 2^128"),
    "Mul": Accuracy(0.51, 2.0**-62, 2.0**63),
    "Div": Accuracy(2, 2.0**-62, 2.0**62, elsewhere="0 / 0 is 0, x / 0 is x 2^129; a divisor above 2^125 may give 0"),
    "Reciprocal": Accuracy(2, TINY, 2.0**125, elsewhere="of 0 inf with its sign, of what is above 2^125 perhaps 0"),
    "Sqrt": Accuracy(1.5, TINY, HUGE, signed=False, elsewhere="of 0 0, of inf inf; of negative numbers anything"),
    "Exp": Accuracy(1, 2.0**-30, 87.0, elsewhere="below -87.3 0, above 88.72 inf"),
    "Sigmoid": Accuracy(3, 2.0**-30, 86.0, elsewhere="0 and 1"),
    "Swish": Accuracy(4, 2.0**-30, 80.0),
    "Tanh": Accuracy(4, 2.0**-100, 2.0**100),
    "Sinh": Accuracy(4, 2.0**-100, 89.41, elsewhere="0 and inf with their sign"),
    "Cosh": Accuracy(3, 2.0**-30, 89.41, elsewhere="1 and inf"),
    "Erf": Accuracy(5, 2.0**-100, 2.0**100),
    "Gelu": Accuracy(4, 2.0**-20, 20.0, absolute=5e-7, elsewhere="x and 0"),
    "Elu": Accuracy(2, 2.0**-100, 2.0**100),
    "Selu": Accuracy(3, 2.0**-100, 2.0**100),
    "Celu": Accuracy(2, 2.0**-100, 2.0**100),
    "Mish": Accuracy(6, 2.0**-20, 80.0),
    "Softplus": Accuracy(2, 2.0**-30, 86.0, elsewhere="0 and x"),
    "Softsign": Accuracy(3, 2.0**-100, HUGE, elsewhere="0, 1 and -1"),
    "Log": Accuracy(1.5, TINY, HUGE, signed=False, elsewhere="-inf for 0 and less, of inf inf"),
    "Sin": Accuracy(2, 2.0**-100, 16.0, elsewhere="an absolute error of 3e-7 up to 2^17; anything beyond"),
    "Cos": Accuracy(3, 2.0**-30, 16.0, elsewhere="an absolute error of 3e-7 up to 2^17; anything beyond"),
    "Tan": Accuracy(6, 2.0**-100, 10.0),
    "Atan": Accuracy(3, 2.0**-100, 2.0**100),
    "Asin": Accuracy(4, 2.0**-30, 1.0),
    "Acos": Accuracy(4, 2.0**-30, 1.0),
    "Asinh": Accuracy(2, 2.0**-30, HUGE, absolute=3e-7, elsewhere="of inf inf"),
    "Acosh": Accuracy(2, 1.0, HUGE, signed=False, absolute=5e-7, elsewhere="of inf inf"),
    "Atanh": Accuracy(4, 2.0**-30, 0.999, absolute=3e-7),
}
"""By operator. Pow: products and a root for constant exponents that are multiples of 1/2 up to 8, at most 3 ulp; else
2 (1 + |y log |x||) ulp, where 0^y is e^(-inf y), and of x below 0 y must be whole. Mod (fmod = 1): exact for |x / y| up
to 2^18.
"""

"""Functions of numbers for which ONNX has no operator, written in those that it has: for PyTorch, JAX and whoever asks.

Each is a Python function in the notation of `haribote.core.notation`. A row says which operations of ATen and which
primitives of JAX mean it; to add a function, write it in the file of its theme and add its row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from haribote.core.special import bessel, gamma, normal, plain


@dataclass(frozen=True)
class Special:
    """A function of floats. aten, jax: the names of what means it, separated by spaces."""

    value: Callable[..., Any]
    aten: str = ""
    jax: str = ""


SPECIAL = (
    Special(plain.expm1, "expm1", "expm1"),
    Special(plain.log1p, "log1p", "log1p"),
    Special(plain.cbrt, "", "cbrt"),
    Special(plain.atan2, "atan2", "atan2"),
    Special(plain.hypot, "hypot"),
    Special(normal.erfc, "erfc", "erfc"),
    Special(normal.erfcx, "special_erfcx"),
    Special(normal.erf_inv, "erfinv", "erf_inv"),
    Special(normal.ndtri, "special_ndtri"),
    Special(normal.log_ndtr, "special_log_ndtr"),
    Special(gamma.lgamma, "lgamma", "lgamma"),
    Special(gamma.digamma, "digamma", "digamma"),
    Special(gamma.zeta, "special_zeta", "zeta"),
    Special(bessel.i0, "i0 special_modified_bessel_i0"),
    Special(bessel.i1, "special_i1 special_modified_bessel_i1"),
    Special(bessel.i0e, "special_i0e", "bessel_i0e"),
    Special(bessel.i1e, "special_i1e", "bessel_i1e"),
    Special(bessel.k0, "special_modified_bessel_k0"),
    Special(bessel.k1, "special_modified_bessel_k1"),
    Special(partial(bessel.k0, scaled=True), "special_scaled_modified_bessel_k0"),
    Special(partial(bessel.k1, scaled=True), "special_scaled_modified_bessel_k1"),
    Special(bessel.j0, "special_bessel_j0"),
    Special(bessel.j1, "special_bessel_j1"),
    Special(bessel.y0, "special_bessel_y0"),
    Special(bessel.y1, "special_bessel_y1"),
    Special(bessel.airy, "special_airy_ai"),
    Special(bessel.spherical_j0, "special_spherical_bessel_j0"),
    *(Special(plain.chebyshev(kind), f"special_chebyshev_polynomial_{kind}") for kind in plain.KINDS),
    *(Special(plain.chebyshev(kind, True), f"special_shifted_chebyshev_polynomial_{kind}") for kind in plain.KINDS),
)
"""All but polygamma, whose order is no tensor."""

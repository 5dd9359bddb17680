"""OpenBLAS for products in C++ (`--gemm blas`): headers and library come with the pip package scipy-openblas32."""

from __future__ import annotations

from pathlib import Path

from haribote.errors import HariboteError
from simulator.messages import tr

BLAS = "blas"
"""The Gemm that calls `cblas_sgemm`; what is not single is done by `packed`."""
HEADER = '#include "haribote/blas.hpp"'


class BlasMissing(HariboteError):
    """There is no OpenBLAS to compile against."""


def arguments(gemm: str) -> tuple[str, ...]:
    """What the compiler gets behind the source for this Gemm: where OpenBLAS lies, also when the program runs.

    Raises:
        BlasMissing: the package is not installed.
    """
    if gemm != BLAS:
        return ()
    try:
        import scipy_openblas32 as openblas
    except ImportError as error:
        advice = tr('pip install scipy-openblas32 (the optional extra `blas`), or another Gemm such as "packed"')
        raise BlasMissing(tr("Gemm blas needs OpenBLAS, which is not installed"), advice) from error
    folder = Path(openblas.get_lib_dir())
    library = folder / openblas.get_library(fullname=True)
    return f"-I{openblas.get_include_dir()}", str(library), f"-Wl,-rpath,{folder}"

"""An operator made of the primitives; `fuse` finds the matrix product in it."""

from __future__ import annotations

from haribote.answers.ownership import exercise
from haribote.lazy.primitives.arrays import Array, broadcast, lazy_reduce, reshape
from haribote.lazy.primitives.indices import LazyError
from simulator.messages import tr


@exercise("8.4")
def convolution(x: Array, w: Array, step: int = 1) -> Array:
    """Images [n, c, height, width] by kernels [o, c, kh, kw], every `step` places, without padding."""
    (n, c, height, width), (o, channels, kh, kw) = x.shape, w.shape
    if c != channels or kh > height or kw > width:
        raise LazyError(
            tr("cannot convolve {x} by {w}", x=x, w=w), tr("equal channels, kernels that fit into the image")
        )
    full = (n, o, (height - kh) // step + 1, (width - kw) // step + 1, c, kh, kw)
    windows = reshape(x, full, lambda n, o, i, j, c, u, v: (n, c, i * step + u, j * step + v))
    return lazy_reduce(lambda p, q: p + q, windows * broadcast(w, full, (1, 4, 5, 6)), [4, 5, 6])

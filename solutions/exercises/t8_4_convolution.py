"""Task 8.4: a convolution of lazy arrays (a sum of products of windows, which `fuse` finds to be a matrix product)."""

from __future__ import annotations

from haribote.lazy.primitives.arrays import Array, broadcast, lazy_reduce, reshape
from haribote.lazy.primitives.indices import LazyError


def convolution(x: Array, w: Array, step: int = 1) -> Array:
    """Images [n, c, height, width] convolved by kernels [o, c, kh, kw], every `step` places, without padding.

    Element (n, o, i, j) of the result is the sum over c, u and v of x[n, c, i * step + u, j * step + v] times
    w[o, c, u, v]. i and j go from 0 as far as the kernel stays inside of the image. Write it as one `lazy_reduce` of
    one product of two arrays of seven axes (n, o, i, j, c, u, v): the windows of x, by `reshape`, and w, by
    `broadcast`. Raise `LazyError("what is wrong", "what to try")` where images and kernels have different numbers of
    channels, or the kernel is higher or wider than the image. Import what you need from
    haribote.lazy.primitives.arrays, and LazyError from haribote.lazy.primitives.indices.
    """
    ### BEGIN SOLUTION
    (n, c, height, width), (o, channels, kh, kw) = x.shape, w.shape
    if c != channels or kh > height or kw > width:
        raise LazyError(f"cannot convolve {x} by {w}", "equal channels, kernels that fit into the image")
    full = (n, o, (height - kh) // step + 1, (width - kw) // step + 1, c, kh, kw)
    windows = reshape(x, full, lambda n, o, i, j, c, u, v: (n, c, i * step + u, j * step + v))
    return lazy_reduce(lambda a, b: a + b, windows * broadcast(w, full, (1, 4, 5, 6)), [4, 5, 6])
    ### END SOLUTION

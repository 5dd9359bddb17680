"""Task 8.4: a convolution of lazy arrays.

It is taught in notebooks/08_frontends/04_lazy, section 4.
Check it with `grader check 8.4`; if you are stuck, `grader hint 8.4`.
"""

from __future__ import annotations

from haribote.errors import NotWritten
from haribote.lazy.primitives.arrays import Array


def convolution(x: Array, w: Array, step: int = 1) -> Array:
    """Images [n, c, height, width] convolved by kernels [o, c, kh, kw], every `step` places, without padding.

    Element (n, o, i, j) of the result is the sum over c, u and v of x[n, c, i * step + u, j * step + v] times
    w[o, c, u, v]. i and j go from 0 as far as the kernel stays inside of the image. Write it as one `lazy_reduce` of
    one product of two arrays of seven axes (n, o, i, j, c, u, v): the windows of x, by `reshape`, and w, by
    `broadcast`. Raise `LazyError("what is wrong", "what to try")` where images and kernels have different numbers of
    channels, or the kernel is higher or wider than the image. Import what you need from
    haribote.lazy.primitives.arrays, and LazyError from haribote.lazy.primitives.indices.
    """
    # TODO: about 6 lines.
    raise NotWritten("task 8.4 (a convolution of lazy arrays) is not written yet; check it with `grader check 8.4`")

"""The convolution that is made of the primitives, beside torch's."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from haribote import lazy
from haribote.lazy.primitives.arrays import Product, walk


@pytest.mark.parametrize("device", ["numpy", "host"])
@pytest.mark.parametrize(
    ("images", "kernels", "step"),
    [((2, 3, 7, 6), (4, 3, 3, 2), 1), ((1, 1, 9, 8), (2, 1, 2, 3), 2)],  # one channel: an axis of 1 is summed
)
def test_a_convolution_is_torchs_and_a_product(
    images: tuple[int, ...], kernels: tuple[int, ...], step: int, device: str
) -> None:
    random = np.random.default_rng(0)
    x, w = (random.standard_normal(shape).astype(np.float32) for shape in (images, kernels))
    found = lazy.convolution(lazy.array("x", images), lazy.array("w", kernels), step)
    assert any(isinstance(part, Product) for part in walk(*lazy.fuse(found)))
    wanted = torch.nn.functional.conv2d(torch.from_numpy(x), torch.from_numpy(w), stride=step).numpy()
    np.testing.assert_allclose(lazy.evaluate(found, device, x=x, w=w), wanted, atol=1e-5)


def test_what_does_not_fit_is_refused() -> None:
    x = lazy.array("x", (2, 3, 5, 5))
    for kernels in ((4, 1, 3, 3), (4, 3, 6, 3), (4, 3, 3, 6)):
        with pytest.raises(lazy.LazyError, match="cannot convolve"):
            lazy.convolution(x, lazy.array("w", kernels))

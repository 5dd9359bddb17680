"""How colours look to different eyes: contrast as WCAG 2 defines it, and distances as red-green blind eyes see them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

EYES = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
}
"""What becomes of linear RGB (Machado, Oliveira and Fernandes 2009, severity 1)."""
_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
_WHITE = np.array([0.9505, 1.0, 1.089])


def linear(colour: str) -> Vector:
    """Linear RGB of `#rrggbb`, 0 to 1."""
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.asarray(np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4))


def seen(colour: str, eyes: str = "normal") -> Vector:
    """The colour in CIE L*a*b*, as these eyes see it."""
    x = _XYZ @ np.clip(EYES[eyes] @ linear(colour), 0, 1) / _WHITE
    f = np.where(x > 0.008856, np.cbrt(x), 7.787 * x + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def distance(one: str, other: str) -> float:
    """How far two colours are apart for the eyes that tell them apart worst; 2 to 3 can just be told apart."""
    return min(float(np.linalg.norm(seen(one, eyes) - seen(other, eyes))) for eyes in EYES)


def contrast(one: str, other: str) -> float:
    """From 1 to 21; text needs 4.5."""
    low, high = sorted(float(_XYZ[1] @ linear(colour)) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)

"""The network of the course and its training step in numbers, where they stand once."""

from __future__ import annotations

WIDTHS = PIXELS, HIDDEN, CLASSES = 784, 16, 10
BATCH = 256
LEARNING_RATE = 0.01
CLASS_BIAS = -1e9
"""Bias of a padded class: exp(CLASS_BIAS - any real logit) is exactly 0, and no later sum of it overflows."""

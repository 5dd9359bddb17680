"""`pytest --nbval-lax notebooks/`: kernels of this environment; what differs from machine to machine is taken out."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Fill in the options of nbval that nobody should have to type."""
    if getattr(config.option, "nbval_lax", False) or getattr(config.option, "nbval", False):
        config.option.nbval_sanitize_with = config.option.nbval_sanitize_with or str(
            Path(__file__).with_name("sanitize.cfg")
        )
        config.option.nbval_current_env = not config.option.nbval_kernel_name

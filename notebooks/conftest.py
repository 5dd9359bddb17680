"""`pytest --nbval-lax notebooks/`: kernels of this environment; what differs from machine to machine is taken out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from haribote.progress import VARIABLE as PROGRESS
from simulator.language import VARIABLE, language_of


def pytest_configure(config: pytest.Config) -> None:
    """Fill in the options of nbval that nobody should have to type; kernels do not say what a slow machine says."""
    os.environ[PROGRESS] = "0"
    if getattr(config.option, "nbval_lax", False) or getattr(config.option, "nbval", False):
        config.option.nbval_sanitize_with = config.option.nbval_sanitize_with or str(
            Path(__file__).with_name("sanitize.cfg")
        )
        config.option.nbval_current_env = not config.option.nbval_kernel_name


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """A notebook's kernel, which starts with its first cell, speaks the language of the outputs that are compared."""
    if item.path.suffix == ".ipynb":
        os.environ[VARIABLE] = language_of(item.path.name)

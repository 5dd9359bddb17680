"""The native engine: the decoded program interpreted in C++, bit for bit equal to the NumPy engine."""

from simulator.engine.native.build import BuildError, is_built
from simulator.engine.native.engine import Engine, library

__all__ = ["BuildError", "Engine", "available", "is_built", "library"]


def available() -> bool:
    """True where the engine is built or can be built; builds it on first use, which takes some seconds."""
    try:
        library()
    except BuildError:
        return False
    return True

"""`mnjit`, in place of `jax.jit`: functions of JAX on MN-Core 2. Needs the extra `jax`; the rules alone do not."""

from haribote.errors import HariboteError


class JaxMissing(HariboteError):
    """The package jax is not installed."""


try:
    import jax as _jax  # noqa: F401
except ImportError:

    def __getattr__(name: str) -> object:
        if name in __all__:
            raise JaxMissing("haribote.jax needs the package jax", 'make setup ARGS="--with jax"')
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
else:
    from haribote.jax.mnjit import Compiled, Mnjit, mnjit

__all__ = ["Compiled", "JaxMissing", "Mnjit", "mnjit"]

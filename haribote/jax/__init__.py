"""`mnjit`, in place of `jax.jit`: functions of JAX on MN-Core 2. Needs the extra `jax`; the rules alone do not."""

from haribote.errors import HariboteError
from simulator.messages import tr


class JaxMissing(HariboteError):
    """The package jax is not installed."""


try:
    import jax as _jax  # noqa: F401
except ImportError:

    def __getattr__(name: str) -> object:
        if name in __all__:
            raise JaxMissing(tr("haribote.jax needs the package jax"), 'make setup ARGS="--with jax"')
        raise AttributeError(tr("module {name!r} has no attribute {name2!r}", __name__, name))
else:
    from haribote.jax.mnjit import Compiled, Mnjit, mnjit

__all__ = ["Compiled", "JaxMissing", "Mnjit", "mnjit"]

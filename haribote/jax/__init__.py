"""`mnjit`, in place of `jax.jit`: functions of JAX on MN-Core 2. Needs the extra `jax`."""

from haribote.errors import HariboteError

try:
    import jax as _jax  # noqa: F401
except ImportError as error:
    raise HariboteError("haribote.jax needs the package jax", 'make setup ARGS="--with jax"') from error

from haribote.jax.mnjit import Compiled, Mnjit, mnjit

__all__ = ["Compiled", "Mnjit", "mnjit"]

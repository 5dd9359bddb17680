"""JAX-CFD: a flow between two walls, 64 x 32 cells, periodic along the channel.

The equations, advection by van Leer's scheme and the pressure by fast diagonalisation are the library's; only
`jax.jit` is `mnjit` here. The pressure's transforms are products of matrices, since a graph has no complex numbers.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from benchmarks.jax_programs import beside
from benchmarks.jax_programs.moving import field
from benchmarks.jax_programs.particles import save
from haribote.draw.fonts import lettered
from simulator.messages import say, shown
from simulator.pictures.canvas import Picture

SHAPE, LENGTH, HEIGHT = (64, 32), 4.0, 1.0
DENSITY, VISCOSITY, TIME_STEP, PUSH = 1.0, 0.002, 0.005, 0.05


@contextmanager
def pad_as_before() -> Iterator[None]:
    """`jnp.pad` as JAX-CFD 0.2 knows it: None among the values to pad with, which newer versions of JAX refuse, is 0.

    The library pads periodic axes with nothing, and says so with None.
    """
    pad = jnp.pad

    def padded(array: Any, pad_width: Any, mode: Any = "constant", **values: Any) -> Any:
        if "constant_values" in values:
            given = values["constant_values"]
            number = jax.tree_util.tree_map(lambda x: 0.0 if x is None else x, given, is_leaf=lambda x: x is None)
            values["constant_values"] = number
        return pad(array, pad_width, mode, **values)

    jnp.pad = padded
    try:
        yield
    finally:
        jnp.pad = pad


def build(shape: tuple[int, int] = SHAPE) -> tuple[Any, Any]:
    """The time step, and the velocities from which it starts: a parabola that waves."""
    import jax_cfd.base as cfd
    from jax_cfd.base import boundaries, grids

    grid = grids.Grid(shape, domain=((0, LENGTH), (0, HEIGHT)))
    walls = boundaries.channel_flow_boundary_conditions(ndim=2)

    def along(x: Any, y: Any) -> Any:
        return 4 * y * (1 - y) * (1 + 0.5 * jnp.sin(np.pi * x) * jnp.sin(2 * np.pi * y))

    def across(x: Any, y: Any) -> Any:
        return 0.3 * jnp.sin(np.pi * x + 1) * jnp.sin(np.pi * y) ** 2

    def force(velocity: Any) -> Any:
        return tuple(
            grids.GridArray(jnp.full(u.shape, PUSH if axis == 0 else 0.0), u.offset, grid)
            for axis, u in enumerate(velocity)
        )

    start = tuple(
        walls.impose_bc(grids.GridArray(jnp.asarray(field(*grid.mesh(offset)), jnp.float32), offset, grid))
        for field, offset in zip((along, across), grid.cell_faces, strict=True)
    )
    step = cfd.equations.semi_implicit_navier_stokes(
        density=DENSITY,
        viscosity=VISCOSITY,
        dt=TIME_STEP,
        grid=grid,
        convect=lambda v: tuple(cfd.advection.advect_van_leer(u, v, TIME_STEP) for u in v),
        pressure_solve=cfd.pressure.solve_fast_diag_channel_flow,
        forcing=force,
    )
    return step, start


def speed(velocity: Any) -> NDArray[Any]:
    """How fast the fluid is, [64, 32], from the velocities at the cells' faces."""
    along, across = (np.asarray(u.data) for u in velocity)
    return np.asarray(np.hypot(along, across))


def main() -> int:
    """Let the fluid flow and draw its speed."""
    options = beside.parser("channel", __doc__, 200)
    options.add_argument("--picture", type=Path, help="write a picture of the speed")
    options.add_argument("--movie", type=Path, help="write a moving picture (SVG) of it")
    return beside.run(options, work)


def work(arguments: argparse.Namespace) -> int:
    """What the command line asks for."""
    options = beside.options(arguments)
    with pad_as_before():
        step, state = build()
        race = beside.Race(step, lambda move, state, _: move(state), state, options)
        frames, way = [(0, speed(state))], [speed(state)]
        for number in range(1, arguments.steps + 1):
            race.step()
            way.append(speed(race.state))
            if number % max(1, arguments.steps // 4) == 0:
                say(f"step {number:4}  largest speed {speed(race.state).max():.4f}", flush=True)
            if number in (arguments.steps // 2, arguments.steps):
                frames.append((number, speed(race.state)))
    say(race.report())
    if arguments.picture:
        picture(frames, arguments.picture)
        say(f"picture: {arguments.picture}")
    if arguments.movie:
        movie(np.array(way)).save(arguments.movie)
        say(f"moving picture: {arguments.movie}")
    return 0


def movie(way: NDArray[Any]) -> Picture:
    """The speed as it changes, dark where it is small. way: speeds [steps + 1, along, across]."""
    return field(way[beside.shown(len(way))], f"the speed of a flow between two walls in {len(way) - 1} steps")


def picture(frames: list[tuple[int, NDArray[Any]]], path: Path) -> None:
    """Draw the speed. frames: step, speeds [along, across]."""
    largest = max(float(values.max()) for _, values in frames)
    with lettered():
        figure = Figure(figsize=(7, 2.1 * len(frames)), layout="constrained")
        for axes, (number, values) in zip(figure.subplots(len(frames), 1, squeeze=False)[:, 0], frames, strict=True):
            image = axes.imshow(values.T, origin="lower", extent=(0, LENGTH, 0, HEIGHT), vmin=0, vmax=largest)
            axes.set_title(shown(f"speed after {number} steps"), fontsize=9)
            figure.colorbar(image, ax=axes)
        save(figure, path)


if __name__ == "__main__":
    sys.exit(main())

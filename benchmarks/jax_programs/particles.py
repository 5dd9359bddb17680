"""JAX-MD: soft spheres in a periodic box move until the forces on them vanish.

`energy.soft_sphere_pair` gives the energy, `minimize.fire_descent` the steps; only `jax.jit` is `mnjit` here.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from benchmarks.jax_programs import beside
from benchmarks.jax_programs.moving import particles
from haribote.draw.fonts import lettered
from simulator.files import write_file
from simulator.messages import say, shown
from simulator.pictures.canvas import Picture

PARTICLES, SIZE = 128, 9.5
"""So many of diameter 1 in a box of that size have no room to be apart: they order as they push each other."""
VANISHED = 2e-5
"""The largest force that counts as none: what rounding leaves of forces of 1 on particles 10 away from 0."""


def build(particles: int = PARTICLES, size: float = SIZE, seed: int = 0) -> tuple[Any, Any]:
    """The step of the minimiser, and the state from which it starts, at random positions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # JAX-MD asks for float64 where there is none
        from jax_md import energy, minimize, space

        displacement, shift = space.periodic(size)
        start, step = minimize.fire_descent(energy.soft_sphere_pair(displacement), shift)
        positions = size * jax.random.uniform(jax.random.PRNGKey(seed), (particles, 2))
        return step, start(positions)


def largest_force(state: Any) -> float:
    """Of all particles, the longest."""
    return float(np.linalg.norm(np.asarray(state.force), axis=1).max())


def main() -> int:
    """Move the particles and draw them."""
    options = beside.parser("particles", __doc__, 1000)
    options.add_argument("--picture", type=Path, help="write a picture of the particles as they order")
    options.add_argument("--movie", type=Path, help="write a moving picture (SVG) of them")
    return beside.run(options, work)


def work(arguments: argparse.Namespace) -> int:
    """What the command line asks for."""
    options = beside.options(arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        step, state = build()
        race = beside.Race(step, lambda move, state, _: move(state), state, options)
        frames = [(0, np.asarray(state.position), largest_force(state))]
        way = [np.asarray(state.position)]
        while race.number < arguments.steps and largest_force(race.state) > VANISHED:
            race.step()
            way.append(np.asarray(race.state.position))
            if race.number in (10, 50) or race.number % 100 == 0:
                say(f"step {race.number:4}  largest force {largest_force(race.state):.1e}", flush=True)
            if race.number in (10, 50):
                frames.append((race.number, np.asarray(race.state.position), largest_force(race.state)))
    frames.append((race.number, np.asarray(race.state.position), largest_force(race.state)))
    say(f"step {race.number:4}  largest force {frames[-1][2]:.1e}")
    say(race.report())
    if arguments.picture:
        picture(frames, arguments.picture)
        say(f"picture: {arguments.picture}")
    if arguments.movie:
        movie(np.array(way)).save(arguments.movie)
        say(f"moving picture: {arguments.movie}")
    return 0


def movie(way: NDArray[Any]) -> Picture:
    """The particles as they move. way: positions [steps + 1, n, 2]; most frames are of the beginning."""
    frames = way[beside.shown(len(way), early=True)]
    return particles(
        frames, SIZE, f"{way.shape[1]} soft spheres in {len(way) - 1} steps, as they push each other apart"
    )


def picture(frames: Sequence[tuple[int, NDArray[Any], float]], path: Path) -> None:
    """Draw the particles in the box. frames: step, positions [n, 2], largest force."""
    with lettered():
        figure = Figure(figsize=(3 * len(frames), 3.3), layout="constrained")
        for axes, (number, positions, force) in zip(figure.subplots(1, len(frames)), frames, strict=True):
            axes.set(xlim=(0, SIZE), ylim=(0, SIZE), aspect="equal", xticks=[], yticks=[])
            axes.set_title(shown(f"step {number}, force {force:.1e}"), fontsize=9)
            _add_disks(axes, positions)
        save(figure, path)


def _add_disks(axes: Axes, positions: NDArray[Any]) -> None:
    """All particles, and what is seen of them at the other sides of the box."""
    for x, y in positions:
        for dx in (-SIZE, 0, SIZE):
            for dy in (-SIZE, 0, SIZE):
                if -1 < x + dx < SIZE + 1 and -1 < y + dy < SIZE + 1:
                    axes.add_patch(_disk(x + dx, y + dy))


def _disk(x: float, y: float) -> Any:
    from matplotlib.patches import Circle

    return Circle((x, y), 0.5, facecolor="#4c78a855", edgecolor="#1f4e79", linewidth=0.8)


def save(figure: Figure, path: Path) -> None:
    """Write a figure in the format of its name; the file appears whole or not at all."""
    from io import BytesIO

    buffer = BytesIO()
    figure.savefig(buffer, format=path.suffix.lstrip(".") or "png", dpi=120)
    write_file(path, buffer.getvalue())


if __name__ == "__main__":
    sys.exit(main())

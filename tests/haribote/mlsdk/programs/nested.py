"""Arguments and results that are nested: tuples, lists, dicts, a namedtuple and a dataclass."""

import argparse
from dataclasses import dataclass
from typing import NamedTuple

import torch
from mlsdk import Context, MNDevice, register_pytree_dataclass, register_pytree_namedtuple, storage


@register_pytree_namedtuple
class Point(NamedTuple):
    x: torch.Tensor
    y: torch.Tensor


@register_pytree_dataclass
@dataclass
class Body:
    place: Point
    mass: torch.Tensor


def centre(bodies: list[Body], shift: dict[str, torch.Tensor], scale: float = 1.0) -> tuple[Point, dict]:
    mass = bodies[0].mass + bodies[1].mass
    x = (bodies[0].place.x * bodies[0].mass + bodies[1].place.x * bodies[1].mass) / mass
    y = (bodies[0].place.y * bodies[0].mass + bodies[1].place.y * bodies[1].mass) / mass
    return Point(scale * x + shift["x"], scale * y), {"mass": mass, "count": 2}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="mncore2:auto")
    parser.add_argument("--outdir", required=True)
    args = parser.parse_args()

    context = Context(MNDevice(args.device))
    Context.switch_context(context)
    torch.manual_seed(0)

    def body() -> Body:
        return Body(Point(torch.randn(4), torch.randn(4)), torch.rand(4) + 1)

    bodies, shift = [body(), body()], {"x": torch.ones(4)}
    directory = storage.path(args.outdir) / "centre"
    compiled = context.compile_automap(centre, (bodies, shift), {"scale": 2.0}, directory)
    bodies = [body(), body()]
    place, rest = compiled(bodies, shift, scale=2.0)
    wanted, others = centre(bodies, shift, scale=2.0)
    assert isinstance(place, Point) and rest["count"] == 2
    torch.testing.assert_close(place.x.cpu(), wanted.x, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(place.y.cpu(), wanted.y, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(rest["mass"].cpu(), others["mass"])

    again = context.load_codegen_dir(directory)(bodies, shift, scale=2.0)
    assert torch.equal(again[0].x.cpu(), place.x.cpu())
    print("nested ok")

"""Inputs are brought to the device once and used twice; the results stay there until they are asked for."""

import argparse

import torch
from mlsdk import Context, MNDevice, TensorProxy, storage


def scale(input: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {"scaled": input["x"] * input["factor"], "sum": input["x"].sum()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="mncore2:auto")
    parser.add_argument("--outdir", required=True)
    args = parser.parse_args()

    context = Context(MNDevice(args.device))
    Context.switch_context(context)
    sample = {"x": torch.zeros(4, 8), "factor": torch.zeros(4, 8)}
    compiled = context.compile(scale, sample, storage.path(args.outdir) / "scale")

    x, factor = torch.arange(32.0).reshape(4, 8), torch.full((4, 8), 0.5)
    proxies = compiled.allocate_input_proxy()
    proxies["x"].load_from(x)
    proxies["factor"].load_from(factor, clone=True)
    x += 100  # the device has its own copy
    first = compiled(proxies)
    assert isinstance(first["scaled"], TensorProxy)
    proxies["factor"].load_from(torch.full((4, 8), 2.0))
    second = compiled(proxies)

    torch.testing.assert_close(first["scaled"].cpu(), 0.5 * (x - 100))
    torch.testing.assert_close(second["scaled"].cpu(), 2 * (x - 100))
    assert first["sum"].item() == 496.0
    print("transfers ok")

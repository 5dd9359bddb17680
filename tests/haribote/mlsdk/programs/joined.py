"""The result of one function is the input of another, and never comes to the host."""

import argparse

import torch
from mlsdk import Context, MNDevice, storage


def encode(input: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {"code": torch.tanh(input["x"])}


def decode(input: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {"y": input["code"] * 3 - 1}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="mncore2:auto")
    parser.add_argument("--outdir", required=True)
    args = parser.parse_args()

    context = Context(MNDevice(args.device))
    Context.switch_context(context)
    outdir = storage.path(args.outdir)
    first = context.compile(encode, {"x": torch.zeros(16, 8)}, outdir / "encode")
    second = context.compile(
        decode,
        {"code": torch.zeros(16, 8)},
        outdir / "decode",
        io_spec_constraints={"code": first.output_specs["code"]},
    )
    assert first.output_specs["code"].is_memcopyable_to(second.input_specs["code"])

    torch.manual_seed(0)
    x = torch.randn(16, 8)
    code = first({"x": x})["code"]
    y = second({"code": code})["y"].cpu()
    torch.testing.assert_close(y, torch.tanh(x) * 3 - 1)
    print("joined ok")

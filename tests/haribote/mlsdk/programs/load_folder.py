"""A function is compiled in one process and used in another: `--compile`, then without."""

import argparse

import torch
from mlsdk import Context, MNDevice, storage


def polynomial(input: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    x = input["x"]
    return {"y": x * x + 3 * x, "positive": torch.relu(x)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="mncore2:auto")
    parser.add_argument("--outdir", required=True)
    parser.add_argument("--compile", action="store_true")
    args = parser.parse_args()

    context = Context(MNDevice(args.device))
    Context.switch_context(context)
    codegen_dir = storage.path(args.outdir) / "polynomial"
    x = torch.linspace(-2, 2, 24).reshape(4, 6)
    if args.compile:
        compiled = context.compile(polynomial, {"x": torch.zeros(4, 6)}, codegen_dir)
    else:
        compiled = context.load_codegen_dir(codegen_dir)
    result = compiled({"x": x})
    torch.testing.assert_close(result["y"].cpu(), x * x + 3 * x)
    torch.testing.assert_close(result["positive"].cpu(), torch.relu(x))
    print("compiled" if args.compile else "loaded", "ok")

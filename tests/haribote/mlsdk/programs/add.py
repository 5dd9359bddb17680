"""Two tensors are added."""

import argparse

import torch
from mlsdk import Context, MNDevice, storage


def main(device_name: str, outdir: str) -> None:
    device = MNDevice(device_name)
    context = Context(device)
    Context.switch_context(context)

    def add(input: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        return {"out": input["x"] + input["y"]}

    sample = {"x": torch.randn(3, 4), "y": torch.randn(3, 4)}
    compiled_add = context.compile(add, sample, storage.path(outdir) / "add")
    x, y = torch.ones(3, 4), torch.arange(12.0).reshape(3, 4)
    result = compiled_add({"x": x, "y": y})
    on_cpu = result["out"].cpu()
    print(f"{on_cpu=}")
    assert torch.equal(on_cpu, x + y)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="mncore2:auto")
    parser.add_argument("--outdir", default="/tmp/mlsdk_add")
    args = parser.parse_args()
    main(args.device, args.outdir)

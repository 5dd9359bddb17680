"""Inference of a Linear layer, its products in lower precision."""

import argparse

import torch
from mlsdk import Context, MNDevice, set_tensor_name_in_module, storage
from torch import nn

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="mncore2:auto")
    parser.add_argument("--option_json", default=None)
    parser.add_argument("--outdir", required=True)
    args = parser.parse_args()

    torch.manual_seed(0)
    model = nn.Linear(32, 16)
    model.eval()
    context = Context(MNDevice(args.device))
    Context.switch_context(context)
    set_tensor_name_in_module(model, "model")
    for param in model.parameters():
        context.register_param(param)
    for buffer in model.buffers():
        context.register_buffer(buffer)

    def infer(input: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        return {"out": model(input["x"])}

    options = {"float_dtype": "mixed"}
    if args.option_json:
        options["option_json"] = args.option_json
    x = torch.randn(8, 32)
    compiled = context.compile(infer, {"x": x}, storage.path(args.outdir) / "linear", options=options)
    difference = (compiled({"x": x})["out"].cpu() - model(x)).abs().max().item()
    print(f"{difference=:.2e}")
    assert difference < 2e-2

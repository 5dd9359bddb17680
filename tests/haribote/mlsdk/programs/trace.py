"""What ran when is written to a file that https://ui.perfetto.dev opens."""

import argparse

import torch
from mlsdk import Context, MNDevice, storage, trace_scope

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="mncore2:auto")
    parser.add_argument("--outdir", required=True)
    args = parser.parse_args()

    context = Context(MNDevice(args.device))
    Context.switch_context(context)
    outdir = storage.path(args.outdir)
    with trace_scope(outdir / "trace.pb"):
        double = context.compile(lambda input: {"y": 2 * input["x"]}, {"x": torch.zeros(8)}, outdir / "double")
        for _ in range(3):
            y = double({"x": torch.ones(8)})["y"].cpu()
    with trace_scope(None):
        double({"x": y})
    assert torch.equal(y, torch.full((8,), 2.0))
    print(f"wrote {outdir / 'trace.pb'}")

"""Two models in one context: one teaches, the other learns."""

import argparse
import copy

import torch
from mlsdk import Context, MNCoreAdam, MNDevice, storage
from torch import nn

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="mncore2:auto")
    parser.add_argument("--outdir", required=True)
    args = parser.parse_args()

    torch.manual_seed(0)
    teacher, student = nn.Linear(8, 4), nn.Linear(8, 4)
    plain = copy.deepcopy(student)
    optimizer = MNCoreAdam(student.parameters(), lr=0.01)
    context = Context(MNDevice(args.device))
    Context.switch_context(context)
    context.registry.register("teacher", teacher)
    context.registry.register("student", student)
    context.registry.register("optimizer", optimizer)

    def learn(input: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        optimizer.zero_grad()
        with torch.no_grad():
            wanted = teacher(input["x"])
        loss = ((student(input["x"]) - wanted) ** 2).mean()
        loss.backward()
        optimizer.step()
        return {"loss": loss}

    def compare(input: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        return {"teacher": teacher(input["x"]), "student": student(input["x"])}

    x = torch.randn(16, 8)
    outdir = storage.path(args.outdir)
    compiled = context.compile(learn, {"x": x}, outdir / "learn")
    both = context.compile(compare, {"x": x}, outdir / "compare")
    before = both({"x": x})["student"].cpu()
    torch.testing.assert_close(before, plain(x), rtol=1e-4, atol=1e-5)

    adam = torch.optim.Adam(plain.parameters(), lr=0.01)
    for _ in range(5):
        adam.zero_grad()
        loss = ((plain(x) - teacher(x)) ** 2).mean()
        loss.backward()
        adam.step()
        torch.testing.assert_close(compiled({"x": x})["loss"].cpu(), loss.detach(), rtol=1e-4, atol=1e-5)

    after = both({"x": x})  # with what the other function has learnt, and nothing went over the host
    torch.testing.assert_close(after["student"].cpu(), plain(x), rtol=1e-4, atol=1e-4)
    assert not torch.allclose(student.weight, plain.weight, atol=1e-4)
    context.synchronize()
    torch.testing.assert_close(student.weight, plain.weight, rtol=1e-4, atol=1e-5)
    print("two models ok")

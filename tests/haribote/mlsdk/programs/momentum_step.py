"""A training step with momentum; the learning rate falls meanwhile. `--backprop`: the program gives the loss only."""

import argparse
import copy

import torch
import torch.nn.functional as F
from mlsdk import (
    Context,
    MNCoreSGD,
    MNDevice,
    set_buffer_name_in_optimizer,
    set_tensor_name_in_module,
    storage,
)
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(12, 16)
        self.fc2 = nn.Linear(16, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc2(F.relu(self.fc1(x)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="mncore2:auto")
    parser.add_argument("--outdir", required=True)
    parser.add_argument("--backprop", action="store_true")
    args = parser.parse_args()

    torch.manual_seed(1)
    model = Net()
    plain = copy.deepcopy(model)
    kinds = {"lr": 0.1, "momentum": 0.9, "weight_decay": 1e-3}
    optimizer = (torch.optim.SGD if args.backprop else MNCoreSGD)(model.parameters(), **kinds)
    context = Context(MNDevice(args.device))
    Context.switch_context(context)
    set_tensor_name_in_module(model, "model0")
    for p in model.parameters():
        context.register_param(p)
    set_buffer_name_in_optimizer(optimizer, "optim0")
    context.register_optimizer_buffers(optimizer)

    def train_step(input: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(input["x"]), input["t"])
        loss.backward()
        optimizer.step()
        return {"loss": loss}

    def loss_only(input: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        return {"loss": F.cross_entropy(model(input["x"]), input["t"])}

    sample = {"x": torch.randn(8, 12), "t": torch.randint(0, 4, (8,))}
    codegen_dir = storage.path(args.outdir) / "train"
    extra = {}
    if args.backprop:
        extra = {
            "optim0@0@mncore_learning_rate": torch.tensor(0.1),
            "optim0@0@mncore_global_step": torch.tensor(0),
            "mncore_grad_scale_factor": torch.tensor(1.0),
        }
        compiled = context.compile(
            loss_only, sample | extra, codegen_dir, options={"backprop": True}, optimizers=[optimizer]
        )
    else:
        compiled = context.compile(train_step, sample, codegen_dir)

    reference = torch.optim.SGD(plain.parameters(), **kinds)
    for step in range(6):
        x, t = torch.randn(8, 12), torch.randint(0, 4, (8,))
        lr = 0.1 * 0.7**step
        reference.param_groups[0]["lr"] = lr
        reference.zero_grad()
        loss = F.cross_entropy(plain(x), t)
        loss.backward()
        reference.step()
        if args.backprop:
            extra["optim0@0@mncore_learning_rate"] = torch.tensor(lr)
            extra["optim0@0@mncore_global_step"] = torch.tensor(step)
            extra["mncore_grad_scale_factor"] = torch.tensor(64.0)
        else:
            optimizer.param_groups[0]["lr"] = lr
        found = compiled({"x": x, "t": t} | extra)["loss"].item()
        print(f"step {step}: loss {found:.6f}, PyTorch {loss.item():.6f}")
        assert abs(found - loss.item()) < 1e-5

    context.synchronize()
    for (name, mine), theirs in zip(model.named_parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-5, msg=name)
        buffer = optimizer.state[mine]["momentum_buffer"]
        torch.testing.assert_close(buffer, reference.state[theirs]["momentum_buffer"], rtol=1e-4, atol=1e-5)
    print("momentum ok")

"""A Llama in two stages on two devices: the hidden values go from one to the other over the host.

Training too: each stage is one function on its device; the second gives the gradient of what it was given.
"""

import argparse
import copy
import time

import torch
import torch.nn.functional as F
from llama import WIDTH, WORDS, Block, RMSNorm
from mlsdk import Context, MNCoreSGD, MNDevice, storage
from torch import Tensor, nn

LENGTH = 8


class Front(nn.Module):
    """Embedding and the first block."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.block = nn.Embedding(WORDS, WIDTH), Block()

    def forward(self, ids: Tensor) -> Tensor:
        return self.block(self.embed(ids), causal(), positions(), None)[0]


class Back(nn.Module):
    """The second block and the logits."""

    def __init__(self) -> None:
        super().__init__()
        self.block, self.norm, self.head = Block(), RMSNorm(WIDTH), nn.Linear(WIDTH, WORDS, bias=False)

    def forward(self, hidden: Tensor) -> Tensor:
        return self.head(self.norm(self.block(hidden, causal(), positions(), None)[0]))


def causal() -> Tensor:
    return torch.triu(torch.full((LENGTH, LENGTH), torch.finfo(torch.float32).min), 1)[None, None]


def positions() -> Tensor:
    return torch.arange(LENGTH)[None]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="mncore2")
    parser.add_argument("--outdir", required=True)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--infer-only", action="store_true")
    args = parser.parse_args()

    torch.manual_seed(0)
    stages = [Front(), Back()]
    plain = copy.deepcopy(stages)
    names = ["pfvm:cpu"] * 2 if args.device == "pfvm:cpu" else ["mncore2:0", "mncore2:1"]
    contexts = [Context(MNDevice(name)) for name in names]
    optimizers = [MNCoreSGD(stage.parameters(), lr=0.1, momentum=0.9) for stage in stages]
    for context, stage, optimizer in zip(contexts, stages, optimizers, strict=True):
        context.registry.register("model", stage)
        context.registry.register("optimizer", optimizer)
    front, back = stages

    def forward(input: dict[str, Tensor]) -> dict[str, Tensor]:
        with torch.no_grad():
            return {"hidden": front(input["ids"])}

    def logits(input: dict[str, Tensor]) -> dict[str, Tensor]:
        with torch.no_grad():
            return {"logits": back(input["hidden"])}

    def last(input: dict[str, Tensor]) -> dict[str, Tensor]:
        optimizers[1].zero_grad()
        hidden = input["hidden"].detach().requires_grad_()
        loss = F.cross_entropy(back(hidden)[0, :-1], input["ids"][0, 1:])
        loss.backward()
        optimizers[1].step()
        return {"loss": loss, "grad": hidden.grad}

    def backward(input: dict[str, Tensor]) -> dict[str, Tensor]:
        """The front stage once more, with the gradient that came back."""
        optimizers[0].zero_grad()
        (front(input["ids"]) * input["grad"]).sum().backward()
        optimizers[0].step()
        return {}

    def compile(stage: int, name: str, function: object, sample: dict[str, Tensor]) -> object:
        Context.switch_context(contexts[stage])
        return contexts[stage].compile(function, sample, storage.path(args.outdir) / name)

    ids, hidden = torch.randint(0, WORDS, (1, LENGTH)), torch.zeros(1, LENGTH, WIDTH)
    start = time.process_time()
    through = compile(0, "forward", forward, {"ids": ids})
    if args.infer_only:
        to_logits = compile(1, "logits", logits, {"hidden": hidden})
    else:
        end = compile(1, "last", last, {"hidden": hidden, "ids": ids})
        back_through = compile(0, "backward", backward, {"ids": ids, "grad": hidden})
    print(f"compiled in {time.process_time() - start:.1f} CPU s")

    if args.infer_only:
        found = to_logits({"hidden": through({"ids": ids})["hidden"]})["logits"].cpu()
        torch.testing.assert_close(found, plain[1](plain[0](ids)).detach(), rtol=1e-5, atol=1e-5)
    else:
        parameters = [parameter for stage in plain for parameter in stage.parameters()]
        sgd, losses = torch.optim.SGD(parameters, lr=0.1, momentum=0.9), []
        start = time.process_time()
        for _ in range(args.steps):
            middle = through({"ids": ids})["hidden"]
            result = end({"hidden": middle, "ids": ids})
            back_through({"ids": ids, "grad": result["grad"]})
            losses.append(result["loss"].item())
            sgd.zero_grad()
            wanted = F.cross_entropy(plain[1](plain[0](ids))[0, :-1], ids[0, 1:])
            wanted.backward()
            sgd.step()
            torch.testing.assert_close(losses[-1], wanted.item(), rtol=1e-3, atol=1e-4)
        assert losses[-1] < losses[0], losses
        each = (time.process_time() - start) / args.steps
        print(f"{each:.3f} CPU s a step, loss {losses[0]:.3f} to {losses[-1]:.3f}")
    moved = contexts[0].traffic.to_host
    assert args.device == "pfvm:cpu" or moved >= 1, moved
    print("pipeline ok")

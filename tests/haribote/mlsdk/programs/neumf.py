"""A recommender, NeuMF: trained in one context, evaluated in another, beside the same in plain PyTorch."""

import argparse
import copy
import time

import torch
import torch.nn.functional as F
from mlsdk import Context, MNCoreAdam, MNDevice, storage
from torch import Tensor, nn

USERS, ITEMS, WIDTH, BATCH = 24, 32, 8, 32


class NeuMF(nn.Module):
    """The product of two embeddings beside an MLP on two others."""

    def __init__(self) -> None:
        super().__init__()
        self.user, self.item = nn.Embedding(USERS, WIDTH), nn.Embedding(ITEMS, WIDTH)
        self.user_mlp, self.item_mlp = nn.Embedding(USERS, WIDTH), nn.Embedding(ITEMS, WIDTH)
        self.mlp = nn.Sequential(nn.Linear(2 * WIDTH, 16), nn.ReLU(), nn.Linear(16, 8), nn.ReLU())
        self.out = nn.Linear(WIDTH + 8, 1)

    def forward(self, user: Tensor, item: Tensor) -> Tensor:
        product = self.user(user) * self.item(item)
        joined = self.mlp(torch.cat([self.user_mlp(user), self.item_mlp(item)], -1))
        return self.out(torch.cat([product, joined], -1)).squeeze(-1)


def batches(count: int, seed: int) -> list[dict[str, Tensor]]:
    """Who likes what: users and items have two hidden tastes each."""
    torch.manual_seed(seed)
    users, items = torch.arange(USERS) % 3, torch.arange(ITEMS) % 3
    found = []
    for _ in range(count):
        user, item = torch.randint(0, USERS, (BATCH,)), torch.randint(0, ITEMS, (BATCH,))
        found.append({"user": user, "item": item, "likes": (users[user] == items[item]).float()})
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="mncore2:auto")
    parser.add_argument("--outdir", required=True)
    parser.add_argument("--steps", type=int, default=40)
    args = parser.parse_args()

    torch.manual_seed(0)
    model = NeuMF()
    plain = copy.deepcopy(model)
    optimizer = MNCoreAdam(model.parameters(), lr=0.02, chainer_use_torch=True)
    adam = torch.optim.Adam(plain.parameters(), lr=0.02)
    device, outdir = MNDevice(args.device), storage.path(args.outdir)
    training, evaluation = Context(device), Context(device)
    training.registry.register("model", model)
    training.registry.register("optimizer", optimizer)
    evaluation.registry.register("model", model)

    def train(input: dict[str, Tensor]) -> dict[str, Tensor]:
        optimizer.zero_grad()
        loss = F.binary_cross_entropy_with_logits(model(input["user"], input["item"]), input["likes"])
        loss.backward()
        optimizer.step()
        return {"loss": loss}

    def evaluate(input: dict[str, Tensor]) -> dict[str, Tensor]:
        with torch.no_grad():
            score = model(input["user"], input["item"])
        return {"score": score, "right": ((score > 0) == (input["likes"] > 0.5)).sum()}

    sample = batches(1, 0)[0]
    start = time.process_time()
    Context.switch_context(training)
    step = training.compile(
        train, sample, outdir / "train", training=True, optimizers=[optimizer], export_kwargs={"use_fx2onnx": True}
    )
    Context.switch_context(evaluation)
    score = evaluation.compile(evaluate, sample, outdir / "evaluate")
    compiled = time.process_time() - start

    losses, begin = [], time.process_time()
    Context.switch_context(training)
    for batch in batches(args.steps, 1):
        adam.zero_grad()
        wanted = F.binary_cross_entropy_with_logits(plain(batch["user"], batch["item"]), batch["likes"])
        wanted.backward()
        adam.step()
        losses.append(step(batch)["loss"].item())
        torch.testing.assert_close(losses[-1], wanted.item(), rtol=1e-4, atol=1e-5)
    each = (time.process_time() - begin) / args.steps
    training.synchronize()
    torch.testing.assert_close(model.user.weight, plain.user.weight, rtol=1e-3, atol=1e-4)

    Context.switch_context(evaluation)
    right = 0
    for batch in batches(4, 2):
        found = score(batch)
        torch.testing.assert_close(
            found["score"].cpu(), plain(batch["user"], batch["item"]).detach(), rtol=1e-3, atol=1e-4
        )
        right += int(found["right"].item())
    assert sum(losses[-5:]) < sum(losses[:5]), losses
    print(f"compiled in {compiled:.1f} CPU s, {each:.3f} CPU s a step, loss {losses[0]:.3f} to {losses[-1]:.3f}")
    print(f"neumf ok: {right} of {4 * BATCH} right")

"""A small U-Net that learns to take noise away: GroupNorm, SiLU, attention in the middle, skips, a time."""

import argparse
import copy
import math
import time

import torch
import torch.nn.functional as F
from mlsdk import Context, MNCoreAdamW, MNDevice, storage
from torch import Tensor, nn

WIDTH, SIZE, BATCH = 8, 8, 2


class Block(nn.Module):
    """Two convolutions with the time added between them."""

    def __init__(self, inside: int, outside: int) -> None:
        super().__init__()
        self.norms = nn.ModuleList([nn.GroupNorm(2, inside), nn.GroupNorm(2, outside)])
        self.first, self.second = nn.Conv2d(inside, outside, 3, padding=1), nn.Conv2d(outside, outside, 3, padding=1)
        self.time = nn.Linear(WIDTH, outside)
        self.way = nn.Identity() if inside == outside else nn.Conv2d(inside, outside, 1)

    def forward(self, x: Tensor, when: Tensor) -> Tensor:
        y = self.first(F.silu(self.norms[0](x))) + self.time(F.silu(when))[:, :, None, None]
        return self.way(x) + self.second(F.silu(self.norms[1](y)))


class Look(nn.Module):
    """Every place looks at every other."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm, self.attention = nn.GroupNorm(2, width), nn.MultiheadAttention(width, 2, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(x).flatten(2).transpose(1, 2)
        return x + self.attention(y, y, y, need_weights=False)[0].transpose(1, 2).reshape(x.shape)


class UNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.enter = nn.Conv2d(3, WIDTH, 3, padding=1)
        self.down, self.smaller = Block(WIDTH, WIDTH), nn.Conv2d(WIDTH, 2 * WIDTH, 3, 2, 1)
        self.middle, self.look = Block(2 * WIDTH, 2 * WIDTH), Look(2 * WIDTH)
        self.larger = nn.Conv2d(2 * WIDTH, WIDTH, 3, padding=1)
        self.up, self.norm, self.out = (
            Block(2 * WIDTH, WIDTH),
            nn.GroupNorm(2, WIDTH),
            nn.Conv2d(WIDTH, 3, 3, padding=1),
        )

    def forward(self, x: Tensor, when: Tensor) -> Tensor:
        half = WIDTH // 2
        angle = when.float()[:, None] * torch.exp(-math.log(10000.0) * torch.arange(half) / half)
        time = torch.cat([angle.sin(), angle.cos()], -1)
        skip = self.down(self.enter(x), time)
        x = self.look(self.middle(self.smaller(skip), time))
        x = self.larger(F.interpolate(x, scale_factor=2.0, mode="nearest"))
        return self.out(F.silu(self.norm(self.up(torch.cat([x, skip], 1), time))))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="mncore2:auto")
    parser.add_argument("--outdir", required=True)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--infer-only", action="store_true")
    args = parser.parse_args()

    torch.manual_seed(0)
    model = UNet()
    plain = copy.deepcopy(model)
    optimizer = MNCoreAdamW(model.parameters(), lr=2e-3)
    context = Context(MNDevice(args.device))
    Context.switch_context(context)
    context.registry.register("model", model)
    context.registry.register("optimizer", optimizer)

    def denoise(input: dict[str, Tensor]) -> dict[str, Tensor]:
        with torch.no_grad():
            return {"noise": model(input["x"], input["when"])}

    def train(input: dict[str, Tensor]) -> dict[str, Tensor]:
        optimizer.zero_grad()
        loss = F.mse_loss(model(input["x"], input["when"]), input["noise"])
        loss.backward()
        optimizer.step()
        return {"loss": loss}

    shape = (BATCH, 3, SIZE, SIZE)
    sample = {"x": torch.randn(shape), "when": torch.tensor([3, 40]), "noise": torch.randn(shape)}
    given = {name: sample[name] for name in ("x", "when")}
    outdir, start = storage.path(args.outdir), time.process_time()
    compiled = context.compile(denoise, given, outdir / "denoise")
    middle = time.process_time()
    found = compiled(given)["noise"].cpu()
    each = time.process_time() - middle
    torch.testing.assert_close(found, plain(**given).detach(), rtol=1e-5, atol=1e-5)
    print(f"infer: compiled in {middle - start:.1f} CPU s, {each:.3f} CPU s a run")
    if not args.infer_only:
        start = time.process_time()
        step = context.compile(train, sample, outdir / "train")
        middle = time.process_time()
        losses = [step(sample)["loss"].item() for _ in range(args.steps)]
        each = (time.process_time() - middle) / args.steps
        adam = torch.optim.AdamW(plain.parameters(), lr=2e-3)
        for loss in losses:
            adam.zero_grad()
            wanted = F.mse_loss(plain(**given), sample["noise"])
            wanted.backward()
            adam.step()
            torch.testing.assert_close(loss, wanted.item(), rtol=1e-3, atol=1e-4)
        assert losses[-1] < losses[0], losses
        print(
            f"train: compiled in {middle - start:.1f} CPU s, {each:.3f} CPU s a step, "
            f"loss {losses[0]:.4f} to {losses[-1]:.4f}"
        )
    print("unet ok")

"""Small networks of every kind for images: inference equal to PyTorch's, and twelve steps of training.

--net: one of plain PyTorch below; --timm NAME: a model of that package, with weights at random.
--way: which of the two ways of training.
"""

import argparse
import copy
import os
import time

import torch
import torch.nn.functional as F
from mlsdk import Context, MNCoreSGD, MNDevice, storage
from torch import Tensor, nn

CLASSES = 10


def conv(inside: int, outside: int, size: int, stride: int = 1, groups: int = 1) -> nn.Sequential:
    """A convolution and the normalisation after it."""
    return nn.Sequential(
        nn.Conv2d(inside, outside, size, stride, size // 2, groups=groups, bias=False), nn.BatchNorm2d(outside)
    )


class Residual(nn.Module):
    """x + inner(x), where a stride pools what is added with a window that reaches over the edge."""

    def __init__(self, inner: nn.Module, way: nn.Module | None = None) -> None:
        super().__init__()
        self.inner, self.way = inner, way or nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        return self.way(x) + self.inner(x)


def resnet() -> nn.Module:
    """Residual blocks; the second halves the size by average pooling with ceil."""

    def block(inside: int, outside: int, stride: int) -> nn.Module:
        way = nn.Sequential(nn.AvgPool2d(2, stride, ceil_mode=True, count_include_pad=False), conv(inside, outside, 1))
        inner = nn.Sequential(conv(inside, outside, 3, stride), nn.ReLU(), conv(outside, outside, 3))
        return nn.Sequential(Residual(inner, None if stride == 1 else way), nn.ReLU())

    stem = nn.Sequential(conv(3, 8, 3, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
    return nn.Sequential(
        stem, block(8, 8, 1), block(8, 16, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, CLASSES)
    )


class Gate(nn.Module):
    """Squeeze and excite: channels are weighed by what they are on average."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.down, self.up = nn.Conv2d(width, width // 4, 1), nn.Conv2d(width // 4, width, 1)

    def forward(self, x: Tensor) -> Tensor:
        return x * F.hardsigmoid(self.up(F.relu(self.down(x.mean((2, 3), keepdim=True)))))


def mobilenet() -> nn.Module:
    """Depthwise convolutions between those of one pixel."""

    def block(width: int, inner: int, size: int) -> nn.Module:
        return Residual(
            nn.Sequential(
                conv(width, inner, 1),
                nn.Hardswish(),
                conv(inner, inner, size, 1, inner),
                nn.Hardswish(),
                Gate(inner),
                conv(inner, width, 1),
            )
        )

    stem = nn.Sequential(conv(3, 8, 3, 2), nn.Hardswish(), conv(8, 8, 3, 2, 8), nn.ReLU())
    head = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, CLASSES))
    return nn.Sequential(stem, block(8, 16, 3), block(8, 24, 5), head)


class LastNorm(nn.LayerNorm):
    """LayerNorm over the channels of an image."""

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


def convnext() -> nn.Module:
    """Patches, depthwise convolutions of seven pixels, LayerNorm, an MLP over the channels."""

    def block(width: int) -> nn.Module:
        return Residual(
            nn.Sequential(
                nn.Conv2d(width, width, 7, padding=3, groups=width),
                LastNorm(width),
                nn.Conv2d(width, 4 * width, 1),
                nn.GELU(),
                nn.Conv2d(4 * width, width, 1),
            )
        )

    stem = nn.Sequential(nn.Conv2d(3, 8, 4, 4), LastNorm(8))
    down = nn.Sequential(LastNorm(8), nn.Conv2d(8, 16, 2, 2))
    head = nn.Sequential(nn.AdaptiveAvgPool2d(1), LastNorm(16), nn.Flatten(), nn.Linear(16, CLASSES))
    return nn.Sequential(stem, block(8), down, block(16), head)


class Patches(nn.Module):
    """An image as a row of patches."""

    def __init__(self, width: int, size: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, width, size, size)

    def forward(self, x: Tensor) -> Tensor:
        return self.conv(x).flatten(2).transpose(1, 2)


class ViT(nn.Module):
    """A transformer on patches, with a token for the class."""

    def __init__(self, size: int, width: int = 32) -> None:
        super().__init__()
        self.patches = Patches(width, 8)
        self.token = nn.Parameter(torch.randn(1, 1, width) * 0.02)
        self.places = nn.Parameter(torch.randn(1, (size // 8) ** 2 + 1, width) * 0.02)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(width, 2, 2 * width, 0.0, "gelu", batch_first=True, norm_first=True)
            for _ in range(2)
        )
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, CLASSES)

    def forward(self, x: Tensor) -> Tensor:
        x = self.patches(x)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.places
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)[:, 0])


class ResMLP(nn.Module):
    """MLPs over the patches and over the channels, with scales and shifts instead of a norm."""

    def __init__(self, size: int, width: int = 32) -> None:
        super().__init__()
        count = (size // 8) ** 2
        self.patches, self.head = Patches(width, 8), nn.Linear(width, CLASSES)
        self.tokens = nn.ModuleList(nn.Linear(count, count) for _ in range(2))
        self.mlps = nn.ModuleList(
            nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)) for _ in range(2)
        )
        self.scale = nn.Parameter(torch.full((2, 2, width), 0.1))

    def forward(self, x: Tensor) -> Tensor:
        x = self.patches(x)
        for tokens, mlp, (first, second) in zip(self.tokens, self.mlps, self.scale, strict=True):
            x = x + first * tokens(x.transpose(1, 2)).transpose(1, 2)
            x = x + second * mlp(x)
        return self.head(x.mean(1))


NETS = {"resnet": resnet, "mobilenet": mobilenet, "convnext": convnext, "vit": ViT, "resmlp": ResMLP}


def network(args: argparse.Namespace) -> nn.Module:
    torch.manual_seed(0)
    if args.timm:
        import timm

        sized = () if args.timm.startswith(("resnet", "mobilenet", "convnext")) else ("img_size",)
        return timm.create_model(args.timm, num_classes=CLASSES, drop_rate=0.0, **dict.fromkeys(sized, args.size))
    return NETS[args.net](args.size) if args.net in ("vit", "resmlp") else NETS[args.net]()


def infer(args: argparse.Namespace, context: Context, model: nn.Module) -> None:
    model.eval()

    def function(input: dict[str, Tensor]) -> dict[str, Tensor]:
        with torch.no_grad():
            return {"out": model(input["x"])}

    x = torch.randn(1, 3, args.size, args.size)
    start = time.process_time()
    compiled = context.compile(function, {"x": x}, storage.path(args.outdir) / "infer")
    middle = time.process_time()
    found = compiled({"x": x})["out"].cpu()
    end = time.process_time()
    torch.testing.assert_close(found, model(x).detach(), rtol=1e-5, atol=1e-5)
    print(f"infer: compiled in {middle - start:.1f} CPU s, {end - middle:.3f} CPU s a run")


def train(args: argparse.Namespace, context: Context, model: nn.Module) -> None:
    model.train()
    plain = copy.deepcopy(model)
    optimizer = MNCoreSGD(model.parameters(), lr=args.rate, momentum=0.9)
    context.registry.register("optimizer", optimizer)

    def loss_only(input: dict[str, Tensor]) -> dict[str, Tensor]:
        return {"loss": F.cross_entropy(model(input["x"]), input["t"])}

    def whole(input: dict[str, Tensor]) -> dict[str, Tensor]:
        optimizer.zero_grad()
        loss = loss_only(input)["loss"]
        loss.backward()
        optimizer.step()
        return {"loss": loss}

    sample = {"x": torch.randn(args.batch, 3, args.size, args.size), "t": torch.randint(0, CLASSES, (args.batch,))}
    fx = args.way == "whole"
    if not fx:
        os.environ["MNCORE_USE_LEGACY_ONNX_EXPORTER"] = "1"
    start = time.process_time()
    compiled = context.compile(
        whole if fx else loss_only,
        sample,
        storage.path(args.outdir) / "train",
        training=True,
        optimizers=[optimizer],
        export_kwargs={"use_fx2onnx": True} if fx else {},
        num_compiler_threads=-1,
    )
    middle = time.process_time()
    losses = [compiled(sample)["loss"].item() for _ in range(args.steps)]
    each = (time.process_time() - middle) / args.steps
    sgd = torch.optim.SGD(plain.parameters(), lr=args.rate, momentum=0.9)
    for step, loss in enumerate(losses):
        sgd.zero_grad()
        wanted = F.cross_entropy(plain(sample["x"]), sample["t"])
        wanted.backward()
        sgd.step()
        if step < args.beside:  # later, rounding has grown
            torch.testing.assert_close(loss, wanted.item(), rtol=1e-4, atol=1e-4)
    assert losses[-1] < losses[0], losses
    print(
        f"train: compiled in {middle - start:.1f} CPU s, {each:.3f} CPU s a step, "
        f"loss {losses[0]:.4f} to {losses[-1]:.4f}"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="mncore2:auto")
    parser.add_argument("--outdir", required=True)
    parser.add_argument("--net", choices=NETS, default="resnet")
    parser.add_argument("--timm")
    parser.add_argument("--size", type=int, default=32)
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--beside", type=int, default=12)
    parser.add_argument("--rate", type=float, default=0.02)
    parser.add_argument("--way", choices=("whole", "loss"), default="whole")
    parser.add_argument("--only", choices=("infer", "train"))
    args = parser.parse_args()

    model = network(args)
    for work in (infer, train):
        if args.only in (None, work.__name__):
            context = Context(MNDevice(args.device))
            Context.switch_context(context)
            context.registry.register("model", model)
            work(args, context, model)
    print(f"{args.timm or args.net} ok")

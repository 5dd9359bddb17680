"""MNIST: images padded to 32x32 and normalised, 1024-256-10, batches of 64, momentum; evaluation in batches of 125."""

import argparse
import gzip
import os
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from mlsdk import CacheOptions, Context, MNCoreSGD, MNDevice, storage
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

BATCH, EVALUATION_BATCH = 64, 125


class MLP(nn.Module):
    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.linear1 = nn.Linear(1024, hidden)
        self.linear2 = nn.Linear(hidden, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear2(torch.relu(self.linear1(x)))


def images(folder: Path, name: str, count: int) -> torch.Tensor:
    data = gzip.decompress((folder / f"{name}-images-idx3-ubyte.gz").read_bytes())
    pixels = torch.from_numpy(np.frombuffer(data, np.uint8, offset=16).copy()).reshape(-1, 28, 28)[:count]
    return ((F.pad(pixels.float(), (2, 2, 2, 2)) / 255 - 0.1307) / 0.3081).flatten(1)


def labels(folder: Path, name: str, count: int) -> torch.Tensor:
    data = gzip.decompress((folder / f"{name}-labels-idx1-ubyte.gz").read_bytes())
    return torch.from_numpy(np.frombuffer(data, np.uint8, offset=8).astype(np.int64))[:count]


def datasets(train: int, test: int) -> tuple[TensorDataset, TensorDataset]:
    folder = Path(os.environ.get("HARIBOTE_SHARED", ".")) / "data" / "mnist"
    if folder.is_dir():
        return (
            TensorDataset(images(folder, "train", train), labels(folder, "train", train)),
            TensorDataset(images(folder, "t10k", test), labels(folder, "t10k", test)),
        )
    patterns = torch.randn(10, 1024)
    t = torch.randint(0, 10, (train + test,))
    x = patterns[t] + 2 * torch.randn(train + test, 1024)
    return TensorDataset(x[:train], t[:train]), TensorDataset(x[train:], t[train:])


def main(args: argparse.Namespace) -> None:
    torch.manual_seed(0)
    train_set, test_set = datasets(args.train, args.test)
    train_loader = DataLoader(train_set, batch_size=BATCH, shuffle=True, drop_last=True)
    test_loader = DataLoader(test_set, batch_size=EVALUATION_BATCH, drop_last=True)
    model = MLP(args.hidden)
    optimizer = MNCoreSGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=0.0)

    context = Context(MNDevice(args.device))
    Context.switch_context(context)
    context.registry.register("model", model)
    context.registry.register("optimizer", optimizer)

    def train_step(input: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(input["x"]), input["t"])
        loss.backward()
        optimizer.step()
        return {"loss": loss}

    def eval_step(input: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        correct = (model(input["x"]).argmax(dim=1) == input["t"]).sum()
        return {"correct": correct}

    outdir = storage.path(args.outdir)
    options = {"float_dtype": args.float_dtype}
    cache = CacheOptions(str(outdir / "cache"))
    x, t = next(iter(train_loader))
    compiled_train = context.compile(
        train_step, {"x": x, "t": t}, outdir / "train", options=options, cache_options=cache
    )
    x, t = next(iter(test_loader))
    compiled_eval = context.compile(eval_step, {"x": x, "t": t}, outdir / "eval", options=options, cache_options=cache)

    for epoch in range(1, args.epochs + 1):
        started, total = time.time(), 0.0
        for x, t in train_loader:
            total += compiled_train({"x": x, "t": t})["loss"].item()
        correct = sum(compiled_eval({"x": x, "t": t})["correct"].item() for x, t in test_loader)
        accuracy = 100 * correct / (len(test_loader) * EVALUATION_BATCH)
        mean = total / len(train_loader)
        print(
            f"epoch {epoch}  loss {mean:.4f}  accuracy {accuracy:.2f}%  time {time.time() - started:.1f}s", flush=True
        )
    context.synchronize()
    torch.save(model.state_dict(), str(outdir / "model.pt"))

    model.eval()
    with torch.no_grad():
        inputs, wanted = test_set.tensors
        on_host = (model(inputs).argmax(1) == wanted).float().mean().item()
    print(f"PyTorch with the trained parameters: {100 * on_host:.2f}%")
    assert abs(100 * on_host - accuracy) < 2
    assert accuracy > args.least, f"expected above {args.least}%"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="mncore2:auto")
    parser.add_argument("--outdir", default="/tmp/mlsdk_mnist")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--train", type=int, default=60000)
    parser.add_argument("--test", type=int, default=10000)
    parser.add_argument("--float_dtype", default="float")
    parser.add_argument("--least", type=float, default=94.0)
    main(parser.parse_args())

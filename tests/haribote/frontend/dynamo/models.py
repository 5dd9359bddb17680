"""Models of many kinds, small."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class LeNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(1, 4, 3, padding=1), nn.Conv2d(4, 6, 3)
        self.hidden, self.last = nn.Linear(6 * 4, 12), nn.Linear(12, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = F.max_pool2d(F.relu(self.first(x)), 2)
        x = F.max_pool2d(F.relu(self.second(x)), 2)
        return self.last(F.relu(self.hidden(x.flatten(1))))


class Block(nn.Module):
    """A transformer block."""

    def __init__(self, width: int = 8, heads: int = 2) -> None:
        super().__init__()
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(width, 16), nn.GELU(), nn.Linear(16, width))

    def forward(self, x: Tensor) -> Tensor:
        y = self.before(x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        return x + self.mlp(self.between(x))


class Gammas(nn.Module):
    """The incomplete gamma function has no rule."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(8, 8), nn.Linear(8, 3)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.tanh(self.first(x))
        x = x * torch.igamma(x.detach().abs() + 1, x.detach().abs())
        return self.last(x * 2)


class Nested(nn.Module):
    """Inputs and outputs in dicts, lists and tuples."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, named: dict[str, Tensor], pair: tuple[Tensor, Tensor], scale: float = 2.0) -> dict:
        y = self.linear(named["x"]) * scale
        return {"y": y, "rest": [y + pair[0], (pair[1].argmax(-1), y.view(-1))]}


class Counts(nn.Module):
    """Batch norm, a buffer that changes, and an operation in place."""

    def __init__(self) -> None:
        super().__init__()
        self.linear, self.norm = nn.Linear(8, 8, bias=False), nn.BatchNorm1d(8)
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        y = self.norm(self.linear(x))
        y.mul_(2)
        return y


class Drops(nn.Module):
    """Two dropouts that do not depend on each other."""

    def __init__(self) -> None:
        super().__init__()
        self.linear, self.drop = nn.Linear(8, 8), nn.Dropout(0.5)

    def forward(self, x: Tensor) -> Tensor:
        return self.drop(F.relu(self.linear(x))) + self.drop(x)


class Branches(nn.Module):
    """Python asks for a value."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x: Tensor) -> Tensor:
        y = self.linear(x)
        if y.sum() > 0:
            y = y * 2
        return y.relu()


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(8, 6), nn.ReLU(), nn.Linear(6, 4))


def rows(number: int = 4) -> Tensor:
    return torch.randn(number, 8, generator=torch.Generator().manual_seed(number))


MODELS = {
    "mlp": (mlp, (rows(),)),
    "lenet": (LeNet, (torch.randn(3, 1, 12, 12, generator=torch.Generator().manual_seed(1)),)),
    "block": (Block, (rows(10).reshape(2, 5, 8),)),
    "gammas": (Gammas, (rows(),)),
    "nested": (Nested, ({"x": rows()}, (rows(5)[1:], rows(6)[2:]))),
    "counts": (Counts, (rows(6),)),
    "drops": (Drops, (rows(),)),
    "branches": (Branches, (rows(),)),
}
"""By name: what makes a model, and arguments."""

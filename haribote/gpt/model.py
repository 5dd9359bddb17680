"""The model: a GPT of few characters, in PyTorch, with one way through it for training and one for writing.

Where a token stands is told by attention alone: every head takes off the more, the further away a token is, each head
at its own rate. So keys and values do not depend on where the window begins, and a cache of them may be cut off at
its old end.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from haribote.gpt.attention import attention, slid

HIDDEN = -1e30
"""Added to the score of what may not be looked at: its weight is exactly 0, and no score becomes infinite."""


@dataclass(frozen=True)
class Shape:
    """Sizes of a model. vocabulary: different characters; context: tokens that are looked at, at most."""

    vocabulary: int
    layers: int = 2
    width: int = 64
    heads: int = 4
    context: int = 32


class Block(nn.Module):
    """Attention over what came before, then a layer of four times the width; both are added to what comes in."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width = shape.width
        self.heads, self.size = shape.heads, width // shape.heads
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.ask, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.out, self.up, self.down = nn.Linear(width, width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor, scores: Tensor, cache: Cache | None = None) -> Tensor:
        """x: [batch, queries, width]; scores: what is added to those of attention, [.., heads, queries, keys].

        cache: where keys and values of the window are kept, and looked at.
        """
        seen = self.before(x)
        queries, keys, values = (self._heads(layer(seen)) for layer in (self.ask, self.key, self.value))
        if cache is not None:
            keys, values = cache.extended(keys, values)
        x = x + self.out(attention(queries, keys, values, scores).transpose(1, 2).reshape(x.shape))
        result: Tensor = x + self.down(torch.relu(self.up(self.after(x))))
        return result

    def _heads(self, x: Tensor) -> Tensor:
        """[batch, tokens, width] as [batch, heads, tokens, size of a head]."""
        batch, tokens, _ = x.shape
        return x.reshape(batch, tokens, self.heads, self.size).transpose(1, 2)


class Cache(nn.Module):
    """Keys and values of the latest tokens of one layer, [1, heads, context, size of a head], the newest last."""

    keys: Tensor
    values: Tensor

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        for name in ("keys", "values"):
            self.register_buffer(name, torch.zeros(1, shape.heads, shape.context, shape.width // shape.heads))

    def extended(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """What the window holds once these are in it; as many of the oldest are gone."""
        whole = keys.shape[2] >= self.keys.shape[2]  # they fill the window by themselves
        self.keys.copy_(keys if whole else slid(self.keys, keys))
        self.values.copy_(values if whole else slid(self.values, values))
        return self.keys, self.values


class GPT(nn.Module):
    """From tokens [batch, queries] to the scores of the next one, [batch, queries, vocabulary]."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.tokens = nn.Embedding(shape.vocabulary, shape.width)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.norm, self.head = nn.LayerNorm(shape.width), nn.Linear(shape.width, shape.vocabulary)

    def forward(self, tokens: Tensor, scores: Tensor, caches: nn.ModuleList | None = None) -> Tensor:
        """See `Block.forward`; caches: one for each layer."""
        x = self.tokens(tokens)
        for number, block in enumerate(self.blocks):
            x = block(x, scores, None if caches is None else caches[number])
        logits: Tensor = self.head(self.norm(x))
        return logits


def initial(shape: Shape, seed: int) -> GPT:
    """A model whose weights depend on the seed alone; torch's own random state stays as it is."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = GPT(shape)
        nn.init.normal_(model.tokens.weight, std=0.1)
        return model


def distances(shape: Shape, queries: int) -> Tensor:
    """What attention adds for the last `queries` tokens of a window, [heads, queries, context]: the rate of the head
    times how far back a token is, and HIDDEN for later ones.
    """
    rates = torch.tensor([0.5 ** (1 + 6 * head / max(shape.heads - 1, 1)) for head in range(shape.heads)])
    at = torch.arange(shape.context)
    back = at[shape.context - queries :, None] - at[None, :]
    return torch.where(back < 0, torch.tensor(HIDDEN), rates[:, None, None] * -back)

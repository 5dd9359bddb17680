"""`haribote gpt write`: a text, character by character, from a trained model.

Two programs, each compiled once: *prefill* reads the whole beginning at once and fills the cache of keys and values,
*decode* reads one character and makes room for it by dropping the oldest. The cache, and which of its places are in
use, are residents: between two characters only a number goes to the chip, and the scores of the next one come back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from haribote.errors import HariboteError
from haribote.gpt.checkpoint import load
from haribote.gpt.model import GPT, HIDDEN, Cache, Shape, distances, initial
from haribote.gpt.options import BACKENDS
from haribote.gpt.text import Alphabet, Tokens
from haribote.gpt.trainers import State
from haribote.mlsdk import Context, MNDevice
from haribote.training.checkpoint import CheckpointError
from simulator.messages import Text, tr

Scores = NDArray[np.float32]


class Reader(nn.Module):
    """A model with what it has read: a cache for each layer, and for every place of the window 0, or HIDDEN before the
    beginning of the text.
    """

    unused: Tensor

    def __init__(self, model: GPT) -> None:
        super().__init__()
        self.model = model
        self.caches = nn.ModuleList(Cache(model.shape) for _ in range(model.shape.layers))
        self.register_buffer("unused", torch.full((model.shape.context,), HIDDEN))

    def prefill(self, tokens: Tensor, unused: Tensor) -> Tensor:
        """The scores of the character after these, [vocabulary]; the caches are filled.

        tokens: [1, context], the last ones real; unused: [context], 0 where a token is real, else HIDDEN.
        """
        self.unused.copy_(unused)
        context = self.model.shape.context
        scores = distances(self.model.shape, context) + self.unused
        return self.model(tokens, scores, self.caches)[0, context - 1]  # type: ignore[no-any-return]

    def decode(self, token: Tensor) -> Tensor:
        """The scores of the character after this one, [vocabulary]. token: [1, 1]."""
        self.unused.copy_(torch.cat([self.unused[1:], torch.zeros(1)]))
        scores = distances(self.model.shape, 1) + self.unused
        return self.model(token, scores, self.caches)[0, 0]  # type: ignore[no-any-return]


class TorchWriter:
    """The two passes in PyTorch."""

    summary: str = Text("torch, eager")

    def __init__(self, model: GPT) -> None:
        self._reader = Reader(model)

    def prefill(self, tokens: Tokens, unused: Scores) -> Scores:
        """See `Reader.prefill`."""
        with torch.no_grad():
            found: Scores = self._reader.prefill(torch.from_numpy(tokens).long(), torch.from_numpy(unused)).numpy()
        return found

    def decode(self, token: int) -> Scores:
        """See `Reader.decode`."""
        with torch.no_grad():
            found: Scores = self._reader.decode(torch.tensor([[token]])).numpy()
        return found


class ChipWriter:
    """The two passes as programs for the chip.

    Attributes:
        graphs: `prefill` and `decode`, with their costs.
    """

    def __init__(self, model: GPT, device: str = "") -> None:
        """device: of the vendor's interface; the chip where none is named."""
        reader = Reader(model)
        self._context = Context(MNDevice(device) if device else MNDevice())
        self._context.registry.register("reader", reader)
        context = model.shape.context

        def prefill(given: dict[str, Tensor]) -> dict[str, Tensor]:
            return {"scores": reader.prefill(given["tokens"].long(), given["unused"])}

        def decode(given: dict[str, Tensor]) -> dict[str, Tensor]:
            return {"scores": reader.decode(given["token"].long())}

        tokens = torch.zeros(1, context, dtype=torch.int32)
        with torch.no_grad():
            self._prefill = self._context.compile(prefill, {"tokens": tokens, "unused": torch.zeros(context)})
            self._decode = self._context.compile(decode, {"token": tokens[:, :1]})
        self.graphs = {"prefill": self._prefill.graph, "decode": self._decode.graph}
        self.summary = "; ".join(_cost(name, graph) for name, graph in self.graphs.items())

    def prefill(self, tokens: Tokens, unused: Scores) -> Scores:
        """See `Reader.prefill`."""
        given = {"tokens": torch.from_numpy(tokens), "unused": torch.from_numpy(unused)}
        found: Scores = self._prefill(given)["scores"].cpu().numpy()
        return found

    def decode(self, token: int) -> Scores:
        """See `Reader.decode`."""
        found: Scores = self._decode({"token": torch.tensor([[token]], dtype=torch.int32)})["scores"].cpu().numpy()
        return found


def _cost(name: str, graph: Any) -> str:
    figures = tr("on the host") if graph.cost is None else graph.cost.figures
    return tr("{name}: on the chip {coverage} operators, {figures}", name=name, coverage=graph.coverage,
              figures=figures)  # fmt: skip


Writer = TorchWriter | ChipWriter


@dataclass(frozen=True)
class Trained:
    """A model from a checkpoint, and its characters."""

    model: GPT
    alphabet: Alphabet


def trained(path: Path) -> Trained:
    """The model of a checkpoint, as the chip has trained it where it has, else as PyTorch has.

    Raises CheckpointError where there is none, or it is not whole.
    """
    run, states = load(path)
    state: State = states.get("sim") or states.get("torch") or {}
    model = initial(run.shape, run.seed)
    try:
        model.load_state_dict({name: torch.from_numpy(state[name]) for name, _ in model.named_parameters()})
    except (KeyError, RuntimeError) as error:
        raise CheckpointError(
            tr("{path} lacks weights of its model: {error}", path, error), tr("train again")
        ) from error
    return Trained(model, Alphabet(run.alphabet))


def begun(shape: Shape, tokens: Tokens) -> tuple[Tokens, Scores]:
    """What prefill gets for a beginning of one token or more: its last tokens, filled up on the left, and `unused`."""
    window, unused = np.zeros((1, shape.context), np.int32), np.full(shape.context, HIDDEN, np.float32)
    last = tokens[-shape.context :]
    window[0, shape.context - len(last) :] = last
    unused[shape.context - len(last) :] = 0
    return window, unused


def characters(
    writer: Writer, trained: Trained, prompt: str, length: int, temperature: float, seed: int
) -> Iterator[str]:
    """So many characters after a prompt, one by one; the first one the model knows where the prompt is empty.

    temperature: 0 always takes the likeliest; the higher, the bolder. The same seed gives the same text.
    Raises TextError for a character that the model does not know.
    """
    alphabet, random = trained.alphabet, np.random.default_rng(seed)
    tokens = alphabet.tokens(prompt or alphabet.characters[0])
    scores = writer.prefill(*begun(trained.model.shape, tokens))
    for number in range(length):
        token = drawn(scores, temperature, random)
        yield alphabet.characters[token]
        if number + 1 < length:
            scores = writer.decode(token)


def drawn(scores: Scores, temperature: float, random: np.random.Generator) -> int:
    """A token by the probabilities that scores [vocabulary] give at a temperature."""
    if temperature == 0:
        return int(scores.argmax())
    powers = np.exp((scores.astype(np.float64) - float(scores.max())) / temperature)
    return int(np.searchsorted(np.cumsum(powers), random.random() * powers.sum()).clip(0, len(scores) - 1))


def make_writer(trained: Trained, backend: str, say: Callable[[str], object]) -> Writer:
    """What writes. Raises HariboteError where a program cannot be compiled."""
    if backend not in BACKENDS:
        raise HariboteError(tr("there is no backend {backend!r}", backend), "torch, sim")
    if backend == "torch":
        return TorchWriter(trained.model)
    say(tr("compiling prefill and decode for the chip, once; later they are found in the cache"))
    return ChipWriter(trained.model)

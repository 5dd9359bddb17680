"""Writing: prefill and decode give what one pass over the whole text gives, and what is drawn from it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from haribote.commands.cli import main
from haribote.gpt.model import GPT, HIDDEN, Shape, initial
from haribote.gpt.options import GptOptions
from haribote.gpt.text import Alphabet, TextError, Tokens
from haribote.gpt.train import train
from haribote.gpt.write import (
    ChipWriter,
    Scores,
    TorchWriter,
    Trained,
    Writer,
    begun,
    characters,
    drawn,
    trained,
)
from haribote.training.checkpoint import CheckpointError

SMALL = Shape(12, layers=2, width=8, heads=2, context=8)
TEXT = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4], np.int32)


def full_pass(model: GPT, tokens: Tokens) -> Scores:
    """The scores after each token, by one pass over all of them: each looks back at a window of the context's width."""
    shape, count = model.shape, len(tokens)
    rates = torch.tensor([0.5 ** (1 + 6 * head / (shape.heads - 1)) for head in range(shape.heads)])
    back = torch.arange(count)[:, None] - torch.arange(count)[None, :]
    seen = (back >= 0) & (back < shape.context)
    scores = torch.where(seen, -rates[:, None, None] * back, torch.tensor(HIDDEN))
    with torch.no_grad():
        found: Scores = model(torch.from_numpy(tokens)[None].long(), scores)[0].numpy()
    return found


def check_writer(writer: Writer, model: GPT) -> None:
    """A beginning of any length, then token by token, further than the window is wide."""
    for start in (1, 5, 8):
        wanted = full_pass(model, TEXT)
        found = [writer.prefill(*begun(model.shape, TEXT[:start]))]
        found += [writer.decode(int(token)) for token in TEXT[start:]]
        np.testing.assert_allclose(np.array(found), wanted[start - 1 :], atol=2e-5)


def test_prefill_and_decode_are_the_full_pass() -> None:
    model = initial(SMALL, 3)
    check_writer(TorchWriter(model), model)


@pytest.mark.slow
@pytest.mark.parametrize("device", ["pfvm:cpu", "mncore2:auto"])
def test_prefill_and_decode_on_the_device(device: str) -> None:
    model = initial(SMALL, 3)
    writer = ChipWriter(model, device)
    check_writer(writer, model)
    if device != "pfvm:cpu":
        assert {graph.engine for graph in writer.graphs.values()} == {"chip"}
    traffic = writer._context.traffic
    before = traffic.to_device, traffic.to_host, traffic.relaid, traffic.bytes_to_device
    for token in (1, 2, 3):
        writer.decode(token)
    assert traffic.to_device - before[0] == 3  # a number each
    assert traffic.bytes_to_device - before[3] == 3 * 4
    assert traffic.to_host - before[1] == 3  # and scores: no cache has moved
    assert traffic.relaid == before[2]


def test_temperature_and_seed() -> None:
    scores = np.array([0.0, 1.0, 3.0, -2.0], np.float32)
    assert drawn(scores, 0, np.random.default_rng(1)) == 2
    random = np.random.default_rng(1)
    counts = np.bincount([drawn(scores, 1.0, random) for _ in range(4000)], minlength=4) / 4000
    wanted = np.exp(scores) / np.exp(scores).sum()
    np.testing.assert_allclose(counts, wanted, atol=0.02)
    bold = np.bincount([drawn(scores, 5.0, random) for _ in range(4000)], minlength=4) / 4000
    assert bold[3] > 3 * wanted[3]
    assert drawn(np.full(3, HIDDEN, np.float32), 0.1, random) in range(3)


def test_the_same_seed_writes_the_same() -> None:
    model = Trained(initial(SMALL, 3), Alphabet("abcdefghijkl"))

    def text(seed: int, prompt: str = "abc") -> str:
        return "".join(characters(TorchWriter(model.model), model, prompt, 20, 1.0, seed))

    assert len(text(1)) == 20
    assert text(1) == text(1) != text(2)
    assert len(text(1, "")) == len(text(1, "abcdefghijkl" * 3)) == 20
    with pytest.raises(TextError, match="'X'"):
        text(1, "aXb")


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.txt").write_text("so it is, and so it will be. " * 40)
    sizes = ["--layers", "1", "--width", "8", "--heads", "2", "--context", "8", "--batch", "2", "--steps", "3"]
    assert main(["gpt", "write", "--backend", "torch"]) == 2
    assert "there is no checkpoint" in capsys.readouterr().err
    assert main(["gpt", "train", "--backend", "torch", "--text", "mine.txt", *sizes]) == 0
    said = capsys.readouterr().out
    assert "mine.txt: 1,160 characters" in said and "step 3  in PyTorch" in said
    write = ["gpt", "write", "--backend", "torch", "--length", "15"]
    assert main([*write, "--prompt", "so"]) == 0
    assert len(capsys.readouterr().out.rstrip("\n")) in range(2, 18)
    assert main([*write, "--prompt", "Q"]) == 2
    assert "'Q'" in capsys.readouterr().err
    assert main(["gpt", "train", "--backend", "torch", "--text", "none.txt"]) == 2
    assert "none.txt" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["gpt", "write", "--temperature", "-1"])


def test_a_checkpoint_that_lacks_weights(tmp_path: Path) -> None:
    train(GptOptions("torch", tmp_path, layers=1, width=8, heads=2, context=8, batch=2, steps=1), lambda text: None)
    path = tmp_path / "gpt.npz"
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files if not name.startswith("torch:head")}
    np.savez(path, **arrays)
    with pytest.raises(CheckpointError, match=r"lacks weights.*head\.weight"):
        trained(path)

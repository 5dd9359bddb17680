"""A small Whisper: the encoder compiled once, the decoder once; what is heard stays on the device between them.

--transformers: the model of the package of this name; else one of plain PyTorch.
"""

import argparse
import time

import torch
import torch.nn.functional as F
from mlsdk import Context, MNDevice, storage
from torch import Tensor, nn

WORDS, WIDTH, HEADS, MELS, FRAMES, LENGTH, TOKENS = 48, 32, 2, 16, 32, 8, 6


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.query, self.value, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(3))
        self.key = nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(self, x: Tensor, other: Tensor, causal: bool = False) -> Tensor:
        query, key, value = (
            part(one).unflatten(-1, (HEADS, -1)).transpose(1, 2)
            for part, one in ((self.query, x), (self.key, other), (self.value, other))
        )
        return self.out(F.scaled_dot_product_attention(query, key, value, is_causal=causal).transpose(1, 2).flatten(2))


class Block(nn.Module):
    """Self-attention, attention to what is heard where there is any, an MLP."""

    def __init__(self, cross: bool) -> None:
        super().__init__()
        self.attention, self.cross = Attention(), Attention() if cross else None
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(3))
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 2 * WIDTH), nn.GELU(), nn.Linear(2 * WIDTH, WIDTH))

    def forward(self, x: Tensor, heard: Tensor | None = None) -> Tensor:
        y = self.norms[0](x)
        x = x + self.attention(y, y, causal=heard is not None)
        if self.cross is not None and heard is not None:
            x = x + self.cross(self.norms[1](x), heard)
        return x + self.mlp(self.norms[2](x))


class Whisper(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Conv1d(MELS, WIDTH, 3, padding=1), nn.Conv1d(WIDTH, WIDTH, 3, 2, 1)
        self.frames = nn.Parameter(torch.randn(FRAMES // 2, WIDTH) * 0.1)
        self.embed, self.places = nn.Embedding(WORDS, WIDTH), nn.Parameter(torch.randn(LENGTH, WIDTH) * 0.1)
        self.hears, self.writes = Block(cross=False), Block(cross=True)
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(2))
        self.head = nn.Linear(WIDTH, WORDS, bias=False)

    def encode(self, sound: Tensor) -> Tensor:
        x = F.gelu(self.second(F.gelu(self.first(sound)))).transpose(1, 2) + self.frames
        return self.norms[0](self.hears(x))

    def decode(self, ids: Tensor, heard: Tensor) -> Tensor:
        x = self.writes(self.embed(ids) + self.places[: ids.shape[1]], heard)
        return self.head(self.norms[1](x))


class Packaged(nn.Module):
    """The same two functions of the model of `transformers`."""

    def __init__(self) -> None:
        super().__init__()
        from transformers import WhisperConfig, WhisperForConditionalGeneration

        config = WhisperConfig(
            vocab_size=WORDS,
            num_mel_bins=MELS,
            d_model=WIDTH,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=HEADS,
            decoder_attention_heads=HEADS,
            encoder_ffn_dim=2 * WIDTH,
            decoder_ffn_dim=2 * WIDTH,
            max_source_positions=FRAMES // 2,
            max_target_positions=LENGTH,
            pad_token_id=0,
            bos_token_id=1,
            eos_token_id=2,
            decoder_start_token_id=1,
        )
        self.whisper = WhisperForConditionalGeneration(config)

    def encode(self, sound: Tensor) -> Tensor:
        return self.whisper.model.encoder(sound).last_hidden_state

    def decode(self, ids: Tensor, heard: Tensor) -> Tensor:
        decoder = self.whisper.model.decoder
        return self.whisper.proj_out(decoder(input_ids=ids, encoder_hidden_states=heard, use_cache=False)[0])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="mncore2:auto")
    parser.add_argument("--outdir", required=True)
    parser.add_argument("--transformers", action="store_true")
    args = parser.parse_args()

    torch.manual_seed(0)
    model = (Packaged() if args.transformers else Whisper()).eval()
    for name, parameter in model.named_parameters():
        if parameter.ndim == 2 and "embed" not in name:  # larger than at the start of training: the tokens differ
            parameter.data *= 3
    context = Context(MNDevice(args.device))
    Context.switch_context(context)
    context.registry.register("model", model)

    def encode(input: dict[str, Tensor]) -> dict[str, Tensor]:
        with torch.no_grad():
            return {"heard": model.encode(input["sound"])}

    def decode(input: dict[str, Tensor]) -> dict[str, Tensor]:
        with torch.no_grad():
            return {"logits": model.decode(input["ids"], input["heard"])}

    sound, ids = torch.randn(1, MELS, FRAMES), torch.zeros(1, LENGTH, dtype=torch.int64)
    ids[0, 0] = 1
    start = time.process_time()
    outdir = storage.path(args.outdir)
    hear = context.compile(encode, {"sound": sound}, outdir / "encode")
    heard = hear({"sound": sound})["heard"]
    write = context.compile(decode, {"ids": ids, "heard": heard}, outdir / "decode")
    compiled = time.process_time() - start
    with torch.no_grad():
        truth = model.encode(sound)
    torch.testing.assert_close(heard.cpu(), truth, rtol=1e-5, atol=1e-5)

    wanted, start = ids[:, :1], time.process_time()
    for place in range(TOKENS):
        logits = write({"ids": ids, "heard": heard})["logits"].cpu()
        with torch.no_grad():
            plain = model.decode(wanted, truth)
        torch.testing.assert_close(logits[:, place], plain[:, -1], rtol=1e-4, atol=1e-4)
        ids[0, place + 1] = int(logits[0, place].argmax())
        wanted = torch.cat([wanted, plain[:, -1:].argmax(-1)], 1)
    each = (time.process_time() - start) / TOKENS
    assert torch.equal(ids[:, : TOKENS + 1], wanted), (ids, wanted)
    print(f"compiled in {compiled:.1f} CPU s, {each:.3f} CPU s a token: {ids[0, 1 : TOKENS + 1].tolist()}")
    print("whisper ok")

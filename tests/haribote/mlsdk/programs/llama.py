"""A Llama of two layers writes twelve tokens: prefill and decode compiled once each, a cache of fixed length.

--transformers: the model of the package of this name, beside its own `generate`; else one of plain PyTorch.
"""

import argparse
import time

import torch
import torch.nn.functional as F
from mlsdk import Context, MNDevice, storage
from mlsdk.experimental.llm.attention_mask import prepare_4d_causal_attention_mask_with_cache_position
from mlsdk.experimental.llm.kv_cache import kv_cache_to_legacy, kv_cache_to_tensor
from torch import Tensor, nn

LENGTH, TOKENS, WORDS = 16, 12, 64
WIDTH, HEADS, SHARED, LAYERS = 32, 4, 2, 2
Pairs = tuple[tuple[Tensor, Tensor], ...]


class RMSNorm(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        return self.weight * x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6)


def turned(x: Tensor, position: Tensor) -> Tensor:
    """Rotary positions: pairs of a head's numbers turn with the position."""
    half = x.shape[-1] // 2
    angle = position[:, None, :, None] * 10000.0 ** (-torch.arange(half) / half)
    first, second = x[..., :half], x[..., half:]
    cos, sin = angle.cos(), angle.sin()
    return torch.cat([first * cos - second * sin, second * cos + first * sin], -1)


class Block(nn.Module):
    """Attention with fewer heads for keys than for queries, and a gated MLP."""

    def __init__(self) -> None:
        super().__init__()
        self.size = WIDTH // HEADS
        self.before, self.between = RMSNorm(WIDTH), RMSNorm(WIDTH)
        self.query = nn.Linear(WIDTH, WIDTH, bias=False)
        self.key = nn.Linear(WIDTH, SHARED * self.size, bias=False)
        self.value = nn.Linear(WIDTH, SHARED * self.size, bias=False)
        self.out = nn.Linear(WIDTH, WIDTH, bias=False)
        self.gate, self.up = nn.Linear(WIDTH, 2 * WIDTH, bias=False), nn.Linear(WIDTH, 2 * WIDTH, bias=False)
        self.down = nn.Linear(2 * WIDTH, WIDTH, bias=False)

    def forward(
        self, x: Tensor, mask: Tensor, position: Tensor, past: tuple[Tensor, Tensor] | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        batch, length, _ = x.shape
        y = self.before(x)
        query, key, value = (
            part(y).reshape(batch, length, -1, self.size).transpose(1, 2) for part in (self.query, self.key, self.value)
        )
        query, key = turned(query, position), turned(key, position)
        if past is not None:
            key, value = torch.cat([past[0], key], -2), torch.cat([past[1], value], -2)
        keys, values = (one.repeat_interleave(HEADS // SHARED, 1) for one in (key, value))
        weights = (query @ keys.transpose(-1, -2) / self.size**0.5 + mask).softmax(-1)
        x = x + self.out((weights @ values).transpose(1, 2).reshape(batch, length, WIDTH))
        y = self.between(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y)), key, value


class Llama(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(WORDS, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm, self.head = RMSNorm(WIDTH), nn.Linear(WIDTH, WORDS, bias=False)

    def forward(self, ids: Tensor, mask: Tensor, position: Tensor, past: Pairs | None) -> tuple[Tensor, Pairs]:
        x, cache = self.embed(ids), []
        for number, block in enumerate(self.blocks):
            x, key, value = block(x, mask, position, None if past is None else past[number])
            cache.append((key, value))
        return self.head(self.norm(x)), tuple(cache)

    def generate(self, prompt: Tensor, count: int) -> Tensor:
        """Greedy, without a cache, without padding."""
        for _ in range(count):
            length = prompt.shape[1]
            position = torch.arange(length)[None]
            mask = torch.triu(torch.full((length, length), -torch.inf), 1)[None, None]
            logits, _ = self(prompt, mask, position, None)
            prompt = torch.cat([prompt, logits[:, -1:].argmax(-1)], 1)
        return prompt


def packaged() -> nn.Module:
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=WORDS,
        hidden_size=WIDTH,
        intermediate_size=2 * WIDTH,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=SHARED,
        max_position_embeddings=64,
        attn_implementation="eager",
        bos_token_id=None,
        eos_token_id=None,
        pad_token_id=0,
    )
    return LlamaForCausalLM(config).eval()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="mncore2:auto")
    parser.add_argument("--outdir", required=True)
    parser.add_argument("--transformers", action="store_true")
    args = parser.parse_args()

    torch.manual_seed(0)
    model = packaged() if args.transformers else Llama()
    for parameter in model.parameters():  # larger than at the start of training: the tokens differ
        parameter.data *= 3
    prompt = torch.randint(1, WORDS, (1, 5))

    context = Context(MNDevice(args.device))
    Context.switch_context(context)
    context.registry.register("model", model)

    def run(input: dict[str, Tensor], past: Tensor | None) -> dict[str, Tensor]:
        mask = prepare_4d_causal_attention_mask_with_cache_position(input["mask"], input["position"], torch.float32)
        legacy = None if past is None else kv_cache_to_legacy(past)
        with torch.no_grad():
            if args.transformers:
                found = model(
                    input_ids=input["ids"],
                    attention_mask=mask,
                    position_ids=input["position"],
                    past_key_values=legacy,
                    use_cache=True,
                )
                logits, cache = found.logits, found.past_key_values
            else:
                logits, cache = model(input["ids"], mask, input["position"], legacy)
        return {"logits": logits[:, -1], "cache": kv_cache_to_tensor(cache)}

    def prefill(input: dict[str, Tensor]) -> dict[str, Tensor]:
        return run(input, None)

    def decode(input: dict[str, Tensor]) -> dict[str, Tensor]:
        return run(input, input["cache"][..., 1:, :])

    missing = LENGTH - prompt.shape[1]
    ids = F.pad(prompt, (missing, 0))
    mask = F.pad(torch.ones_like(prompt), (missing, 0))
    whole = {"ids": ids, "mask": mask, "position": (mask.cumsum(-1) - 1).clamp(0)}
    one = {name: value[:, -1:] if name != "mask" else value for name, value in whole.items()}
    size = WIDTH // HEADS
    start = time.process_time()
    outdir = storage.path(args.outdir)
    first = context.compile(prefill, whole, outdir / "prefill", num_compiler_threads=-1)
    one["cache"] = torch.zeros(LAYERS, 2, 1, SHARED, LENGTH, size)
    later = context.compile(decode, one, outdir / "decode", num_compiler_threads=-1)
    compiled = time.process_time() - start

    result = first(whole)
    tokens = [result["logits"].cpu().argmax(-1)]
    start = time.process_time()
    for _ in range(TOKENS - 1):
        mask = torch.roll(mask, -1, 1)
        mask[:, -1] = 1
        position = mask.sum(-1, keepdim=True) - 1
        result = later({"ids": tokens[-1][:, None], "mask": mask, "position": position, "cache": result["cache"]})
        tokens.append(result["logits"].cpu().argmax(-1))
    each = (time.process_time() - start) / (TOKENS - 1)
    options = {"max_new_tokens": TOKENS, "do_sample": False} if args.transformers else {"count": TOKENS}
    wanted = model.generate(prompt, **options)[0, prompt.shape[1] :].tolist()
    found = [int(token) for token in tokens]
    assert found == wanted, (found, wanted)
    assert len(set(found)) > 2, found
    print(f"compiled in {compiled:.1f} CPU s, {each:.3f} CPU s a token: {found}")
    print("llama ok")

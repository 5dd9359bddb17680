"""Draw pipeline.svg, the README's picture: a training step from PyTorch to the chip, and the loss that came of it.

Everything in it is real: the graph, the passes' node counts and the assembly are made on the spot; pipeline.json has
the losses of an epoch of MNIST, by PyTorch and by the simulated chip. `--record` trains again, which takes minutes.

    python -m docs.images pipeline [--record]
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import torch

from docs.images.files import HERE, path
from haribote.chip.program import Compiled
from haribote.compiler import STAGES, compile_for_sim, lower
from haribote.data import batch_order, load, normalise
from haribote.draw.layers import Point
from haribote.draw.picture import picture
from haribote.draw.render import draw, page
from haribote.draw.scene import lay_out
from haribote.frontend.torch import trace_step
from haribote.network import BATCH, LEARNING_RATE, PIXELS, WIDTHS
from haribote.training.backends import Backend, TorchBackend
from haribote.training.evaluation import evaluate
from haribote.training.models import mlp
from haribote.training.sim_backend import SimBackend
from simulator.files import write_file
from simulator.language import language
from simulator.pictures.style import SANS, fonts

SEED = 42
LOSSES = HERE / "pipeline.json"
SCALE = 0.86  # of the graph
LEFT, LEFT_WIDTH, RIGHT_WIDTH, TOP = 24.0, 262.0, 318.0, 62.0
PYTORCH = """model = nn.Sequential(
    nn.Linear(784, 16),
    nn.ReLU(),
    nn.Linear(16, 10))

loss = F.cross_entropy(
    model(x), labels)
loss.backward()
optimizer.step()"""
TEXTS = {
    "en": {
        "title": "A PyTorch training step becomes an ONNX graph, then assembly for a simulated chip that trains MNIST",
        "graph": "2  One graph: forward, backward, update",
        "passes": "The compiler's passes",
        "nodes": "{count} nodes",
        "on chip": "runs on the chip",
        "loss": "loss value, on the host",
        "assembly": "3  Assembly for the chip",
        "one": "One operator of {count}. The whole step takes",
        "whole": "{steps} steps and {moves} moves: {cycles} cycles.",
        "learns": "4  It learns MNIST: loss, one epoch",
        "steps": "234 steps",
        "simulated": "simulated chip",
        "right": "{who}: {share} right",
    },
    "ja": {
        "title": "PyTorch の学習ステップが ONNX グラフに、そしてチップのアセンブリになり、MNIST を学習する",
        "graph": "2  1つのグラフ：順伝播、逆伝播、更新",
        "passes": "コンパイラのパス",
        "nodes": "{count}ノード",
        "on chip": "チップで動く",
        "loss": "損失の値（ホストで）",
        "assembly": "3  チップのアセンブリ",
        "one": "{count}個の演算子のうちの1つです。ステップ全体では",
        "whole": "{steps}ステップと{moves}回の移動で、{cycles}サイクルです。",
        "learns": "4  MNIST を学習：1エポックの損失",
        "steps": "234ステップ",
        "simulated": "チップ",
        "right": "{who}：正解 {share}",
    },
}
STYLE = """<style>
.haribote .card { fill: var(--input); stroke: var(--line); stroke-width: 1; }
.haribote .code { text-anchor: start; white-space: pre; font-size: 11.5px; }
.haribote .comment { fill: var(--faint); }
.haribote .say { font: 12.5px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; text-anchor: start; }
.haribote .number { text-anchor: end; }
.haribote .axis { fill: none; stroke: var(--line); stroke-width: 1; }
.haribote .curve { fill: none; stroke-width: 2; stroke-linejoin: round; }
.haribote .torch { stroke: var(--host-line); stroke-width: 5; opacity: 0.45; }
.haribote .on-chip { stroke: var(--chip-line); stroke-width: 1.5; }
</style>"""


def make(into: str) -> Path:
    """Write pipeline.svg, in the language of the moment."""
    run = json.loads(LOSSES.read_text())
    model = mlp(*WIDTHS, seed=SEED)
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    traced = trace_step(model, optimizer, torch.zeros(BATCH, PIXELS), torch.zeros(BATCH, dtype=torch.int64))
    compiled = compile_for_sim(traced, solutions=True)
    counts = {"trace": len(traced.graph.node)}
    counts |= {stage: len(lower(traced, stop_after=stage).graph.node) for stage in STAGES}

    drawn = picture(lower(traced, stop_after="layout")).compact()
    drawn = replace(drawn, values=[replace(value, memory="") for value in drawn.values])
    scene = lay_out(drawn)
    middle = LEFT + LEFT_WIDTH + 24
    right = middle + scene.width * SCALE + 24
    bottom = TOP + scene.height * SCALE
    parts = [STYLE.replace(SANS, fonts(SANS)), *_left(counts), *_caption(middle, _said("graph"))]
    parts += draw(scene, Point(middle, TOP), SCALE)
    parts += _right(right, compiled, run, bottom)
    file = path("pipeline", into, "svg")
    text = page(parts, right + RIGHT_WIDTH + LEFT, bottom + 24, _said("title"))
    write_file(file, text)
    return file


def _said(name: str, **places: object) -> str:
    """A text of TEXTS in the language of the moment."""
    return TEXTS[language()][name].format(**places)


def record() -> None:
    """Write the losses of one epoch by both, from the same start, on the same batches."""
    data = load("auto")
    backends: dict[str, Backend] = {
        "torch": TorchBackend(mlp(*WIDTHS, seed=SEED), LEARNING_RATE),
        "chip": SimBackend(mlp(*WIDTHS, seed=SEED), LEARNING_RATE, BATCH, solutions=True),
    }
    images, labels = normalise(data.train_images), data.train_labels
    order = batch_order(len(labels), seed=SEED, epoch=0, batch=BATCH)
    test = normalise(data.test_images), data.test_labels
    found = {
        "data": data.name,
        "losses": {n: [round(b.step(images[rows], labels[rows]), 4) for rows in order] for n, b in backends.items()},
        "accuracy": {name: evaluate(backend, *test) for name, backend in backends.items()},
    }
    LOSSES.write_text(json.dumps(found) + "\n")


def _left(counts: dict[str, int]) -> list[str]:
    lines = PYTORCH.splitlines()
    parts = [*_caption(LEFT, "1  PyTorch"), _card(LEFT, TOP, LEFT_WIDTH, 16.0 * len(lines) + 20)]
    parts += [_text("code", LEFT + 14, TOP + 24 + 16 * number, line) for number, line in enumerate(lines)]
    top = TOP + 16 * len(lines) + 74
    parts += _caption(LEFT, _said("passes"), top - 16)
    for number, (stage, count) in enumerate(counts.items()):
        y = top + 14 + 20 * number
        parts.append(_text("say", LEFT, y, stage))
        parts.append(
            f'<g class="chip"><rect x="{LEFT + 78:g}" y="{y - 10:g}" width="{count * 1.2:g}" height="11"/></g>'
        )
        parts.append(_text("say", LEFT + 86 + count * 1.2, y, _said("nodes", count=count)))
    y = top + 34 + 20 * len(counts)
    for paint, meaning in (("chip", _said("on chip")), ("loss", _said("loss"))):
        parts.append(f'<g class="{paint}"><rect x="{LEFT:g}" y="{y:g}" width="18" height="13" rx="3"/></g>')
        parts.append(_text("say", LEFT + 26, y + 11, meaning))
        y += 22
    return parts


def _right(x: float, compiled: Compiled, run: dict[str, Any], bottom: float) -> list[str]:
    text = compiled.text.splitlines()
    start = next(number for number, line in enumerate(text) if line.startswith("# DL 1.out.dl0"))
    end = next(number for number, line in enumerate(text) if line.startswith("# DL logits.matmul"))
    lines = [line.split("  #")[0].strip() for line in text[start : end - 1]]
    lines = [line for line in lines if line]
    parts = [*_caption(x, _said("assembly")), _card(x, TOP, RIGHT_WIDTH, 16.0 * len(lines) + 20)]
    for number, line in enumerate(lines):
        parts.append(_text("code comment" if line.startswith("#") else "code", x + 14, TOP + 24 + 16 * number, line))
    y = TOP + 16 * len(lines) + 42
    cost = compiled.cost
    whole = _said("whole", steps=f"{cost.steps:,}", moves=cost.moves, cycles=f"{cost.cycles:,.0f}")
    for sentence in (_said("one", count=compiled.chip_count), whole):
        parts.append(_text("say", x, y, sentence))
        y += 18
    return parts + _chart(x, y + 40, bottom - 48, run)


def _chart(x: float, top: float, bottom: float, run: dict[str, Any]) -> list[str]:
    """The losses of both, the one under the other, and the accuracies."""
    parts = _caption(x, _said("learns"), top - 14)
    left, right, highest = x + 30, x + RIGHT_WIDTH, 2.5
    parts.append(f'<path class="axis" d="M{left:g} {top:g}V{bottom:g}H{right:g}"/>')
    for value in (0, 1, 2):
        y = bottom - (bottom - top) * value / highest
        parts.append(f'<path class="axis" d="M{left - 4:g} {y:g}h4"/>')
        parts.append(_text("number", left - 8, y + 4, str(value)))
    parts.append(_text("say", right - 62, bottom + 16, _said("steps")))
    keys = (("torch", "torch", "PyTorch"), ("chip", "on-chip", _said("simulated")))
    for number, (name, paint, told) in enumerate(keys):
        losses = run["losses"][name]
        points = [
            f"{left + (right - left) * step / (len(losses) - 1):.1f} {bottom - (bottom - top) * loss / highest:.1f}"
            for step, loss in enumerate(losses)
        ]
        parts.append(f'<path class="curve {paint}" d="M{"L".join(points)}"/>')
        y = top + 26 + 22 * number
        parts.append(f'<path class="curve {paint}" d="M{right - 222:g} {y - 4:g}h22"/>')
        parts.append(
            _text("say", right - 194, y, _said("right", who=told, share=f"{100 * run['accuracy'][name]:.2f} %"))
        )
    return parts


def _caption(x: float, text: str, y: float = 40.0) -> list[str]:
    return [_text("caption", x, y, text)]


def _card(x: float, y: float, width: float, height: float) -> str:
    return f'<rect class="card" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6"/>'


def _text(paint: str, x: float, y: float, text: str) -> str:
    return f'<text class="{paint}" xml:space="preserve" x="{x:g}" y="{y:g}">{escape(text)}</text>'

"""Convolutional networks and momentum in the trace: equal to torch, and refused by name where there is no rule."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from haribote.compiler import lower, lower_for_cpp
from haribote.cpp.session import sessions
from haribote.errors import UnsupportedOp
from haribote.frontend.torch import trace_inference, trace_step
from haribote.graph import Index, evaluate, updates
from haribote.passes import pad
from haribote.training.models import lenet, mlp
from tests.haribote.whole_outputs import cropped
from tests.long_runs import LONG

X = torch.randn(3, 1, 28, 28, generator=torch.Generator().manual_seed(0))
LABELS = torch.tensor([3, 9, 0])


def feeds_of(model: nn.Module, **others: torch.Tensor) -> dict[str, np.ndarray]:
    feeds = {name: p.detach().numpy().copy() for name, p in model.named_parameters()}
    return feeds | {name: value.numpy() for name, value in others.items()}


@pytest.mark.slow
def test_lenet_equals_torch_traced_and_fused_and_in_cpp():
    model = lenet()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    graph = trace_step(model, optimizer, X, LABELS)
    feeds = feeds_of(model, x=X, labels=LABELS)
    feeds |= {name: np.zeros_like(feeds[name.removesuffix(".momentum")]) for name in Index(graph).inputs[-8:]}
    stages = {"trace": graph, "fuse": lower_for_cpp(graph)}
    session = sessions({"step": stages["fuse"]})["step"]
    for name, value in feeds.items():
        session.write(name, value)
    session.run()
    loss = nn.functional.cross_entropy(model(X), LABELS)
    loss.backward()
    optimizer.step()
    expected = {"loss": loss.detach().numpy()} | {f"{n}.next": p.detach().numpy() for n, p in model.named_parameters()}
    expected |= {
        f"{n}.momentum.next": optimizer.state[p]["momentum_buffer"].numpy() for n, p in model.named_parameters()
    }
    got = {stage: evaluate(model, feeds) for stage, model in stages.items()} | {"C++": session.outputs()}
    for stage, outputs in got.items():
        assert list(outputs) == list(expected)
        for name, value in expected.items():
            np.testing.assert_allclose(outputs[name], value, rtol=1e-4, atol=1e-6, err_msg=f"{stage}: {name}")


def test_values_of_a_cnn_carry_the_names_of_modules_and_gradients():
    model = lenet()
    graph = trace_step(model, torch.optim.SGD(model.parameters(), lr=0.1), X, LABELS)
    made = {name for node in graph.graph.node for name in node.output}
    assert {f"{i}.out" for i in range(9)} | {"logits"} <= made
    assert {f"{name}.grad" for name, _ in model.named_parameters()} <= made


def test_inference_of_a_cnn():
    model = lenet()
    graph = trace_inference(model, X)
    logits = evaluate(graph, feeds_of(model, x=X))["logits"]
    np.testing.assert_allclose(logits, model(X).detach().numpy(), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("stop_after", ["simplify", "pad", "decompose"])
def test_steps_with_momentum_equal_torch_on_the_way_to_the_machine(stop_after):
    model, x, labels = (
        mlp(12, 7, 5),
        torch.randn(9, 12, generator=torch.Generator().manual_seed(1)),
        torch.arange(9) % 5,
    )
    options = {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01}
    optimizer = torch.optim.SGD(model.parameters(), **options)
    graph = lower(trace_step(model, optimizer, x, labels), stop_after=stop_after)
    feeds = feeds_of(model, x=x, labels=labels)
    feeds |= {f"{name}.momentum": np.zeros_like(feeds[name]) for name, _ in model.named_parameters()}
    assert list(updates(graph)) == [*(name for name, _ in model.named_parameters()), *list(feeds)[-4:]]
    for _ in range(4):
        outputs = cropped(graph, evaluate(graph, pad.pad_inputs(graph, feeds)))
        feeds |= {name: outputs[output] for name, output in updates(graph).items()}
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), labels).backward()
        optimizer.step()
    for name, p in model.named_parameters():
        np.testing.assert_allclose(feeds[name], p.detach().numpy(), atol=1e-5, err_msg=name)


def test_the_trace_does_not_touch_the_optimisers_momentum():
    model, labels = mlp(4, 3), torch.tensor([0, 2])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    nn.functional.cross_entropy(model(torch.ones(2, 4)), labels).backward()
    optimizer.step()
    before = [optimizer.state[p]["momentum_buffer"].clone() for p in model.parameters()]
    trace_step(model, optimizer, torch.ones(2, 4), labels)
    after = [optimizer.state[p]["momentum_buffer"] for p in model.parameters()]
    assert all(torch.equal(a, b) for a, b in zip(before, after, strict=True))


@pytest.mark.parametrize(
    ("module", "fragment"),
    [
        (nn.MaxPool2d(2, ceil_mode=True), "ceil_mode=False"),
        (nn.MaxPool2d(2, dilation=2), "dilation=1"),
    ],
)
def test_forms_whose_gradient_has_no_rule_are_refused(module, fragment):
    model = nn.Sequential(nn.Conv2d(2, 2, 1), module, nn.Flatten())
    with pytest.raises(UnsupportedOp, match=fragment):
        trace_step(model, torch.optim.SGD(model.parameters()), torch.zeros(2, 2, 7, 7), torch.tensor([0, 1]))


@pytest.mark.parametrize(("kernel", "padding"), [(2, 0), ((3, 2), (1, 0))])
def test_pooling_with_stride_1_has_a_gradient(kernel, padding):
    """Maxima of equal elements go to the first one, in padded windows too."""
    generator = torch.Generator().manual_seed(2)
    model = nn.Sequential(nn.Conv2d(1, 2, 2), nn.MaxPool2d(kernel, 1, padding), nn.Flatten())
    x, labels = torch.randint(-2, 3, (3, 1, 5, 5), generator=generator).float(), torch.tensor([0, 5, 9])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    graph = trace_step(model, optimizer, x, labels)
    found = evaluate(graph, feeds_of(model, x=x, labels=labels))
    nn.functional.cross_entropy(model(x), labels).backward()
    optimizer.step()
    for name, p in model.named_parameters():
        np.testing.assert_allclose(found[updates(graph)[name]], p.detach().numpy(), atol=1e-5, err_msg=name)


@LONG
@pytest.mark.slow
def test_lenet_in_cpp_reaches_97_percent_on_mnist(shared):
    """Three epochs at batch 64, learning rate 0.05, momentum 0.9; about 40 s."""
    from haribote.data.dataset import batch_order, load, normalise

    data, model, batch = load(str(shared / "data" / "mnist")), lenet(), 64
    images, test = (normalise(part).reshape(-1, 1, 28, 28) for part in (data.train_images, data.test_images))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    step = trace_step(model, optimizer, torch.zeros(batch, 1, 28, 28), torch.zeros(batch, dtype=torch.int64))
    inference = trace_inference(model, torch.zeros(500, 1, 28, 28))
    built = sessions({"step": lower_for_cpp(step), "inference": lower_for_cpp(inference)})
    for name, value in feeds_of(model).items():
        built["step"].write(name, value)
        built["step"].write(f"{name}.momentum", np.zeros_like(value))
    for epoch in range(3):
        for rows in batch_order(len(images), seed=42, epoch=epoch, batch=batch):
            built["step"].step({"x": images[rows], "labels": data.train_labels[rows].astype(np.int64)})
    for name in feeds_of(model):
        built["inference"].write(name, built["step"].read(name))
    right = 0
    for start in range(0, len(test), 500):
        built["inference"].write("x", test[start : start + 500])
        built["inference"].run()
        right += (built["inference"].read("logits").argmax(1) == data.test_labels[start : start + 500]).sum()
    assert right / len(test) >= 0.97

"""torch.compile(model, backend="haribote") does what eager PyTorch does: values, gradients, buffers, random numbers."""

from __future__ import annotations

import copy
import warnings
from importlib.metadata import entry_points

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils._pytree import tree_leaves

from haribote.errors import HariboteError
from haribote.frontend.dynamo import StaysWithPyTorch, backend, explain, traffic
from tests.haribote.frontend.dynamo.models import MODELS, Counts, Drops, Gammas, mlp, rows
from tests.long_runs import LONG, long_runs

HOST = {"device": "host"}


@pytest.fixture(autouse=True)
def _nothing_compiled_before():
    torch._dynamo.reset()


def compiled(model, **options):
    return torch.compile(model, backend=backend, options={**HOST, **options})


def run(model, args, seed: int = 7):
    """The results; gradients are those of a sum of squares with weights, so that batch norm has some too."""
    torch.manual_seed(seed)
    results = tree_leaves(model(*args))
    weighted = [leaf.float() * torch.linspace(0.5, 1.5, leaf.numel()).view(leaf.shape) for leaf in results]
    torch.autograd.backward([leaf.square().sum() for leaf in weighted if leaf.requires_grad])
    return results


def close(found, expected, rtol: float = 1e-4) -> None:
    assert (found.dtype, found.shape, found.stride()) == (expected.dtype, expected.shape, expected.stride())
    scale = max(expected.detach().abs().float().max().item(), 1)
    torch.testing.assert_close(found, expected, rtol=rtol, atol=1e-5 * scale)


def check(name: str, device: str, modes=("train", "train", "eval")) -> None:
    """Three calls: results, gradients and buffers as without the compiler."""
    make, args = MODELS[name]
    torch.manual_seed(3)
    model = make()
    eager = copy.deepcopy(model)
    fast = compiled(model, device=device)
    for mode in modes:
        for each in (model, eager):
            each.train(mode == "train")
            each.zero_grad()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", StaysWithPyTorch)
            found, expected = run(fast, args), run(eager, args)
        for a, b in zip(found, expected, strict=True):
            close(a, b)
        for a, b in zip(model.parameters(), eager.parameters(), strict=True):
            close(a.grad, b.grad)
        for a, b in zip(model.buffers(), eager.buffers(), strict=True):
            close(a, b)
    model.train(modes[-1] == "train")
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore", StaysWithPyTorch)
        torch.manual_seed(7)
        found = tree_leaves(fast(*args))
        torch.manual_seed(7)
        for a, b in zip(found, tree_leaves(eager(*args)), strict=True):
            close(a, b)


@pytest.mark.parametrize("name", ["mlp", "gammas", "nested"])
def test_as_eager(name):
    check(name, "host")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lenet", "block", "counts", "drops", "branches"])
def test_larger_models_as_eager(name):
    check(name, "host")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mlp", *long_runs("gammas")])
def test_on_the_chip(name):
    check(name, "chip", ("train",))


@pytest.mark.slow
@LONG
@pytest.mark.parametrize("name", list(MODELS))
def test_all_on_the_chip(name):
    check(name, "chip")


def test_what_has_not_changed_is_not_written_again():
    model = mlp()
    fast, x = compiled(model), rows()
    parameters = sum(p.numel() for p in model.parameters())
    with torch.no_grad():
        with traffic() as first:
            fast(x)
        assert (first.runs, first.written, first.kept) == (1, parameters + x.numel(), 0)
        with traffic() as second:
            fast(rows() + 1)
        assert (second.written, second.kept) == (x.numel(), parameters)
        model[0].weight.data.mul_(2)  # no version counter sees this
        with traffic() as third:
            result = fast(x)
        assert (third.written, third.kept) == (model[0].weight.numel() + x.numel(), parameters - 48)
        close(result, model(x))


@pytest.mark.parametrize("kind", [torch.optim.RMSprop])
def test_any_optimiser_outside(kind):
    model, labels = mlp(), torch.tensor([0, 1, 2, 3])
    eager = copy.deepcopy(model)
    for each, call in ((model, compiled(model)), (eager, eager)):
        optimizer = kind(each.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            nn.functional.cross_entropy(call(rows()), labels).backward()
            optimizer.step()
    for a, b in zip(model.parameters(), eager.parameters(), strict=True):
        close(a, b)


def test_the_loss_may_be_inside_and_leave_labels_out():
    def loss(x, w, labels):
        return nn.functional.cross_entropy(x @ w, labels)

    x, w = rows(), torch.randn(8, 3, requires_grad=True)
    labels = torch.tensor([0, -100, 2, 1])
    fast = compiled(loss)
    fast(x, w, labels).backward()
    found, w.grad = w.grad, None
    expected = loss(x, w, labels)
    expected.backward()
    close(found, w.grad)
    close(fast(x, w, labels), expected)


def test_new_shapes_are_compiled_when_they_come():
    model = mlp()
    fast = compiled(model)
    with torch.no_grad():
        for number in (4, 7, 4, 9, 7):  # torch leaves the size open from the second one on
            with traffic() as found:
                close(fast(rows(number)), model(rows(number)))
            assert found.runs == 1
    close(run(fast, (rows(11),))[0], model(rows(11)))


def test_what_stays_with_torch_is_told():
    with pytest.warns(StaysWithPyTorch, match=r"aten\.igamma\.default stays with PyTorch \(no rule\); .*explain"):
        compiled(Gammas())(rows())
    with warnings.catch_warnings():
        warnings.simplefilter("error", StaysWithPyTorch)
        compiled(mlp())(rows())


def test_the_state_of_random_numbers_is_eager_torchs():
    """Two dropouts draw the numbers in eager torch's order, though one of them could be drawn earlier."""
    model = Drops()
    states = []
    for call in (compiled(model), model):
        torch.manual_seed(1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", StaysWithPyTorch)
            states.append((call(rows()), torch.get_rng_state()))
    close(states[0][0], states[1][0])
    assert torch.equal(states[0][1], states[1][1])


@pytest.mark.slow
def test_batch_norm_updates_its_buffers_once_per_call():
    model = Counts()
    fast = compiled(model)
    for _ in range(3):
        fast(rows(6))
    assert (model.calls.item(), model.norm.num_batches_tracked.item()) == (3, 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"levle": 2}, "no option 'levle'\n.*one of device, level, precision, host"),
        ({"level": 3}, r"options\['level'\] must be one of 0, 1, 2, received 3"),
        ({"precision": "double"}, r"options\['precision'\] must be one of 'float', 'mixed', 'half'"),
        ({"device": "gpu"}, r"options\['device'\] must be one of 'chip', 'host', 'auto'"),
    ],
)
def test_wrong_options_are_our_errors(options, message):
    with pytest.raises(HariboteError, match=message):
        compiled(mlp(), **options)(rows())


def test_a_mode_is_refused():
    with pytest.raises(HariboteError, match="no modes, received mode='reduce-overhead'"):
        torch.compile(mlp(), backend=backend, mode="reduce-overhead")(rows())


def test_an_integer_of_more_than_32_bits_is_pytorchs_with_the_users_line():
    def double(n):
        return n * 2

    fast = torch.compile(double, backend=backend)
    assert torch.equal(fast(torch.arange(5)), torch.arange(5) * 2)
    assert torch.equal(fast(torch.full((5,), -(2**30))), torch.full((5,), -(2**31)))
    with pytest.warns(
        StaysWithPyTorch, match=r"size of 8589934592 for aten\.mul\.Tensor, .*test_entry\.py:\d+: return n"
    ):
        assert torch.equal(fast(torch.full((5,), 2**33)), torch.full((5,), 2**34))


@pytest.mark.slow
def test_a_piece_may_be_cut_between_chip_and_host():
    with torch.no_grad():
        close(compiled(torch.tanh, device="auto")(rows()), torch.tanh(rows()))
        found = explain(torch.tanh, rows(), options={"device": "auto"})
    assert str(found).startswith("1 of 1 operations on the chip and host\n") and found.cycles


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"level": 0}, {"level": 1}, {"level": 2, "precision": "mixed"}])
def test_levels_and_precisions(options):
    model = mlp()
    result = torch.compile(model, backend=backend, options={"device": "chip", **options})(rows())
    expected = model(rows())
    np.testing.assert_allclose(result.detach(), expected.detach(), atol=1e-2 if "precision" in options else 1e-5)


@pytest.mark.parametrize("level", [0, 1, 2])
def test_a_choice_leaves_infinities_out(level):
    x = torch.tensor([[0.0, 1, -1, 2], [0, 3, 4, 5]])
    torch.compiler.reset()
    compiled = torch.compile(
        lambda x: torch.where(x > 0, torch.log(x), 0.0), backend="haribote", options={"level": level}
    )
    torch.testing.assert_close(compiled(x), torch.where(x > 0, torch.log(x), 0.0), rtol=1e-5, atol=1e-6)


def test_registered_under_its_name():
    found = entry_points(group="torch_dynamo_backends", name="haribote")
    if not found:
        pytest.skip("the installed metadata are older than this entry point: make setup")
    assert found["haribote"].load() is backend
    assert "haribote" in torch._dynamo.list_backends()
    model = mlp()
    with torch.no_grad():
        close(torch.compile(model, backend="haribote", options=HOST)(rows()), model(rows()))

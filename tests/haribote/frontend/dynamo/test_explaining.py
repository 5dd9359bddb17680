"""`explain` says what goes where, why, and leaves everything as it was."""

from __future__ import annotations

import copy
import inspect

import pytest
import torch

from haribote.errors import HariboteError
from haribote.frontend.compiled import CompiledGraph
from haribote.frontend.dynamo import explain
from tests.haribote.frontend.dynamo.models import MODELS, Branches, Gammas, mlp, rows

HOST = {"device": "host"}


def line_of(function, text: str) -> str:
    lines, first = inspect.getsourcelines(function)
    return f"{inspect.getfile(function)}:{first + next(i for i, line in enumerate(lines) if text in line)}"


def test_a_model_of_which_all_is_taken():
    found = explain(mlp(), rows(), options=HOST)
    count, of = found.coverage.split(" of ")
    assert count == of
    assert [graph.name for graph in found.graphs] == ["forward", "backward"]
    assert str(found).splitlines()[0] == f"{found.coverage} operations on the host"
    assert found.cycles is None


def test_models_of_one_class_may_be_explained_any_number_of_times():
    torch.compiler.reset()
    compiled = torch.compile(mlp(), backend="eager", fullgraph=True)
    limit = torch._dynamo.config.recompile_limit
    with torch.no_grad():
        assert {explain(mlp(), rows(), options=HOST).coverage for _ in range(limit + 2)} == {"5 of 5"}
        compiled(rows())  # and the user's own are not shut out


def test_what_stays_is_named_with_its_reason_and_line():
    with torch.no_grad():
        found = explain(Gammas(), rows(), options=HOST)
    (left,) = [left for graph in found.graphs for left in graph.left]
    assert (left.operation, left.reason) == ("aten.igamma.default", "no rule")
    assert left.line.startswith(line_of(Gammas.forward, "x = x * torch.igamma"))
    assert f"PyTorch: aten.igamma.default: no rule, {left.line}" in str(found)
    count, of = map(int, found.coverage.split(" of "))
    assert count == of - 1


def test_a_dtype_that_is_not_taken_is_the_reason():
    found = explain(lambda x: (x * 2).float() + 1, rows().double(), options=HOST)
    assert [left.operation for left in found.graphs[0].left] == ["aten.mul.Tensor", "aten._to_copy.default"]
    assert "torch.float64 is none of torch.float32, torch.float16" in str(found)


def test_a_constant_of_more_than_32_bits_stays():
    found = explain(lambda n: (n + 1) * 2**40, torch.arange(4), options=HOST)
    (left,) = found.graphs[0].left
    assert left.operation == "aten.mul.Tensor"
    assert "32 bits on the chip, received the constant 1099511627776" in left.reason


@pytest.mark.slow
def test_a_value_that_python_asks_for_is_named():
    found = explain(Branches(), rows(), options=HOST)
    (line,) = [line for line in str(found).splitlines() if line.startswith("Python runs between graphs")]
    assert line_of(Branches.forward, "if y.sum()") in line


@pytest.mark.parametrize("name", ["drops"])
def test_model_arguments_and_random_state_stay(name):
    make, args = MODELS[name]
    model = make()
    before = copy.deepcopy((model.state_dict(), args, torch.get_rng_state()))
    explain(model, *args, options=HOST)
    assert all(torch.equal(a, b) for a, b in zip(before[0].values(), model.state_dict().values(), strict=True))
    assert torch.equal(before[1][0], args[0])
    assert torch.equal(before[2], torch.get_rng_state())
    assert all(p.grad is None for p in model.parameters())


def test_without_gradients_there_is_one_graph():
    with torch.no_grad():
        found = explain(mlp().eval(), rows(), options=HOST)
    assert [graph.name for graph in found.graphs] == ["inference"]


def test_a_program_in_which_torch_finds_no_graph():
    found = explain(lambda x: x.nonzero(), torch.zeros(2, 3), options=HOST)  # its shape depends on values
    assert (found.graphs, found.coverage) == ((), "0 of 0")
    assert "all of it runs in PyTorch" in str(found)


def test_a_wrong_option_is_refused():
    with pytest.raises(HariboteError, match="no option 'depth'"):
        explain(mlp(), rows(), options={"depth": 3})


def test_what_the_compiler_refuses_stays_with_its_reason(monkeypatch):
    """A piece that cannot be compiled is tried in halves, and in halves of them."""
    whole = CompiledGraph.__init__

    def refusing(self, model, options, machine=None):
        if any(node.op_type == "Tanh" for node in model.graph.node):
            raise HariboteError("no room for Tanh", "a smaller one")
        whole(self, model, options, machine)

    monkeypatch.setattr(CompiledGraph, "__init__", refusing)
    found = explain(lambda x: torch.exp(torch.tanh(x * 2 + 1) * 3) - 1, rows(), options=HOST)
    (graph,) = found.graphs
    assert [(left.operation, left.reason) for left in graph.left] == [
        ("aten.tanh.default", "the compiler: no room for Tanh")
    ]
    assert [piece.operations for piece in graph.pieces] == [2, 3]


@pytest.mark.slow
def test_cost_on_the_chip():
    with torch.no_grad():
        found = explain(mlp(), rows())
    (piece,) = found.graphs[0].pieces
    assert piece.cost is not None and found.cycles == piece.cost.cycles > 0
    count, of = piece.nodes.split(" of ")
    assert count == of
    assert f"nodes on the chip: serial {piece.cost.cycles:,.0f}" in str(found)

"""Whatever of ours raises, PyTorch or the host runs the program, and a line says why."""

from __future__ import annotations

import warnings

import pytest
import torch

from haribote.frontend.dynamo import StaysWithPyTorch


def fail(*_, **__):
    raise KeyError("")


@pytest.mark.parametrize("where", ["Piece.__init__", "partition", "_joined"])
def test_pytorch_runs_what_the_compiler_fails_at(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.compiler.reset()
    monkeypatch.setattr(f"haribote.frontend.dynamo.graphs.{where}", fail)
    compiled = torch.compile(lambda x: torch.relu(x) + 1, backend="haribote")
    x = torch.randn(3, 4)
    with pytest.warns(StaysWithPyTorch, match="the compiler fails: KeyError"):
        torch.testing.assert_close(compiled(x), torch.relu(x) + 1)


def test_jax_runs_on_the_host_what_the_compiler_fails_at(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jax")
    from haribote.jax import program

    real = program.CompiledGraph
    monkeypatch.setattr(program, "CompiledGraph", lambda m, o: real(m, o) if o.device == "host" else fail())
    from haribote.jax import mnjit

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = mnjit(lambda x: x * 2 + 1)(torch.arange(3).float().numpy())
    assert result.tolist() == [1, 3, 5]
    assert any("KeyError" in str(warning.message) for warning in told)

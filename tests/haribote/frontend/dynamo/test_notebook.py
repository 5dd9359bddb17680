"""torch.compile in a notebook: cells have no file, a model may be defined anew, and lines are found all the same."""

from __future__ import annotations

import nbformat
import pytest
from nbclient import NotebookClient

CELLS = (
    """
import torch
from torch import nn
from haribote.frontend.dynamo import backend, explain

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 4)

    def forward(self, x):
        x = self.linear(x)
        return torch.igamma(x.detach().abs() + 1, x.abs()) * 2
""",
    """
model, x = Model(), torch.randn(3, 8)
fast = torch.compile(model, backend=backend, options={"device": "host"})
print(torch.allclose(fast(x), model(x), atol=1e-5))
print(explain(model, x, options={"device": "host"}))
""",
    """
class Model(Model):
    def forward(self, x):
        return self.linear(x) * 3

model = Model()
fast = torch.compile(model, backend=backend, options={"device": "host"})
print(torch.allclose(fast(x), model(x), atol=1e-5))
""",
)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_cells():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    printed = ["".join(out.text for out in cell.outputs if out.get("name") == "stdout") for cell in notebook.cells]
    assert printed[1].startswith("True\n")
    assert "aten.igamma.default: no rule" in printed[1]
    assert ": return torch.igamma(x.detach().abs() + 1, x.abs()) * 2" in printed[1]
    assert printed[2] == "True\n"

"""What the cells of notebooks say, for the catalogues."""

from __future__ import annotations

from pathlib import Path

import pytest

from notebooks.messages import found_in_cells

CELLS = """
Some text, `code`.

```python
n, x = 3, [1, 2]
print("values:", x, f"of {n} steps", end=" ")
```

```python tags=["keep-picture"]
print("before", x, sep=": ")
print()
print(x)
draw(x, title="one picture of it")
```

```python
%%vsm
print this and that
```

```console
print("not a cell at all")
```
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "00_start").mkdir()
    (tmp_path / "00_start" / "01_try.md").write_text(CELLS, encoding="utf-8")
    (tmp_path / "00_start" / "01_try.ja.md").write_text(CELLS.replace("values", "numbers and"), encoding="utf-8")
    return tmp_path


def test_what_a_cell_prints_is_one_text(source: Path) -> None:
    found = list(found_in_cells(source))
    assert [one.text for one in found] == ["values: {x} of {n} steps", "before: {x}", "one picture of it"]
    assert {one.file for one in found} == {"notebooks/source/00_start/01_try.md"}


def test_our_notebooks_are_read() -> None:
    assert "largest difference from PyTorch: {max}" in {one.text for one in found_in_cells()}

"""Execute a notebook in its folder and this environment, with solutions or with the learner's files as they are."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from jupyter_client.kernelspec import KernelSpecManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from haribote.progress import VARIABLE as PROGRESS
from notebooks.form import ROOT, NotebookError

CELL_SECONDS = 600
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def execute(
    notebook: NotebookNode,
    folder: Path,
    where: str,
    *,
    solutions: bool,
    environment: Mapping[str, str] | None = None,
    seconds: int = CELL_SECONDS,
) -> NotebookNode:
    """Execute all cells; the notebook is changed in place.

    folder: where the notebook is, the kernel's working folder; made if missing. where: the notebook's name in messages.
    environment: further variables of the kernel. seconds: limit of one cell.

    Raises:
        NotebookError: a cell failed, took too long, or ended the kernel; with the cell and the traceback.
    """
    folder.mkdir(parents=True, exist_ok=True)
    variables = {**os.environ, **(environment or {})}
    variables[PROGRESS] = "0"  # outputs are those of a fast machine
    variables.pop("HARIBOTE_SOLUTIONS", None)
    if solutions:
        variables["HARIBOTE_SOLUTIONS"] = "1"
    variables["PYTHONPATH"] = os.pathsep.join(filter(None, (variables.get("PYTHONPATH"), str(ROOT))))
    client = NotebookClient(
        notebook,
        timeout=seconds,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        record_timing=False,
        coalesce_streams=True,
        extra_arguments=["--log-level=ERROR"],  # else it warns about its connection on each start
    )
    client.create_kernel_manager().kernel_spec_manager = KernelSpecManager(ensure_native_kernel=True)
    try:
        client.execute(env=variables)
    except CellExecutionError as error:
        raise NotebookError(f"{where}: {_failed_cell(notebook)} fails\n{COLOURS.sub('', str(error))}") from None
    except CellTimeoutError as error:
        raise NotebookError(f"{where}: {_failed_cell(notebook)} takes longer than {seconds} s") from error
    except DeadKernelError as error:
        raise NotebookError(f"{where}: {_failed_cell(notebook)} ended the kernel") from error
    return notebook


def _failed_cell(notebook: NotebookNode) -> str:
    """The last cell that was started."""
    started = [
        number
        for number, cell in enumerate(notebook.cells, 1)
        if cell.cell_type == "code" and (cell.outputs or cell.execution_count)
    ]
    return f"cell {max(started, default=1)}"


def tracebacks(notebook: NotebookNode) -> list[str]:
    """Cells that show a traceback or an error, in words; none where all is well."""
    found = []
    for number, cell in enumerate(notebook.cells, 1):
        for output in cell.get("outputs", ()):
            text = str(output.get("text", "")) + str(output.get("data", ""))
            if output.output_type == "error" or "Traceback (most recent call last)" in text:
                found.append(f"cell {number}: {output.get('evalue') or text[-300:]}")
    return found

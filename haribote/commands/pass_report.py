"""`haribote compile --report` and `--print-after`: what every pass did to a step, and the graph behind it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import onnx

from haribote.compiler import CPP_STAGES, STAGES, lower
from haribote.errors import HariboteError
from haribote.graphs.cases import load_case
from haribote.passes.report import Report, as_text
from simulator.messages import say, tr


def report_passes(folder: Path, backend: str, print_after: Sequence[str] = ()) -> None:
    """Lower the exported step for the backend; say one line per stage, and the whole graph after those asked for.

    Args:
        folder: a case, as `haribote export` writes it.
        backend: "cpp" or "sim".
        print_after: stages of that backend.

    Raises:
        HariboteError: the backend has no such stage.
    """
    stages = {"cpp": CPP_STAGES, "sim": STAGES}[backend]
    unknown = [stage for stage in print_after if stage not in stages]
    if unknown:
        raise HariboteError(
            tr("--backend {backend} has no stage {unknown!r}", backend, unknown[0]),
            tr("one of {stages}", ", ".join(stages)),
        )

    def watch(stage: str, before: onnx.ModelProto, after: onnx.ModelProto) -> None:
        say(str(Report.of(stage, before, after)))
        if stage in print_after:
            say(as_text(after))

    lower(load_case(folder).model, stages=stages, watch=watch)

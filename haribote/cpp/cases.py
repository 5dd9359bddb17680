"""Run cases in C++; what `haribote test --backend cpp` does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from haribote.compiler import CPP_STAGES, lower, lower_for_cpp
from haribote.cpp import expand
from haribote.cpp.emit import identifiers
from haribote.cpp.session import sessions
from haribote.graphs.cases import Case, unit_cases

Array = NDArray[Any]


def cpp_cases(case: Case, unit: bool) -> list[Case]:
    """The case as C++ gets it; or one case for each node before nodes are fused, so that each is one operator."""
    if unit:
        return list(unit_cases(lower(expand.run(case.model), stop_after="cse", stages=CPP_STAGES), case.inputs))
    return [Case(case.name, lower_for_cpp(expand.run(case.model)), case.inputs, case.outputs)]


def run_in_cpp(cases: Sequence[Case], gemm: str = "") -> list[dict[str, Array]]:
    """The outputs of every case. They are built together: one library, one function for each."""
    names = identifiers([f"{i}_{case.name}" for i, case in enumerate(cases)]).values()
    built = sessions({name: case.model for name, case in zip(names, cases, strict=True)}, gemm)
    results = []
    for session, case in zip(built.values(), cases, strict=True):
        for name, value in case.inputs.items():
            session.write(name, value)
        session.run()
        results.append(session.outputs())
    return results

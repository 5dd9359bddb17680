"""Fixtures that every test may use."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path

import pytest

os.environ["HARIBOTE_PROGRESS"] = "0"  # lines that a busy machine has
os.environ["HARIBOTE_CONFIG"] = str(Path(__file__).parent / "none")  # whatever language the user has chosen
if "PYTEST_XDIST_WORKER" in os.environ:  # one worker for each processor: none needs more threads
    os.environ.setdefault("OMP_NUM_THREADS", "1")

ROOT = Path(__file__).resolve().parent.parent


def shared_folder() -> Path:
    """The folder with the goldens and MNIST: HARIBOTE_SHARED, or `shared` beside the project."""
    return Path(os.environ.get("HARIBOTE_SHARED", ROOT.parent / "shared"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The shared folder; the test is skipped where it is absent."""
    folder = shared_folder()
    if not folder.is_dir():
        pytest.skip(f"needs the shared folder ({folder}); set HARIBOTE_SHARED to where it is")
    return folder


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark most cases of the tests with `some` as slow, before `-m` is applied."""
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("some"):
            cases[item.nodeid.partition("[")[0]].append(item)
    for of_one in cases.values():
        mark = of_one[0].get_closest_marker("some")
        assert mark is not None
        (count,) = mark.args
        kept = {(2 * n + 1) * len(of_one) // (2 * count) for n in range(count)}
        for place, item in enumerate(of_one):
            if place not in kept and len(of_one) > count:
                item.add_marker("slow")

"""`haribote share` from the command line: what it writes, and what it refuses."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from haribote.commands import share
from haribote.commands.cli import main
from haribote.commands.infer import write_picture
from haribote.data import dataset
from haribote.network import LARGE, SMALL
from haribote.share import folder
from haribote.share import story as stories
from haribote.training.checkpoint import Run, save_checkpoint
from haribote.training.models import mlp
from tests.haribote.share.stories import story


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, few digits, and no learner's solutions."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HARIBOTE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("HARIBOTE_SOLUTIONS", raising=False)
    monkeypatch.setattr(dataset, "SYNTHETIC_SIZES", (600, 300))
    return tmp_path


def run(*arguments: str) -> int:
    return main(["share", "--data", "synthetic", *arguments])


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[stories.Wanted]:
    """What is wanted, of a command that trains nothing."""
    wanted: list[stories.Wanted] = []

    def tell(asked: stories.Wanted, data: dataset.Dataset) -> stories.Story:
        wanted.append(asked)
        return replace(story(), name=asked.name, viewer="<p>a viewer</p>" if asked.view else "")

    monkeypatch.setattr(share, "tell", tell)
    return wanted


def test_three_files_are_written(told: list[stories.Wanted], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--name", "Aki") == 0
    written = Path("runs/share")
    assert sorted(path.name for path in written.iterdir()) == ["index.html", "share.gif", "share.png"]
    said = capsys.readouterr().out
    assert "index.html" in said and "open" in said and "Aki" in (written / "index.html").read_text(encoding="utf-8")
    assert told[0].network is SMALL and told[0].whose == "" and not told[0].asked
    first = {path.name: path.read_bytes() for path in written.iterdir()}
    assert run("--name", "Aki", "-o", "again") == 0
    assert {path.name: path.read_bytes() for path in Path("again").iterdir()} == first


@pytest.mark.slow
def test_what_was_there_before_is_replaced(told: list[stories.Wanted]) -> None:
    assert run("--view") == 0
    assert Path("runs/share/view.html").read_text(encoding="utf-8") == "<p>a viewer</p>"
    assert run("--name", "Bo") == 0
    assert not Path("runs/share/view.html").exists() and "Bo" in Path("runs/share/index.html").read_text("utf-8")
    assert [path.name for path in Path("runs").iterdir()] == ["share"]  # nothing is left beside it


def test_files_of_others_are_never_replaced(told: list[stories.Wanted], capsys: pytest.CaptureFixture[str]) -> None:
    Path("mine").mkdir()
    Path("mine/thesis.txt").write_text("years of work")
    assert run("-o", "mine") == 2
    assert "thesis.txt" in capsys.readouterr().err and not told  # it is said before anything is trained
    Path("file").write_text("text")
    assert run("-o", "file") == 2
    assert Path("file").read_text() == "text" and Path("mine/thesis.txt").read_text() == "years of work"


@pytest.mark.slow
def test_a_write_that_fails_leaves_what_was_there(told: list[stories.Wanted], monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("--name", "Aki") == 0
    before = {path.name: path.read_bytes() for path in Path("runs/share").iterdir()}

    def full(path: Path, content: bytes) -> None:
        if path.name == "share.gif":
            raise folder.FileError("cannot write: the disk is full", "free some space")
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)

    monkeypatch.setattr(folder, "write_file", full)
    assert run("--name", "Bo") == 2
    assert {path.name: path.read_bytes() for path in Path("runs/share").iterdir()} == before
    assert [path.name for path in Path("runs").iterdir()] == ["share"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--name", "a" * 41], "at most 40 characters"),
        (["--name", "a\nb"], "one line"),
        (["--name", "a\u202eb"], "one line"),
        (["--network", "784-32-10"], "784-16-10"),
        (["--mine", "--solutions"], "--mine"),
        (["--mine", "--fill"], "--mine"),
        (["--fill", "--solutions"], "--fill"),
        (["--digit", "nothing.png"], "nothing.png"),
        (["--run", "nowhere"], "nowhere"),
    ],
)
def test_bad_input_is_refused_in_words(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    try:
        status = run(*arguments)
    except SystemExit as stopped:  # argparse
        status = int(str(stopped.code))
    error = capsys.readouterr().err
    assert status == 2 and said in error and "Traceback" not in error
    assert not (tmp_path / "runs" / "share").exists()


def test_a_run_of_another_network_is_refused_where_it_was_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    kept = Run([16], 256, 0.01, 1, "synthetic", epoch=1, losses=[2.0], accuracies=[0.1], network=LARGE.name)
    save_checkpoint(Path("other/checkpoint.npz"), kept, {})
    assert run("--run", "other", "--network", "small") == 2
    assert "--network large" in capsys.readouterr().err


def test_without_kernels_there_is_nothing_to_show(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(stories, "programs_of", lambda compiled: [])
    assert run("--solutions") == 2
    assert "--fill" in capsys.readouterr().err


@pytest.mark.slow
def test_the_whole_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A drawn digit, read by a checkpoint; the viewer's page beside it, without a learner's notes."""
    model = mlp(16, 16, 10, seed=1)
    kept = Run([16], 256, 0.3, 1, "synthetic", epoch=3, losses=[2.0] * 6, accuracies=[0.5], network=SMALL.name)
    save_checkpoint(Path("runs/sim/checkpoint.npz"), kept, {n: p.detach().numpy() for n, p in model.named_parameters()})
    digit = np.zeros((28, 28), np.uint8)
    digit[6:22, 13:16] = 255
    write_picture(digit, Path("one.png"))
    assert run("--solutions", "--digit", "one.png", "--name", "Aki", "--view", "-o", "shown") == 0
    page = Path("shown/index.html").read_text(encoding="utf-8")
    found = re.search(r'id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    data = json.loads(found[1])
    assert len(page.encode()) < 1_000_000 and len(data["losses"]) == 234
    assert [answer["steps"] for answer in data["answers"]] == [*range(0, 235, 18), 6]
    assert data["lanes"] == sorted(data["lanes"], reverse=True) and len(data["lanes"]) == 3
    assert "A digit drawn by Aki" in page and "3 epochs" in page and "50.0 %" in page
    viewer = Path("shown/view.html").read_text(encoding="utf-8")
    assert "step.vsm" in viewer and str(Path.cwd()) not in viewer + page
    assert max(moment[5] for moment in data["moments"]) > 100

"""`grader catchup` fills what is missing, touches nothing of a learner's, and counts for nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from grader.catchup import CaughtUp, answer_of, catch_up, tasks_of
from grader.cli import main
from grader.listing import listing
from grader.progress import Progress
from grader.stubs import MANIFEST, reset, write_stubs
from grader.submissions.submission import pack, read_archive
from haribote.answers.ownership import is_caught_up, is_written
from haribote.answers.tasks import ROOT, all_tasks, find_task
from haribote.errors import HariboteError

SOME = [find_task(task) for task in ("1.1", "2.1", "6.1", "5.12")]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A course with bare stubs."""
    shutil.copytree(ROOT / "solutions", tmp_path / "solutions", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / MANIFEST).parent.mkdir()
    write_stubs(tmp_path)
    return tmp_path


def test_a_stub_is_filled_and_says_whose_it_is(tree: Path) -> None:
    assert catch_up(SOME, tree) == CaughtUp(("1.1", "2.1", "6.1"), (), (), ("5.12",))
    for task in SOME[:3]:
        path = tree / "haribote" / task.file
        assert is_written(path) and is_caught_up(path)
        compile(path.read_text(encoding="utf-8"), str(path), "exec")
    assert catch_up(SOME, tree) == CaughtUp((), (), (), ("5.12",))
    assert not is_written(tree / "haribote" / SOME[3].file)


def test_nothing_of_a_learner_is_touched(tree: Path) -> None:
    begun, written = (tree / "haribote" / task.file for task in SOME[:2])
    begun.write_text(begun.read_text(encoding="utf-8").replace("# TODO", "# my idea; TODO"), encoding="utf-8")
    written.write_text("def relu(g, node, grad):\n    yield grad\n", encoding="utf-8")
    before = begun.read_bytes(), written.read_bytes()
    found = catch_up(SOME, tree)
    assert found == CaughtUp(("6.1",), ("2.1",), ("1.1",), ("5.12",))
    assert (begun.read_bytes(), written.read_bytes()) == before
    assert "begun and not finished, left as they are: 1.1" in str(found)
    assert "yours, left as they are: 2.1" in str(found)


def test_it_counts_no_points_and_is_not_submitted(tree: Path) -> None:
    catch_up(SOME[:2], tree)
    mine = tree / "haribote" / SOME[3].file
    mine.write_text("mine = 1\n", encoding="utf-8")
    progress = Progress(tree)
    progress._update("1.1", {"state": "passed", "points": 10, "answer": progress._digest("1.1")})
    assert progress.state(SOME[0]) == "caught up" and progress.points(SOME[0]) == 0
    assert "= 1.1 " in listing(progress)
    _, files = read_archive(pack("ann", tree))
    assert list(files) == ["5.12"]


def test_what_was_filled_becomes_a_stub_again(tree: Path) -> None:
    catch_up(SOME[:1], tree)
    assert reset(SOME[0], tree) is not None
    assert not is_written(tree / "haribote" / SOME[0].file)


def test_every_other_task_can_be_filled() -> None:
    for task in (task for task in all_tasks() if not task.is_kernel):
        text = answer_of(task)
        compile(text, task.file, "exec")
        assert "### BEGIN" not in text and "### END" not in text and text.count('"""') % 2 == 0


def test_tasks_are_named_by_id_notebook_or_stage(capsys: pytest.CaptureFixture[str]) -> None:
    assert [task.id for task in tasks_of(["02", "0.1"])] == ["0.1", "2.1", "2.2", "2.3", "2.4", "2.5"]
    assert [task.id for task in tasks_of(["04_memory/02_first_moves"])] == ["4.2"]
    with pytest.raises(HariboteError, match="'10' is no task"):
        tasks_of(["10"])
    assert main(["catchup", "9.9"]) == 2 and "there is no task '9.9'" in capsys.readouterr().err

"""Writing files: whole or not at all, through links, and into what is no regular file."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from simulator.__main__ import main
from simulator.errors import SimulatorError
from simulator.files import FileError, locked, read, read_bytes, write_file, write_files

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="devices, pipes and links of Unix")


full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")


def test_a_full_disk_is_told_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    write_file(path, "old")

    def fail(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("simulator.files.os.fsync", fail)
    with pytest.raises(FileError, match="the disk is full"):
        write_file(path, b"new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_followed_and_stays(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    target, link, dangling = tmp_path / "far" / "file", tmp_path / "link", tmp_path / "dangling"
    target.write_text("old")
    target.chmod(0o600)
    link.symlink_to(Path("far") / "file")
    dangling.symlink_to(tmp_path / "far" / "new")
    for path in (link, dangling):
        write_file(path, "new")
        assert path.is_symlink() and path.read_text() == "new"
    assert target.read_text() == "new" and stat.S_IMODE(target.stat().st_mode) == 0o600
    assert sorted(path.name for path in (tmp_path / "far").iterdir()) == ["file", "new"]


@full
def test_a_device_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("/dev/full")
    for path in (Path("/dev/full"), link):
        with pytest.raises(FileError, match=f"cannot write {path}: the disk is full"):
            write_file(path, "text")
    write_file(Path(os.devnull), "text")
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode) and stat.S_ISCHR(os.stat(os.devnull).st_mode)
    assert link.is_symlink()


def test_a_pipe_gets_the_content(tmp_path: Path) -> None:
    pipe, content = tmp_path / "pipe", os.urandom(1 << 20)  # more than a pipe holds
    os.mkfifo(pipe)
    with pytest.raises(FileError, match="nobody reads from this pipe"):
        write_file(pipe, content)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)  # does not wait for a writer, unlike an ordinary open
    os.set_blocking(reader, True)
    got: list[bytes] = []

    def take() -> None:
        with open(reader, "rb") as file:
            got.append(file.read())

    thread = threading.Thread(target=take)
    writer = os.open(pipe, os.O_WRONLY)  # so that the reader does not see the end at once
    thread.start()
    write_file(pipe, content)
    os.close(writer)
    thread.join(10)
    assert got == [content] and stat.S_ISFIFO(pipe.stat().st_mode)


def test_standard_output_by_name_keeps_what_was_printed(tmp_path: Path) -> None:
    """Where it leads to a file, that one must not be replaced under the shell's feet."""
    code = "from pathlib import Path; from simulator.files import write_file\n"
    code += "print('before'); write_file(Path('/dev/stdout'), 'text\\n'); print('after')"
    for path in (tmp_path / "first", tmp_path / "again"):
        with path.open("wb") as file:
            done = subprocess.run([sys.executable, "-c", code], stdout=file, stderr=subprocess.PIPE, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
        assert path.read_text() == "before\ntext\nafter\n"


def test_a_folder_or_a_file_in_the_way_is_a_message(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path, tmp_path / "file" / "below"):
        with pytest.raises(FileError, match=f"cannot write {path}: .*\n    try: "):
            write_file(path, "text")
    write_file(tmp_path / "made" / "for" / "it", "text")
    write_file(tmp_path / ("n" * 250), "text")  # its temporary name must not be longer
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "made", "n" * 250]


def test_a_lock_lets_one_in_at_a_time(tmp_path: Path) -> None:
    """Without it most of these 80 additions are lost: each reads, waits and writes."""
    counter = tmp_path / "counter"
    counter.write_text("0")
    code = f"""
import time
from pathlib import Path
from simulator.files import locked
counter = Path({str(counter)!r})
for _ in range(20):
    with locked(counter.with_name("lock")):
        number = int(counter.read_text())
        time.sleep(0.002)
        counter.write_text(str(number + 1))
"""
    processes = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(4)]
    assert [process.wait(60) for process in processes] == [0] * 4
    assert counter.read_text() == "80"
    with locked(tmp_path / "new" / "lock"):
        assert (tmp_path / "new" / "lock").exists()


# --- reading ---------------------------------------------------------------------------------------------------------

COMMANDS = (
    ["run"], ["check"], ["check", "--fix-nops"], ["explain"], ["profile"], ["view", "-o", "page.html"],
)  # fmt: skip


def test_what_has_no_content_is_told(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.vsm")
    for path, what in ((tmp_path / "pipe.vsm", "nobody writes to this pipe"), (tmp_path, "Is a directory"),
                       (Path("/dev/zero"), "is a device"), (Path("/dev/null"), "is a device")):  # fmt: skip
        with pytest.raises(SimulatorError, match=f"cannot read {path}: .*{what}.*\n +try: "):
            read(path)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_command_waits_for_a_pipe_without_a_writer(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / "pipe.vsm")
    assert main([*command, str(tmp_path / "pipe.vsm")]) == 2
    assert "nobody writes to this pipe" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["judge"], ["compare"], ["trace", "$lm0"]], ids=" ".join)
def test_nor_does_one_that_takes_two_files(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe, good = tmp_path / "pipe.vsm", tmp_path / "good"
    os.mkfifo(pipe)
    good.write_text("")
    name, *more = command
    assert main([name, str(pipe), *(more or [str(good)])]) == 2
    assert "nobody writes to this pipe" in capsys.readouterr().err


@pytest.mark.slow
def test_a_pipe_with_a_writer_is_read(tmp_path: Path) -> None:
    pipe, text = tmp_path / "pipe.vsm", "nop\n" * 50_000
    os.mkfifo(pipe)

    def write() -> None:
        while True:
            try:
                pipe.write_text(text)
                return
            except BrokenPipeError:  # a reader came and went before anything was written
                continue

    writer = threading.Thread(target=write)
    writer.start()
    while True:
        try:
            assert read(pipe) == text
            break
        except SimulatorError:  # the writer had not started
            continue
    writer.join()
    command = [sys.executable, "-m", "simulator", "check", "/dev/stdin"]
    done = subprocess.run(command, input="nop\n", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "/dev/stdin: nothing found\n")


def test_text_of_any_system_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"\xef\xbb\xbfnop\r\nnop/2\rnop\n")
    assert read(path) == "nop\nnop/2\nnop\n"
    assert len(read_bytes(path, 20)) == 18
    with pytest.raises(SimulatorError, match="more than 17 bytes"):
        read_bytes(path, 17)


def test_write_file_makes_folders_and_replaces(tmp_path: Path) -> None:
    target = tmp_path / "a" / "b" / "file"
    write_file(target, b"one")
    write_file(target, b"two")
    assert target.read_bytes() == b"two" and len(list(target.parent.iterdir())) == 1


def test_the_files_of_a_folder_are_written_together_or_not_at_all(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    old, new = tmp_path / "old", tmp_path / "new"
    write_files(old, {"a": b"before", "sub/b": b"before"})
    (old / "mine").write_bytes(b"mine")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (200, hard))  # as a disk that is full after the first file
        for folder in (old, new):
            with pytest.raises(FileError, match=f"cannot write {folder}/sub/b"):
                write_files(folder, {"a": b"after", "sub/b": bytes(1000), "c": b""})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert {path.name: path.read_bytes() for path in old.rglob("*") if path.is_file()} == {
        "a": b"before", "b": b"before", "mine": b"mine",
    }  # fmt: skip
    assert [path.name for path in tmp_path.iterdir()] == ["old"] and len(list(old.iterdir())) == 3
    write_files(old, {"a": b"after", "new/c": b""})
    assert (old / "a").read_bytes() == b"after" and (old / "mine").exists() and (old / "sub" / "b").exists()


def test_where_the_cache_cannot_be_written_its_variable_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").write_text("a file in the place of a folder")
    with pytest.raises(FileError, match="choose a folder"):
        write_file(tmp_path / "cache" / "x", b"")
    monkeypatch.setenv("HARIBOTE_CACHE", str(tmp_path / "cache"))
    with pytest.raises(FileError, match="set HARIBOTE_CACHE to a folder"):
        write_file(tmp_path / "cache" / "cpp" / "x", b"")

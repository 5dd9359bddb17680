"""A warm emitter: Python with what a task needs loaded, which forks a process for every answer.

    python -m grader.emitter.server [open]        standard input is a socket

Every message carries three open files: order and requests, replies, messages. In a sandbox, the process that then runs
the answer has namespaces of its own: it sees no other process, a new empty /tmp, nothing of the answer before it. With
`open`, where learners check their own, it is a process like others, with an empty folder that is removed afterwards.
This process only forks; it reads no answer, so that nothing of one is in the memory that the next one inherits.
"""

from __future__ import annotations

import ctypes
import gc
import json
import math
import os
import resource
import runpy
import signal
import socket
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from grader.emitter.filter import apply_filter
from grader.emitter.guard import only_this_course
from grader.emitter.limits import NOT_STARTED
from grader.emitter.replies import answering, prepare
from grader.emitter.serving import read_order
from grader.emitter.values import decode
from haribote.answers.tasks import ROOT, find_task
from haribote.errors import HariboteError

NEW_USER, NEW_PIDS = 0x10000000, 0x20000000
OTHER_NAMESPACES = 0x08020000  # mount, ipc
DIE_WITH_PARENT = 1
READ_ONLY = 1
MESSAGE = 4096
FILES = 3
_DROP_FROM_BOUNDS, _CAPABILITIES = 24, 64
_libc = ctypes.CDLL(None, use_errno=True)


def serve(control: socket.socket, confined: bool) -> None:
    """Fork for every message until the other side closes; tell the status of each."""
    run = _run_confined if confined else _answer_openly
    while True:
        message, files, _, _ = socket.recv_fds(control, MESSAGE, FILES)
        if not message:
            return
        status = run(control, json.loads(message), files)
        for file in files:
            os.close(file)
        control.send(str(status).encode())


def warm_up(lines: list[bytes]) -> None:
    """Import what answers to this task will need, by letting the bare stub reply."""
    order, requests = read_order(lines[0]), [decode(line) for line in lines[1:]]
    task = find_task(order.task)
    prepare(task)
    with suppress(HariboteError, KeyError):
        answers = answering(task, ROOT / order.place, order.content)
        for request in requests:
            values: dict[str, Any] = request
            answers(values["name"], values["given"])


def _run_confined(control: socket.socket, order: dict[str, Any], files: list[int]) -> int:
    """The status of an answer that runs in namespaces of its own."""
    try:
        _call(_libc.unshare, NEW_PIDS)  # for the next process that is started, not for this one
    except OSError as error:
        os.write(files[-1], f"{error}\n".encode())
        return NOT_STARTED
    own = os.open("/proc/self/ns/pid", os.O_RDONLY)
    child = os.fork()
    if child == 0:
        _answer(order, files)
    _call(_libc.setns, own, NEW_PIDS)  # or the kernel refuses the next ones
    os.close(own)
    return _status(child, order["rlimits"]["cpu"])


def _with_rights() -> None:
    """Go on in a child that has all rights in namespaces of its own, so that it may make more of them."""
    user, group = os.getuid(), os.getgid()
    _call(_libc.unshare, NEW_USER | NEW_PIDS)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        Path(f"/proc/self/{name}").write_text(text)
    if child := os.fork():
        os._exit(_status(child))
    _libc.prctl(DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)


def _answer_openly(control: socket.socket, order: dict[str, Any], files: list[int]) -> int:
    """The same on the learner's own machine: limits, and a folder of its own, but no walls."""
    if child := os.fork():
        return _status(child)
    status = 255
    try:
        control.close()
        os.setpgid(0, 0)
        del order["rlimits"]["nproc"]  # it would count all that the learner runs
        with tempfile.TemporaryDirectory(prefix="haribote-") as folder:
            child = os.fork()
            if child == 0:
                os.environ["TMPDIR"] = os.environ["HOME"] = folder
                _answer(order, files, confined=False)
            status = _status(child, order["rlimits"]["cpu"])
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.killpg(0, signal.SIGTERM)  # what the answer has started and left
    finally:
        os._exit(status)


def _answer(order: dict[str, Any], files: list[int], confined: bool = True) -> NoReturn:
    """The process that runs the answer; in namespaces it is the first one, and what it starts ends with it."""
    status = NOT_STARTED
    try:
        for number, file in enumerate(files):
            os.dup2(file, number)
        if confined:
            _own_view(int(order["disk"]))
        os.closerange(3, 1024)
        _limit(order["rlimits"])
        if confined:
            _give_up_rights()
        status = 255
        try:
            runpy.run_module("grader.emitter.__main__", run_name="__main__")
            status = 0
        except SystemExit as error:
            status = error.code if isinstance(error.code, int) else 1
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}\n".encode())
    finally:
        os._exit(status)


def _own_view(disk: int) -> None:
    """Namespaces of its own, a new /tmp, no /proc."""
    _call(_libc.unshare, OTHER_NAMESPACES)
    _call(_libc.mount, b"tmpfs", b"/tmp", b"tmpfs", 0, f"size={disk},mode=1777".encode())
    _call(_libc.mount, b"tmpfs", b"/proc", b"tmpfs", READ_ONLY, b"size=4k")


def _limit(rlimits: dict[str, int]) -> None:
    for name, value in rlimits.items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name.upper()}"), (value, value))


def _give_up_rights() -> None:
    """No capability, no way to get one, and few system calls."""
    for capability in range(_CAPABILITIES):
        _libc.prctl(_DROP_FROM_BOUNDS, capability, 0, 0, 0)
    _call(_libc.capset, ctypes.byref((ctypes.c_uint32 * 2)(0x20080522, 0)), ctypes.byref((ctypes.c_uint32 * 6)()))
    apply_filter()


def _status(child: int, work: float = math.inf) -> int:
    """How a child ended: its status, 128 + N for signal N; SIGXCPU where its time, `work` seconds, was used up.

    The kernel ends it with SIGKILL then: the first process of a namespace hears no other signal.
    """
    _, status, used = os.wait4(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code == -signal.SIGKILL and used.ru_utime + used.ru_stime > work - 1:
        code = -signal.SIGXCPU
    return code if code >= 0 else 128 - code


def _call(function: Any, *arguments: Any) -> None:
    if function(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{function.__name__}: {os.strerror(number)}")


def main() -> None:
    """Warm up with the lines that come with the first message, say so, then serve."""
    confined = "open" not in sys.argv
    if confined:
        _with_rights()
    only_this_course()
    control = socket.socket(fileno=0)
    _, (file,), _, _ = socket.recv_fds(control, MESSAGE, 1)
    with open(file, "rb") as lines:
        warm_up(lines.readlines())
    gc.collect()
    gc.freeze()  # a collection in a fork would write to what the two share, and so copy it
    control.send(b"ready")
    serve(control, confined)
    os._exit(0)  # there is nothing to tidy up, which for torch takes a second


if __name__ == "__main__":
    main()

"""A warm emitter inside the sandbox: Python with the course loaded, which forks an isolated process for every answer.

    python -m grader.emitter.server TASK        standard input is a socket

Every message carries four open files: the answer's file, requests, replies and messages, and says which task and which
file of the course it is. The process that then runs the answer has namespaces of its own: it sees no other process, a
new empty /tmp, its own file in the place of the stub, nothing of the answer before it. This process only forks; it
reads none of those files, so that nothing of an answer is in the memory that the next one inherits.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import resource
import runpy
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from grader.emitter.filter import apply_filter
from grader.emitter.replies import answering
from grader.emitter.values import decode
from haribote.answers.tasks import ROOT, find_task
from haribote.errors import HariboteError

NEW_NAMESPACES = 0x7E020000  # user, mount, pid, network, ipc, host name, cgroup
BIND, READ_ONLY, REMOUNT = 4096, 1, 32
MESSAGE = 4096
FILES = 4
_DROP_FROM_BOUNDS, _CAPABILITIES = 24, 64
_libc = ctypes.CDLL(None, use_errno=True)


def serve(control: socket.socket) -> None:
    """Fork for every message until the other side closes; tell the status of each."""
    while True:
        message, files, _, _ = socket.recv_fds(control, MESSAGE, FILES)
        if not message:
            return
        child = os.fork()
        if child == 0:
            _supervise(control, json.loads(message), files)
        for file in files:
            os.close(file)
        control.send(str(_status(child)).encode())


def warm_up(task: str, request: bytes) -> None:
    """Import what answers to this task will need, by letting the bare stub reply once."""
    found = find_task(task)
    if found.product:
        importlib.import_module(found.product.partition(":")[0])
    with suppress(HariboteError, KeyError):
        values: dict[str, Any] = decode(request)
        answering(found, ROOT / "haribote" / found.file)(values["name"], values["given"])


def _supervise(control: socket.socket, order: dict[str, Any], files: list[int]) -> NoReturn:
    """In a process of its own outside of the new namespaces: start the answer, and end as it ends."""
    status = 255
    try:
        control.close()
        user, group = os.getuid(), os.getgid()
        _call(_libc.unshare, NEW_NAMESPACES)
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            Path(f"/proc/self/{name}").write_text(text)
        child = os.fork()
        if child == 0:
            _answer(order, files)
        status = _status(child)
    finally:
        os._exit(status)


def _answer(order: dict[str, Any], files: list[int]) -> NoReturn:
    """The first process in the new namespaces: what it starts ends with it."""
    status = 255
    try:
        for number, file in enumerate(files[1:]):
            os.dup2(file, number)
        place = ROOT / "haribote" / order["file"]
        _own_view(place, files[0], int(order["disk"]))
        os.closerange(3, 1024)
        _give_up_rights(order["rlimits"])
        sys.argv = ["grader.emitter", order["task"], str(place)]
        try:
            runpy.run_module("grader.emitter.__main__", run_name="__main__")
            status = 0
        except SystemExit as error:
            status = error.code if isinstance(error.code, int) else 1
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}\n".encode())
    finally:
        os._exit(status)


def _own_view(place: Path, answer: int, disk: int) -> None:
    """A new /tmp, no /proc, and the answer's file in its place."""
    _call(_libc.mount, b"tmpfs", b"/tmp", b"tmpfs", 0, f"size={disk},mode=1777".encode())
    _call(_libc.mount, b"tmpfs", b"/proc", b"tmpfs", READ_ONLY, b"size=4k")
    copy = Path("/tmp/answer")
    with open(answer, "rb", closefd=False) as file:
        copy.write_bytes(file.read())
    target = str(place).encode()
    _call(_libc.mount, str(copy).encode(), target, None, BIND, None)
    _call(_libc.mount, None, target, None, BIND | REMOUNT | READ_ONLY, None)
    copy.unlink()


def _give_up_rights(rlimits: dict[str, int]) -> None:
    """Limits, no capability, no way to get one, and few system calls."""
    for name, value in rlimits.items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name.upper()}"), (value, value))
    for capability in range(_CAPABILITIES):
        _libc.prctl(_DROP_FROM_BOUNDS, capability, 0, 0, 0)
    _call(_libc.capset, ctypes.byref((ctypes.c_uint32 * 2)(0x20080522, 0)), ctypes.byref((ctypes.c_uint32 * 6)()))
    apply_filter()


def _status(child: int) -> int:
    """How a child ended: its status, 128 + N for signal N."""
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code if code >= 0 else 128 - code


def _call(function: Any, *arguments: Any) -> None:
    if function(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{function.__name__}: {os.strerror(number)}")


def main() -> None:
    """Warm up with the first message's request, say so, then serve."""
    control = socket.socket(fileno=0)
    _, (file,), _, _ = socket.recv_fds(control, MESSAGE, 1)
    with open(file, "rb") as request:
        warm_up(sys.argv[1], request.read())
    control.send(b"ready")
    serve(control)


if __name__ == "__main__":
    main()

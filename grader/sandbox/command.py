"""The sandbox: bubblewrap's command line, and one run of a command in it.

What is inside: the system's programs and libraries, the Python in use with its packages, and the folders and files that
are asked for, all of them read-only; an empty home in /tmp, which has a size. There is no network, no other process, no
home folder. Started by root, it first becomes a user that owns nothing: the kernel does not count root's processes.
"""

from __future__ import annotations

import os
import random
import signal
import site
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from grader.emitter.filter import filter_program
from grader.sandbox.limits import Limits, Outcome
from grader.sandbox.watch import Watched, end, watch
from simulator.messages import tr

_SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_ETC = ("/etc/ld.so.cache", "/etc/alternatives")
_NAMESPACES = ("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
_BECOME_SOMEBODY = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")
_FIRST_USER, _USERS = 1 << 30, 1 << 29  # ids that no system hands out
LAST_SIGNAL = 64
HOME = "/tmp"
ENVIRONMENT = {
    "HOME": HOME,
    "TMPDIR": "/tmp",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",  # the same file gives the same answer
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}


@dataclass(frozen=True)
class Sandbox:
    """A sandbox with folders and files of our choice inside.

    mounts: what is to be seen, by its place inside; later ones lie over earlier ones. folder: where commands start.
    bwrap: the program. filtered: whether system calls are refused that an answer has no use for, sockets among them.
    """

    mounts: Mapping[str, Path] = field(default_factory=dict)
    folder: str = HOME
    bwrap: str = "bwrap"
    filtered: bool = True

    def run(
        self,
        command: Sequence[str],
        stdin: bytes = b"",
        files: Mapping[str, bytes] | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        """Run a command to its end, or to the first limit that it breaks; then nothing of it is left.

        files: content by place inside, over whatever the mounts show there.
        """
        limits = limits or Limits()
        with ExitStack() as stack:
            given = handle_of(stdin, stack)
            line, handles = self.command(command, limits, stack, files or {})
            process = subprocess.Popen(
                line, stdin=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT, pass_fds=handles,
                start_new_session=True, cwd="/",
            )  # fmt: skip
            ended = os.pidfd_open(process.pid)
            stack.callback(os.close, ended)
            try:
                assert process.stdout is not None and process.stderr is not None
                seen = watch(process.stdout.fileno(), process.stderr.fileno(), ended, process.pid, limits)
            finally:
                end(process)
        return outcome(seen, process.returncode, limits)

    def command(
        self, command: Sequence[str], limits: Limits, stack: ExitStack, files: Mapping[str, bytes]
    ) -> tuple[list[str], list[int]]:
        """The whole command line, and the file descriptors that it needs; `stack` closes these."""
        line = [self.bwrap, "--die-with-parent", "--new-session", *_NAMESPACES, "--hostname", "sandbox"]
        root = os.geteuid() == 0
        line += [] if root else ["--unshare-user"]
        line += ["--cap-drop", "ALL"]
        for capability in _BECOME_SOMEBODY if root else ():
            line += ["--cap-add", capability]
        line += self._view(limits)
        handles = []
        if self.filtered and filter_program():
            handles.append(handle_of(filter_program(), stack))
            line += ["--seccomp", str(handles[-1])]
        for place, content in files.items():
            handles.append(handle_of(content, stack))
            line += ["--perms", "0444", "--ro-bind-data", str(handles[-1]), place]
        line += ["--remount-ro", "/", "--chdir", self.folder, "--"]
        line += _as_nobody() if root else []
        line += ["prlimit", *(_limit(name, value) for name, value in limits.rlimits.items()), "--", *command]
        return line, handles

    def _view(self, limits: Limits) -> list[str]:
        line = ["--perms", "1777", "--size", str(limits.disk), "--tmpfs", "/tmp"]  # first: Python may lie below it
        made = {Path("/"), Path("/tmp")}
        for place, source in {**_system(), **self.mounts}.items():
            for parent in reversed(Path(place).parents):  # bubblewrap would make them for the owner alone
                line += ["--dir", str(parent)] if parent not in made else []
                made.add(parent)
            link = os.path.islink(source) and place in _SYSTEM
            line += ["--symlink", os.readlink(source), place] if link else ["--ro-bind", str(source), place]
        return [*line, "--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev"]


def _limit(name: str, value: int) -> str:
    """One of prlimit's. Time has a second more as its hard limit, which kills without saying what for."""
    return f"--{name}={value}:{value + 1 if name == 'cpu' else value}"


def handle_of(content: bytes, stack: ExitStack) -> int:
    """A file descriptor of a nameless file with this content, at its beginning."""
    handle = os.memfd_create("given")
    stack.callback(os.close, handle)
    with open(handle, "wb", closefd=False) as file:
        file.write(content)
    os.lseek(handle, 0, os.SEEK_SET)
    return handle


def _system() -> dict[str, Path]:
    """The system and the Python in use, by place."""
    places = [Path("/usr"), *(Path(name) for name in (*_SYSTEM, *_ETC))]
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, *_package_folders()}
    places += [Path(prefix) for prefix in sorted(prefixes) if not Path(prefix).is_relative_to("/usr")]
    return {str(place): place for place in places if place.exists()}


def _package_folders() -> list[str]:
    """Folders of installed packages outside of Python's own: those of `pip install --user`."""
    users = site.getusersitepackages() if site.ENABLE_USER_SITE else ""
    inside = (sys.prefix, sys.base_prefix)
    return [users] if users and users in sys.path and not any(Path(users).is_relative_to(p) for p in inside) else []


def _as_nobody() -> list[str]:
    user = str(_FIRST_USER + random.SystemRandom().randrange(_USERS))
    return ["setpriv", "--reuid", user, "--regid", user, "--clear-groups", "--inh-caps=-all", "--bounding-set=-all",
            "--no-new-privs"]  # fmt: skip


def outcome(seen: Watched, status: int | None, limits: Limits) -> Outcome:
    """The outcome of a watched program that has ended with this status, or of its time on the processor."""
    errors = seen.errors.decode("utf-8", "replace")
    if seen.stopped:
        status = None
    elif status is not None and 128 < status <= 128 + LAST_SIGNAL:  # how a shell and bubblewrap tell a signal
        status = 128 - status
    if status == -signal.SIGXCPU:
        stopped = tr("ran longer than {seconds:g} s", limits.rlimits["cpu"])
        return Outcome(bytes(seen.output), errors, None, stopped)
    return Outcome(bytes(seen.output), errors, status, seen.stopped)

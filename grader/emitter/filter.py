"""System calls that an answer has no use for, as a seccomp filter: what is listed fails with EPERM.

The rest of the sandbox shuts without it; it makes the kernel's surface smaller, and closes what no limit counts
(memory in System V segments, keys, a user of one's own).
"""

from __future__ import annotations

import ctypes
import platform
import struct

from simulator.messages import tr

_EPERM, _ENOSYS = 1, 38
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_LOAD, _EQUAL, _ATLEAST, _AND, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16  # where they stand in what the filter sees
_NAMESPACES = 0x7E020080  # flags of clone: namespaces of its own
_X32 = 0x40000000

_SHARED = {"io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428,
           "move_mount": 429, "fsopen": 430, "fsmount": 432, "pidfd_getfd": 438, "mount_setattr": 442,
           "memfd_secret": 447}  # fmt: skip
_NUMBERS: dict[str, tuple[int, int, dict[str, int]]] = {  # machine: architecture, clone, what is refused
    "x86_64": (0xC000003E, 56, {
        "shmget": 29, "socket": 41, "semget": 64, "msgget": 68, "ptrace": 101, "personality": 135, "pivot_root": 155,
        "chroot": 161, "mount": 165, "umount2": 166, "mq_open": 240, "add_key": 248, "request_key": 249,
        "keyctl": 250, "unshare": 272, "perf_event_open": 298, "fanotify_init": 300, "open_by_handle_at": 304,
        "setns": 308, "process_vm_readv": 310, "process_vm_writev": 311, "memfd_create": 319, "bpf": 321,
        "userfaultfd": 323}),
    "aarch64": (0xC00000B7, 220, {
        "umount2": 39, "mount": 40, "pivot_root": 41, "chroot": 51, "personality": 92, "unshare": 97, "ptrace": 117,
        "mq_open": 180, "msgget": 186, "semget": 190, "shmget": 194, "socket": 198, "add_key": 217,
        "request_key": 218, "keyctl": 219, "perf_event_open": 241, "fanotify_init": 262, "open_by_handle_at": 265,
        "setns": 268, "process_vm_readv": 270, "process_vm_writev": 271, "memfd_create": 279, "bpf": 280,
        "userfaultfd": 282}),
}  # fmt: skip
_CLONE3 = 435


def filter_program() -> bytes:
    """The filter for this machine as the kernel takes it; empty where we do not know the machine's numbers."""
    if platform.machine() not in _NUMBERS:
        return b""
    architecture, clone, numbers = _NUMBERS[platform.machine()]
    refused = sorted({*numbers.values(), *_SHARED.values()})
    lines = [(_LOAD, 0, 0, _ARCHITECTURE), (_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, _ERRNO | _ENOSYS)]
    lines += [(_LOAD, 0, 0, _NUMBER), (_ATLEAST, 0, 1, _X32), (_RETURN, 0, 0, _ERRNO | _ENOSYS)]
    lines += [(_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _ERRNO | _ENOSYS)]  # the C library then takes clone
    for number in refused:
        lines += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERRNO | _EPERM)]
    lines += [(_EQUAL, 0, 4, clone), (_LOAD, 0, 0, _FIRST_ARGUMENT), (_AND, 0, 0, _NAMESPACES)]
    lines += [(_EQUAL, 1, 0, 0), (_RETURN, 0, 0, _ERRNO | _EPERM), (_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("<HBBI", *line) for line in lines)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("lines", ctypes.c_char_p))


def apply_filter() -> None:
    """Put the filter on this process and on all that it starts. Raises OSError."""
    text = filter_program()
    if not text:
        return
    program = _Program(len(text) // 8, text)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.byref(program), 0, 0):  # no new privileges; filter
        raise OSError(ctypes.get_errno(), tr("the kernel refuses the filter of system calls"))

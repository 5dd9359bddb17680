"""What a program in the sandbox may use, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1 << 20
SUBMISSION = 900.0  # seconds of one submission, all its answers together; a whole right one takes about one minute


@dataclass(frozen=True)
class Limits:
    """Of the whole process tree together, unless it says otherwise.

    seconds: of wall time. work: seconds of the processor of one process; 0: as many as of wall time.
    memory: resident bytes; one process may map four times as much. processes: and threads,
    at the same time. disk: bytes in /tmp, the one place that can be written. output: bytes on stdout and stderr.
    """

    seconds: float = 60.0
    work: float = 0.0
    memory: int = 768 * MIB
    processes: int = 32
    disk: int = 64 * MIB
    output: int = 64 * MIB

    @property
    def mapped(self) -> int:
        """Bytes of address space of one process."""
        return 4 * self.memory

    @property
    def rlimits(self) -> dict[str, int]:
        """The limits that the kernel keeps for us, by their name in `prlimit` and in the module `resource`."""
        cpu = int(self.work or self.seconds) + 2
        files = {"fsize": self.disk, "nofile": 256, "core": 0}
        return {"as": self.mapped, "nproc": self.processes, "cpu": cpu, **files}


@dataclass(frozen=True)
class Outcome:
    """How a program in the sandbox ended.

    output: its stdout, cut at the limit. errors: the end of its stderr. status: of its exit, negative for a signal,
    None where we stopped it. stopped: why we did ("ran longer than 5 s"), or "".
    """

    output: bytes
    errors: str
    status: int | None
    stopped: str = ""

"""Command lines that somebody might type by mistake: each names what is not there, not readable, or out of bounds."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

FILES = ("{nowhere}", "{text}", "{empty}", "{bytes}", "{folder}", "{loop}", "/dev/zero", "")
MODELS = ("{syntax}", "{exits}", "{raises}", "{none}", "{endless}", "{text}", "{nowhere}", "{folder}")
TASKS = ("", "9.99", "x", "5.12.3", "../../etc/passwd", "\x1b[31m", "9" * 5000, "-1")


def lines() -> Iterator[list[str]]:
    """The command lines: program, command, words."""
    yield from _of_haribote()
    yield from _of_the_simulator()
    yield from _of_the_grader()


def _of_haribote() -> Iterator[list[str]]:
    for option, values in {
        "--batch": ("0", "-1", "x", "99999999999", "1e3", "", "9" * 5000),
        "--hidden": ("0", "-1", "x", "99999999999", "nan", "4 " * 99),
        "--lr": ("0", "-1", "nan", "inf", "1e400", "x"),
        "--network": ("x", ""),
        "-o": ("{text}", "{text}/in", "/dev/full", "", "x" * 300),
    }.items():
        for value in values:
            yield ["haribote", "export", "-o", "{out}", option, *(value.split() or [value])]
    for model in MODELS:
        yield ["haribote", "export", "-o", "{out}", "--model", f"{model}:Net"]
    for command in (
        "compile --backend sim",
        "compile --backend cpp",
        "test --backend sim",
        "plan",
        "cut",
        "deploy",
        "view",
    ):
        for file in FILES:
            yield ["haribote", *command.split(), file]
    yield ["haribote", "view", "{text}", "--port", "99999"]
    for size in ("N", "N=x", "N=-1", "=3", "N=99999999999999999999999"):
        yield ["haribote", "cut", "{text}", "--size", size]
    for word in ("nix", "5.99", "\x1b[31m", ""):
        yield ["haribote", "kernel", word]
    for file in ("{nowhere}", "{text}", "{bytes}", "{deep}", "{folder}"):
        yield ["haribote", "kernel", "--testcase", file]
    for option in ("--epochs -1", "--epochs x", "--batch 0", "--batch 99999999", "--hidden 0", "--lr nan", "--seed -1",
                   "--data {nowhere}", "--data {text}", "--data {png}", "-o {text}", "-O 9", "--engine x"):  # fmt: skip
        yield ["haribote", "train", "--backend", "torch", "--epochs", "1", "--data", "synthetic", *option.split()]
    yield ["haribote", "train", "--backend", "torch", "--data", "synthetic", "--resume", "-o", "{resumed}"]
    for file in ("{nowhere}", "{bytes}", "{folder}", "{escapes}"):
        yield ["haribote", "board", file]
    for file in ("{npz}", "{objects}", "{other}", "{nowhere}", "{folder}"):
        yield ["haribote", "infer", "--backend", "torch", "--checkpoint", file, "{png}"]
    for file in ("{huge}", "{png}", "{text}", "{folder}"):
        yield ["haribote", "share", "--data", "synthetic", "--solutions", "-o", "{out}", "--digit", file]
    for option in ("--name", "--network", "--run"):
        yield ["haribote", "share", "--data", "synthetic", "--solutions", "-o", "{text}", option, "\x1b[31m"]
    for words in ("--steps 0", "--width 7", "--context 1", "--lr nan", "--text {bytes}", "--text {empty}", "-o {text}"):
        yield ["haribote", "gpt", "train", "--backend", "torch", "--steps", "1", *words.split()]
    for file in ("{nowhere}", "{npz}", "{objects}", "{other}", "{folder}"):
        yield ["haribote", "gpt", "write", "--backend", "torch", "--checkpoint", file]
    for words in (
        "nix",
        "verify --data {text}",
        "show --data {folder}",
        "show --data synthetic --picture {text}/a.png",
    ):
        yield ["haribote", "data", *words.split()]
    for words in ("", "nix", "--nix", "\x1b[31m", "demo --data {nowhere}", "export --\x1b[31m", "language xx"):
        yield ["haribote", *words.split()]


def _of_the_simulator() -> Iterator[list[str]]:
    for command, more in {"run": "", "check": "", "explain": "", "profile": "", "trace": "$lm0n0", "view": "-o {out}",
                          "schedule": "-o {out}"}.items():  # fmt: skip
        for file in FILES:
            if file != "{empty}":
                yield ["simulator", command, file, *more.split()]
    for word in ("$", "$lm", "$lm99999999999", "$xx0", "lm0", "$lm0n99", "x" * 9999, "\x1b[3m", "$lm-1"):
        yield ["simulator", "trace", "{empty}", word]
    for words in ("run {empty} --until x", "run {empty} -d {folder}", "compare {nowhere} {empty}",
                  "judge {text} {empty}", "judge {deep} {empty}", "judge {nowhere} {empty}", "view {empty} -o {folder}",
                  "view {empty} --unit x -o {out}", "view {empty} --testcase {text} -o {out}", "view {other} -o {out}",
                  "schedule {empty} -o {out} --effort x", "profile {empty} -o {folder}", "", "nix"):  # fmt: skip
        yield ["simulator", *words.split()]


def _of_the_grader() -> Iterator[list[str]]:
    for command in ("contract", "check", "debug", "hint", "reset", "catchup", "watch"):
        for task in TASKS:
            yield ["grader", command, task]
    for words in ("check", "check 0.1 --seed -1", "check 0.1 --seed x", "hint 0.1 --level 9", "selftest nix", "nix", "",
                  "submit --id a/b", "submit --id ../x", f"submit --id {'x' * 300}", "submit --id me -o {folder}",
                  "submit --id me -o {text}/x", "board {zip} --graded {text}", "progress {nowhere}",
                  "grade {zip} --workers 0", "grade {zip} --limit x", "grade {nowhere}", "grade {zip} -o {text}",
                  "grade {zip} --task nix -o {out}", "grade {zip} --cluster nix:0 -o {out}"):  # fmt: skip
        yield ["grader", *words.split()]


def make(folder: Path) -> dict[str, str]:
    """The files that the words stand for; by word."""
    texts = {
        "text": b"a text\n", "empty": b"", "bytes": bytes(range(256)) * 9, "escapes": b"\x1b[31mnop\x07\n",
        "deep": b"[" * 100_000, "npz": b"no npz", "png": b"\x89PNG\r\n\x1a\n" + bytes(50), "huge": png(60_000, 60_000),
        "syntax": b"def (:\n", "exits": b"import sys; sys.exit(7)\n", "none": b"Net = None\n",
        "raises": b"raise ValueError('x' * 10000 + '\\x1b[31m')\n", "endless": b"def f(): f()\nf()\n",
    }  # fmt: skip
    found = {name: str(folder / name) for name in ("nowhere", "out")}
    for name, content in texts.items():
        path = folder / f"{name}.py"
        path.write_bytes(content)
        found[name] = str(path)
    (folder / "loop").symlink_to(folder / "loop")
    with zipfile.ZipFile(folder / "outside.zip", "w") as archive:
        archive.writestr("../../evil.py", "x = 1")
    np.savez(folder / "objects.npz", a=np.array([object()], dtype=object))
    np.savez(folder / "other.npz", w=np.zeros(3))
    (folder / "resumed").mkdir()
    (folder / "resumed" / "checkpoint.npz").write_bytes(b"no npz")
    (folder / "folder").mkdir()
    names = {"loop": "loop", "zip": "outside.zip", "objects": "objects.npz", "other": "other.npz", "resumed": "resumed",
             "folder": "folder"}  # fmt: skip
    return found | {name: str(folder / file) for name, file in names.items()}


def png(width: int, height: int) -> bytes:
    """A picture that says it has so many pixels, and has some of them."""
    parts = {b"IHDR": struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0), b"IDAT": zlib.compress(bytes(1 << 20)),
             b"IEND": b""}  # fmt: skip
    chunks = (struct.pack(">I", len(b)) + t + b + struct.pack(">I", zlib.crc32(t + b)) for t, b in parts.items())
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)

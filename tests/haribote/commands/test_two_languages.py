"""The commands of the README in both languages: the same commands, names and numbers are printed, and mistakes are told
in Japanese down to single words.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.haribote.commands.bad_models import BAD, content
from tests.haribote.commands.test_bad_models import COMMANDS as TAKE_A_MODEL

ROOT = Path(__file__).resolve().parents[3]
README = [
    "haribote data",
    "haribote export -o step",
    "haribote compile step --backend sim --solutions -O0",
    "haribote compile step --backend sim --solutions",
    "haribote test step --backend sim --solutions",
    "haribote view step/model.onnx --svg step/model.svg",
    "haribote plan step --svg step/plan.svg",
    "haribote board",
    "haribote cut step --svg step/cut.svg",
    "haribote deploy step -o step/program",
    "python -m simulator explain 'l1bmm $llb0 $llm0v'",
    "python -m simulator schedule step/step.vsm -o step/fast.vsm",
    "python -m simulator view step -o step/view.html",
]
"""The commands of the README that print; `train` and `demo` are too long, and print what these do."""
SERVER = """
import contextlib, io, json, shlex, sys, traceback
from haribote.commands.cli import main
from grader.cli import main as grade
from simulator.__main__ import main as simulate
CALLED = {"haribote": main, "grader": grade, "simulator": simulate}
for line in sys.stdin:
    command, text = json.loads(line), io.StringIO()
    try:
        with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
            status = CALLED[command[0]](command[1:])
    except SystemExit as error:
        status = error.code
    except BaseException as error:
        status = "".join(traceback.format_exception(error))
    print(json.dumps([status, text.getvalue()]), flush=True)
"""
PRINTED = re.compile(
    r"(?<![\w./-])(?:haribote|grader|make|python -m \w+) [a-z-]+(?: (?:-{1,2}[\w-]+|[\w./=-]+(?=[ `\n]|$)))*"
)
"""A command within a text."""
PATHS = re.compile(r"(?<![\w./-])[\w-]+(?:/[\w.-]+)+|\b\w+\.(?:vsm|onnx|svg|npz|html|png|cpp)\b")


class Server:
    """A process in one language that runs one command after another. folder: where it runs."""

    def __init__(self, language: str, folder: Path) -> None:
        variables = os.environ | {
            "HARIBOTE_LANG": language, "HARIBOTE_CACHE": str(folder.parent / "cache"), "PYTHONPATH": str(ROOT),
            "PYTHONUTF8": "1", "COLUMNS": "200",
        }  # fmt: skip
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, encoding="utf-8", cwd=folder, env=variables,
        )  # fmt: skip

    def said(self, command: list[str]) -> tuple[object, str]:
        """Exit status, or a traceback, and what it printed."""
        assert self.process.stdin is not None and self.process.stdout is not None
        print(json.dumps(command), file=self.process.stdin, flush=True)
        status, text = json.loads(self.process.stdout.readline())
        return status, text

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(60)


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Server]]:
    folder = tmp_path_factory.mktemp("languages")
    made = {}
    for language in ("en", "ja"):
        (folder / language).mkdir()
        made[language] = Server(language, folder / language)
    yield made
    for server in made.values():
        server.close()


def test_these_are_the_commands_of_the_readme() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for line in README:
        assert line in text


@pytest.mark.slow
def test_readme_commands_print_the_same_commands_in_both_languages(servers: dict[str, Server]) -> None:
    """And the same paths."""
    found = 0
    for line in README:
        words = [word.strip("'") for word in re.findall(r"'[^']*'|\S+", line)]
        words = words[2:] if words[0] == "python" else words
        (status, english), (other, japanese) = (servers[language].said(words) for language in ("en", "ja"))
        assert status == other == 0, (line, english, japanese)
        for kind in (PRINTED, PATHS):
            assert sorted(kind.findall(english)) == sorted(kind.findall(japanese)), line
        found += len(PRINTED.findall(english))
    assert found >= 2


WORD = re.compile(r"(?<![\w$./<>\[\]=\"'`-])[a-z]{2,}(?![\w(\[=./<>\"'`-])")
"""An English word by itself."""
CODE = re.compile(
    r"`[^`]*`|'[^']*'|\"[^\"]*\"|^usage:.*|^使い方.*(?:\n {8,}.*)*|^ *(?:haribote|grader)[^\n]*?:"
    r"|(?:haribote|grader|python -m) [\w. =-]+"
    r"|--[\w-]+(?: \w+)?|[\w-]+(?:/[\w.-]*)+|⟦[^⟧]*⟧|\([^()ぁ-ん]*\)|\[[^\]]*\]",
    re.MULTILINE,
)
"""Code, options, commands, paths, shapes and choices."""
ALLOWED = frozenset(
    {"float", "int", "bool", "true", "false", "nop", "axis", "axes", "perm", "domain", "onnx", "torch", "opset"}
)
"""Names, of types, operators' attributes, files and commands."""
MISTAKES = [
    ["haribote"], ["haribote", "nothing"], ["haribote", "compil"], ["haribote", "export"],
    ["haribote", "export", "--model", "gone.py:model", "-o", "out"],
    ["haribote", "export", "--model", "x", "-o", "out"],
    ["haribote", "compile", "nowhere", "--backend", "sim"], ["haribote", "compile", "nowhere"],
    ["haribote", "compile", "nowhere", "--backend", "gpu"], ["haribote", "test", "nowhere", "--backend", "sim"],
    ["haribote", "view", "gone.onnx"], ["haribote", "view", "gone.onnx", "--svg", "a.svg"],
    ["haribote", "plan", "nowhere"], ["haribote", "cut", "gone.onnx"], ["haribote", "deploy", "gone.onnx"],
    ["haribote", "infer", "gone.png", "--backend", "sim"], ["haribote", "kernel", "nothing"],
    ["haribote", "kernel", "rellu"], ["haribote", "kernel", "--testcase", "gone"], ["haribote", "data", "what"],
    ["haribote", "train", "--backend", "sim", "--epochs", "0"], ["haribote", "train", "--backend", "sim", "--lr", "x"],
    ["haribote", "train", "--backend", "torch", "--fill"], ["haribote", "train", "--backend", "sim", "--data", "gone"],
    ["haribote", "train", "--backend", "sim", "--batch", "99999999"], ["haribote", "board", "gone.vsm"],
    ["haribote", "language", "fr"], ["haribote", "cut", "gone.onnx", "--size", "N"],
    ["haribote", "compile", "nowhere", "--backend", "cpp", "--precision", "half"],
    ["grader"], ["grader", "nothing"], ["grader", "check", "99.9"], ["grader", "check"], ["grader", "hint", "nothing"],
    ["grader", "hint", "0.1", "--level", "4"], ["grader", "contract", "9.99"], ["grader", "reset", "9.99"],
    ["grader", "catchup", "nowhere"], ["grader", "debug", "9.99"], ["grader", "check", "5.12", "--seed", "x"],
    ["grader", "check", "5.12", "--seed", "-1"], ["grader", "reset", "0.1", "--lang", "fr"],
    ["grader", "grade", "gone"],
    ["simulator"], ["simulator", "run", "gone.vsm"], ["simulator", "check", "gone.vsm"], ["simulator", "explain"],
    ["simulator", "explain", "nonsense $lm0v"], ["simulator", "judge", "gone.vsm", "gone"],
    ["simulator", "schedule", "gone.vsm"], ["simulator", "view", "gone.vsm"], ["simulator", "profile", "gone.vsm"],
]  # fmt: skip


NAMES = frozenset(
    ["nowhere", "gone", "relu", "seed", "action", "en", "ja", "wibble", "model", "nothing", "what", "line"]
)
"""What these cases call things, and metavariables of argparse."""
QUOTED = re.compile(
    r"(?:ONNX ファイルではありません|変換できません|onnx\.checker|形状が合いません|完全ではありません|読めません"
    r"|計算できません|チェックできません|実行できるものがありません)：.*?(?=\n    試すこと|\Z)",
    re.DOTALL,
)
"""What ONNX and NumPy say themselves, as it is."""


def words_in(text: str) -> list[str]:
    """The English words that are left in a Japanese message."""
    bare = CODE.sub("⟦⟧", QUOTED.sub("⟦⟧", text))
    return [word for word in WORD.findall(bare) if word not in ALLOWED | NAMES]


def test_the_rule_finds_single_words() -> None:
    assert words_in("ノード `a b`: this ノード") == ["this"] and words_in("行が missing です") == ["missing"]
    assert words_in("haribote cut: /a/b.onnx の opset は 3 です (axis=1)\n    試すこと： --size N=3") == []


@pytest.mark.slow
def test_mistakes_are_told_in_japanese_down_to_single_words(servers: dict[str, Server], tmp_path: Path) -> None:
    """About 200 cases: what is typed wrong, and every fourth command with every model that is wrong."""
    cases = list(MISTAKES)
    for number, name in enumerate(BAD):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "model.onnx").write_bytes(content(name))
        places = {"file": folder / "model.onnx", "folder": folder, "out": folder / "out"}
        chosen = [key for place, key in enumerate(TAKE_A_MODEL) if (place + number) % 4 == 0]
        cases += [["haribote", *(word.format(**places) for word in TAKE_A_MODEL[key])] for key in chosen]
    found = {}
    for case in cases:
        status, text = servers["ja"].said(case)
        assert status in (0, 1, 2), (case, status)
        if status == 2 and (left := words_in(text.replace(str(tmp_path), "/tmp"))):
            found[" ".join(case)] = (left, text)
    assert len(cases) >= 180
    assert found == {}

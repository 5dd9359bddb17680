"""Help and mistakes of commands in another language."""

from __future__ import annotations

import argparse
from collections.abc import Callable

import pytest

from simulator.columns import columns
from simulator.console import MISTAKE, OF_ARGPARSE, Parser, run_guarded, seed
from simulator.errors import SimulatorError, advised
from simulator.messages import Text, tr
from tests.japanese import japanese

ENTRIES = {
    "usage: ": "使い方： ",
    "options": "オプション",
    "positional arguments": "引数",
    "show this help message and exit": "このヘルプを表示します",
    "Counts what there is.": "あるものを数えます。" * 9,
    "how many (default %(default)s)": "いくつか（既定は %(default)s）",
    "error: {message}": "エラー：{message}",
    "argument %(argument_name)s: %(message)s": "引数 %(argument_name)s：%(message)s",
    "invalid choice: %(value)r (choose from %(choices)s)": "%(value)r は選べません",
    "did you mean `{prog} {near}`?": "`{prog} {near}` ですか？",
    "try: {advice}": "試すこと：{advice}",
    "no such {thing} here": "{thing} はここにありません",
    "another place": "別の場所",
    "\nstopped": "\n止めました",
}


def parser() -> Parser:
    found = Parser(prog="tool", description=Text("Counts what there is."))
    commands = found.add_subparsers(metavar="COMMAND", required=True)
    count = commands.add_parser("count", help=Text("Counts what there is."), description=Text("Counts what there is."))
    count.add_argument("-n", type=seed, default=3, help=Text("how many (default %(default)s)"))
    count.add_argument("thing")
    return found


def text_of(parse: Callable[[], object], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit):
        parse()
    captured = capsys.readouterr()
    return captured.out + captured.err


def test_help_is_in_the_language(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    english = text_of(lambda: parser().parse_args(["count", "--help"]), capsys)
    with japanese(ENTRIES):
        help_ = text_of(lambda: parser().parse_args(["count", "--help"]), capsys)
    assert help_.startswith("使い方： tool count [-h] [-n N] thing\n")
    assert "オプション:\n" in help_ and "いくつか（既定は 3）" in help_ and "このヘルプを表示します" in help_
    assert ENTRIES["Counts what there is."] in help_.replace("\n", "")
    assert max(map(columns, help_.splitlines())) <= 60
    assert english.startswith("usage: tool count") and "how many (default 3)" in english


def test_help_is_as_python_makes_it_in_english(capsys: pytest.CaptureFixture[str]) -> None:
    ours, plain = (maker(prog="x", description="One, two. " * 20) for maker in (Parser, argparse.ArgumentParser))
    for one in (ours, plain):
        one.add_argument("--many", metavar="N", choices=[1, 2], default=1, help="so-called " * 20 + "%(default)s %%")
    assert ours.format_help() == plain.format_help()
    assert text_of(lambda: ours.parse_args(["--many"]), capsys) == text_of(lambda: plain.parse_args(["--many"]), capsys)


def test_errors_are_in_the_language(capsys: pytest.CaptureFixture[str]) -> None:
    with japanese(ENTRIES):
        text = text_of(lambda: parser().parse_args(["cuont"]), capsys)
    assert "\ntool: エラー：引数 COMMAND：'cuont' は選べません\n" in text
    assert text.endswith("\n    試すこと：`tool count` ですか？\n")


def test_mistakes_are_in_the_language(capsys: pytest.CaptureFixture[str]) -> None:
    def mistaken() -> int:
        raise SimulatorError(tr("no such {thing} here", thing="file.vsm"), tr("another place"))

    def interrupted() -> int:
        raise KeyboardInterrupt

    with japanese(ENTRIES):
        assert run_guarded(mistaken) == MISTAKE
        run_guarded(interrupted)
    assert capsys.readouterr().err == "file.vsm はここにありません\n    試すこと：別の場所\n\n止めました\n"


def test_a_language_that_there_is_not_is_a_mistake(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARIBOTE_LANG", "fr")
    assert run_guarded(lambda: 0) == MISTAKE
    assert capsys.readouterr().err == advised("HARIBOTE_LANG is 'fr'", "one of en, ja, or leave it out") + "\n"


WRONG = [
    [],
    ["--count", "x", "a", "n"],
    ["--count", "a", "n"],
    ["--seed", "-1", "a", "n"],
    ["--seed"],
    ["--one", "--two", "a", "n"],
    ["z", "n"],
    ["a", "n", "more"],
    ["--s", "1", "a", "n"],
    ["--pair", "1", "a", "n"],
    ["--one=3", "a", "n"],
    ["a"],
]


@pytest.mark.parametrize("arguments", WRONG)
def test_the_catalogue_can_have_all_that_python_says(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    tool = argparse.ArgumentParser(prog="tool")
    tool.add_argument("letter", choices=["a", "b"])
    tool.add_argument("numbers", nargs="+")
    tool.add_argument("--count", type=int)
    tool.add_argument("--seed", type=seed)
    tool.add_argument("--selftest", action="store_true")
    tool.add_argument("--pair", nargs=2)
    one_of = tool.add_mutually_exclusive_group()
    one_of.add_argument("--one", action="store_true")
    one_of.add_argument("--two", action="store_true")
    if arguments[-1:] == ["more"]:
        tool = argparse.ArgumentParser(prog="tool")
    with japanese({f: f"訳{f}" for f in (*OF_ARGPARSE, "must be from 0 to {most_seed}, received {number}")}):
        text = text_of(lambda: tool.parse_args(arguments), capsys).strip().split("\n")[-1]
    said = text.partition(": ")[2]
    assert said.count("訳") == 1 + ("argument -" in said or "argument letter" in said), text

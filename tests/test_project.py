"""The project's own files agree: dependencies, Makefile and bootstrap.py, and the commands that README shows."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

import bootstrap

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(bootstrap.__file__).parent
IMPORTED = {  # the extras that `make setup` leaves out
    "distributed": "distributed",
    "onnxruntime": "onnxruntime",
    "playwright": "playwright",
    "scipy-openblas32": "scipy_openblas32",
}
IMPORTED |= {"flax": "flax", "jax": "jax", "jax-cfd": "jax_cfd", "jax-md": "jax_md", "optax": "optax"}
CHOSEN = {"jupyterlab", "matplotlib", "nbval", "netron", "numpy", "onnx", "torch"}  # asked for by the project's users


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    """pyproject.toml's [project]."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def locked(python: str) -> dict[str, str]:
    """The versions that requirements.lock gives a Python of this version, by canonical name."""
    versions = {}
    for line in (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            requirement = Requirement(line)
            (pin,) = requirement.specifier
            assert pin.operator == "==", line
            if requirement.marker is None or requirement.marker.evaluate({"python_version": python}):
                assert canonicalize_name(requirement.name) not in versions, f"{line}: twice for Python {python}"
                versions[canonicalize_name(requirement.name)] = pin.version
    return versions


def declared(project: dict[str, Any], python: str = "") -> list[Requirement]:
    """What pyproject.toml asks for with all extras, here or with a Python of this version."""
    environment = {"python_version": python} if python else {}
    extras = project["optional-dependencies"].values()
    requirements = map(Requirement, sum(extras, start=list(project["dependencies"])))
    return [found for found in requirements if found.marker is None or found.marker.evaluate(environment)]


# --- dependencies -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("python", ["3.10", "3.11", "3.12", "3.13"])
def test_lock_satisfies_pyproject(project: dict[str, Any], python: str) -> None:
    versions = locked(python)
    for requirement in declared(project, python):
        name = canonicalize_name(requirement.name)
        assert name in versions, f"{name} is not in requirements.lock"
        assert requirement.specifier.contains(versions[name]), f"{requirement}, but the lock has {versions[name]}"


@pytest.mark.slow
def test_lock_is_complete(project: dict[str, Any]) -> None:
    """Everything that our dependencies need here, directly or not, is locked."""
    versions = locked("3.11")
    seen: set[tuple[str, str]] = set()  # name and extra
    waiting = [(canonicalize_name(requirement.name), "") for requirement in declared(project)]
    while waiting:
        name, extra = waiting.pop()
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        if importlib.util.find_spec(IMPORTED.get(name, "sys")) is None:
            continue  # an extra that is not installed
        for needed in map(Requirement, importlib.metadata.requires(name) or []):
            if needed.marker is None or needed.marker.evaluate({"extra": extra}):
                waiting += [(canonicalize_name(needed.name), wanted) for wanted in ("", *needed.extras)]
    names = {name for name, _ in seen}
    complete = all(importlib.util.find_spec(module) for module in IMPORTED.values())
    if sys.platform == "linux" and sys.version_info[:2] == (3, 11) and complete:
        assert names == set(versions)
    else:
        assert names >= CHOSEN


def test_lock_names_no_host() -> None:
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert "://" not in text and "--" not in text.replace("`", "").replace("--format", "")


def test_the_chosen_packages_are_required(project: dict[str, Any]) -> None:
    assert {Requirement(text).name for text in project["dependencies"]} >= CHOSEN


def test_environment_agrees_with_pyproject(project: dict[str, Any]) -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    assert environment["name"] == project["name"]
    (pip,) = (entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict))
    assert pip == ["-e ."]
    names = {}
    for entry in environment["dependencies"]:
        if isinstance(entry, str):
            name, _, version = entry.partition("=")
            names[name] = version
    assert SpecifierSet(project["requires-python"]).contains(names.pop("python"))
    assert "pip" in names
    required = {requirement.name: requirement.specifier for requirement in declared(project)}
    for name, version in names.items():  # what conda installs besides must be what pip would accept
        assert name == "pip" or required[name].contains(version)


def test_bootstrap_asks_for_the_same_python(project: dict[str, Any]) -> None:
    assert project["requires-python"] == ">=3.10"
    assert "sys.version_info < (3, 10)" in (ROOT / "bootstrap.py").read_text(encoding="utf-8")


def test_every_package_is_found() -> None:
    """A folder of Python files without __init__.py would be missing for some tools."""
    for package in ("grader", "haribote", "simulator", "solutions"):
        for folder in {path.parent for path in (ROOT / package).rglob("*.py")}:
            assert (folder / "__init__.py").exists(), folder


# --- commands -----------------------------------------------------------------------------------------------------


def make_targets() -> set[str]:
    (line,) = re.findall(r"^COMMANDS := (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    return set(line.split())


def test_makefile_and_bootstrap_have_the_same_commands() -> None:
    assert make_targets() == set(bootstrap.COMMANDS)
    assert set(bootstrap.JOBS) == set(bootstrap.COMMANDS) - {"setup", "clean"}


DOCUMENTS = (
    "README.md",
    "README.ja.md",
    "CONTRIBUTING.md",
    "docs/instructors.md",
    "docs/instructors.ja.md",
    "docs/workshops.md",
    "docs/workshops.ja.md",
    "docs/third_edition.md",
    "docs/third_edition.ja.md",
    "docs/final_project.md",
    "docs/final_project.ja.md",
    "docs/gpt.md",
    "docs/gpt.ja.md",
)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_in_the_documents_exist(document: str) -> None:
    from grader import cli as grader
    from haribote.commands import cli

    text = (ROOT / document).read_text(encoding="utf-8")
    blocks = "".join(re.findall(r"```(?:sh|console)\n(.*?)```", text, re.DOTALL))
    lines = [line.split("#")[0] for line in blocks.splitlines()]
    inline = re.findall(r"`((?:make|haribote|grader|python bootstrap\.py|python -m) [^`]*)`", text)
    commands = [line.split() for line in lines + inline if line.strip()]
    assert commands
    for words in commands:
        if words[0] == "make":
            assert words[1] in bootstrap.COMMANDS, words
        elif words[:2] == ["python", "bootstrap.py"]:
            options, rest = bootstrap._parser().parse_known_args(words[2:])
            assert not rest or options.command in bootstrap.JOBS, words
        elif words[0] == "haribote":
            cli._parser().parse_args(words[1:])
        elif words[0] == "grader":
            grader._parser().parse_args(words[1:])
        elif words[:3] == ["sudo", "apt-get", "install"]:
            pass
        elif words[:2] == ["python", "-m"]:
            assert importlib.util.find_spec(words[2]), words
        else:
            assert words == ["bash", ".ci/run"], words


def test_links_in_the_documents_lead_somewhere() -> None:
    for document in DOCUMENTS:
        text = (ROOT / document).read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#:]+)[^):]*\)", text):
            assert ((ROOT / document).parent / target).exists(), f"{document}: {target}"
        for name in re.findall(r"`([\w.]+/[\w./]*|[\w.]+\.(?:py|md|yml|toml|lock))`", text):
            if not name.startswith((".venv", "..", "step", "build/", "runs/", "backup/", "collected/")):
                assert (ROOT / name).exists(), f"{document}: {name}"


@pytest.mark.slow
def test_python_in_the_documents_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARIBOTE_CACHE", str(tmp_path))
    monkeypatch.delenv("HARIBOTE_DATA", raising=False)
    monkeypatch.setattr("haribote.data.mnist.MIRRORS", ())
    monkeypatch.setattr("haribote.data.dataset.SYNTHETIC_SIZES", (20, 10))
    text = (ROOT / "notebooks" / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert blocks
    for block in blocks:
        exec(block, {})


@pytest.mark.slow
def test_quick_commands_of_the_readme_run(tmp_path: Path) -> None:
    """Those that make or print something within seconds; training, Netron and JupyterLab have tests of their own."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"^haribote (?:data|export|compile) .*", text, re.MULTILINE)
    assert len(lines) == 4
    for line in lines:
        words = line.split("#")[0].split()
        done = subprocess.run(
            [sys.executable, "-m", "haribote.commands.cli", *words[1:]],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            env=os.environ | {"HARIBOTE_CACHE": str(tmp_path)},
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"


# --- bootstrap.py -------------------------------------------------------------------------------------------------


def run_bootstrap(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "bootstrap.py"), *arguments],
        capture_output=True,
        text=True,
        env=os.environ | environment,
    )


def test_mistakes_are_told_in_words() -> None:
    for arguments in ([], ["tset"], ["setup", "--wheelhose", "x"], ["clean", "everything"]):
        done = run_bootstrap(*arguments)
        assert done.returncode == 2 and "Traceback" not in done.stderr and "error:" in done.stderr


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "the disk is full"),
        ("WARNING: Retrying: NewConnectionError('Temporary failure in name resolution')", "no network"),
        ("ERROR: Package 'x' requires a different Python", "requires a different Python"),
    ],
)
def test_trouble_of_pip_is_explained(line: str, message: str) -> None:
    text = bootstrap._diagnosis(["Collecting x", line, "bye"], "the packages cannot be installed")
    assert message in text and "try:" in text


def test_environment_is_the_running_virtualenv_else_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    monkeypatch.setattr(sys, "prefix", "/env")
    monkeypatch.setattr(sys, "base_prefix", "/usr")
    assert bootstrap._environment()[0] == Path("/env")
    monkeypatch.setattr(sys, "base_prefix", "/env")
    assert bootstrap._environment()[0] == ROOT / ".venv"
    monkeypatch.setenv("CONDA_PREFIX", "/env")
    monkeypatch.setenv("CONDA_DEFAULT_ENV", "course")
    assert bootstrap._environment()[0] == Path("/env")
    monkeypatch.setenv("CONDA_DEFAULT_ENV", "base")
    assert bootstrap._environment()[0] == ROOT / ".venv"


def test_without_venv_we_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(bootstrap.SetupError, match=r"python3\.\d+-venv"):
        bootstrap._make_environment()


def test_set_up_is_done_once_and_again_after_a_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed: list[Path] = []
    state = ["one"]
    monkeypatch.setattr(bootstrap, "_environment", lambda venv: (tmp_path, Path(sys.executable)))
    monkeypatch.setattr(bootstrap, "_install", lambda python, wheelhouse, extras: installed.append(python))
    monkeypatch.setattr(bootstrap, "_state", lambda: state[0])
    bootstrap.set_up(None, fresh=False)
    bootstrap.set_up(None, fresh=False)
    assert len(installed) == 1
    state[0] = "two"
    bootstrap.set_up(None, fresh=False)
    assert len(installed) == 2
    bootstrap.set_up(None, fresh=False, extras=["browser"])
    bootstrap.set_up(None, fresh=False)  # what was asked for once stays
    assert len(installed) == 3
    bootstrap.set_up(None, fresh=False, extras=["cluster"])
    assert len(installed) == 4


def test_a_failed_set_up_is_not_taken_for_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "_environment", lambda venv: (tmp_path, Path(sys.executable)))
    monkeypatch.setattr(bootstrap, "_show", lambda command: (1, ["ERROR: broken"]))
    for _ in range(2):
        with pytest.raises(bootstrap.SetupError, match="ERROR: broken"):
            bootstrap.set_up(None, fresh=False)
    assert bootstrap.main(["setup"]) == 2


def test_wheelhouse_must_be_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(bootstrap, "_show", lambda command: (commands.append(command), (0, []))[1])
    with pytest.raises(bootstrap.SetupError, match="nowhere is not a folder"):
        bootstrap._install(Path("python"), tmp_path / "nowhere")
    bootstrap._install(Path("python"), tmp_path)
    assert "--no-index" in commands[0] and str(tmp_path) in commands[0]


def test_packages_of_a_bundle_are_found_and_a_misfit_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    commands: list[list[str]] = []
    answer = (1, ["ERROR: No matching distribution found for torch==2.13.0"])
    monkeypatch.setattr(bootstrap, "WHEELS", tmp_path)
    monkeypatch.setattr(bootstrap, "_environment", lambda venv: (tmp_path, Path(sys.executable)))
    monkeypatch.setattr(bootstrap, "_show", lambda command: (commands.append(command), answer)[1])
    (tmp_path / "SYSTEMS.txt").write_text("windows-x86_64, Python 3.9\n", encoding="utf-8")
    assert bootstrap.main(["setup"]) == 2
    assert str(tmp_path) in commands[0]
    message = capsys.readouterr().err
    assert "torch==2.13.0 is missing); they are for: windows-x86_64, Python 3.9" in message and "--online" in message
    bootstrap.main(["setup", "--online", "--with", "browser"])
    assert "--find-links" not in commands[1] and commands[1][-1] == ".[dev,browser]"


def test_the_lab_opens_at_a_notebook_that_is_there() -> None:
    assert (ROOT / bootstrap.FIRST).exists()


def test_a_job_gives_its_exit_status() -> None:
    assert bootstrap._call([sys.executable, "-c", "import sys; sys.exit(3)"]) == 3


def test_an_environment_that_has_moved_is_noticed(tmp_path: Path) -> None:
    made = tmp_path / "one place" / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(made)], check=True)
    assert not bootstrap._moved(made)
    made.parent.rename(tmp_path / "another")
    assert bootstrap._moved(tmp_path / "another" / ".venv")


@pytest.mark.slow
def test_of_two_set_ups_at_once_the_second_waits_and_finds_all_done(tmp_path: Path) -> None:
    code = f"""
import pathlib, sys, time
sys.path.insert(0, {str(ROOT)!r})
import bootstrap
prefix = pathlib.Path({str(tmp_path / "env")!r})
def install(*arguments):
    print("installing", flush=True)
    time.sleep(2)
bootstrap._environment = lambda venv: (prefix, pathlib.Path(sys.executable))
bootstrap._install, bootstrap._damage = install, lambda *arguments: ""
sys.exit(bootstrap.main(["setup"]))
"""
    (tmp_path / "env").mkdir()
    pipe = subprocess.PIPE
    both = [subprocess.Popen([sys.executable, "-c", code], stdout=pipe, stderr=pipe, text=True) for _ in range(2)]
    texts = [process.communicate(timeout=60) for process in both]
    assert [process.returncode for process in both] == [0, 0], texts
    outputs = "".join(output for output, _ in texts)
    assert outputs.count("installing") == 1 and outputs.count("Another set-up of") == 1 and outputs.count("Ready") == 2


def test_a_damaged_environment_is_a_message_with_a_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bootstrap, "_environment", lambda venv: (tmp_path, Path(sys.executable)))
    monkeypatch.setattr(bootstrap, "_install", lambda *arguments: None)
    assert bootstrap.main(["setup"]) == 0
    monkeypatch.setattr(bootstrap, "NEEDED", ("json", "no_such_module"))
    for command in ("setup", "demo", "lint"):
        assert bootstrap.main([command]) == 2
        message = capsys.readouterr().err
        assert "is damaged (no_such_module is missing)" in message and "setup --fresh" in message


def test_no_torch_for_intel_macs_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    line = "ERROR: No matching distribution found for torch<2.14,>=2.13"
    assert "Intel" not in bootstrap._diagnosis([line], "x")
    monkeypatch.setattr(bootstrap, "INTEL_MAC", (sys.platform, bootstrap.platform.machine()))
    assert "no torch for Intel Macs any more" in bootstrap._diagnosis([line], "x")


def script(name: str) -> Any:
    """A file of this folder that is run, not imported."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tests" / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_newest_torch_is_put_into_an_environment_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    newest, calls = script("newest"), list[tuple[str, ...]]()
    monkeypatch.setattr(newest, "_run", lambda *command: calls.append(tuple(map(str, command))) or len(calls) // 4)
    assert newest.main(["-x"]) == 1  # pytest's
    setup, upgrade, _, tests = calls
    assert setup[-1] == str(ROOT / "build" / "newest-torch") and setup[-1] in tests[0] and tests[-1] == "-x"
    assert upgrade[-2:] == ("--upgrade", "torch") and "requirements.lock" not in " ".join(upgrade)
    assert all((ROOT / folder).is_dir() for folder in newest.TESTS)
    assert "make test-newest" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_every_python_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    pythons = script("pythons")
    assert pythons.VERSIONS == ("3.10", "3.11", "3.12", "3.13")
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert pythons.base_of(sys.executable, here) and pythons.base_of(sys.executable, "2.7") is None
    statuses = iter([0, 1])
    calls: list[list[str]] = []
    monkeypatch.setattr(pythons, "find", lambda version: "python" if version in ("3.10", "3.13") else None)
    run = lambda command, **_: (calls.append(command), subprocess.CompletedProcess(command, next(statuses)))[1]  # noqa: E731
    monkeypatch.setattr(pythons.subprocess, "run", run)
    assert pythons.main(["-x"]) == 1
    assert [Path(call[4]).name for call in calls] == ["python-3.10", "python-3.13"] and calls[0][-1] == "-x"


def test_an_editor_and_a_container_open_the_checkout_ready() -> None:
    """`.vscode` and `.devcontainer`: they name what `make setup` makes, and commands that there are."""
    root = Path(__file__).resolve().parents[1]
    settings = json.loads((root / ".vscode" / "settings.json").read_text(encoding="utf-8"))
    assert settings["python.defaultInterpreterPath"] == "${workspaceFolder}/.venv/bin/python"
    commands = [
        it["command"] for it in json.loads((root / ".vscode" / "tasks.json").read_text(encoding="utf-8"))["tasks"]
    ]
    targets = set(re.search(r"COMMANDS := (.*)", (root / "Makefile").read_text(encoding="utf-8"))[1].split())  # type: ignore[index]
    assert {command.split()[1] for command in commands if command.startswith("make ")} <= targets
    assert {command.split()[0] for command in commands} <= {"make", ".venv/bin/grader", ".venv/bin/haribote"}
    text = (root / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8")
    container = json.loads("\n".join(line for line in text.splitlines() if not line.startswith("//")))
    assert container["postCreateCommand"] == "make setup" and container["image"].endswith(":3.11")

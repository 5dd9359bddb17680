"""The tree shows the flow: imports go one way between packages and between folders, and old names still work."""

from __future__ import annotations

import ast
import importlib.util
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from simulator import moved
from tests.parsing import tree_of

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("simulator", "haribote", "grader")  # each may import those before it


def files(package: str) -> list[Path]:
    return [path for path in sorted((ROOT / package).rglob("*.py")) if not path.name.startswith("t5_")]


def module(path: Path) -> str:
    name = path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
    return name.removesuffix(".__init__")


MODULES = {module(path): path for package in PACKAGES for path in files(package)}


@cache
def imported(path: Path) -> list[str]:
    """The modules of ours that a file imports, wherever in it."""
    return list(_imported(path))


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(tree_of(path)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            while name and name not in MODULES:
                name = name.rpartition(".")[0]
            if name:
                yield name


def room(name: str) -> str:
    """Where a module stands: its folder; a file of the package's own folder is a room of its own."""
    if MODULES[name].name == "__init__.py":
        return name
    folder, _, _ = name.rpartition(".")
    return name if folder in PACKAGES else folder


def arrows() -> set[tuple[str, str]]:
    """Pairs of rooms of which the first imports the second; a package's own `__init__` only hands names on."""
    found = {(room(name), room(other)) for name, path in MODULES.items() for other in imported(path)}
    return {(a, b) for a, b in found if a != b and a not in PACKAGES and b not in PACKAGES}


def test_no_two_folders_import_each_other() -> None:
    found = arrows()
    assert len(found) > 100  # they were read at all
    assert [pair for pair in sorted(found) if pair[::-1] in found] == []


def test_packages_import_one_way() -> None:
    for name, path in MODULES.items():
        later = PACKAGES[PACKAGES.index(name.partition(".")[0]) + 1 :]
        assert [other for other in imported(path) if other.partition(".")[0] in later] == [], name


def test_no_module_imports_itself_in_a_circle() -> None:
    """A face (`__init__`) hands on what stands below it, so imports of faces are left out."""
    edges = {
        name: {other for other in imported(path) if MODULES[other].name != "__init__.py" and other != name}
        for name, path in MODULES.items()
        if path.name != "__init__.py"
    }
    state: dict[str, int] = {}

    def visit(name: str, trail: tuple[str, ...]) -> None:
        if state.get(name) == 1:
            raise AssertionError(" -> ".join((*trail[trail.index(name) :], name)))
        if name in state:
            return
        state[name] = 1
        for other in edges.get(name, ()):
            visit(other, (*trail, name))
        state[name] = 2

    for name in edges:
        visit(name, ())


def test_the_tree_in_contributing_names_every_folder() -> None:
    tree = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("```")[1]
    for package in PACKAGES:
        part = tree[tree.index(f"{package}/") :]
        folders = {path.name for path in (ROOT / package).iterdir() if (path / "__init__.py").is_file()}
        assert {name for name in folders if f"{name}/" not in part} == set(), package


def exists(name: str) -> bool:
    """Whether a text names a file of the tree, or a module of ours with what stands in it."""
    if "/" in name:
        return (ROOT / name).exists()
    if any(f"{name}.".startswith(f"{old}.") for old in moved.names()):
        return False  # it still imports, but texts say where it is
    parts = name.split(".")
    length = max(n for n in range(1, len(parts) + 1) if n == 1 or ".".join(parts[:n]) in MODULES)
    return stands_in(MODULES[".".join(parts[:length])], parts[length:])


def stands_in(path: Path, parts: list[str]) -> bool:
    """Whether a module's text has a name, and the class of this name the next. Nothing is imported: extras may lack."""
    body = tree_of(path).body
    for part in parts:
        found = next((node for node in body if part in names_of(node)), None)
        if found is None:
            return False
        body = getattr(found, "body", [])
    return True


def names_of(node: ast.stmt) -> set[str]:
    """The names that a statement gives a meaning to."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return {node.name}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {alias.asname or alias.name for alias in node.names}
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    names = {target.id for target in targets if isinstance(target, ast.Name)}
    return set(ast.literal_eval(node.value)) if names == {"__all__"} and node.value else names


def test_texts_name_only_what_is_there() -> None:
    """Files and modules of ours between backquotes, in documents, docstrings and comments."""
    metadata = r"haribote\.(padding|tiles|updates|dram|GreaterCast|in0\..*)"  # keys and operators, not modules
    named = re.compile(rf"`((?!{metadata}`)(?:{'|'.join(PACKAGES)}|tests|notebooks|solutions)(?:[./]\w+)+)(?:\(\))?/?`")
    texts = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("notebooks/source/*/*.md"), *MODULES.values()]
    names = {(text.name, match[1]) for text in texts for match in named.finditer(text.read_text(encoding="utf-8"))}
    assert len(names) > 50
    assert sorted((text, name) for text, name in names if not exists(name)) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("haribote.tasks", "haribote.answers.resolve"),
        ("haribote.gradients.backward", "haribote.autodiff.rules"),
        ("haribote.emitter", "haribote.graphs.writer"),
        ("haribote.reference", "haribote.operators.reference"),
        ("haribote.cpp.lesson", "haribote.lessons.cpp"),
        ("haribote.data", "haribote.data"),
        ("simulator.checks", "simulator.assembly.checks"),
        ("simulator.program", "simulator.isa.program"),
        ("simulator.execute.alu", "simulator.engine.numpy.alu"),
        ("simulator.numbers.formats", "simulator.engine.numbers.formats"),
    ],
)
def test_old_names_are_the_same_modules(old: str, new: str) -> None:
    assert importlib.import_module(old) is importlib.import_module(new)


@pytest.mark.parametrize("package", ["haribote", "simulator"])
def test_every_old_name_leads_to_a_module(package: str) -> None:
    importlib.import_module(package)
    names = {old: new for old, new in moved.names().items() if old.startswith(f"{package}.")}
    assert len(names) > 20
    assert [old for old, new in names.items() if importlib.util.find_spec(new) is None] == []


@pytest.mark.slow
def test_the_grader_hands_on_what_it_names() -> None:
    code = "import grader; print([getattr(grader, name).__name__ for name in grader.__all__])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "['Failure', 'Result', 'check', 'contract', 'puzzle']\n"


@pytest.mark.parametrize(
    ("old", "says"), [("haribote.cli", "usage: haribote"), ("simulator.isa_page", "# The instructions of MN-Core 2")]
)
def test_an_old_name_still_runs_as_a_program(old: str, says: str) -> None:
    run = [sys.executable, "-m", old, *["--help"] * (old == "haribote.cli")]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and says in done.stdout, done.stderr


@pytest.mark.slow
def test_what_answers_and_notebooks_import_is_there() -> None:
    """Every import that a file of the first edition of the course has, in a process of its own."""
    code = """
from haribote.autodiff import gradients, train_step
from haribote.backends import Backend, Floats, Labels, TorchBackend
from haribote.checkpoint import Run
from haribote.coverage import export_answer, on_chip
from haribote.cpp.backend import CppBackend
from haribote.cpp.lesson import chain, compiling, digits_step, measured, node_times, ready
from haribote.data import NormalisedImages, batch_order, load, normalise
from haribote.emitter import Emitter
from haribote.gradients.backward import Backward, Gradients
from haribote.infer import read_image, write_picture
from haribote.kernel_table import BY_NAME, problem
from haribote.listing import listing, times
from haribote.models import mlp
from haribote.short_run import Watched, train_a_little, your_chip
from haribote.step_cost import FLOOR, step_cost
from haribote import strokes
from haribote.tasks import ROOT, resolve
from haribote.textual import parsed
from haribote.train import Options, accuracy, evaluate, make_backend, train_epoch
from haribote.view import netron
from simulator import Machine, assemble, checks
from simulator.explain import explain
from simulator.profile import profile_of, table
from simulator.view import View
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def texts_of(path: Path) -> Iterator[str]:
    """The comments and docstrings of a file."""
    with path.open("rb") as file:
        yield from (token.string for token in tokenize.tokenize(file.readline) if token.type == tokenize.COMMENT)
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield ast.get_docstring(node) or ""


@pytest.mark.slow
def test_files_that_texts_name_are_there() -> None:
    known = [f"/{path.relative_to(ROOT).as_posix()}" for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    known += ["/bootstrap.py"]
    named = [
        (str(path.relative_to(ROOT)), name)
        for package in PACKAGES
        for path in files(package)
        for text in texts_of(path)
        for name in re.findall(r"[\w/]*\b\w+\.py\b", text)
    ]
    assert len(named) > 20
    placeholders = ("FILE.py", "file.py")
    assert [
        (path, name)
        for path, name in named
        if name not in placeholders and not any(file.endswith(f"/{name}") for file in known)
    ] == []


@pytest.mark.slow
def test_a_class_name_is_in_two_files_at_most() -> None:
    places: dict[str, set[Path]] = {}
    for path in MODULES.values():
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, set()).add(path)
    found = {name for name, files in places.items() if len(files) > 2}
    assert not found, "give it a name that says what it is here"

"""Collect the packages that the course needs on a system, which need not be this one, as wheels in a folder.

pip downloads single wheels for another system, but works out what they depend on for its own; so we read the
dependencies from the wheels and evaluate their markers for the system that is meant.
"""

from __future__ import annotations

import platform
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from email.parser import HeaderParser
from functools import cache
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

from haribote.answers.tasks import ROOT
from haribote.errors import HariboteError
from simulator.messages import tr

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_GLIBC = (*tuple(f"manylinux_2_{minor}" for minor in range(28, 4, -1)), "manylinux2014", "manylinux2010", "manylinux1")
SYSTEMS = {  # pip's platform tags, and the values of markers
    "linux-x86_64": (tuple(f"{tag}_x86_64" for tag in _GLIBC), ("linux", "Linux", "posix", "x86_64")),
    "macos-arm64": (("macosx_14_0_arm64", "macosx_14_0_universal2"), ("darwin", "Darwin", "posix", "arm64")),
    "windows-x86_64": (("win_amd64",), ("win32", "Windows", "nt", "AMD64")),
}


@dataclass(frozen=True)
class System:
    """A system, one of SYSTEMS, and its version of Python ("3.11")."""

    name: str
    python: str

    def __str__(self) -> str:
        return tr("{name} with Python {python}", self.name, self.python)

    @property
    def is_this(self) -> bool:
        """Whether it is what runs us."""
        return self.name == this_system() and self.python == f"{sys.version_info.major}.{sys.version_info.minor}"

    @property
    def markers(self) -> dict[str, str]:
        """The environment that markers of dependencies are evaluated in."""
        sys_platform, platform_system, os_name, machine = SYSTEMS[self.name][1]
        return {
            "sys_platform": sys_platform,
            "platform_system": platform_system,
            "os_name": os_name,
            "platform_machine": machine,
            "python_version": self.python,
            "python_full_version": f"{self.python}.0",
            "implementation_name": "cpython",
            "implementation_version": f"{self.python}.0",
            "platform_python_implementation": "CPython",
            "platform_release": "",
            "platform_version": "",
        }


@dataclass(frozen=True)
class Shortage:
    """A package that cannot be had for a system; who: what needs it."""

    system: System
    requirement: str
    who: str

    def __str__(self) -> str:
        return tr(
            "{system}: no wheel of {requirement} (needed by {who}) can be had here",
            self.system,
            self.requirement,
            self.who,
        )


def this_system() -> str:
    """The name in SYSTEMS of what runs us; the nearest one where there is none."""
    machine = "arm64" if platform.machine().lower() in ("arm64", "aarch64") else "x86_64"
    system = {"Darwin": "macos", "Windows": "windows"}.get(platform.system(), "linux")
    return f"{system}-{machine}" if f"{system}-{machine}" in SYSTEMS else "linux-x86_64"


def collect(system: System, folder: Path) -> tuple[list[Path], list[Shortage]]:
    """Download what the course needs on a system, at the versions of requirements.lock, into a folder of its own there.

    Returns:
        the wheels, and what could not be had.

    Raises:
        HariboteError: pip fails for another reason than a missing package.
    """
    folder = folder / f"{system.name}-{system.python}"
    folder.mkdir(parents=True, exist_ok=True)
    pins = locked(system)
    waiting = [(requirement, tr("the course")) for requirement in roots()]
    have: dict[str, Path] = {}
    seen: set[tuple[str, str]] = set()  # package and extra
    shortages: list[Shortage] = []
    while waiting:
        needed: dict[str, str] = {}
        round_of = []
        for requirement, who in waiting:
            extras = [
                e for e in ("", *sorted(requirement.extras)) if (canonicalize_name(requirement.name), e) not in seen
            ]
            if not extras or not applies(requirement, system):
                continue
            name = canonicalize_name(requirement.name)
            seen.update((name, extra) for extra in extras)
            needed.setdefault(name, who)
            round_of.append((requirement, extras))
        texts = {
            name: pins.get(name) or str(_plain(r))
            for r, _ in round_of
            if (name := canonicalize_name(r.name)) not in have
        }
        lacking = download(texts.values(), system, folder)
        shortages += [Shortage(system, text, needed[name]) for name, text in texts.items() if text in lacking]
        have |= {name: wheel_of(name, pins.get(name), folder) for name, text in texts.items() if text not in lacking}
        waiting = [
            (dependency, name)
            for requirement, extras in round_of
            if (name := canonicalize_name(requirement.name)) in have
            for dependency in dependencies(have[name], extras, system)
        ]
    return sorted(have.values()), shortages


def roots() -> list[Requirement]:
    """What pyproject.toml asks for: to run, to develop, and to install the project itself."""
    text = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = text["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"], *text["build-system"]["requires"]]
    return [Requirement(requirement) for requirement in wanted]


def locked(system: System) -> dict[str, str]:
    """The pins of requirements.lock that hold for a system, by canonical name: numpy -> numpy==2.4.6."""
    pins = {}
    for line in (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#") and applies(requirement := Requirement(line), system):
            pins[canonicalize_name(requirement.name)] = str(_plain(requirement))
    return {str(name): pin for name, pin in pins.items()}


def applies(requirement: Requirement, system: System, extras: Iterable[str] = ("",)) -> bool:
    """Whether a requirement's marker holds on a system, with one of these extras."""
    marker = requirement.marker
    return marker is None or any(marker.evaluate({**system.markers, "extra": extra}) for extra in extras)


def _plain(requirement: Requirement) -> Requirement:
    return Requirement(f"{requirement.name}{requirement.specifier}")


def dependencies(wheel: Path, extras: Iterable[str], system: System) -> list[Requirement]:
    """What a wheel with these extras ("" is without) needs on a system."""
    found = [needed for text in _metadata(wheel) if applies(needed := Requirement(text), system, extras)]
    for needed in found:
        needed.marker = None
    return found


@cache
def _metadata(wheel: Path) -> tuple[str, ...]:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [n for n in archive.namelist() if n.count("/") == 1 and n.endswith(".dist-info/METADATA")]
        return tuple(HeaderParser().parsestr(archive.read(name).decode("utf-8")).get_all("Requires-Dist") or ())


def wheel_of(name: str, pin: str | None, folder: Path) -> Path:
    """The newest wheel of a package in a folder that satisfies its pin."""
    specifier = Requirement(pin).specifier if pin else None
    found = []
    for path in folder.glob("*.whl"):
        package, version, _, _ = parse_wheel_filename(path.name)
        if package == name and (specifier is None or specifier.contains(version, prereleases=True)):
            found.append((version, path))
    return max(found)[1]


def download(requirements: Iterable[str], system: System, folder: Path) -> set[str]:
    """Download one wheel for each requirement; returns those that cannot be had. Raises HariboteError."""
    requirements = list(requirements)
    if not requirements or not (trouble := _pip(requirements, system, folder)):
        return set()
    if len(requirements) == 1:
        if "No matching distribution found" in trouble:
            return set(requirements)
        raise HariboteError(
            tr("cannot download {requirements} for {system}: {trouble}", requirements[0], system, trouble),
            tr("the same again; what is here stays"),
        )
    middle = len(requirements) // 2  # one package can spoil the lot: halve to find it
    return download(requirements[:middle], system, folder) | download(requirements[middle:], system, folder)


def _pip(requirements: list[str], system: System, folder: Path) -> str:
    """Run `pip download`; "" where it went well, else what it said last."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--quiet", "--no-input"]
    command += ["--disable-pip-version-check", "--progress-bar", "off", "--dest", str(folder)]
    if not system.is_this:
        command += ["--python-version", system.python, "--implementation", "cp"]
        for tag in SYSTEMS[system.name][0]:
            command += ["--platform", tag]
    done = subprocess.run([*command, *requirements], capture_output=True, text=True, errors="replace")
    if done.returncode == 0:
        return ""
    errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
    return "\n".join(errors[-2:]) or done.stderr[-500:] or tr("pip's exit status is {returncode}", done.returncode)

"""A deployed step: inference and training against the reference and torch, files of all kinds, and mistakes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from haribote.deploy.folder import write_folder
from haribote.deploy.graphs import deployable
from haribote.graph import evaluate
from haribote.training.models import mlp
from tests.haribote.deploy.programs import BATCH, CLASSES, FEATURES, SANITIZED, Array, build, idx, pgm, run, step_case

CASE = step_case()
MEAN, DEVIATION = 0.25, 0.5


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("deploy") / "program"
    write_folder(folder, deployable(CASE.model, CASE.inputs), MEAN, DEVIATION)
    return build(folder)


@pytest.fixture(scope="module")
def sanitized(program: Path) -> Path:
    folder = program.parent.with_name("sanitized")
    write_folder(folder, deployable(CASE.model, CASE.inputs), MEAN, DEVIATION)
    return build(folder, SANITIZED)


def logits(x: Array) -> Array:
    """What the network gives, in float64 by hand."""
    weights = {name: value.astype(np.float64) for name, value in CASE.inputs.items()}
    hidden = np.maximum(x.astype(np.float64) @ weights["0.weight"].T + weights["0.bias"], 0)
    return np.asarray(hidden @ weights["2.weight"].T + weights["2.bias"])


def data(rows: int, seed: int = 5) -> tuple[Array, Array]:
    random = np.random.default_rng(seed)
    return random.standard_normal((rows, FEATURES), np.float32), random.integers(0, CLASSES, rows)


@pytest.mark.some(1)
@pytest.mark.parametrize("rows", [1, BATCH, 2 * BATCH + 3])
def test_inference_takes_any_number_of_rows(program: Path, tmp_path: Path, rows: int) -> None:
    x, _ = data(rows)
    np.save(tmp_path / "x.npy", x)
    result = run(program, "infer", tmp_path / "x.npy", "-o", tmp_path / "out")
    assert result.returncode == 0, result.stderr
    got = np.load(tmp_path / "out" / "logits.npy")
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, logits(x), atol=1e-5)
    classes = [line.split(": ") for line in result.stdout.splitlines()[:rows]]
    called = [str(tmp_path / "x.npy")] if rows == 1 else map(str, range(rows))  # a file for each row names it
    assert classes == [[name, str(best)] for name, best in zip(called, logits(x).argmax(1), strict=True)]


def test_one_training_step_gives_the_reference(program: Path, tmp_path: Path) -> None:
    for name in ("x", "labels"):
        np.save(tmp_path / f"{name}.npy", CASE.inputs[name])
    files = [f"labels={tmp_path / 'labels.npy'}", tmp_path / "x.npy"]  # named, the order does not matter
    result = run(program, "train", *files, "-o", tmp_path / "out")
    assert result.returncode == 0, result.stderr
    expected = evaluate(CASE.model, CASE.inputs)
    assert float(result.stdout.split("loss ")[1].split()[0]) == pytest.approx(float(expected["loss"]), rel=1e-5)
    for name, value in expected.items():
        got = np.load(tmp_path / "out" / f"{name.removesuffix('.next')}.npy")
        np.testing.assert_allclose(got, value, atol=1e-6, err_msg=name)


def test_training_follows_torch_and_inference_takes_what_it_learnt(program: Path, tmp_path: Path) -> None:
    from haribote.training.backends import TorchBackend

    images, labels = data(3 * BATCH + 2)
    np.save(tmp_path / "x.npy", images)
    np.save(tmp_path / "labels.npy", labels)
    arguments = [tmp_path / "x.npy", tmp_path / "labels.npy", "-o", tmp_path / "out", "--steps", "7"]
    result = run(program, "train", *arguments)
    assert result.returncode == 0 and result.stdout.startswith("2 rows at the end do not fill a batch"), result.stderr
    model = mlp(FEATURES, 7, CLASSES)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(torch.from_numpy(CASE.inputs[name]))
    backend, losses = TorchBackend(model, 0.1), []
    for step in range(7):
        rows = slice(step % 3 * BATCH, (step % 3 + 1) * BATCH)
        losses.append(backend.step(images[rows], labels[rows]))
    printed = [float(line.split("loss ")[1]) for line in result.stdout.splitlines() if "loss " in line]
    assert printed == pytest.approx(losses, rel=1e-5)
    for name, value in backend.parameters().items():
        np.testing.assert_allclose(np.load(tmp_path / "out" / f"{name}.npy"), value, atol=1e-6, err_msg=name)
    trained = ("--parameters", tmp_path / "out", "-o", tmp_path / "results")
    assert run(program, "infer", tmp_path / "x.npy", *trained).returncode == 0
    np.testing.assert_allclose(np.load(tmp_path / "results" / "logits.npy"), backend.logits(images), atol=1e-5)


def test_pictures_of_every_kind_are_read(program: Path, tmp_path: Path) -> None:
    pictures = np.random.default_rng(0).integers(0, 256, (5, 3, 4), dtype=np.uint8)
    wanted = logits((pictures.reshape(5, -1) / 255 - MEAN) / DEVIATION)
    (tmp_path / "all.idx").write_bytes(idx(pictures))
    (tmp_path / "0.pgm").write_bytes(pgm(pictures[0]))
    text = "P2 # plain\n4 3\n255\n" + " ".join(map(str, pictures[1].ravel()))
    (tmp_path / "1.pgm").write_text(text)
    Image.fromarray(pictures[2]).save(tmp_path / "2.png")
    Image.fromarray(np.repeat(pictures[3][:, :, None], 3, 2)).save(tmp_path / "3.png", optimize=True)
    np.save(tmp_path / "4.npy", pictures[4])
    single = [tmp_path / name for name in ("0.pgm", "1.pgm", "2.png", "3.png", "4.npy")]
    for files in ([tmp_path / "all.idx"], single):
        result = run(program, "infer", *files, "-o", tmp_path / "out")
        assert result.returncode == 0, result.stderr
        np.testing.assert_allclose(np.load(tmp_path / "out" / "logits.npy"), wanted, atol=1e-4)
    assert result.stdout.startswith(f"{single[0]}: {wanted[0].argmax()}\n")


def test_larger_png_files_are_unpacked_as_pillow_does(program: Path, tmp_path: Path) -> None:
    """All filters and block kinds: smooth, random and flat pictures; rows of 12 pixels are the network's rows."""
    random = np.random.default_rng(1)
    smooth = np.add.outer(np.arange(40), 3 * np.arange(FEATURES)).astype(np.uint8)
    for number, picture in enumerate((smooth, random.integers(0, 256, (40, FEATURES)).astype(np.uint8), 0 * smooth)):
        for level in (0, 1, 9):
            Image.fromarray(picture).save(tmp_path / "p.png", compress_level=level)
            assert run(program, "infer", tmp_path / "p.png", "-o", tmp_path / "out").returncode == 0
            got = np.load(tmp_path / "out" / "logits.npy")
            np.testing.assert_allclose(got, logits((picture / 255 - MEAN) / DEVIATION), atol=1e-4, err_msg=str(number))


def test_labels_of_mnists_files(program: Path, tmp_path: Path) -> None:
    x, labels = data(BATCH)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "labels.npy", labels)
    (tmp_path / "labels.idx").write_bytes(idx(labels))
    for kind in ("npy", "idx"):
        files = (tmp_path / "x.npy", tmp_path / f"labels.{kind}")
        assert run(program, "train", *files, "-o", tmp_path / kind).returncode == 0
    assert (tmp_path / "npy/0.weight.npy").read_bytes() == (tmp_path / "idx/0.weight.npy").read_bytes()


def check_mistakes(program: Path, folder: Path) -> None:
    """Every mistake is a message and exit status 2, and leaves no file."""
    x, labels = data(BATCH)
    good, out, whole = folder / "x.npy", folder / "out", b""
    np.save(good, x)
    np.save(folder / "labels.npy", labels)
    whole = good.read_bytes()
    wrong = {
        "shape.npy": np.zeros((BATCH, 11), np.float32), "type.npy": np.zeros((BATCH, FEATURES)), "none.npy": x[:0],
        "order.npy": np.asfortranarray(x), "big.npy": x.astype(">f4"), "flat.npy": np.float32(1),
    }  # fmt: skip
    for name, value in wrong.items():
        np.save(folder / name, value)
    damaged = {
        "cut.npy": whole[:-1], "head.npy": whole[:40], "long.npy": whole + b"\0", "text.txt": b"not an array",
        "empty.npy": b"", "huge.npy": whole.replace(b"(8, 12)", b"(8, 99999999999999999999)"),
        "odd.npy": whole.replace(b"<f4", b"<f0"), "cut.idx": idx(np.zeros((9, 3, 4)))[:-1], "cut.pgm": b"P5 4",
        "deep.pgm": pgm(np.zeros((3, 4))).replace(b"255", b"999"),
    }  # fmt: skip
    for name, content in damaged.items():
        (folder / name).write_bytes(content)
    (folder / "classes.npy").write_bytes((folder / "labels.npy").read_bytes())
    bad = labels.copy()
    bad[3] = CLASSES
    np.save(folder / "classes.npy", bad)
    np.save(folder / "few.npy", labels[:3])
    messages = {
        "shape.npy": "must be x <f4[8, 12], with any number of rows, received <f4[8, 11]",
        "type.npy": "received <f8[8, 12]", "none.npy": "has no rows", "order.npy": "row-major",
        "big.npy": "received >f4", "flat.npy": "received <f4[]", "cut.npy": "it is cut off",
        "head.npy": "it is cut off", "long.npy": "longer than its header says", "text.txt": "it is none of .npy, IDX",
        "empty.npy": "it is none of", "huge.npy": "too large", "odd.npy": "unknown type", "cut.idx": "it is cut off",
        "cut.pgm": "it is cut off", "deep.pgm": "must be 255", "missing.npy": "there is no such file", ".": "a folder",
        "/dev/zero": "it is a device",
    }  # fmt: skip
    for name, message in messages.items():
        refused(program, message, out, "infer", folder / name)
    refused(
        program, "x has 8 rows, but", out, "train", good, folder / "few.npy", swapped="labels has 3 rows, but x has 8"
    )
    refused(program, "loss is no finite number after step 1", out, "train", good, folder / "classes.npy")
    refused(program, "usage:", None, "infer")
    refused(program, "usage:", None)
    refused(program, "train needs -o", None, "train", good, folder / "labels.npy")
    refused(program, "--steps must be", out, "train", good, folder / "labels.npy", "--steps", "0")
    refused(program, "there is no option --fast", out, "infer", good, "--fast")
    refused(program, "more files than inputs", out, "train", good, folder / "labels.npy", good)
    refused(program, "0.weight.npy: there is no such file", out, "infer", good, "--parameters", folder)
    refused(program, "cannot make the folder", None, "infer", good, "-o", good / "below")
    (folder / "blocked" / "logits.npy" / "in the way").mkdir(parents=True)
    refused(program, "cannot write", None, "infer", good, "-o", folder / "blocked")
    assert [path.name for path in (folder / "blocked").iterdir()] == ["logits.npy"]  # nothing half-written


def refused(program: Path, message: str, out: Path | None, *arguments: str | Path, swapped: str = "") -> None:
    more = ["-o", out] if out else []
    result = run(program, *arguments, *more)
    assert result.returncode == 2, (arguments, result.stdout, result.stderr)
    assert (swapped or message) in result.stderr, (arguments, result.stderr)
    assert out is None or not out.exists()


def test_mistakes_are_messages(program: Path, tmp_path: Path) -> None:
    check_mistakes(program, tmp_path)


@pytest.mark.slow
def test_mistakes_under_the_sanitizers(sanitized: Path, tmp_path: Path) -> None:
    check_mistakes(sanitized, tmp_path)


@pytest.mark.slow
def test_damaged_files_never_crash(sanitized: Path, tmp_path: Path) -> None:
    """Random bytes of good files changed, left out or doubled: a result or a message, under the sanitizers."""
    random = np.random.default_rng(7)
    x, _ = data(BATCH)
    np.save(tmp_path / "x.npy", x)
    Image.fromarray(random.integers(0, 256, (40, FEATURES)).astype(np.uint8)).save(tmp_path / "x.png")
    (tmp_path / "x.pgm").write_bytes(pgm(np.zeros((3, 4))))
    (tmp_path / "x.idx").write_bytes(idx(np.zeros((9, 3, 4))))
    seeds = [tmp_path / f"x.{kind}" for kind in ("npy", "png", "pgm", "idx")]
    statuses = []
    for attempt in range(160):
        seed = seeds[attempt % 4]
        content = bytearray(seed.read_bytes())
        for _ in range(random.integers(1, 4)):
            at = int(random.integers(0, min(len(content), 160)))
            content[at : at + int(random.integers(0, 3))] = random.bytes(int(random.integers(0, 3)))
        (tmp_path / f"bad{seed.suffix}").write_bytes(content)
        result = run(sanitized, "infer", tmp_path / f"bad{seed.suffix}", "-o", tmp_path / "out")
        statuses.append(result.returncode)
        assert result.returncode in (0, 2) and "runtime error" not in result.stderr, result.stderr
    assert {0, 2} <= set(statuses)


@pytest.mark.slow
def test_training_and_inference_under_the_sanitizers(sanitized: Path, tmp_path: Path) -> None:
    x, labels = data(3 * BATCH)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "labels.npy", labels)
    files = (tmp_path / "x.npy", tmp_path / "labels.npy")
    for arguments in (("train", *files), ("infer", files[0])):
        result = run(sanitized, *arguments, "-o", tmp_path / "out")
        assert result.returncode == 0, result.stderr


@pytest.mark.slow
def test_the_makefile_builds_it(program: Path) -> None:
    folder = program.parent.with_name("made")
    write_folder(folder, deployable(CASE.model, CASE.inputs))
    subprocess.run(["make", "-C", folder, "CXXFLAGS=-O0"], check=True, capture_output=True)
    assert run(folder / "run").returncode == 2
    again = subprocess.run(["make", "-C", folder, "CXXFLAGS=-O0"], check=True, capture_output=True, text=True)
    assert "up to date" in again.stdout


def test_a_full_disk_leaves_nothing_half_written(program: Path, tmp_path: Path) -> None:
    import resource
    import signal

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))

    np.save(tmp_path / "x.npy", data(2 * BATCH)[0])
    result = run(program, "infer", tmp_path / "x.npy", "-o", tmp_path / "out", preexec_fn=limited)
    assert result.returncode == 2 and "cannot write" in result.stderr and "too large" in result.stderr.lower()
    assert list((tmp_path / "out").iterdir()) == []

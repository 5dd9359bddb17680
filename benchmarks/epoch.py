"""Some train steps on the native engine in a process of its own: prints seconds and peak memory as JSON.

python -m benchmarks.epoch [--data …] [--steps 234]
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from pathlib import Path

from haribote.data.dataset import NormalisedImages, batch_order, load
from haribote.training.evaluation import evaluate
from haribote.training.train import Options, make_backend


def main() -> None:
    """Train and evaluate as `haribote train --backend sim` does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="auto")
    parser.add_argument("--steps", type=int, default=10**9, help="at most so many steps; an epoch if not given")
    given = parser.parse_args()
    data = load(given.data)
    options = Options("sim", Path(), solutions=True, require_chip=True)
    images, tests = NormalisedImages(data.train_images), NormalisedImages(data.test_images)
    backend = make_backend(options)
    order = batch_order(len(data.train_labels), seed=options.seed, epoch=0, batch=options.batch)
    taken = order[: given.steps]
    start = time.perf_counter()
    for rows in taken:
        backend.step(images[rows], data.train_labels[rows])
    seconds = time.perf_counter() - start
    found = {
        "data": data.name,
        "steps": len(taken),
        "steps_per_epoch": len(order),
        "seconds": seconds,
        "accuracy": evaluate(backend, tests, data.test_labels),
        "peak_bytes": peak_bytes(),
    }
    print(json.dumps(found))


def peak_bytes() -> int | None:
    """The most memory that this process has had at once; None where the system does not tell.

    On Linux not `ru_maxrss`: a process gets that from the one which started it, and so it may tell of the other's.
    """
    status = Path("/proc/self/status")
    if status.exists():
        match = re.search(r"VmHWM:\s*(\d+) kB", status.read_text(encoding="ascii", errors="replace"))
        return 1024 * int(match[1]) if match else None
    if sys.platform == "win32":
        return None
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    main()

"""PyTorch's own operators under torch.compile(backend="haribote"): which run wholly on the chip, and why others do not.

    python -m benchmarks.torch_scoreboard [--gradients] [--device chip|host] [--samples N] [--every N] [--json]
                                        [--page FILE] [FILTER]

The operators are those of PyTorch's OpInfo on float32, without random numbers, complex numbers, sparse tensors, linear
algebra and Fourier transforms, with their first samples; results (and, with --gradients, gradients) are compared with
eager PyTorch in single precision, and where they differ in double precision too: some are nearer to that than PyTorch's
own. The chip has no NaN: what is NaN in PyTorch is not compared there. It needs the package expecttest, as PyTorch's
tests do. Verdicts and options: see
`benchmarks.scoreboard`; of torch, `host` is what PyTorch runs.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial
from itertools import islice
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves, tree_map

from benchmarks.scoreboard import Test, parser_of, told
from haribote.frontend.dynamo.entry import backend, reports
from haribote.frontend.dynamo.graphs import GraphReport

APART = (
    "linalg",
    "fft",
    "sparse",
    "to_sparse",
    "complex",
    "jiterator",
    "stft",
    "view_as_real",
    "polar",
    "real",
    "imag",
)
"""How names of operators begin, or go on after a dot, that are not counted."""
LINEAR_ALGEBRA = (
    "cholesky",
    "geqrf",
    "logdet",
    "lu",
    "matrix_exp",
    "nuc",
    "ormqr",
    "pca_lowrank",
    "pinverse",
    "qr",
    "svd",
    "triangular_solve",
)
COMPLEX = ("cdouble", "cfloat", "chalf", "view_as_complex")
CHANCE = (
    "rand",
    "normal",
    "dropout",
    "bernoulli",
    "multinomial",
    "cauchy",
    "exponential",
    "geometric",
    "uniform",
    "rrelu",
    "fractional",
)
UNDEFINED = (
    "empty",
    "new_empty",
    "empty_like",
    "empty_strided",
    "empty_permuted",
    "new_empty_strided",
    "resize_",
    "resize_as_",
)
"""Operators whose results nobody defines."""
SAMPLES = 3
SEED = 0
RELATIVE, ABSOLUTE = 1e-4, 1e-5


def tests(part: str = "", samples: int = SAMPLES, gradients: bool = False, device: str = "chip") -> list[Test]:
    """All with `part` in their names. device: as `haribote.frontend.compiled.Options` says; on the host the rules are
    tried without the chip, in a tenth of the time.
    """
    from torch.testing._internal.common_methods_invocations import op_db

    found = [info for info in op_db if _counts(info) and part in info.name]
    return [Test(_name(info), partial(tried, info, samples, gradients, device)) for info in found]


def _name(info: Any) -> str:
    return f"{info.name}.{info.variant_test_name}" if info.variant_test_name else str(info.name)


def _counts(info: Any) -> bool:
    """Whether an operator is one that we speak of."""
    words = _name(info).replace(".", "_").split("_")
    return (
        torch.float32 in info.supported_dtypes("cpu")
        and not any(info.name.startswith(part) or f".{part}" in info.name for part in APART)
        and not any(word.startswith(chance) for word in words for chance in CHANCE)
        and not any(info.name.startswith(name) or name in words for name in LINEAR_ALGEBRA)
        and info.name not in COMPLEX
        and info.name not in UNDEFINED
    )


def tried(info: Any, samples: int, gradients: bool, device: str = "chip") -> tuple[str, str]:
    """The verdict of one operator, and the reason where it did not pass whole."""
    torch.manual_seed(SEED)
    wanted = gradients and info.supports_autograd
    all_samples = info.sample_inputs("cpu", torch.float32, requires_grad=wanted)
    found = list(islice((sample for sample in all_samples if not _is_random(sample)), samples))
    left: list[str] = []
    taken = 0
    for number, sample in enumerate(found):
        seen: list[GraphReport] = []
        if problem := _compared(info, sample, wanted, seen, device):
            return "wrong", f"sample {number}: {problem}"
        taken += sum(report.taken for report in seen)
        left += [f"{part.operation}: {part.reason}" for report in seen for part in report.left]
        left += [piece.failure for report in seen for piece in report.pieces if piece.failure]
        if not seen:
            left.append("torch found no graph in it")
    if not left:
        return "passed", ""
    return ("pieces" if taken else "host"), "; ".join(dict.fromkeys(left))


def _is_random(sample: Any) -> bool:
    """Whether a sample asks for dropout."""
    dropped = any(isinstance(value, float) and value > 0 for value in sample.args)
    return bool(sample.kwargs.get("dropout_p") or (sample.kwargs.get("training") and dropped))


def _operator(info: Any) -> Any:
    """What is compiled: of functions that OpInfo wraps, where torch.compile does not look, the function itself."""
    if info.name == "nn.functional.embedding":  # wrapped, with its operands the other way round
        return lambda table, rows, **kwargs: torch.nn.functional.embedding(rows, table, **kwargs)
    wrapped = getattr(info.op, "__name__", "") == "<lambda>" and info.name.startswith("nn.functional.")
    return getattr(torch.nn.functional, info.name.rpartition(".")[2], info.op) if wrapped else info.op


def _compared(info: Any, sample: Any, gradients: bool, seen: list[GraphReport], device: str) -> str:
    """What differs from eager PyTorch; "" for nothing. Reports of what was compiled are added to `seen`."""
    torch._dynamo.reset()
    operator = _operator(info)

    def call(source: Any, *args: Any, **kwargs: Any) -> Any:
        return operator(source, *args, **kwargs)

    token = reports.set(seen)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            eager = _run(call, sample, gradients)
            compiled = torch.compile(call, backend=backend, dynamic=False, options={"device": device})
            mine = _run(compiled, sample, gradients)
    finally:
        reports.reset(token)
    problem = _apart(mine, eager, device)
    return problem if problem and _apart(mine, _exact(call, sample, gradients, eager), device) else ""


def _apart(mine: tuple[list[Any], list[Any]], wanted: tuple[list[Any], list[Any]], device: str) -> str:
    """What differs of results and gradients; "" for nothing. The chip has no NaN: there what is one is not compared."""
    for kind, ours, theirs in zip(("results", "gradients"), mine, wanted, strict=True):
        if len(ours) != len(theirs):
            return f"{len(ours)} {kind}, PyTorch gives {len(theirs)}"
        for one, other in zip(ours, theirs, strict=True):
            if problem := _difference(one, other, device != "chip"):
                return f"{kind}: {problem}"
    return ""


def _exact(call: Any, sample: Any, gradients: bool, eager: tuple[list[Any], list[Any]]) -> tuple[list[Any], list[Any]]:
    """What PyTorch computes in double precision, rounded; what it does in single where it has nothing in double."""
    try:
        found = _run(call, sample, gradients, torch.float64)
    except (RuntimeError, ValueError):
        return eager
    one, other = (
        [None if value is None else value.to(like.dtype) for value, like in zip(*pair, strict=True)]
        for pair in zip(found, eager, strict=True)
    )
    return one, other


def _run(call: Any, sample: Any, gradients: bool, dtype: torch.dtype = torch.float32) -> tuple[list[Any], list[Any]]:
    """Results of a sample in this precision, and the gradients of its inputs by all that has one."""
    given = tree_map(partial(_copied, dtype=dtype), (sample.input, sample.args, sample.kwargs))
    source, args, kwargs = given
    results = [leaf for leaf in tree_leaves(call(source, *args, **kwargs)) if isinstance(leaf, Tensor)]
    if not gradients:
        return results, []
    inputs = [leaf for leaf in tree_leaves(given) if isinstance(leaf, Tensor) and leaf.requires_grad]
    total = [result.sum() for result in results if result.requires_grad]
    if not total or not inputs:
        return results, []
    return results, list(torch.autograd.grad(total, inputs, allow_unused=True))


def _copied(value: Any, dtype: torch.dtype) -> Any:
    """A tensor of its own, floats of this type; of a view with all that it is a view of."""
    if not isinstance(value, Tensor):
        return value
    plain = value.detach()
    copy = plain.clone()
    if plain.untyped_storage().nbytes() > plain.numel() * plain.element_size():
        storage: Any = plain.untyped_storage()
        copy = torch.empty(0, dtype=plain.dtype).set_(
            storage.clone(), plain.storage_offset(), plain.shape, plain.stride()
        )
    return (copy.to(dtype) if copy.dtype == torch.float32 else copy).requires_grad_(value.requires_grad)


def _difference(got: Any, wanted: Any, nans: bool) -> str:
    if wanted is None or got is None:
        nothing = got is None or not bool(got.any())
        return "" if (wanted is None) == (got is None) or (wanted is None and nothing) else "one of the two is None"
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        return f"{got.dtype}{list(got.shape)}, PyTorch gives {wanted.dtype}{list(wanted.shape)}"
    one, other = got.detach(), wanted.detach()
    if not nans:
        one = torch.where(other.isnan(), other, one)
    if not torch.allclose(one.to(torch.float64), other.to(torch.float64), RELATIVE, ABSOLUTE, equal_nan=True):
        gap = (one.to(torch.float64) - other.to(torch.float64)).abs().nan_to_num().max().item()
        return f"differs by up to {gap:.3g}"
    return ""


def warm() -> None:
    """Import what every compilation imports, once for all processes that are forked."""
    torch.compile(lambda x: x + 1, backend=backend, dynamic=False)(torch.ones(2))
    torch._dynamo.reset()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it; 1 where something is wrong, crashed or too slow."""
    parser = parser_of(__doc__)
    parser.add_argument("--gradients", action="store_true", help="compare gradients too")
    parser.add_argument("--device", choices=("chip", "host"), default="chip", help="where the rules' graphs run")
    parser.add_argument("--samples", type=int, default=SAMPLES, metavar="N", help="of each operator")
    given = parser.parse_args(arguments)
    torch.set_num_threads(1)  # a forked process has none of the others
    warm()
    what = f"{given.device}{', with gradients' if given.gradients else ''}"
    title = f"torch {torch.__version__}, {what}"
    return told(tests(given.filter, given.samples, given.gradients, given.device), given, title, what)


if __name__ == "__main__":
    raise SystemExit(main())

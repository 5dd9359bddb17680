"""Elements at places that are known or computed, as rows of a matrix that are picked or written by one index each."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten


def diagonal(x: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The elements whose two indices differ by the offset, along a last axis."""
    rows = x.movedim((dim1, dim2), (-2, -1))
    high, wide = rows.shape[-2:]
    row, column = max(-offset, 0), max(offset, 0)
    count = max(min(high - row, wide - column), 0)
    places = torch.arange(count) * (wide + 1) + row * wide + column
    return rows.reshape(*rows.shape[:-2], high * wide).index_select(-1, places)


def unfold(x: Tensor, dim: int, size: int, step: int) -> Any:
    """The windows of an axis, each along a last axis."""
    if not x.dim():
        return x.reshape(1)[:size]
    axis = dim % x.dim()
    count = (x.shape[axis] - size) // step + 1
    places = (torch.arange(count) * step).unsqueeze(1) + torch.arange(size)
    found = x.index_select(axis, places.reshape(-1))
    return found.reshape(*x.shape[:axis], count, size, *x.shape[axis + 1 :]).movedim(axis + 1, -1)


def as_strided(x: Tensor, size: list[int], stride: list[int], storage_offset: int | None = None) -> Any:
    """Of a tensor that is its whole memory, in order: the elements at these distances."""
    if not _is_whole(x):
        return NotImplemented
    if _is_all(x, size, stride, storage_offset):
        return x.view(size)
    return x.reshape(-1).index_select(0, _places(size, stride, storage_offset)).reshape(size)


def as_strided_scatter(
    x: Tensor, src: Tensor, size: list[int], stride: list[int], storage_offset: int | None = None
) -> Any:
    """The inverse: these elements at these distances, the others of `x` where they are."""
    if not _is_whole(x):
        return NotImplemented
    if _is_all(x, size, stride, storage_offset):
        return src.reshape(x.shape).to(x.dtype)
    return x.reshape(-1).scatter(0, _places(size, stride, storage_offset), src.reshape(-1)).reshape(x.shape)


def _is_whole(x: Tensor) -> bool:
    memory = x.untyped_storage().nbytes()
    return x.is_contiguous() and not x.storage_offset() and memory == x.numel() * x.element_size()


def _is_all(x: Tensor, size: list[int], stride: list[int], offset: int | None) -> bool:
    """Whether these are all elements in order."""
    distance = 1
    for count, step in zip(reversed(size), reversed(stride), strict=True):
        if count != 1 and step != distance:
            return False
        distance *= count
    return distance == x.numel() and not offset


def _places(size: list[int], stride: list[int], offset: int | None) -> Tensor:
    places = torch.zeros((), dtype=torch.int64)
    for count, distance in zip(size, stride, strict=True):
        places = places.unsqueeze(-1) + torch.arange(count) * distance
    return (places + (offset or 0)).reshape(-1)


def take(x: Tensor, index: Tensor) -> Tensor:
    """The elements at these places of the tensor as one list."""
    return x.reshape(-1).index_select(0, _wrapped(index, x.numel()).reshape(-1)).reshape(index.shape)


def put(x: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """The inverse: these elements at these places, or added there."""
    flat, places = x.reshape(-1), _wrapped(index, x.numel()).reshape(-1)
    values = source.reshape(-1)
    found = flat.scatter_add(0, places, values) if accumulate else flat.scatter(0, places, values)
    return found.reshape(x.shape)


def _wrapped(index: Tensor, size: int) -> Tensor:
    """Indices from 0 on."""
    return torch.where(index < 0, index + size, index)


class _Rows:
    """A tensor that several tensors index, as rows, one for each combination of indices.

    named: the axes that are indexed; index: which row each element of the broadcast indices means, flat.
    """

    def __init__(self, x: Tensor, indices: list[Tensor | None]) -> None:
        self.named = [axis for axis, index in enumerate(indices) if index is not None]
        self.order = [*self.named, *(axis for axis in range(x.dim()) if axis not in self.named)]
        tensors = [index for index in indices if index is not None]
        given: Any = torch.broadcast_tensors(*tensors)  # type: ignore[no-untyped-call]
        self.shape = given[0].shape
        self.kept = [x.shape[axis] for axis in self.order[len(self.named) :]]
        self.sizes = [x.shape[axis] for axis in self.named]
        self.rows = x.permute(self.order).reshape(prod(self.sizes), prod(self.kept))
        self.index = torch.zeros((), dtype=torch.int64)
        for index, size in zip(given, self.sizes, strict=True):
            self.index = self.index * size + _wrapped(index.to(torch.int64), size)
        self.index = self.index.reshape(-1)

    @property
    def first(self) -> int:
        """Where in a result the axes of the indices are: at the first indexed axis if these are neighbours, else 0."""
        neighbours = self.named == list(range(self.named[0], self.named[-1] + 1))
        return self.named[0] if neighbours else 0

    def as_result(self, rows: Tensor) -> Tensor:
        """Rows that were picked, in the order of torch's result."""
        count = len(self.shape)
        found = rows.reshape(*self.shape, *self.kept)
        return found.movedim(tuple(range(count)), tuple(range(self.first, self.first + count))).contiguous()

    def of_result(self, values: Tensor) -> Tensor:
        """The inverse, of values that broadcast to that result."""
        count = len(self.shape)
        whole = values.expand(*self.kept[: self.first], *self.shape, *self.kept[self.first :])
        rows = whole.movedim(tuple(range(self.first, self.first + count)), tuple(range(count)))
        return rows.reshape(prod(self.shape), prod(self.kept))

    def whole(self, rows: Tensor) -> Tensor:
        """All rows as the tensor."""
        back = [self.order.index(axis) for axis in range(len(self.order))]
        return rows.reshape(*self.sizes, *self.kept).permute(back).contiguous()


def _is_plain(x: Tensor, indices: list[Tensor | None]) -> bool:
    """Whether all are numbers, and something is there to pick."""
    given = [index for index in indices if index is not None]
    return bool(given) and all(i.dtype in (torch.int64, torch.int32) and i.numel() for i in given) and x.numel() > 0


def index(x: Tensor, indices: list[Tensor | None]) -> Any:
    """Several axes indexed by tensors; one alone has a rule."""
    if sum(index is not None for index in indices) < 2 or not _is_plain(x, indices):
        return NotImplemented
    found = _Rows(x, indices)
    return found.as_result(found.rows.index_select(0, found.index))


def index_put(x: Tensor, indices: list[Tensor | None], values: Tensor, accumulate: bool = False) -> Any:
    """Values written, or added, where axes are indexed."""
    if len(indices) == 1 and indices[0] is not None and indices[0].dtype == torch.bool:
        return _masked_put(x, indices[0], values, accumulate)
    if not _is_plain(x, indices):
        return NotImplemented
    found = _Rows(x, indices)
    rows, index = found.of_result(values), found.index
    if accumulate and x.dtype == torch.float32:  # a product with ones where a row is read: as exact, and wide
        numbers = torch.arange(found.rows.shape[0], dtype=index.dtype)
        there = (numbers.unsqueeze(1) == index.unsqueeze(0)).to(x.dtype)
        return found.whole(found.rows + there @ rows)
    places = index.unsqueeze(1).expand(rows.shape)
    written = found.rows.scatter_add(0, places, rows) if accumulate else found.rows.scatter(0, places, rows)
    return found.whole(written)


def _masked_put(x: Tensor, mask: Tensor, values: Tensor, accumulate: bool) -> Tensor:
    """The same where a mask of the first axes is set: the next of the values, or what is meant for all places."""
    rest = x.shape[mask.dim() :]
    if values.dim() > len(rest) and values.shape[0] > 1:
        rows = values.expand(values.shape[0], *rest)
        next_one = (mask.reshape(-1).to(torch.int64).cumsum(0) - 1).clamp(0, len(rows) - 1)
        values = rows.index_select(0, next_one).reshape(x.shape)
    elif values.dim() > len(rest):
        values = values.reshape(values.shape[1:])
    wide = mask.reshape(*mask.shape, *[1] * len(rest))
    return torch.where(wide, x + values if accumulate else values, x)


NEUTRAL = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "amax": float("-inf"), "amin": float("inf")}


def scatter_reduce(x: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True) -> Any:
    """What is scattered joined with what is there, or only among itself; maxima, minima and products have a rule."""
    if not x.is_floating_point() or reduce not in NEUTRAL:
        return NotImplemented
    if not x.dim():
        lists = (x.reshape(1), 0, index.reshape(-1), src.reshape(-1))
        return torch.scatter_reduce(*lists, reduce, include_self=include_self).reshape(())
    if not include_self:
        base = x.scatter(dim, index, NEUTRAL[reduce])
        if reduce != "mean":
            return torch.scatter_reduce(base, dim, index, src, reduce)
        counts = torch.ones_like(x).scatter(dim, index, 0.0)
    elif reduce in ("amax", "amin", "prod"):
        return NotImplemented
    else:
        base, counts = x, torch.ones_like(x)
    total = base.scatter_add(dim, index, src)
    if reduce == "sum":
        return total
    return total / counts.scatter_add(dim, index, torch.ones_like(src))


REDUCTIONS = {"add": "sum", "multiply": "prod"}


def scatter_with(x: Tensor, dim: int, index: Tensor, src: Tensor, *, reduce: str) -> Any:
    """What is scattered added to what is there, or multiplied with it."""
    return torch.scatter_reduce(x, dim, index, src, REDUCTIONS[reduce])


def scatter_number_with(x: Tensor, dim: int, index: Tensor, value: float, *, reduce: str) -> Any:
    """The same of one number."""
    return torch.scatter_reduce(x, dim, index, torch.full(index.shape, value, dtype=x.dtype), REDUCTIONS[reduce])


def index_reduce(
    x: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """Rows joined with the rows that an index names."""
    axis = dim % max(x.dim(), 1)
    shape = [-1 if k == axis else 1 for k in range(max(x.dim(), 1))]
    wide = index.reshape(shape).expand(source.shape) if x.dim() else index.reshape(source.shape)
    return torch.scatter_reduce(x, axis, wide, source, reduce, include_self=include_self)


def narrow_copy(x: Tensor, dim: int, start: int, length: int) -> Tensor:
    """A part of an axis, as a tensor of its own."""
    return x.narrow(dim, start, length).clone()


def view_copy(x: Tensor, size: list[int]) -> Tensor:
    """In another shape, as a tensor of its own."""
    return x.reshape(size).clone()


def masked_scatter(x: Tensor, mask: Tensor, source: Tensor) -> Any:
    """Where the mask is set the next element of the source."""
    if not source.numel():
        return NotImplemented
    x, mask = torch.broadcast_tensors(x, mask)  # type: ignore[no-untyped-call]
    before = mask.reshape(-1).to(torch.int64).cumsum(0) - 1
    found = source.reshape(-1).index_select(0, before.clamp(0, source.numel() - 1))
    return torch.where(mask, found.reshape(x.shape), x)


def diagonal_scatter(x: Tensor, source: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """X with another diagonal."""
    rows = x.movedim((dim1, dim2), (-2, -1))
    placed = torch.diag_embed(source, offset)[..., : rows.shape[-2], : rows.shape[-1]]
    beyond = rows.shape[-1] - placed.shape[-1], rows.shape[-2] - placed.shape[-2]
    placed = torch.nn.functional.pad(placed, (0, beyond[0], 0, beyond[1])) if any(beyond) else placed
    there = torch.arange(rows.shape[-1]) - torch.arange(rows.shape[-2]).unsqueeze(1) == offset
    return torch.where(there, placed, rows).movedim((-2, -1), (dim1, dim2)).contiguous()


def permute_copy(x: Tensor, dims: list[int]) -> Tensor:
    """Its axes in another order, as a tensor of its own."""
    return x.permute(dims).contiguous()


def unbind_copy(x: Tensor, dim: int = 0) -> list[Tensor]:
    """The parts of an axis, each a tensor of its own."""
    return [part.clone() for part in x.unbind(dim)]


PLACES: dict[Any, Callable[..., Any]] = {
    aten.diagonal.default: diagonal,
    aten.unfold.default: unfold,
    aten.as_strided.default: as_strided,
    aten.as_strided_scatter.default: as_strided_scatter,
    aten.take.default: take,
    aten.put.default: put,
    aten.index.Tensor: index,
    aten._unsafe_index.Tensor: index,
    aten.index_put.default: index_put,
    aten._unsafe_index_put.default: index_put,
    aten.scatter_reduce.two: scatter_reduce,
    aten.scatter.reduce: scatter_with,
    aten.scatter.value_reduce: scatter_number_with,
    aten.index_reduce.default: index_reduce,
    aten.masked_scatter.default: masked_scatter,
    aten.diagonal_scatter.default: diagonal_scatter,
    aten.narrow_copy.default: narrow_copy,
    aten.view_copy.default: view_copy,
    aten.permute_copy.default: permute_copy,
    aten.unbind_copy.int: unbind_copy,
    aten.as_strided_copy.default: as_strided,
}

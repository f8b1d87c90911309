"""
`spmd.scan`: all elements up to each one combined.

Each row is cut into chunks: their sums come first, then a scan of these, then each chunk is
scanned by a sub-group that starts with what came before. The order in which floats are added
depends on the size of the array alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spmd.frontends.python.arrays.reductions import (
    as_array,
    axis_of,
    combined,
    reduce,
    start_of,
)
from spmd.frontends.python.arrays.texts import (
    Array,
    apart,
    global_size,
    index_lines,
    kernel_from,
    memory_order,
    output,
    written,
)
from spmd.frontends.python.interpreting.kinds import NAMES, combiner, kind_of
from spmd.runtime.errors import LaunchError

LANES = 16
CHUNK = 1 << 13
"""Elements that a sub-group scans."""


def scan(
    combine: Any,
    array: Any,
    axis: int = -1,
    *,
    exclusive: bool = False,
    out: Any = None,
) -> Array:
    """
    The elements of `array` along `axis` up to each one combined, as by `np.cumsum`.

    `combine` is a kind as of `spmd.language.scan`; `exclusive` leaves out the element
    itself. Sums and products have the types that those of NumPy have.
    """
    kind = kind_of(combine)
    if kind is None:
        raise LaunchError(
            f"spmd.scan: expected sum, min, max, or one of {', '.join(NAMES)} as a text, "
            f"got {combine!r}"
        )
    given = as_array("spmd.scan", array)
    at = axis_of("spmd.scan", axis, given)
    start = start_of("spmd.scan", kind, given)
    result = output("spmd.scan", out, given.shape, start.dtype)
    given = apart(given, result)
    if result.size:
        order = memory_order(given)
        if order[-1] == at:
            x, y = np.moveaxis(given, at, -1), np.moveaxis(result, at, -1)
            _scan_rows(kind, start, x, y, exclusive)
        else:
            x, y = given.transpose(order), result.transpose(order)
            _scan_columns(kind, start, x, y, order.index(at), exclusive)
    return result


def _scan_columns(
    kind: str, start: Any, x: Array, out: Array, axis: int, exclusive: bool
) -> None:
    """Each work-item has a column, and its neighbours those beside it in memory."""
    lines, index = index_lines([f"x.shape[{d}]" for d in range(x.ndim) if d != axis])
    place = index.split(", ")
    at = ", ".join([*place[:axis], "j", *place[axis:]])
    step = f"total = {combined(kind, 'total', 'value')}"
    store = f"out[{at}] = total"
    lines += [
        "total = start",
        f"for j in range(x.shape[{axis}]):",
        f"    value = x[{at}]",
    ]
    lines += [f"    {each}" for each in ([store, step] if exclusive else [step, store])]
    outer = (*x.shape[:axis], *x.shape[axis + 1 :])
    text = written("scan_columns(start, x, out)", lines)
    kernel_from(text)(start, x, out, global_size=global_size(outer))


def _scan_rows(kind: str, start: Any, x: Array, out: Array, exclusive: bool) -> None:
    """Each row is scanned by sub-groups, one for each chunk."""
    carries = _carries(kind, start, x)
    lines, index = index_lines([f"x.shape[{d}]" for d in range(x.ndim - 1)], first=1)
    text = written(
        "scan_rows(start, x, carries, out, chunk, exclusive: constexpr)",
        [*lines, *_body(kind, f"{index}, " if x.ndim > 1 else "")],
    )
    size = (carries.shape[-1] * LANES, *global_size(x.shape[:-1], first=1))
    kernel_from(text, sub_group_size=LANES)(
        *(start, x, carries, out, CHUNK, exclusive),
        global_size=size,
        group_size=(LANES, 1, 1),
    )


def _body(kind: str, row: str) -> list[str]:
    n = f"x.shape[{row.count(',')}]"
    return [
        f"carry = carries[{row}group_id(0)]",
        "first = group_id(0) * chunk",
        f"end = min(first + chunk, {n})",
        f"for base in range(first, end, {LANES}):",
        "    j = base + lane_id()",
        "    value = start",
        "    if j < end:",
        f"        value = {combined(kind, 'start', f'x[{row}j]')}",
        f"    here = scan({kind!r}, value, across='sub_group')",
        f"    done = {combined(kind, 'carry', 'here')}",
        "    if exclusive:",
        "        before = shuffle_up(done, 1)",
        "        result = carry if lane_id() == 0 else before",
        "    else:",
        "        result = done",
        "    if j < end:",
        f"        out[{row}j] = result",
        f"    carry = broadcast(done, {LANES - 1}, across='sub_group')",
    ]


def _carries(kind: str, start: Any, x: Array) -> Array:
    """What came before each chunk of each row."""
    *outer, length = x.shape
    chunks = -(-length // CHUNK)
    carries = np.full((*outer, chunks), start)
    if chunks > 1:
        whole = x[..., : (chunks - 1) * CHUNK]
        # A view: the last dimension alone is cut.
        shape = (*outer, chunks - 1, CHUNK)
        step = x.strides[-1]
        strides = (*x.strides[:-1], CHUNK * step, step)
        parts = np.lib.stride_tricks.as_strided(whole, shape, strides, writeable=False)
        sums = reduce(kind, parts, axis=-1)
        carries[..., 1:] = combiner(kind).accumulate(sums, axis=-1)
    return carries

"""Some work-groups of a launch: the same part of several rows of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from ctypes import CFUNCTYPE, c_int64, c_void_p
from functools import cache
from typing import NamedTuple

from spmd.lowering.loading.object_code import NativeCode
from spmd.runtime.cache.stored import compiling
from spmd.runtime.launching.native_kernel import Args

_CODE = """
define void @rows(ptr %entry, ptr %args, i64 %first, i64 %groups, i64 %rows, i64 %step,
                  ptr %scratch) nounwind {
  %some = icmp sgt i64 %rows, 0
  br i1 %some, label %row, label %done
row:
  %number = phi i64 [ 0, %0 ], [ %next, %row ]
  %at = phi i64 [ %first, %0 ], [ %after, %row ]
  %end = add i64 %at, %groups
  call void %entry(ptr %args, i64 %at, i64 %end, ptr %scratch)
  %next = add i64 %number, 1
  %after = add i64 %at, %step
  %more = icmp slt i64 %next, %rows
  br i1 %more, label %row, label %done
done:
  ret void
}
"""
"""Calls a native entry for each row. With a call of Python for each, threads wait for the
interpreter as long as they compute."""

RowsEntry = Callable[[int | None, Args, int, int, int, int, int | None], None]


class GroupRows(NamedTuple):
    """In each of `rows` rows `groups` work-groups, numbered from `first` on."""

    first: int
    groups: int
    rows: int
    step: int
    """From row to row."""

    def parts(self, most: int) -> Iterator[GroupRows]:
        """The same in parts of at most `most` rows."""
        for done in range(0, self.rows, most):
            rows = min(most, self.rows - done)
            yield self._replace(first=self.first + done * self.step, rows=rows)


def rows_of(box: Sequence[range], groups: Sequence[int]) -> Iterator[GroupRows]:
    """The groups of a box, of which a launch has as many in each dimension, x fastest."""
    x, y, z = box
    row, plane = groups[0], groups[0] * groups[1]
    if len(x) == row:  # Rows follow each other without a gap.
        yield GroupRows(z.start * plane + y.start * row, len(y) * row, len(z), plane)
        return
    for each in z:
        yield GroupRows(each * plane + y.start * row + x.start, len(x), len(y), row)


@cache
def _native() -> NativeCode:
    from spmd.lowering.native import compile_native

    return compile_native(_CODE)


def rows_entry() -> RowsEntry:
    """The native code, compiled when it is first needed."""
    with compiling:  # Two threads would each have it, and lose one of them.
        native = _native()
    kind = CFUNCTYPE(None, c_void_p, c_void_p, *[c_int64] * 4, c_void_p)
    return kind(native.address("rows"))

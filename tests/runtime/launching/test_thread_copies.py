"""Threads that update a copy of an array: the same results, and only where they may."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import spmd
from spmd.runtime.launching.thread_copies import MAX_BYTES

UPDATE = """
spmd.kernel @update(%x: memref<?x{type}>, %at: memref<?xi32>, %out: memref<?x{type}>) {{
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?x{type}>
  %place = memref.load %at[%i] : memref<?xi32>
  %element = arith.index_cast %place : i32 to index
  {update}
  spmd.return
}}
"""
PLAIN = "%old = spmd.atomic_rmw {kind} %v, %out[%element] : memref<?x{type}>"

KINDS: dict[tuple[str, str], Any] = {
    **{
        (kind, "i32"): getattr(np, ufunc)
        for kind, ufunc in (
            ("add", "add"),
            ("sub", "subtract"),
            ("min", "minimum"),
            ("max", "maximum"),
            ("and", "bitwise_and"),
            ("or", "bitwise_or"),
            ("xor", "bitwise_xor"),
        )
    },
    ("minui", "i8"): np.minimum,
    ("maxui", "i64"): np.maximum,
    ("add", "index"): np.add,
    ("add", "f32"): np.add,
    ("sub", "f64"): np.subtract,
    ("min", "f64"): np.minimum,
    ("max", "f32"): np.maximum,
}
DTYPES = {
    "i8": np.uint8,
    "i32": np.int32,
    "i64": np.uint64,
    "index": np.int64,
    "f32": np.float32,
    "f64": np.float64,
}


def kernel(type_: str, update: str, **options: Any) -> Any:
    """The kernel that updates `out[at[i]]` by `x[i]` as `update` says."""
    return spmd.compile(UPDATE.format(type=type_, update=update), **options)["update"]


def copied(k: Any) -> set[tuple[str, ...]]:
    """What each code that was made has copies of."""
    return {groups.copied for groups, _ in k._natives}


@pytest.mark.optimized
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(("kind", "type_"), KINDS)
def test_kinds(kind: str, type_: str, threads: int):
    random = np.random.default_rng(1)
    dtype, n = DTYPES[type_], 1 << 15
    k = kernel(type_, PLAIN.format(kind=kind, type=type_))
    x = random.integers(0, 100, n).astype(dtype)
    at = random.integers(0, 60, n, dtype=np.int32)
    out = random.integers(0, 100, 64).astype(dtype)
    want = out.copy()
    k(x, at, out, global_size=n, threads=threads)
    KINDS[kind, type_].at(want, at, x)
    assert_array_equal(out, want)
    assert copied(k) == {(f"2={'add' if kind == 'sub' else kind}",)}


def test_negative_zeros_and_nans_stay():
    """What no work-item has updated keeps its bits, and so does what is updated by nothing."""
    x, at = np.full(1024, -0.0, np.float32), np.zeros(1024, np.int32)
    out = np.array([-0.0, -0.0, np.nan], np.float32)
    bits = out.view(np.int32).copy()
    for kind in ("add", "max"):
        k = kernel("f32", PLAIN.format(kind=kind, type="f32"))
        k(x, at, out, global_size=1024, threads=1)
        assert_array_equal(out.view(np.int32), bits)
        assert copied(k) == {(f"2={kind}",)}
    # But +0.0 does change -0.0.
    add = kernel("f32", PLAIN.format(kind="add", type="f32"))
    add(-x, at, out, global_size=1024, threads=1)
    assert out.view(np.int32)[0] == 0
    x[0] = np.nan
    k(x, at, out, global_size=1024, threads=1)
    assert np.isnan(out[0])


def test_what_is_not_updated_is_not_touched():
    k = kernel("i32", PLAIN.format(kind="or", type="i32"))
    x, at = np.ones((2, 4096), np.int32)
    out = np.zeros(64, np.int32)
    k(x, at, out, global_size=4096)
    assert_array_equal(np.flatnonzero(out), [1])


@pytest.mark.parametrize(
    ("elements", "items", "threads", "has_copies"),
    [
        (MAX_BYTES // 8, 1 << 20, 1, True),
        (MAX_BYTES // 8 + 1, 1 << 20, 1, False),
        (256, 1024, 1, True),
        (257, 1024, 1, False),
        (256, 1024, 2, False),
        (256, 1 << 16, 2, True),
        (0, 0, 1, False),
    ],
)
def test_the_size_decides(elements: int, items: int, threads: int, has_copies: bool):
    k = kernel("i64", PLAIN.format(kind="add", type="i64"))
    random = np.random.default_rng(2)
    x = random.integers(0, 100, items, dtype=np.int64)
    at = random.integers(0, max(elements, 1), items, dtype=np.int32)
    out = np.zeros(elements, np.int64)
    k(x, at, out, global_size=items, threads=threads)
    if items:
        want = np.bincount(at, x, elements)
        assert_array_equal(out, want.astype(np.int64))
        assert copied(k) == {("2=add",) if has_copies else ()}


LOOP = """
spmd.kernel @loop(%at: memref<?xi32>, %small: memref<2x?xi64>, %large: memref<?xi64>) {
  %zero = arith.constant 0 : index
  %first = spmd.global_id x
  %step = spmd.global_size x
  %one = arith.constant 1 : i64
  %n = memref.dim %at, %zero : memref<?xi32>
  scf.for %i = %first to %n step %step {
    %place = memref.load %at[%i] : memref<?xi32>
    %element = arith.index_cast %place : i32 to index
    func.call @count(%one, %small, %element) : (i64, memref<2x?xi64>, index) -> ()
    %old = spmd.atomic_rmw max %one, %large[%i] : memref<?xi64>
  }
  spmd.return
}
func.func private @count(%one: i64, %small: memref<2x?xi64>, %element: index) {
  %row = arith.constant 1 : index
  %old = spmd.atomic_rmw add %one, %small[%row, %element] : memref<2x?xi64>
  func.return
}
"""


@pytest.mark.optimized
@pytest.mark.parametrize("vectorize", [True, False])
@pytest.mark.parametrize("threads", [1, 3])
def test_small_arrays_among_large_ones(vectorize: bool, threads: int):
    """In a loop, and in a function that the kernel calls; a large array has no copy."""
    k = spmd.compile(LOOP, vectorize=vectorize)["loop"]
    at = np.random.default_rng(3).integers(0, 50, 1 << 16, dtype=np.int32)
    small, large = np.zeros((2, 50), np.int64), np.zeros(1 << 16, np.int64)
    for times in (1, 2):
        k(at, small, large, global_size=64, group_size=16, threads=threads)
        assert_array_equal(small[1], times * np.bincount(at, minlength=50))
    assert not small[0].any()
    assert large.all()
    assert copied(k) == {("1=add",)}


USED = """%old = spmd.atomic_rmw add %v, %out[%element] : memref<?xi32>
  memref.store %old, %x[%i] : memref<?xi32>"""
LOADED = """%old = spmd.atomic_rmw add %v, %out[%element] : memref<?xi32>
  %now = memref.load %out[%element] : memref<?xi32>
  memref.store %now, %x[%i] : memref<?xi32>"""
ORDERED = """%old = spmd.atomic_rmw add %v, %out[%element] : memref<?xi32>
  %older = spmd.atomic_rmw add %v, %out[%element] ordering(release) : memref<?xi32>"""
TWO_KINDS = """%old = spmd.atomic_rmw add %v, %out[%element] : memref<?xi32>
  %older = spmd.atomic_rmw max %v, %out[%element] : memref<?xi32>"""
EXCHANGED = "%old = spmd.atomic_rmw exchange %v, %out[%element] : memref<?xi32>"


@pytest.mark.parametrize("update", [USED, LOADED, ORDERED, TWO_KINDS, EXCHANGED])
def test_what_others_may_see_has_no_copy(update: str):
    k = kernel("i32", update)
    x, at = np.ones((2, 4096), np.int32)
    k(x, at, np.zeros(4, np.int32), global_size=4096)
    assert copied(k) == {()}


def test_what_overlaps_has_no_copy():
    k = kernel("i32", PLAIN.format(kind="add", type="i32"))
    memory, at = np.ones((2, 4096), np.int32)
    k(memory, at, memory[4000:4004], global_size=4000)
    assert copied(k) == {()}
    assert memory[4001] == 4001


def test_code_with_copies_runs_no_other_launches():
    k = kernel("i32", PLAIN.format(kind="add", type="i32"))
    x, at = np.ones((2, 1 << 17), np.int32)
    for elements in (4, 1 << 16, 4):
        out = np.zeros(elements, np.int32)
        k(x, at, out, global_size=x.size)
        assert out[1] == x.size
    assert copied(k) == {("2=add",), ()}


@pytest.mark.parametrize("threads", [1, 3])
def test_what_was_updated_before_an_error_stays(threads: int):
    k = kernel("i32", PLAIN.format(kind="add", type="i32"), checked=True)
    x, at = np.ones((2, 1 << 15), np.int32)
    at[-1] = 4
    out = np.zeros(4, np.int32)
    with pytest.raises(spmd.LaunchError, match="what it stored to %out stays"):
        k(x, at, out, global_size=x.size, threads=threads)
    assert copied(k) == {("2=add",)}
    assert 1 << 14 < out[1] < 1 << 15


def test_what_was_updated_before_a_timeout_stays():
    source = """
    spmd.kernel @spin(%out: memref<?xi64>) {
      %i = spmd.global_id x
      %zero = arith.constant 0 : index
      %first = arith.cmpi ult, %i, %zero : index
      %one = arith.constant 1 : i64
      scf.while : () -> () {
        %old = spmd.atomic_rmw add %one, %out[%zero] : memref<?xi64>
        %go = arith.constant true
        scf.condition(%go)
      } do {
        scf.yield
      }
      spmd.return
    }
    """
    k = spmd.compile(source)["spin"]
    out = np.zeros(1, np.int64)
    with pytest.raises(spmd.LaunchTimeout):
        k(out, global_size=64, group_size=1, threads=1, timeout=0.1)
    assert copied(k) == {("0=add",)}
    assert out[0] > 0


def test_explanation():
    k = kernel("i32", PLAIN.format(kind="add", type="i32"))
    explained = k.explain(global_size=4096)
    assert explained.kernels[0].thread_copies == ("%out",)
    assert "where %out is small, each thread updates a copy" in " ".join(
        str(explained).split()
    )

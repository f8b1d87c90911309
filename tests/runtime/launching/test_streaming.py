"""Stores around the caches: where a launch stores more than these hold, and reads none of it."""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import spmd
from spmd.runtime.launching import streaming

CACHE = 1 << 16

KERNEL = """
spmd.kernel @k(%n: index, %x: memref<?xf32>, %y: memref<?xf32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = spmd.global_id x
  %size = memref.dim %y, %c0 : memref<?xf32>
  %inside = arith.cmpi ult, %i, %size : index
  scf.if %inside {{
    {}
  }}
  spmd.return
}}
"""
COPY = """%v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %y[%i] : memref<?xf32>"""
READ = """%v = memref.load %y[%i] : memref<?xf32>
    memref.store %v, %y[%i] : memref<?xf32>"""
IN_LOOP = """%step = spmd.global_size x
    scf.for %j = %i to %n step %step {
      %v = memref.load %x[%j] : memref<?xf32>
      memref.store %v, %y[%j] : memref<?xf32>
    }"""


@pytest.fixture(autouse=True)
def small_cache(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(streaming, "largest_cache", lambda: CACHE)


def streamed(
    body: str, n: int, launch: dict[str, Any], **options: Any
) -> set[tuple[str, ...]]:
    """What codes are made for, in a launch that copies n elements."""
    k: Any = spmd.compile(KERNEL.format(body), **options)["k"]
    x, y = np.arange(n, dtype=np.float32), zeros((n,), 16)
    want = y.copy() if body == READ else x
    k(n, x, y, **launch)
    assert_array_equal(y, want)
    return {version[0].streamed for version in k._natives if version[0] is not None}


ENOUGH = CACHE // 4


def zeros(shape: tuple[int, ...], offset: int) -> np.ndarray[Any, Any]:
    """Zeros that begin so many bytes after the start of a cache line."""
    size = 4 * prod(shape)
    memory = np.zeros(size + 128, np.uint8)
    first = -memory.ctypes.data % 64 + offset
    return memory[first : first + size].view(np.float32).reshape(shape)


def test_more_than_the_cache():
    assert streamed(COPY, ENOUGH, {"global_size": ENOUGH}) == {("2=16",)}
    assert streamed(COPY, ENOUGH - 1, {"global_size": ENOUGH - 1}) == {()}


def test_stores_alone_are_streamed_when_they_are_more():
    text = KERNEL.format(
        "%f = arith.constant 1.0 : f32\n memref.store %f, %y[%i] : memref<?xf32>"
    )
    for times, wanted in ((4, {("2=16",)}), (3, {()})):
        k: Any = spmd.compile(text)["k"]
        y = zeros((times * ENOUGH,), 16)
        k(y.size, np.zeros(1, np.float32), y, global_size=y.size)
        assert_array_equal(y, 1)
        made = {groups.streamed for groups, _ in k._natives if groups is not None}
        assert made == wanted


def test_what_is_read_stays():
    assert streamed(READ, ENOUGH, {"global_size": ENOUGH}) == {()}


def test_scalar_code_leaves_that_to_llvm():
    assert streamed(COPY, ENOUGH, {"global_size": ENOUGH}, vectorize=False) == {()}


def test_loops_store_the_whole_array():
    assert streamed(IN_LOOP, ENOUGH, {"global_size": 64}) == {("2=16",)}


def test_groups_in_a_plane_need_long_rows():
    n = ENOUGH
    for width, wanted in ((16, {()}), (256, {("2=16",)})):
        size = {"global_size": (n, 2), "group_size": (width, 2)}
        assert streamed(COPY, n, size) == wanted


def test_code_for_each():
    k: Any = spmd.compile(KERNEL.format(COPY))["k"]
    for n in (64, ENOUGH, 128, 2 * ENOUGH):
        x, y = np.arange(n, dtype=np.float32), zeros((n,), 16)
        k(n, x, y, global_size=n, group_size=64)
        assert_array_equal(y, x)
    made = sorted(groups.streamed for groups, _ in k._natives if groups)
    assert made == [(), ("2=16",)]


def test_code_for_each_place_in_a_line():
    k: Any = spmd.compile(KERNEL.format(COPY))["k"]
    x = np.arange(ENOUGH, dtype=np.float32)
    for offset in (16, 48, 0, 32, 16, 4, 60):
        y = zeros(x.shape, offset)
        k(x.size, x, y, global_size=x.size)
        assert_array_equal(y, x)
    made = sorted(groups.streamed for groups, _ in k._natives if groups)
    assert made == [("2",), ("2=0",), ("2=16",), ("2=32",), ("2=48",)]


PLANE = """
spmd.kernel @k(%x: memref<?x?xf32>, %y: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
  %i = spmd.global_id x
  %j = spmd.global_id y
  %v = memref.load %x[%j, %i] : memref<?x?xf32>
  memref.store %v, %y[%j, %i] : memref<?x?xf32, strided<[?, 1], offset: ?>>
  spmd.return
}
"""


@pytest.mark.parametrize(
    ("width", "first", "wanted"),
    [
        (384, 0, "1=16"),
        (384, 4, "1=32"),
        (384, 1, "1"),
        (328, 0, "1"),  # Each other row begins in the middle of a line.
    ],
)
def test_rows_begin_at_one_place_or_anywhere(width: int, first: int, wanted: str):
    k: Any = spmd.compile(PLANE)["k"]
    x = np.arange(256 * 320, dtype=np.float32).reshape(256, 320)
    y = zeros((256, width), 16)
    k(x, y[:, first : first + 320], global_size=(320, 256), group_size=(320, 1))
    assert_array_equal(y[:, first : first + 320], x)
    assert {groups.streamed for groups, _ in k._natives} == {(wanted,)}


def test_a_promise_of_where_rows_begin_is_held_against_the_launch():
    text = KERNEL.format(COPY).replace(
        "%y: memref<?xf32>)", "%y: memref<?xf32> {spmd.streamed = 16 : i64})"
    )
    k: Any = spmd.compile(text)["k"]
    x = np.arange(256, dtype=np.float32)
    y = zeros(x.shape, 16)
    k(x.size, x, y, global_size=x.size)
    assert_array_equal(y, x)
    message = r"%y.*begin 16 bytes after the start of a cache line .*, got 48 bytes"
    for launch in (k, k.bind, k.check):
        with pytest.raises(spmd.LaunchError, match=message):
            launch(x.size, x, zeros(x.shape, 48), global_size=x.size)


def test_explain_says_so():
    k = spmd.compile(KERNEL.format(COPY))["k"]
    text = str(k.explain(global_size=ENOUGH, group_size=64))
    assert "those to %y go around the caches" in text
    assert "caches" not in str(k.explain(global_size=64, group_size=64))


def test_the_cache_of_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    for name, size in (("index0", "48K"), ("index2", "2M"), ("index3", "1G")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "size").write_text(f"{size}\n")
    monkeypatch.undo()
    monkeypatch.setattr(streaming, "_CACHES", tmp_path)
    assert streaming.largest_cache.__wrapped__() == 64 << 20  # the share of a process
    (tmp_path / "index3" / "size").write_text("unknown")
    assert streaming.largest_cache.__wrapped__() == 2 << 20
    monkeypatch.setattr(streaming, "_CACHES", tmp_path / "nowhere")
    assert streaming.largest_cache.__wrapped__() == 32 << 20

"""Stores around the caches: where a launch stores more than these hold, and reads none of it."""

from __future__ import annotations

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
    x, y = np.arange(n, dtype=np.float32), np.zeros(n, np.float32)
    want = y.copy() if body == READ else x
    k(n, x, y, **launch)
    assert_array_equal(y, want)
    return {version[0].streamed for version in k._natives if version[0] is not None}


ENOUGH = CACHE // 4


def test_more_than_the_cache():
    assert streamed(COPY, ENOUGH, {"global_size": ENOUGH}) == {("2",)}
    assert streamed(COPY, ENOUGH - 1, {"global_size": ENOUGH - 1}) == {()}


def test_stores_alone_are_streamed_when_they_are_more():
    text = KERNEL.format(
        "%f = arith.constant 1.0 : f32\n memref.store %f, %y[%i] : memref<?xf32>"
    )
    for times, wanted in ((4, {("2",)}), (3, {()})):
        k: Any = spmd.compile(text)["k"]
        y = np.zeros(times * ENOUGH, np.float32)
        k(y.size, np.zeros(1, np.float32), y, global_size=y.size)
        assert_array_equal(y, 1)
        made = {groups.streamed for groups, _ in k._natives if groups is not None}
        assert made == wanted


def test_what_is_read_stays():
    assert streamed(READ, ENOUGH, {"global_size": ENOUGH}) == {()}


def test_scalar_code_leaves_that_to_llvm():
    assert streamed(COPY, ENOUGH, {"global_size": ENOUGH}, vectorize=False) == {()}


def test_loops_store_the_whole_array():
    assert streamed(IN_LOOP, ENOUGH, {"global_size": 64}) == {("2",)}


def test_groups_in_a_plane_need_long_rows():
    n = ENOUGH
    for width, wanted in ((16, {()}), (256, {("2",)})):
        size = {"global_size": (n, 2), "group_size": (width, 2)}
        assert streamed(COPY, n, size) == wanted


def test_code_for_each():
    k: Any = spmd.compile(KERNEL.format(COPY))["k"]
    for n in (64, ENOUGH, 128, 2 * ENOUGH):
        x, y = np.arange(n, dtype=np.float32), np.zeros(n, np.float32)
        k(n, x, y, global_size=n, group_size=64)
        assert_array_equal(y, x)
    assert sorted(groups.streamed for groups, _ in k._natives if groups) == [(), ("2",)]


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

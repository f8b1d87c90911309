"""Launches over chunks do what single ones do, whatever the chunks are."""

# pyright: basic

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import spmd
from spmd.runtime.arguments.pieces import Piece
from tests.runtime.distribution.chunkings import LARGER, check

pytest.importorskip("dask.array", reason="launches over chunks need xdsl-spmd[dask]")

import dask  # pyright: ignore
import dask.array as da  # pyright: ignore

import spmd.dask

array_module: Any = da
CHUNKINGS = 12


@pytest.mark.parametrize("name", LARGER)
@pytest.mark.slow
def test_chunks_do_not_matter(name: str):
    check(name, CHUNKINGS)


def test_only_edges_of_neighbours_travel():
    """Of the chunks around its own a task gets one row or column."""
    example = LARGER["heat"]
    arrays = example.make(120)
    chunked = {
        key: array_module.from_array(value, chunks=(40, 64))
        for key, value in arrays.items()
    }
    with dask.config.set(scheduler="processes"):  # pyright: ignore
        graph = dict(example.in_chunks(arrays, chunked).__dask_graph__())
    cuts = [task for key, task in graph.items() if len(key) > 1 and key[1] == "cut"]
    assert cuts
    for _, _, inside in cuts:
        assert min(s.stop - s.start for s in inside) == 1


def test_what_wraps_around_is_cut_as_well():
    """A remainder that Python rounds down is no gather, of which each task gets all."""
    example = LARGER["life"]
    arrays = example.make(120)
    chunked = {
        key: array_module.from_array(value, chunks=(20, 128))
        for key, value in arrays.items()
    }
    found = spmd.dask.launch(
        example.kernel,
        *chunked.values(),
        global_size=example.size(arrays),
        group_size=example.groups,
        limit=0,
    )["new"]
    np.testing.assert_array_equal(found.compute(), example.alone(arrays))
    task = found.__dask_graph__()[found.name, 2, 0][0]
    (board,) = [piece for piece in task.pieces if not piece.writes]
    assert (board.start, board.sizes) == ((39, 0), (22, 128))


def test_what_is_not_written_stays():
    example = LARGER["heat"]
    arrays = example.make(40)
    arrays["new"][...] = 7
    expected = example.alone(arrays)
    chunked = {k: array_module.from_array(v, chunks=15) for k, v in arrays.items()}
    result = example.in_chunks(arrays, chunked)
    np.testing.assert_array_equal(result.compute(), expected)
    assert (arrays["new"] == 7).all(), "what was given is not changed"


@pytest.mark.parametrize(
    "kind", ["add", "sub", "min", "max", "minui", "maxui", "and", "or", "xor"]
)
def test_reductions(kind: str):
    kernel = spmd.compile(f"""
    spmd.kernel @update(%x: memref<?xi32>, %at: memref<?xi32>, %all: memref<16xi32>) {{
      %i = spmd.global_id x
      %v = memref.load %x[%i] : memref<?xi32>
      %b = memref.load %at[%i] : memref<?xi32>
      %c = arith.index_cast %b : i32 to index
      %old = spmd.atomic_rmw {kind} %v, %all[%c] : memref<16xi32>
      spmd.return
    }}
    """)["update"]
    make = np.random.default_rng(5)
    x = make.integers(-(2**31), 2**31, 1000, np.int32)
    at = make.integers(0, 16, 1000, np.int32)
    start = make.integers(-(2**31), 2**31, 16, np.int32)
    expected = start.copy()
    kernel(x, at, expected, global_size=1000)
    chunked = array_module.from_array(x, chunks=37)
    found = spmd.dask.launch(kernel, chunked, at, start, global_size=1000, group_size=8)
    np.testing.assert_array_equal(found["all"].compute(), expected)


def test_gathers_replicate_and_halos_promise():
    kernel = spmd.compile("""
    spmd.kernel @gather(%x: memref<?xf32>, %by: memref<?xindex>, %y: memref<?xf32>) {
      %i = spmd.global_id x
      %d = memref.load %by[%i] : memref<?xindex>
      %j = arith.addi %i, %d : index
      %v = memref.load %x[%j] : memref<?xf32>
      memref.store %v, %y[%i] : memref<?xf32>
      spmd.return
    }
    """)["gather"]
    x = np.arange(100, dtype=np.float32)
    by = np.where(np.arange(100) < 50, 2, -2)
    expected = np.zeros_like(x)
    kernel(x, by, expected, global_size=100)
    args = [array_module.from_array(each, chunks=32) for each in (x, by, expected * 0)]
    sizes: dict[str, Any] = {"global_size": 100, "group_size": 16}
    with pytest.raises(spmd.LaunchError, match=r"x\[j\], because of by\[i\].*halo"):
        spmd.dask.launch(kernel, *args, **sizes, limit=100)
    partitions: list[Any] = [None, {"x": "replicate"}, {"x": spmd.dask.halo(2)}]
    for partition in partitions:
        found = spmd.dask.launch(kernel, *args, **sizes, partition=partition)
        np.testing.assert_array_equal(found["y"].compute(), expected)


IN_PLACE = """
spmd.kernel @k(%x: memref<?xf32>) {
  %c1 = arith.constant 1 : index
  %i = spmd.global_id x
  %j = arith.addi %i, %c1 : index
  %v = memref.load %x[%j] : memref<?xf32>
  memref.store %v, %x[%i] : memref<?xf32>
  spmd.return
}"""
SCATTER = """
spmd.kernel @k(%x: memref<?xindex>, %y: memref<?xindex>) {
  %i = spmd.global_id x
  %j = memref.load %x[%i] : memref<?xindex>
  memref.store %i, %y[%j] : memref<?xindex>
  spmd.return
}"""
SHARED = """
spmd.kernel @k(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  memref.store %v, %y[%i] : memref<?xf32>
  memref.store %v, %z[%c0] : memref<1xf32>
  spmd.return
}"""


@pytest.mark.parametrize(
    ("source", "arrays", "options", "words"),
    [
        (IN_PLACE, ["f4"], {}, "to read of %x only what they write themselves"),
        (
            SCATTER,
            ["i8", "i8"],
            {},
            r"each work-group writes, got y\[x\[i\]\], because",
        ),
        (SHARED, ["f4", "f4", None], {}, "to split all that is written"),
        (IN_PLACE, ["f8"], {}, "expected an array of float32"),
        (IN_PLACE, [], {}, "expected 1 arguments"),
        (
            SCATTER,
            ["i8", "i8"],
            {"partition": {"y": "replicate"}},
            "arrays that are only read",
        ),
    ],
)
def test_errors_say_what_to_do(
    source: str, arrays: list[str | None], options: dict[str, Any], words: str
):
    kernel = spmd.compile(source)["k"]
    args = [
        np.zeros(1, "f4")
        if dtype is None
        else array_module.zeros(64, chunks=16, dtype=dtype)
        for dtype in arrays
    ]
    with pytest.raises(spmd.LaunchError, match=words):
        spmd.dask.launch(kernel, *args, global_size=64, group_size=8, **options)


@pytest.mark.parametrize("kind", ["add", "sub", "min", "max"])
def test_zeros_keep_their_signs(kind: str):
    update = spmd.compile(f"""
    spmd.kernel @update(%x: memref<?xf32>, %all: memref<?xf32>) {{
      %c4 = arith.constant 4 : index
      %i = spmd.global_id x
      %v = memref.load %x[%i] : memref<?xf32>
      %at = arith.remui %i, %c4 : index
      %old = spmd.atomic_rmw {kind} %v, %all[%at] : memref<?xf32>
      spmd.return
    }}
    """)["update"]
    zeros = np.array([0.0, -0.0], np.float32)
    random = np.random.default_rng(3)
    for _ in range(8):
        x, start = random.choice(zeros, 12), random.choice(zeros, 4)
        want = start.copy()
        update.check(x, want, global_size=12)
        chunks = da.from_array(x, chunks=4)  # pyright: ignore
        found = spmd.dask.launch(update, chunks, start, global_size=12, group_size=4)
        assert found["all"].compute().tobytes() == want.tobytes()


def test_pieces_of_large_arrays_are_counted_as_these():
    """Code for few elements would count the bytes of this piece in 32 bits."""
    every_other = spmd.compile("""
    spmd.kernel @every_other(%x: memref<?xf32>, %y: memref<?xf32>) {
      %c2 = arith.constant 2 : index
      %i = spmd.global_id x
      %j = arith.muli %i, %c2 : index
      %v = memref.load %x[%j] : memref<?xf32>
      memref.store %v, %y[%i] : memref<?xf32>
      spmd.return
    }
    """)["every_other"]
    size, group = 1 << 33, 256
    at = size // group // 2
    x, y = np.arange(2 * group, dtype=np.float32), np.zeros(group, np.float32)
    pieces = (
        Piece(x, (2 * at * group,), (2 * size,)),
        Piece(y, (at * group,), (size,)),
    )
    assert isinstance(every_other, spmd.Kernel)
    every_other.bind_box(
        (range(at, at + 1), range(1), range(1)),
        *pieces,
        global_size=(size, 1, 1),
        group_size=(group, 1, 1),
        edges=(group, 1, 1),
        threads=1,
    )()
    np.testing.assert_array_equal(y, x[::2])

"""Where tasks read and write: in memory that is there already, as far as that is possible."""

# pyright: basic

from __future__ import annotations

import pickle
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spmd
from spmd.distribution.pieces import ArgumentPiece
from tests.examples.test_examples import EXAMPLES, load

pytest.importorskip("dask.array", reason="launches over chunks need xdsl-spmd[dask]")

import dask  # pyright: ignore
import dask.array as da  # pyright: ignore
import dask.callbacks  # pyright: ignore

import spmd.dask

array_module: Any = da
config: Any = dask.config  # pyright: ignore
HEAT = load(EXAMPLES / "11_larger.py").EXAMPLES["heat"]


def elsewhere(*args: Any, **options: Any) -> Any:
    """A scheduler of which nobody knows that it shares the memory of this process."""
    return dask.local.get_sync(*args, **options)  # pyright: ignore


def apart(array: Any) -> Any:
    """An array each of whose chunks has memory of its own."""
    return array.map_blocks(np.copy).persist()


def late(array: Any) -> Any:
    """An array that is not made yet."""
    return array.map_blocks(np.copy)


def chunked(arrays: dict[str, Any], size: int) -> dict[str, Any]:
    return {k: array_module.from_array(v, chunks=size) for k, v in arrays.items()}


def test_results_go_into_memory_that_is_given():
    arrays = HEAT.make(50)
    target = np.full_like(arrays["new"], -1)
    launched = spmd.dask.launch(
        HEAT.kernel,
        *chunked(arrays, 20).values(),
        global_size=HEAT.size(arrays),
        group_size=HEAT.groups,
        into={"new": target},
        threads=2,
    )["new"]
    (found,) = dask.persist(launched)  # pyright: ignore
    assert found.chunks == ((20, 20, 10), (32, 26))
    np.testing.assert_array_equal(target, HEAT.alone(arrays))
    task = launched.__dask_graph__()[(launched.name, 0, 0)][0]
    with pytest.raises(spmd.LaunchError, match="tasks in the process that has the mem"):
        pickle.dumps(task)


def test_errors_of_memory_say_what_fits():
    arrays = HEAT.make(32)
    sizes: dict[str, Any] = {"global_size": HEAT.size(arrays), "group_size": (32, 4)}
    u, new = chunked(arrays, 16).values()
    for into, words in (
        ({"u": arrays["u"]}, r"into= for arrays that are written \(new\), got .* 'u'"),
        (
            {"new": np.zeros(3)},
            r"for 'new' with shape \(32, 40\) and dtype float32, got",
        ),
        ({"new": arrays["new"].T.copy().T}, "C-contiguous array for 'new'"),
    ):
        with pytest.raises(spmd.LaunchError, match=words):
            spmd.dask.launch(HEAT.kernel, u, new, into=into, **sizes)
    with (
        config.set(scheduler=elsewhere),
        pytest.raises(spmd.LaunchError, match="a scheduler of this process"),
    ):
        spmd.dask.launch(HEAT.kernel, u, new, into={"new": arrays["new"]}, **sizes)


@pytest.fixture
def halves(tmp_path: Path) -> Any:
    """A kernel that reads what its neighbours write if both arrays are one, and a map."""
    kernel = spmd.compile("""
    spmd.kernel @halves(%x: memref<?xf64>, %y: memref<?xf64>, %z: memref<?xf64>) {
      %n = arith.constant 999 : index
      %i = spmd.global_id x
      %j = arith.subi %n, %i : index
      %v = memref.load %x[%j] : memref<?xf64>
      %w = memref.load %y[%i] : memref<?xf64>
      %s = arith.addf %v, %w : f64
      memref.store %s, %y[%i] : memref<?xf64>
      memref.store %v, %z[%i] : memref<?xf64>
      spmd.return
    }""")["halves"]
    memory = np.memmap(tmp_path / "x", np.float64, "w+", shape=(1000,))
    memory[:] = np.arange(1000)

    def launch(x: Any, y: Any, /, **into: Any) -> Any:
        sizes: dict[str, Any] = {"global_size": 1000, "group_size": 10}
        z = array_module.zeros(1000, chunks=100)
        with config.set({"array.chunk-size": 800}):
            return spmd.dask.launch(kernel, x, y, z, into=into, **sizes)

    return launch, memory


def test_tasks_do_not_read_what_others_write(halves: Any, tmp_path: Path):
    launch, memory = halves
    other = array_module.from_array(np.asarray(memory), chunks=100)
    again = np.memmap(tmp_path / "x", np.float64, "r+", shape=(1000,))
    for target in (memory, memory[:], again):
        with pytest.raises(
            spmd.LaunchError, match=r"for 'y' that no task reads, .* %x"
        ):
            launch(memory, other, y=target)
    with pytest.raises(spmd.LaunchError, match=r"for 'z' that no task reads, .* %y"):
        launch(other, memory, z=memory)
    with pytest.raises(spmd.LaunchError, match=r"do not overlap, .* 'y' and 'z'"):
        launch(other, other, y=memory, z=memory)
    target = np.zeros(1000)
    before = launch(other, other, y=target)["y"]
    with pytest.raises(spmd.LaunchError, match=r"for 'z' that no task reads, .* %x"):
        launch(before, other, z=target)


def test_functions_of_tasks_do_not_read_it_either(halves: Any):
    launch, memory = halves
    other = array_module.from_array(np.asarray(memory), chunks=100)

    def captured(block: Any) -> Any:
        return block + memory[0] if len(block) > 0 else captured(block)

    def by_default(block: Any, *, first: Any = memory) -> Any:
        return block + first[0]

    for function in (captured, by_default):
        read = other.map_blocks(function)
        with pytest.raises(
            spmd.LaunchError, match=r"for 'y' that no task reads, .* %x"
        ):
            launch(read, other, y=memory)
    launch(read, other, y=np.zeros(1000))["y"].compute()


def test_an_array_may_be_changed_where_it_is(halves: Any):
    launch, memory = halves
    other = array_module.from_array(np.asarray(memory), chunks=100)
    launch(other, memory, y=memory)["y"].persist()
    np.testing.assert_array_equal(memory, np.full(1000, 999))


@pytest.mark.parametrize("scheduler", ["threads", elsewhere], ids=["here", "elsewhere"])
@pytest.mark.parametrize(("at_once", "per_exchange"), [(1, 1), (4, 1), (32, 1), (4, 3)])
@pytest.mark.parametrize("stored", [lambda array: array, apart, late])
def test_steps_in_any_memory(
    scheduler: Any, at_once: int, per_exchange: int, stored: Callable[[Any], Any]
):
    arrays = HEAT.make(50)
    arrays["new"][...] = 7  # what is not written alternates
    size = HEAT.size(arrays)
    given = {name: stored(array) for name, array in chunked(arrays, 20).items()}
    with config.set(scheduler=scheduler):
        found = spmd.dask.iterate(
            HEAT.kernel,
            11,
            given,
            swap={"new": "u"},
            steps_at_once=at_once,
            steps_per_exchange=per_exchange,
            global_size=size,
            group_size=HEAT.groups,
        )["new"].compute()
    old, new = (each.copy() for each in arrays.values())
    for _ in range(11):
        HEAT.kernel(old, new, global_size=size, group_size=HEAT.groups)
        old, new = new, old
    np.testing.assert_array_equal(found, old)
    for name, array in given.items():
        np.testing.assert_array_equal(array.compute(), arrays[name], "not changed")


@pytest.mark.parametrize(("steps", "count"), [(1, 1), (5, 2)])
def test_steps_make_two_arrays(steps: int, count: int, monkeypatch: pytest.MonkeyPatch):
    """Others are not made: what chunks of one array hold is read where it is."""
    arrays = HEAT.make(64)
    made: list[Any] = []
    empty = np.empty

    def counted(shape: Any, *others: Any, **options: Any) -> Any:
        made.append(empty(shape, *others, **options))
        made[-1].view(np.uint8)[...] = 0xFF  # not a number
        return made[-1]

    given = chunked(arrays, 20)
    monkeypatch.setattr(np, "empty", counted)
    found = spmd.dask.iterate(
        HEAT.kernel,
        steps,
        given,
        swap={"new": "u"},
        global_size=HEAT.size(arrays),
        group_size=HEAT.groups,
    )["new"]
    large = [array for array in made if array.shape == arrays["u"].shape]
    assert len(large) == count
    chunk = found.__dask_graph__()[found.name, 0, 0]
    assert np.shares_memory(chunk, large[0]), "the result is not copied"
    assert np.isfinite(found.compute()).all()


def test_a_bar_shows_steps():
    arrays = HEAT.make(40)
    seen: list[Any] = []
    with dask.callbacks.Callback(posttask=lambda key, *_: seen.append(key)):  # pyright: ignore
        spmd.dask.iterate(
            HEAT.kernel,
            11,
            chunked(arrays, 20),
            swap={"new": "u"},
            steps_at_once=2,
            global_size=HEAT.size(arrays),
            group_size=HEAT.groups,
        )
    assert len(seen) == 6


def test_maps_are_read_in_pieces(tmp_path: Path):
    """They may be larger than memory."""
    arrays = HEAT.make(1024)
    np.save(tmp_path / "u.npy", arrays["u"])
    mapped = np.load(tmp_path / "u.npy", mmap_mode="r")
    target = np.lib.format.open_memmap(
        tmp_path / "new.npy", "w+", mapped.dtype, mapped.shape
    )
    target[...] = arrays["new"]

    def launch() -> None:
        new = array_module.zeros(mapped.shape, chunks=(64, -1), dtype=mapped.dtype)
        launched = spmd.dask.launch(
            HEAT.kernel,
            mapped,
            new,
            into={"new": target},
            global_size=HEAT.size(arrays),
            group_size=HEAT.groups,
        )
        dask.persist(launched)  # pyright: ignore

    launch()
    expected = HEAT.alone(arrays)
    np.testing.assert_array_equal(target[1:-1, 1:-1], expected[1:-1, 1:-1])
    tracemalloc.start()
    try:
        launch()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < mapped.nbytes / 2
    steps = spmd.dask.iterate(
        HEAT.kernel,
        1,
        {"u": mapped, "new": mapped},
        swap={"new": "u"},
        global_size=HEAT.size(arrays),
        group_size=HEAT.groups,
    )
    np.testing.assert_array_equal(steps["new"].compute(), expected)


def launched(u: Any, **options: Any) -> Any:
    return spmd.dask.launch(HEAT.kernel, u, u, **options)["new"].compute()


def stepped(u: Any, **options: Any) -> Any:
    given = {"u": u, "new": u}
    return spmd.dask.iterate(HEAT.kernel, 2, given, swap={"new": "u"}, **options)


@pytest.mark.parametrize("run", [launched, stepped])
def test_chunks_of_other_sizes_are_an_error(run: Callable[..., Any]):
    wrong = array_module.map_blocks(
        lambda: np.zeros((1, 8), np.float32),
        chunks=((8, 8), (8, 8)),
        meta=np.empty((0, 0), np.float32),
    )
    with pytest.raises(
        spmd.LaunchError, match=r"chunks of the sizes.*got one of \(1, 8"
    ):
        run(wrong, global_size=(16, 16), group_size=(8, 8))
    with (
        config.set(scheduler=elsewhere),
        pytest.raises(spmd.LaunchError, match="sizes"),
    ):
        run(wrong, global_size=(16, 16), group_size=(8, 8))


@pytest.mark.parametrize("step", [1, 2])
def test_what_is_overwritten_is_not_made(step: int):
    kernel = spmd.compile(f"""
    spmd.kernel @fill(%y: memref<?xindex>) {{
      %step = arith.constant {step} : index
      %i = spmd.global_id x
      %j = arith.muli %i, %step : index
      memref.store %i, %y[%j] : memref<?xindex>
      spmd.return
    }}
    """)["fill"]
    made: list[Any] = []

    def make(block_id: Any = None) -> Any:
        made.append(block_id)
        return np.full(8, -1)

    y = array_module.map_blocks(
        make, chunks=((8,) * 4,), dtype=np.int64, meta=np.empty(0, "i8")
    )
    size = 32 // step
    found = spmd.dask.launch(kernel, y, global_size=size, group_size=4)["y"].compute()
    expected = np.full(32, -1)
    kernel(expected, global_size=size)
    np.testing.assert_array_equal(found, expected)
    assert bool(made) == (step > 1), "of every other element the rest stays"


def test_chunks_that_lie_side_by_side_are_one_view():
    whole = np.arange(48.0).reshape(6, 8)
    places = [(slice(a, a + 3), slice(b, b + 4)) for a in (0, 3) for b in (0, 4)]
    parts = [whole[place] for place in places]

    def piece(parts: list[Any], is_whole_rows: bool = False) -> Any:
        given = tuple((None, place) for place in places)
        return ArgumentPiece(
            0, (0, 0), (6, 8), whole.dtype, False, is_whole_rows, given
        ).array(parts)

    assert np.shares_memory(piece(parts), whole)
    moved = [*parts[:3], parts[3].copy()]
    backward = [whole[::-1][place] for place in places]
    for given in (moved, backward):
        found = piece(given)
        assert not np.shares_memory(found, whole)
    np.testing.assert_array_equal(piece(moved), whole)
    np.testing.assert_array_equal(piece(backward), whole[::-1])

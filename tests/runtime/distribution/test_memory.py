"""Where tasks read and write: in memory that is there already, as far as that is possible."""

# pyright: basic

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import spmd
from spmd.distribution.pieces import ArgumentPiece
from tests.examples.test_examples import EXAMPLES, load

pytest.importorskip("dask.array", reason="launches over chunks need xdsl-spmd[dask]")

import dask  # pyright: ignore
import dask.array as da  # pyright: ignore

import spmd.dask

array_module: Any = da
config: Any = dask.config  # pyright: ignore
HEAT = load(EXAMPLES / "11_larger.py").EXAMPLES["heat"]


def elsewhere(*args: Any, **options: Any) -> Any:
    """A scheduler of which nobody knows that it shares the memory of this process."""
    return dask.local.get_sync(*args, **options)  # pyright: ignore


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


@pytest.mark.parametrize("scheduler", ["threads", elsewhere], ids=["here", "elsewhere"])
@pytest.mark.parametrize(("at_once", "per_exchange"), [(1, 1), (4, 1), (32, 1), (4, 3)])
def test_steps_in_any_memory(scheduler: Any, at_once: int, per_exchange: int):
    arrays = HEAT.make(50)
    arrays["new"][...] = 7  # what is not written alternates
    size = HEAT.size(arrays)
    with config.set(scheduler=scheduler):
        found = spmd.dask.iterate(
            HEAT.kernel,
            11,
            chunked(arrays, 20),
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

"""Several steps in one task are single launches, one after the other."""

# pyright: basic

from __future__ import annotations

import random
from typing import Any, cast

import numpy as np
import pytest

import spmd
from spmd.language import constexpr, global_id
from tests.runtime.distribution.chunkings import LARGER, in_chunks
from tests.runtime.distribution.test_memory import config, elsewhere

pytest.importorskip("dask.array", reason="launches over chunks need xdsl-spmd[dask]")

import spmd.dask


@spmd.kernel
def shifted(x, y):
    """Reads on one side only, and data decides what is written."""
    i = global_id()
    if i + 5 < x.shape[0] and x[i + 5] % 3 != 1:
        y[i] = x[i + 5] * 5 + 1


@spmd.kernel
def mirrored(x, y):
    """Reads at the other end, where no group begins."""
    i = global_id()
    if i < x.shape[0]:
        y[i] = x[x.shape[0] - 1 - i] + i


@spmd.kernel
def summed(x, y, total):
    """Also writes to an array that stays where it is."""
    i = global_id()
    if i >= 2 and i < x.shape[0] - 1:
        y[i] = x[i - 2] - x[i + 1]
        total[i] += y[i]


@spmd.kernel
def wave(rate: constexpr, before, now, new):
    """Reads what the last two steps wrote; the border stays what it was three steps ago."""
    i = global_id()
    if i >= 1 and i < now.shape[0] - 1:
        new[i] = now[i] * 2 - before[i] + rate * (now[i - 1] + now[i + 1] - 2 * now[i])


KERNELS: dict[str, tuple[Any, dict[str, Any], dict[str, str], tuple[int, ...]]] = {
    "shifted": (
        shifted,
        {"x": np.arange(200), "y": np.arange(200) * 3},
        {"y": "x"},
        (8,),
    ),
    "mirrored": (
        mirrored,
        {"x": np.arange(203), "y": np.zeros(203, int)},
        {"y": "x"},
        (8,),
    ),
    "summed": (
        summed,
        {"x": np.arange(150), "y": np.ones(150, int), "total": np.zeros(150, int)},
        {"y": "x"},
        (4,),
    ),
    "wave": (
        wave,
        {
            "rate": 3,
            "before": np.arange(130),
            "now": np.arange(130) ** 2,
            "new": np.full(130, 7),
        },
        {"new": "now", "now": "before"},
        (8,),
    ),
} | {
    name: (
        LARGER[name].kernel,
        LARGER[name].make(45),
        {"new": "u" if name == "heat" else "board"},
        LARGER[name].groups,
    )
    for name in ("heat", "life")
}


def alone(
    name: str, steps: int
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """The result of single launches, the arguments, and the options of a launch."""
    kernel, given, swap, groups = KERNELS[name]
    arrays = {key: np.copy(array) for key, array in given.items()}
    sizes: dict[str, Any] = {
        "global_size": arrays[next(iter(swap))].shape[::-1],
        "group_size": groups,
    }
    for step in range(steps):
        if step:
            before = dict(arrays)
            arrays |= {old: before[new] for new, old in swap.items()}
            (first,) = swap.keys() - set(swap.values())
            (last,) = set(swap.values()) - swap.keys()
            arrays[first] = before[last]
        values = [v if v.shape else int(v) for v in arrays.values()]
        kernel(*values, **sizes)
    return arrays, given, sizes


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("scheduler", ["threads", elsewhere], ids=["here", "elsewhere"])
def test_several_steps_in_a_task(name: str, seed: int, scheduler: Any):
    choose = random.Random(f"{name} {seed}")
    kernel, _, swap, _ = KERNELS[name]
    steps = choose.randrange(2, 9)
    expected, given, sizes = alone(name, steps)
    with config.set(scheduler=scheduler):
        found = spmd.dask.iterate(
            kernel,
            steps,
            {key: in_chunks(array, choose) for key, array in given.items()},
            swap=swap,
            steps_at_once=choose.choice([1, 5, 100]),
            steps_per_exchange=choose.randrange(2, 5),
            **sizes,
        )
        assert set(found) == set(expected) - {"rate", *swap.values()}
        for key, array in found.items():
            np.testing.assert_array_equal(array.compute(), expected[key])


def test_errors_of_several_steps():
    _, given, sizes = alone("heat", 1)
    chunked = {key: in_chunks(array, random.Random(1)) for key, array in given.items()}
    with pytest.raises(spmd.LaunchError, match=r"at least one step.*got 3, 8 and 0"):
        spmd.dask.iterate(
            LARGER["heat"].kernel,
            3,
            chunked,
            swap={"new": "u"},
            steps_per_exchange=0,
            **sizes,
        )
    with (
        config.set(scheduler=elsewhere),
        pytest.raises(spmd.LaunchError, match="change places to have one shape"),
    ):
        spmd.dask.iterate(
            LARGER["heat"].kernel,
            3,
            chunked | {"new": chunked["new"][:-1]},
            swap={"new": "u"},
            steps_per_exchange=3,
            **sizes,
        )
    with pytest.raises(spmd.LaunchError, match=r"at least one step.*and 2\.5"):
        spmd.dask.iterate(
            LARGER["heat"].kernel,
            3,
            chunked,
            swap={"new": "u"},
            steps_per_exchange=cast(Any, 2.5),
            **sizes,
        )
    for wrong, words in (
        ({"new": "u", "u": "u"}, "swap that gives each argument one array"),
        ({"new": "old"}, r"swap between arguments \(u, new\), got 'old'"),
    ):
        with pytest.raises(spmd.LaunchError, match=words):
            spmd.dask.iterate(LARGER["heat"].kernel, 3, chunked, swap=wrong, **sizes)
    numbers = {"rate": 3} | {key: np.arange(9) for key in ("before", "now", "new")}
    with pytest.raises(spmd.LaunchError, match=r"swap between arrays .*got 'rate'"):
        spmd.dask.iterate(wave, 3, numbers, swap={"new": "rate"}, global_size=9)
    example = LARGER["histogram"]
    arrays = example.make(20)
    with (
        config.set(scheduler=elsewhere),
        pytest.raises(spmd.LaunchError, match="one step per exchange of a kernel"),
    ):
        spmd.dask.iterate(
            example.kernel,
            3,
            {key: in_chunks(array, random.Random(1)) for key, array in arrays.items()},
            swap={},
            steps_per_exchange=2,
            global_size=example.size(arrays),
        )


@pytest.mark.parametrize("scheduler", ["threads", elsewhere], ids=["here", "elsewhere"])
def test_reductions_go_on(scheduler: Any):
    example = LARGER["histogram"]
    arrays = example.make(20)
    chunked = {key: in_chunks(array, random.Random(2)) for key, array in arrays.items()}
    with config.set(scheduler=scheduler):
        found = spmd.dask.iterate(
            example.kernel, 3, chunked, swap={}, global_size=example.size(arrays)
        )
        np.testing.assert_array_equal(
            found["counts"].compute(), 3 * example.alone(arrays)
        )
    assert not arrays["counts"].any(), "what was given is not changed"

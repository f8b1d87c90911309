"""What work-items do together, against NumPy; `spmd.check` finds no fault in it."""

# pyright: basic

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import spmd
from spmd import language as lang
from spmd.language import barrier, global_id, group_id, local, local_id
from tests.runtime.python.harness import kernel_of, numbers


def run(kernel: spmd.PythonKernel, *args: Any, n: int, group: int) -> None:
    """Runs a kernel, in the interpreter first, which must agree with native code."""
    copies = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    report = kernel.check(*copies, global_size=n, group_size=group)
    assert report, str(report)
    kernel(*args, global_size=n, group_size=group)
    for one, other in zip(args, copies, strict=True):
        if isinstance(one, np.ndarray):
            np.testing.assert_allclose(one, other, rtol=1e-6)


@spmd.kernel
def ids(out):
    i = global_id()
    out[0, i] = local_id(0) + 100 * group_id(0)
    out[1, i] = lang.local_size() + 100 * lang.enqueued_local_size()
    out[2, i] = lang.num_groups() + 100 * lang.global_size()
    out[3, i] = global_id(1) + local_id(dimension=2)


def test_ids():
    out = np.zeros((4, 20), np.int64)
    run(ids, out, n=20, group=8)
    i = np.arange(20)
    assert (out[0] == i % 8 + 100 * (i // 8)).all()
    assert (out[1] == np.where(i < 16, 8, 4) + 800).all()
    assert (out[2] == 3 + 2000).all()
    assert (out[3] == 0).all()


@spmd.kernel(sub_group_size=8)
def sub_groups(x, out, bits):
    i = global_id()
    v = x[i]
    out[0, i] = lang.lane_id() + 10 * lang.sub_group_id()
    out[1, i] = lang.sub_group_size() + 10 * lang.num_sub_groups()
    out[2, i] = lang.shuffle_xor(v, 1)
    out[3, i] = lang.shuffle(v, 7 - lang.lane_id())
    out[4, i] = lang.shuffle_rotate(v, 3)
    out[5, i] = lang.broadcast(v, 2, across="sub_group")
    out[6, i] = lang.reduce(max, v, across="sub_group")
    out[7, i] = lang.scan(sum, v, across="sub_group", exclusive=True)
    up, down = lang.shuffle_up(v, 1), lang.shuffle_down(v, 1)
    lane = lang.lane_id()
    out[8, i] = (up if lane > 0 else 0) + (down if lane < 7 else 0)
    out[9, i] = lang.any(v > 5, across="sub_group") + 2 * lang.all(v > -5, "sub_group")
    bits[i] = lang.ballot(v > 0)
    if lang.elect():
        out[10, i] = 1
    barrier(across="sub_group")


def test_sub_groups():
    x = numbers("int32", 32)
    out, bits = np.zeros((11, 32), np.int64), np.zeros(32, np.uint64)
    run(sub_groups, x, out, bits, n=32, group=16)
    rows, lane = x.reshape(4, 8).astype(np.int64), np.arange(8)
    i = np.arange(32)
    wanted = [
        i % 8 + 10 * (i // 8 % 2),
        np.full(32, 8 + 20),
        rows[:, lane ^ 1],
        rows[:, ::-1],
        np.roll(rows, -3, 1),
        rows[:, [2] * 8],
        rows.max(1, keepdims=True) + 0 * rows,
        rows.cumsum(1) - rows,
        np.pad(rows, ((0, 0), (1, 1)))[:, :-2] + np.pad(rows, ((0, 0), (1, 1)))[:, 2:],
        (rows > 5).any(1, keepdims=True)
        + 2 * (rows > -5).all(1, keepdims=True)
        + 0 * rows,
        (lane == 0) + 0 * rows,
    ]
    for got, want in zip(out, wanted, strict=True):
        np.testing.assert_array_equal(got, np.ravel(want))
    masks = ((rows > 0) << lane).sum(1).astype(np.uint64)
    np.testing.assert_array_equal(
        bits.reshape(4, 8), masks[:, None] + np.zeros(8, np.uint64)
    )


KINDS: Sequence[tuple[str, object, object, Sequence[str]]] = [
    ("sum", sum, np.add, ("int32", "uint8", "float64")),
    ("np.add", np.add, np.add, ("int64",)),
    ("'mul'", "mul", np.multiply, ("int64", "float32")),
    ("min", min, np.minimum, ("int16", "uint16", "float32")),
    ("max", max, np.maximum, ("int8", "uint8", "float64")),
    ("operator.or_", operator.or_, np.bitwise_or, ("uint32", "int64")),
    ("np.bitwise_xor", np.bitwise_xor, np.bitwise_xor, ("int32",)),
    ("'and'", "and", np.bitwise_and, ("uint8",)),
]


@pytest.mark.parametrize(
    ("combine", "ufunc", "dtype"), [(k[1], k[2], d) for k in KINDS for d in k[3]]
)
def test_reduce_and_scan(combine: object, ufunc: Any, dtype: str):
    kernel = kernel_of(
        "@spmd.kernel\ndef k(x, out):\n"
        "    i = global_id()\n"
        "    out[0, i] = reduce(combine, x[i])\n"
        "    out[1, i] = scan(combine, x[i])\n",
        combine=combine,
    )
    x = numbers(dtype, 24) | 1 if "int" in dtype else numbers(dtype, 24)
    if dtype == "uint8" or "mul" in str(combine):
        x = np.clip(x, 0, 3).astype(dtype)
    out = np.zeros((2, 24), dtype)
    run(kernel, x, out, n=24, group=8)
    rows = x.reshape(3, 8)
    total = ufunc.reduce(rows, axis=1, keepdims=True, dtype=dtype)
    np.testing.assert_allclose(
        out[0].reshape(3, 8), total + np.zeros_like(rows), rtol=1e-6
    )
    np.testing.assert_allclose(
        out[1].reshape(3, 8), ufunc.accumulate(rows, axis=1, dtype=dtype), rtol=1e-6
    )


@spmd.kernel(group_size=8)
def reversed_groups(x, out):
    tile = local((8, 2), np.float32)
    lid = local_id()
    tile[lid, 0] = x[global_id()]
    tile[lid, 1] = lid
    barrier()
    first = lang.broadcast(x[global_id()], 3)
    out[global_id()] = tile[-1 - 0, 1] - tile[7 - lid, 0] + first
    for step in range(3):
        barrier()
        tile[(lid + step) % 8, 1] = step
        barrier()
        out[global_id()] += tile[lid, 1]


def test_local_memory_and_barriers():
    x, out = numbers("float32", 32), np.zeros(32, np.float32)
    run(reversed_groups, x, out, n=32, group=8)
    rows = x.reshape(4, 8)
    wanted = 7 - rows[:, ::-1] + rows[:, 3:4] + 3
    np.testing.assert_array_equal(out.reshape(4, 8), wanted)


@spmd.kernel
def atomics(x, out, table):
    v = x[global_id()]
    lang.atomic_add(out, 0, v)
    lang.atomic_sub(out, 1, v)
    lang.atomic_min(out, 2, v)
    lang.atomic_max(out, 3, v)
    lang.atomic_and(out, 4, v)
    lang.atomic_or(out, 5, v)
    lang.atomic_xor(out, 6, v)
    old = lang.atomic_exchange(table, (0, global_id() % 4), 1)
    before, won = lang.atomic_cas(table, (1, global_id() % 4), 0, 5)
    if won and before == 0 and old >= 0:
        lang.atomic_add(out, 7, 1)


@pytest.mark.parametrize("dtype", ["int32", "uint8", "uint64"])
def test_atomics(dtype: str):
    x = numbers(dtype, 40)
    out = np.array([0, 0, 100, 1, 255, 0, 0, 0], dtype)
    want = out.copy()
    table = np.zeros((2, 4), np.int32)
    run(atomics, x, out, table, n=40, group=8)
    want[0] = np.add.reduce(x, dtype=dtype)
    want[1:2] = -want[:1]
    want[2:4] = min(100, *x), max(1, *x)
    want[4] &= np.bitwise_and.reduce(x)
    want[5], want[6], want[7] = np.bitwise_or.reduce(x), np.bitwise_xor.reduce(x), 4
    np.testing.assert_array_equal(out, want)
    np.testing.assert_array_equal(table, [[1] * 4, [5] * 4])


def test_names_have_a_meaning_in_kernels_only():
    functions = [each for each in vars(lang).values() if callable(each)]
    assert len(functions) > 30
    for each in functions:
        if each is not lang.constexpr:
            with pytest.raises(RuntimeError, match="expected a kernel around this"):
                each(*[0] * each.__code__.co_argcount)

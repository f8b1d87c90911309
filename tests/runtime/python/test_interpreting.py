"""Kernels run as functions of Python: who waits for whom, what goes wrong, and where."""

# pyright: basic

import operator
import re
import signal
import threading

import numpy as np
import pytest

import spmd
from spmd import language
from spmd.frontends.python.interpreting.fibers import FIBER
from spmd.language import (
    all,
    any,
    atomic_add,
    atomic_cas,
    atomic_exchange,
    atomic_max,
    ballot,
    barrier,
    broadcast,
    elect,
    enqueued_local_size,
    global_id,
    global_size,
    group_id,
    lane_id,
    local,
    local_id,
    local_size,
    num_groups,
    num_sub_groups,
    reduce,
    scan,
    shuffle,
    shuffle_down,
    shuffle_rotate,
    shuffle_up,
    shuffle_xor,
    sub_group_id,
    sub_group_size,
)
from tests.runtime.python.harness import expect_as_python

SCHEDULES = ["in-order", "reversed", "random"]
X = np.array([3, 1, 7, 0, 2, 5, 8, 4, 6, 9, 9])


@spmd.kernel
def ids(out):
    i = global_id(0) + global_size(0) * global_id(1)
    out[i, 0] = local_id(0) + 10 * local_id(1)
    out[i, 1] = group_id(0) + 10 * group_id(1)
    out[i, 2] = local_size(0) + 10 * local_size(1) + 100 * enqueued_local_size(0)
    out[i, 3] = num_groups(0) + 10 * num_groups(1)
    out[i, 4] = lane_id() + 10 * sub_group_id()
    out[i, 5] = sub_group_size() + 10 * num_sub_groups()


def test_ids():
    kernel = spmd.kernel(sub_group_size=4)(ids.function)
    out = np.zeros((35, 6), np.int64)
    expect_as_python(kernel, out, global_size=(7, 5), group_size=(3, 2))


@spmd.kernel(sub_group_size=4, group_size=8)
def together(x, y):
    i = global_id()
    v = x[i]
    if v > 3:
        y[i, 0] = reduce(sum, v, across="sub_group")
    y[i, 1] = scan(max, v, across="sub_group")
    y[i, 2] = ballot(v > 2)
    y[i, 3] = shuffle_xor(v, 1) if i < 8 else 0
    y[i, 4] = broadcast(v, 1)
    y[i, 5] = scan("add", v, exclusive=True) + scan(np.minimum, v, exclusive=True) % 99
    y[i, 6] = elect() + 2 * any(v > 6) + 4 * all(v > 0)
    y[i, 7] = shuffle_rotate(v, 1) + reduce(operator.mul, v % 3 + 1)
    y[i, 8] = shuffle(v, 0) if i < 8 else 0
    up, down = shuffle_up(v, 1), shuffle_down(v, 1)
    if 0 < lane_id() < sub_group_size() - 1:
        y[i, 8] += up + down


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_what_work_items_do_together(schedule: str):
    got, want = np.zeros((11, 9), np.int64), np.zeros((11, 9), np.int64)
    together.interpret(X, want, global_size=11, schedule=schedule, seed=3)
    together(X, got, global_size=11)
    np.testing.assert_array_equal(got, want)


@spmd.function
def meet():
    barrier()


@spmd.kernel(group_size=4)
def tree(x, sums):
    tile = local(4, np.float32)
    other = local(4, np.float32)
    tile[local_id()] = x[global_id()]
    step = 2
    meet()
    while step > 0:
        if local_id() < step:
            tile[local_id()] += tile[local_id() + step]
        step //= 2
        meet()
    other[local_id()] = tile[0]
    language.barrier("work_group")
    sums[group_id()] = other[3]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_barriers_in_functions_and_loops(schedule: str):
    x, sums = np.arange(8, dtype=np.float32), np.zeros(2, np.float32)
    tree.interpret(x, sums, global_size=8, schedule=schedule)
    assert sums.tolist() == [6, 22]


@spmd.kernel
def atomics(x, old):
    i = global_id()
    old[i, 0] = atomic_add(x, 0, 2, ordering="acq_rel")
    old[i, 1] = atomic_max(x, 1, i)
    old[i, 2] = atomic_exchange(x, 2, i)
    old[i, 3], old[i, 4] = atomic_cas(x, 3, 0, i + 1)


def test_atomics():
    x, old = np.zeros(4, np.int32), np.zeros((5, 5), np.int32)
    atomics.interpret(x, old, global_size=5)
    assert x.tolist() == [10, 4, 4, 1]
    assert old[:, 0].tolist() == [0, 2, 4, 6, 8]
    assert old[:, 4].tolist() == [1, 0, 0, 0, 0]


@spmd.kernel
def separated(x):
    if local_id() < 3:
        barrier()
    x[0] = 1


def test_a_barrier_that_not_all_reach():
    with pytest.raises(spmd.LaunchError) as raised:
        separated.interpret(np.zeros(1), global_size=8, group_size=8)
    assert re.search(
        r"separated: expected all work-items of the group in line \d+, where work-item 0 "
        r"\(local 0 of work-group 0\) waits, but work-item 3 .* ended",
        str(raised.value),
    )


def expect_no_fibers():
    for thread in threading.enumerate():
        if thread.name == FIBER:
            thread.join(5.0)
            assert not thread.is_alive()


@spmd.kernel
def outside(x, wait):
    if wait:
        barrier()
    x[global_id() + 1] = 1


def test_an_error_says_in_which_work_item():
    with pytest.raises(IndexError) as raised:
        outside.interpret(np.zeros(8), True, global_size=8)
    assert raised.value.__notes__ == ["in work-item 7 (local 7 of work-group 0)"]
    expect_no_fibers()


@spmd.kernel
def endless(x):
    barrier()
    while x[0] == 0:
        pass


def test_ctrl_c_ends_it():
    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    old = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            endless.interpret(np.zeros(1), global_size=2)
    finally:
        signal.signal(signal.SIGALRM, old)
    expect_no_fibers()


@spmd.kernel
def in_this_thread(x):
    x[global_id()] = threading.get_ident()  # type: ignore[attr-defined]


def test_who_does_not_wait_runs_in_the_thread_of_the_caller():
    x = np.zeros(3, np.int64)
    in_this_thread.interpret(x, global_size=3)
    assert (x == threading.get_ident()).all()


def test_arguments_have_the_types_of_their_parameters():
    @spmd.kernel
    def typed(x, a: np.float32, n: int = 2):
        x[global_id()] = a * n

    x = np.zeros(1)
    typed.interpret(x, 0.1, global_size=1)
    assert x[0] == np.float32(0.1) * 2


def test_what_cannot_be_run():
    with pytest.raises(spmd.LaunchError, match="expected a schedule of in-order"):
        ids.interpret(X, global_size=1, schedule="no")
    with pytest.raises(spmd.LaunchError, match="expected global_size"):
        ids.interpret(X)
    with pytest.raises(RuntimeError, match="expected a kernel around this"):
        global_id()


@spmd.kernel
def numbers_of_two_types(x, y):
    i = global_id()
    v = x[i] if i else 0
    y[0, i] = reduce(max, v)
    y[1, i] = scan(max, v, exclusive=True)


def test_values_of_several_types_come_together():
    x = np.array([0.5, 0.25, 0.75], np.float32)
    expect_as_python(numbers_of_two_types, x, np.zeros((2, 3)), global_size=3)


@spmd.kernel
def chosen(x, out):
    i = global_id()
    mine = np.where(x[i] > 4, np.uint8(200), np.uint8(x[i]))
    first = broadcast(mine, 0, across="sub_group")
    first += np.uint8(local_id())
    other = shuffle_xor(mine, 1)
    other += np.uint8(1)
    out[i, 0] = first
    out[i, 1] = other
    out[i, 2] = reduce(sum, mine)
    out[i, 3] = scan(sum, mine, across="sub_group")


def test_what_where_gives_is_a_number_for_others():
    out = np.zeros((8, 4), np.uint8)
    expect_as_python(chosen, X[:8], out, global_size=8, group_size=8)

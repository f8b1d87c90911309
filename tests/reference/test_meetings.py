"""Barriers, collectives and sub-groups: what work-items get from each other."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from spmd.reference import UndefinedBehavior, run_kernel, run_work_groups
from tests.execution.harness import parsed

SCHEDULES = [("in-order", 0), ("reversed", 0), ("random", 1), ("random", 2)]


def each_order(
    source: str, name: str, args: list[Any], **sizes: Any
) -> list[list[Any]]:
    """Run in every order; all must agree. Arrays as lists."""
    results: list[list[Any]] = []
    for schedule, seed in SCHEDULES:
        copies: list[Any] = copy.deepcopy(args)
        run_kernel(parsed(source), name, copies, schedule=schedule, seed=seed, **sizes)
        results.append([arg.tolist() for arg in copies if hasattr(arg, "tolist")])
    assert all(result == results[0] for result in results)
    return results[0]


def group_op(op: str, type_: str, attributes: str = "") -> str:
    """A kernel that replaces each element `%v` by the result `%r` of `op`."""
    return f"""
spmd.kernel @k(%x: memref<?x{type_}>) {attributes} {{
  %i = spmd.global_id x
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %v = memref.load %x[%i] : memref<?x{type_}>
  %r = {op}
  memref.store %r, %x[%i] : memref<?x{type_}>
  spmd.return
}}
"""


X = [5, -3, 7, 2, -1, 4, 9]


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("spmd.reduce add %v across work_group : i32", [11] * 4 + [12] * 3),
        ("spmd.reduce mul %v across work_group : i32", [-210] * 4 + [-36] * 3),
        ("spmd.reduce min %v across work_group : i32", [-3] * 4 + [-1] * 3),
        ("spmd.reduce minui %v across work_group : i32", [2] * 4 + [4] * 3),
        ("spmd.reduce maxui %v across work_group : i32", [-3] * 4 + [-1] * 3),
        (
            "spmd.reduce xor %v across work_group : i32",
            [5 ^ -3 ^ 7 ^ 2] * 4 + [-1 ^ 4 ^ 9] * 3,
        ),
        (
            "spmd.scan inclusive add %v across work_group : i32",
            [5, 2, 9, 11, -1, 3, 12],
        ),
        ("spmd.scan exclusive add %v across work_group : i32", [0, 5, 2, 9, 0, -1, 3]),
        (
            "spmd.scan exclusive max %v across work_group : i32",
            [-(1 << 31), 5, 5, 7, -(1 << 31), -1, 4],
        ),
        ("spmd.broadcast %v from %c2 across work_group : i32", [7] * 4 + [9] * 3),
    ],
)
def test_across_the_work_group(op: str, expected: list[int]):
    x = np.array(X, np.int32)
    got = each_order(group_op(op, "i32"), "k", [x], global_size=7, group_size=4)
    assert got == [expected]


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        # Sub-groups of four lanes in a group of seven: the second one has three.
        ("spmd.reduce add %v across sub_group : i32", [11] * 4 + [12] * 3),
        ("spmd.scan inclusive add %v across sub_group : i32", [5, 2, 9, 11, -1, 3, 12]),
        ("spmd.shuffle idx %v, %c1 : i32", [-3] * 4 + [4] * 3),
        ("spmd.shuffle rotate %v, %c1 : i32", [-3, 7, 2, 5, 4, 9, -1]),
        ("spmd.broadcast %v from %c1 across sub_group : i32", [-3] * 4 + [4] * 3),
    ],
)
def test_across_sub_groups(op: str, expected: list[int]):
    source = group_op(op, "i32", "attributes {sub_group_size = 4 : i64}")
    x = np.array(X, np.int32)
    assert each_order(source, "k", [x], global_size=7, group_size=7) == [expected]


def test_the_order_of_floats_is_that_of_the_linear_id():
    source = group_op("spmd.reduce add %v across work_group : f32", "f32")
    x = np.array([1e8, 1.0, -1e8, 1.0], np.float32)
    assert each_order(source, "k", [x], global_size=4, group_size=4) == [[1.0] * 4]


def test_shuffles_from_lanes_that_are_not_there_are_undefined():
    source = """
spmd.kernel @k(%x: memref<?xi32>, %use: i1) attributes {sub_group_size = 4 : i64} {
  %i = spmd.global_id x
  %lane = spmd.lane_id
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = memref.load %x[%i] : memref<?xi32>
  %left = spmd.shuffle up %v, %c1 : i32
  %first = arith.cmpi eq, %lane, %c0 : index
  %r = arith.select %first, %v, %left : i32
  memref.store %r, %x[%i] : memref<?xi32>
  %s = arith.select %use, %left, %v : i32
  %negative = arith.cmpi slt, %s, %v : i32
  scf.if %negative {
  }
  spmd.return
}
"""
    x = np.array(X, np.int32)
    got = each_order(source, "k", [x, False], global_size=7, group_size=7)
    assert got == [[5, 5, -3, 7, -1, -1, 4]]
    with pytest.raises(UndefinedBehavior, match="undefined condition"):
        run_kernel(parsed(source), "k", [x, True], global_size=7, group_size=7)


def test_lanes_that_diverged_do_not_take_part():
    source = """
spmd.kernel @k(%x: memref<?xi32>, %elected: memref<?xi1>, %votes: memref<?xi64>)
    attributes {sub_group_size = 8 : i64} {
  %i = spmd.global_id x
  %zero = arith.constant 0 : i32
  %v = memref.load %x[%i] : memref<?xi32>
  %positive = arith.cmpi sgt, %v, %zero : i32
  %vote = spmd.ballot %positive : i64
  memref.store %vote, %votes[%i] : memref<?xi64>
  scf.if %positive {
    %sum = spmd.reduce add %v across sub_group : i32
    %e = spmd.elect
    memref.store %sum, %x[%i] : memref<?xi32>
    memref.store %e, %elected[%i] : memref<?xi1>
  } else {
    %min = spmd.reduce min %v across sub_group : i32
    %e = spmd.elect
    memref.store %min, %x[%i] : memref<?xi32>
    memref.store %e, %elected[%i] : memref<?xi1>
  }
  spmd.return
}
"""
    args = [np.array(X, np.int32), np.zeros(7, bool), np.zeros(7, np.int64)]
    x, elected, votes = each_order(source, "k", args, global_size=7, group_size=7)
    assert x == [27, -3, 27, 27, -3, 27, 27]
    assert elected == [True, True] + [False] * 5
    assert votes == [0b1101101] * 7


def test_lanes_meet_in_the_same_iteration():
    # Work-item i runs i iterations; in iteration j, those with i > j take part.
    source = """
spmd.kernel @k(%x: memref<?xindex>) attributes {sub_group_size = 4 : i64} {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %j = %c0 to %i step %c1 iter_args(%s = %c0) -> (index) {
    %n = spmd.reduce add %c1 across sub_group : index
    %t = arith.addi %s, %n : index
    scf.yield %t : index
  }
  %all = spmd.reduce add %sum across sub_group : index
  memref.store %all, %x[%i] : memref<?xindex>
  spmd.return
}
"""
    got = each_order(source, "k", [np.zeros(4, np.int64)], global_size=4, group_size=4)
    # Iterations count 3, 2 and 1 lanes: sums 0, 3, 5, 6.
    assert got == [[14] * 4]


def test_lanes_meet_in_the_same_iteration_of_unstructured_loops():
    source = """
spmd.kernel @k(%x: memref<?xindex>) attributes {sub_group_size = 4 : i64} {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^header(%c0, %c0 : index, index)
^header(%j: index, %s: index):
  %more = arith.cmpi ult, %j, %i : index
  cf.cond_br %more, ^body, ^exit
^body:
  %n = spmd.reduce add %c1 across sub_group : index
  %t = arith.addi %s, %n : index
  %next = arith.addi %j, %c1 : index
  cf.br ^header(%next, %t : index, index)
^exit:
  %all = spmd.reduce add %s across sub_group : index
  memref.store %all, %x[%i] : memref<?xindex>
  spmd.return
}
"""
    got = each_order(source, "k", [np.zeros(4, np.int64)], global_size=4, group_size=4)
    assert got == [[14] * 4]


def test_an_op_in_a_function_called_twice_counts_as_two():
    source = """
func.func private @count(%one: index) -> index {
  %n = spmd.reduce add %one across sub_group : index
  func.return %n : index
}
spmd.kernel @k(%x: memref<?xindex>) attributes {sub_group_size = 4 : i64} {
  %i = spmd.global_id x
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %low = arith.cmpi ult, %i, %c3 : index
  %r = scf.if %low -> (index) {
    %n = func.call @count(%c1) : (index) -> index
    scf.yield %n : index
  } else {
    %n = func.call @count(%c1) : (index) -> index
    scf.yield %n : index
  }
  memref.store %r, %x[%i] : memref<?xindex>
  spmd.return
}
"""
    got = each_order(source, "k", [np.zeros(4, np.int64)], global_size=4, group_size=4)
    assert got == [[3, 3, 3, 1]]


def test_recursion_with_a_barrier_is_an_error():
    source = """
func.func private @f() {
  spmd.barrier
  func.call @g() : () -> ()
  func.return
}
func.func private @g() {
  func.call @f() : () -> ()
  func.return
}
spmd.kernel @k() {
  func.call @f() : () -> ()
  spmd.return
}
"""
    with pytest.raises(Exception, match="without recursion, got @f -> @g -> @f"):
        run_kernel(parsed(source), "k", [], global_size=1)


def test_a_missed_barrier_names_those_who_missed_it():
    source = """
spmd.kernel @k(%n: index) {
  %i = spmd.global_id x
  %low = arith.cmpi ult, %i, %n : index
  scf.if %low {
    spmd.barrier
  }
  spmd.return
}
"""
    run_kernel(parsed(source), "k", [4], global_size=4, group_size=4)
    message = "work-item 2 .* and 1 more ended without it"
    with pytest.raises(UndefinedBehavior, match=message):
        run_kernel(parsed(source), "k", [2], global_size=4, group_size=4)


def test_atomics_of_all_kinds():
    kinds = [
        "add",
        "sub",
        "min",
        "max",
        "minui",
        "maxui",
        "and",
        "or",
        "xor",
        "exchange",
    ]
    ops = "\n".join(
        f"  %k{n} = arith.constant {n} : index\n"
        f"  %r{n} = spmd.atomic_rmw {kind} %v, %m[%k{n}] : memref<11xi8>"
        for n, kind in enumerate(kinds)
    )
    source = f"""
spmd.kernel @k(%v: i8, %m: memref<11xi8>, %won: memref<2xi1>) {{
  {ops}
  %k = arith.constant 10 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %old, %first = spmd.atomic_cas %v, %r0, %m[%k] : memref<11xi8>
  %again, %second = spmd.atomic_cas %v, %r0, %m[%k] : memref<11xi8>
  memref.store %first, %won[%c0] : memref<2xi1>
  memref.store %second, %won[%c1] : memref<2xi1>
  spmd.return
}}
"""
    m = np.full(11, 100, np.int8)
    m[10] = -56
    won = np.zeros(2, bool)
    run_kernel(parsed(source), "k", [-56, m, won], global_size=1)
    expected = [44, -100, -56, 100, 100, -56, 100 & -56, 100 | -56, 100 ^ -56, -56, 100]
    assert m.tolist() == expected
    assert won.tolist() == [True, False]


LANES = """
func.func @k(%n: index, %x: memref<?xi32>, %gx: index, %gy: index, %gz: index,
    %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index)
    attributes {{spmd.work_group_function}} {{
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i32
  spmd.sub_group (%i) shape [4] at (%c0){} {{
    {}
  }}
  func.return
}}
"""


def lanes(body: str, count: str = "", n: int = 4) -> list[int]:
    x = np.array(X[:4], np.int32)
    run_work_groups(
        parsed(LANES.format(count, body)), "k", [n, x], global_size=4, group_size=4
    )
    return x.tolist()


def test_masks_and_the_lanes_that_exist():
    body = """
    %v = memref.load %x[%i] : memref<?xi32>
    %m = arith.cmpi sgt, %v, %zero : i32
    %r = spmd.masked %m -> (i32) {
      %s = arith.addi %v, %v : i32
      spmd.yield %s : i32
    } else %zero : i32
    memref.store %r, %x[%i] : memref<?xi32>"""
    assert lanes(body) == [10, 0, 14, 4]
    assert lanes(body, " count %c3") == [10, 0, 14, 2]


def test_votes_steer_uniform_control():
    body = """
    %live = arith.cmpi ult, %i, %n : index
    %some = spmd.any %live across sub_group
    scf.if %some {
      %id = spmd.lane_id
      %w = arith.index_cast %id : index to i32
      spmd.masked %live {
        memref.store %w, %x[%i] : memref<?xi32>
      }
    }"""
    assert lanes(body, n=2) == [0, 1, 7, 2]
    assert lanes(body, n=0) == X[:4]


def test_a_lane_that_is_off_has_no_value():
    body = """
    %m = arith.cmpi ult, %i, %n : index
    %r = spmd.masked %m -> (index) {
      spmd.yield %i : index
    }
    memref.store %zero, %x[%r] : memref<?xi32>"""
    assert lanes(body, n=4) == [0, 0, 0, 0]
    with pytest.raises(UndefinedBehavior, match="undefined index"):
        lanes(body, n=3)


def test_lanes_without_a_value_follow_the_others():
    body = """
    %m = arith.cmpi ult, %i, %n : index
    %r = spmd.masked %m -> (i1) {{
      %odd = arith.cmpi {}, %i, %c3 : index
      spmd.yield %odd : i1
    }}
    scf.if %r {{
      %all = spmd.all %m across sub_group
      memref.store %zero, %x[%c0] : memref<?xi32>
    }}"""
    assert lanes(body.format("ult"), n=3) == [0, -3, 7, 2]
    with pytest.raises(UndefinedBehavior, match="others do not agree"):
        lanes(body.format("eq").replace("%c3 ", "%c0 "), n=3)
    with pytest.raises(UndefinedBehavior, match="in all lanes"):
        lanes(body.format("ult"), n=0)

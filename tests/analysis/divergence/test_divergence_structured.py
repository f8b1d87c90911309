"""Divergence of kernels in structured control flow."""

from __future__ import annotations

import pytest

from tests.analysis.programs import Analysed


def shapes(body: str, *names: str, attributes: str = "") -> tuple[str, ...]:
    kernel = Analysed(body, attributes=attributes)
    return tuple(kernel.shape(name) for name in names)


# Ids and sizes


def test_ids_per_dimension():
    k = Analysed("%gidy = spmd.global_id y\n%group = spmd.group_id x")
    assert [k.shape("gid", d) for d in range(3)] == ["contiguous", "uniform", "uniform"]
    assert [k.shape("gidy", d) for d in range(3)] == [
        "uniform",
        "contiguous",
        "uniform",
    ]
    assert [k.shape("lid", d) for d in range(3)] == [
        "contiguous align 0",
        "uniform",
        "uniform",
    ]
    assert k.divergence.is_uniform(k.value("group"))
    assert not k.divergence.is_uniform(k.value("gidy"))


def test_a_fixed_size_aligns_the_global_id():
    k = Analysed("", attributes="work_group_size = array<i64: 64, 2>")
    assert k.shape("gid") == "contiguous align 64"
    k = Analysed("", attributes="work_group_size = array<i64: 64>")
    assert k.shape("lidy", 1) == "uniform align 0"


def test_sub_group_ids_are_varying_in_a_work_group():
    body = """
    %lane = spmd.lane_id
    %sub = spmd.sub_group_id
    %size = spmd.sub_group_size
    %count = spmd.num_sub_groups
    """
    assert shapes(body, "lane", "sub", "size", "count") == (
        "varying",
        "varying",
        "varying",
        "uniform",
    )


# Arithmetic


def test_row_major_index_per_dimension():
    body = """
    %row = arith.muli %lidy, %n : index
    %at = arith.addi %row, %gid : index
    %fixed = arith.muli %lidy, %c16 : index
    %there = arith.addi %fixed, %lid : index
    """
    k = Analysed(body)
    assert k.shape("at") == "contiguous wrapping"
    assert k.shape("at", 1) == "varying"
    assert k.shape("there") == "contiguous align 16"
    assert k.shape("there", 1) == "stride 16"
    assert k.shape("there", 2) == "uniform"


def test_narrow_ids():
    body = """
    %narrow = arith.index_cast %gid : index to i32
    %next = arith.addi %narrow, %i : i32
    %wide = arith.extsi %next : i32 to i64
    %sure = arith.addi %narrow, %i overflow<nsw> : i32
    %small = arith.index_cast %lid : index to i32
    %small_next = arith.addi %small, %small : i32
    %small_wide = arith.extui %small_next : i32 to i64
    """
    # The global id may be larger than an i32, and its lower half then wraps.
    assert shapes(body, "narrow", "next", "wide") == (
        "contiguous wrapping",
        "contiguous wrapping",
        "varying",
    )
    assert shapes(body, "sure") == ("contiguous wrapping",)
    assert shapes(body, "small", "small_wide") == (
        "contiguous align 0",
        "stride 2 align 0",
    )


# Branches


def test_if_with_uniform_condition_joins():
    body = """
    %p = arith.cmpi slt, %n, %m : index
    %r = scf.if %p -> (index) {
      %a16 = arith.muli %n, %c16 : index
      scf.yield %a16 : index
    } else {
      scf.yield %c8 : index
    }
    """
    k = Analysed(body)
    assert k.shape("r") == "uniform align 8"
    assert not k.divergence.is_divergent(k.op("scf.if"))


def test_if_with_varying_condition_makes_results_varying():
    body = """
    %p = arith.cmpi slt, %gid, %n : index
    %r, %s = scf.if %p -> (index, index) {
      %u = arith.addi %n, %c1 : index
      scf.yield %c16, %m : index, index
    } else {
      scf.yield %c8, %m : index, index
    }
    """
    k = Analysed(body)
    # Lanes hold 16 or 8; the same value from both sides stays what it is.
    assert k.shape("r") == "varying align 8"
    assert k.shape("r", 1) == "uniform align 8"
    assert k.shape("s") == "uniform"
    assert k.divergence.is_divergent(k.op("scf.if"))
    assert k.divergence.is_divergent(k.op("scf.if"), 0)
    assert not k.divergence.is_divergent(k.op("scf.if"), 1)


def test_uniform_over_active_lanes_and_over_all():
    body = """
    %p = arith.cmpi slt, %gid, %n : index
    scf.if %p {
      %inside = arith.addi %n, %c1 : index
      scf.yield
    }
    %outside = arith.addi %m, %c1 : index
    """
    k = Analysed(body)
    assert k.shape("inside") == "uniform"
    assert not k.divergence.all_active(k.definition("inside"))
    assert k.divergence.all_active(k.definition("outside"))


def test_index_switch():
    body = """
    %r = scf.index_switch %n -> index
    case 1 {
      scf.yield %c16 : index
    }
    default {
      scf.yield %c8 : index
    }
    %s = scf.index_switch %lid -> index
    case 1 {
      scf.yield %c16 : index
    }
    default {
      scf.yield %c8 : index
    }
    """
    k = Analysed(body)
    assert (k.shape("r"), k.shape("s")) == ("uniform align 8", "varying align 8")
    assert [k.divergence.is_divergent(k.op("scf.index_switch", i)) for i in (0, 1)] == [
        False,
        True,
    ]


# Loops


def test_uniform_loop():
    body = """
    %r, %s, %p = scf.for %j = %c0 to %n step %c4
        iter_args(%a = %c8, %b = %lid, %q = %zero) -> (index, index, f32) {
      %a1 = arith.addi %a, %c16 : index
      %b1 = arith.addi %b, %c16 : index
      %v = memref.load %x[%b] : memref<?xf32>
      %q1 = arith.addf %q, %v : f32
      scf.yield %a1, %b1, %q1 : index, index, f32
    }
    """
    k = Analysed(body)
    assert k.shape("j") == "uniform align 4"
    assert k.shape("a") == "uniform align 8"
    assert k.shape("b") == "contiguous align 16 wrapping"
    assert (k.shape("r"), k.shape("s"), k.shape("p")) == (
        "uniform align 8",
        "contiguous align 16 wrapping",
        "varying",
    )
    assert not k.divergence.is_divergent(k.op("scf.for"))


def test_temporal_divergence_of_for():
    body = """
    %r, %kept = scf.for %j = %c0 to %lid step %c1
        iter_args(%count = %c0, %same = %m) -> (index, index) {
      %next = arith.addi %count, %c4 : index
      %first = arith.cmpi eq, %count, %c0 : index
      scf.yield %next, %same : index, index
    }
    """
    k = Analysed(body)
    # In one iteration all lanes count the same; afterwards they do not.
    assert k.shape("count") == "uniform align 4"
    assert k.shape("first") == "uniform"
    assert k.shape("r") == "varying align 4"
    assert k.shape("r", 1) == "uniform align 4"
    assert k.shape("kept") == "uniform"
    loop = k.op("scf.for")
    assert k.divergence.is_divergent(loop)
    assert not k.divergence.all_active(k.definition("next"))


def test_grid_stride_loop_is_contiguous_inside():
    body = """
    %step = spmd.global_size x
    scf.for %j = %gid to %n step %step {
      %v = memref.load %x[%j] : memref<?xf32>
      scf.yield
    }
    """
    k = Analysed(body)
    assert k.shape("j") == "contiguous"
    assert k.divergence.is_divergent(k.op("scf.for"))


def test_loop_over_a_window_is_uniform():
    body = """
    %end = arith.addi %lid, %c16 : index
    %r = scf.for %j = %lid to %end step %c1 iter_args(%s = %c0) -> (index) {
      %t = arith.addi %s, %c1 : index
      scf.yield %t : index
    }
    """
    k = Analysed(body)
    assert not k.divergence.is_divergent(k.op("scf.for"))
    assert (k.shape("j"), k.shape("r")) == ("contiguous", "uniform")


def test_loop_with_varying_step():
    body = """
    %step = arith.addi %lid, %c1 : index
    scf.for %j = %c0 to %n step %step {
      scf.yield
    }
    """
    k = Analysed(body)
    assert k.shape("j") == "varying"
    assert k.divergence.is_divergent(k.op("scf.for"))


def test_while_with_uniform_condition():
    body = """
    %r = scf.while (%s = %n) : (index) -> (index) {
      %more = arith.cmpi ugt, %s, %c0 : index
      scf.condition(%more) %s : index
    } do {
    ^bb0(%t: index):
      %half = arith.shrui %t, %c1 : index
      scf.yield %half : index
    }
    """
    k = Analysed(body)
    assert (k.shape("s"), k.shape("t"), k.shape("r")) == ("uniform",) * 3
    assert not k.divergence.is_divergent(k.op("scf.while"))


def test_while_with_divergent_exit():
    body = """
    %r, %kept, %out = scf.while (%s = %c0, %u = %m) : (index, index)
        -> (index, index, index) {
      %more = arith.cmpi slt, %s, %lid : index
      scf.condition(%more) %s, %u, %n : index, index, index
    } do {
    ^bb0(%t: index, %w: index, %o: index):
      %next = arith.addi %t, %c1 : index
      scf.yield %next, %w : index, index
    }
    """
    k = Analysed(body)
    assert (k.shape("s"), k.shape("t")) == ("uniform", "uniform")
    assert k.shape("r") == "varying"
    assert (k.shape("kept"), k.shape("out")) == ("uniform", "uniform")


def test_divergence_flows_around_a_loop():
    body = """
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%a = %c0) -> (index) {
      %b = scf.for %i2 = %c0 to %a step %c1 iter_args(%c = %c0) -> (index) {
        %d = arith.addi %c, %lid : index
        scf.yield %d : index
      }
      scf.yield %b : index
    }
    """
    k = Analysed(body)
    # The second iteration of the outer loop makes the inner one divergent.
    assert k.divergence.is_divergent(k.op("scf.for", 1))
    assert not k.divergence.is_divergent(k.op("scf.for", 0))
    assert k.shape("b") == "varying"


def test_execute_region():
    body = """
    %r = scf.execute_region -> (index) {
      %u = arith.addi %n, %c1 : index
      scf.yield %u : index
    }
    """
    assert shapes(body, "r") == ("uniform",)


# What is not known


def test_unknown_operations_are_varying():
    body = """
    %u = "test.pureop"() : () -> index
    %w = "test.op"(%n) ({
    ^bb0(%arg: index):
      %inner = arith.addi %n, %c1 : index
      "test.termop"() : () -> ()
    }) : (index) -> index
    """
    k = Analysed(body)
    assert (k.shape("u"), k.shape("w"), k.shape("arg")) == ("varying",) * 3
    assert k.shape("inner") == "uniform"
    assert not k.divergence.all_active(k.definition("inner"))


def test_values_made_after_the_analysis_are_varying():
    k = Analysed("%p = arith.addi %n, %c1 : index")
    clone = k.definition("p").clone()
    k.kernel.body.block.insert_op_before(clone, k.op("spmd.return"))
    assert str(k.divergence.shape(clone.results[0])) == "varying"
    assert not k.divergence.is_uniform(clone.results[0])


# Collectives


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("spmd.reduce add %v across work_group : f32", "uniform"),
        ("spmd.reduce add %v across sub_group : f32", "varying"),
        ("spmd.reduce add %f across sub_group : f32", "varying"),
        ("spmd.reduce max %f across sub_group : f32", "uniform"),
        ("spmd.scan inclusive add %v across work_group : f32", "varying"),
        ("spmd.scan inclusive max %f across work_group : f32", "uniform"),
        ("spmd.scan exclusive max %f across work_group : f32", "varying"),
        ("spmd.broadcast %v from %c0 across work_group : f32", "uniform"),
        ("spmd.broadcast %v from %c0 across sub_group : f32", "varying"),
        ("spmd.broadcast %f from %c0 across sub_group : f32", "uniform"),
        ("spmd.any %p across sub_group", "varying"),
        ("spmd.any %p across work_group", "uniform"),
        ("spmd.all %true across sub_group", "uniform"),
        ("spmd.ballot %true : i64", "varying"),
        ("spmd.shuffle xor %v, %c1 : f32", "varying"),
        ("spmd.shuffle idx %f, %lid : f32", "uniform"),
        ("spmd.elect", "varying"),
        ("spmd.atomic_rmw add %i, %counter[%c0] : memref<?xi32>", "varying"),
    ],
)
def test_collectives_in_a_work_group(op: str, expected: str):
    body = f"""
    %v = memref.load %x[%lid] : memref<?xf32>
    %p = arith.cmpi slt, %lid, %n : index
    %r = {op}
    """
    k = Analysed(body, ", %counter: memref<?xi32>")
    assert k.shape("r") == expected

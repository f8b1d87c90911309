"""What integers, conditions and views say about elements, against the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import spmd
from spmd.analysis.footprints.indices import Indices
from spmd.analysis.footprints.relations import AccessKind
from spmd.analysis.footprints.source_words import words_for
from spmd.dialects.spmd import KernelOp
from spmd.runtime.kernel import Kernel
from tests.analysis.footprints.traced import check_footprints, trace
from tests.execution.harness import parsed

CONSTANTS = "\n".join(f"  %c{n} = arith.constant {n} : index" for n in range(9))

ONE_ELEMENT: dict[str, str] = {
    "shift left": "%at = arith.shli %i, %c2 : index",
    "shift right": "%at = arith.shrui %i, %c1 : index",
    "shift of what is negative": """
  %less = arith.subi %i, %c8 : index
  %half = arith.shrsi %less, %c1 : index
  %at = arith.addi %half, %c4 : index""",
    "the least and the greatest": """
  %least = arith.minsi %i, %c7 : index
  %at = arith.maxui %c2, %least : index""",
    "an unsigned number": """
  %narrow = arith.index_cast %i : index to i32
  %wide = arith.extui %narrow : i32 to i64
  %at = arith.index_cast %wide : i64 to index""",
    "the size of a group": """
  %size = spmd.enqueued_local_size x
  %at = arith.addi %i, %size : index""",
    "signs that are equal": """
  %mixed = arith.xori %i, %c4 : index
  %differ = arith.cmpi slt, %mixed, %c0 : index
  %at = arith.select %differ, %c8, %i : index""",
    "signs that may differ": """
  %less = arith.subi %i, %c5 : index
  %mixed = arith.xori %less, %c4 : index
  %differ = arith.cmpi slt, %mixed, %c0 : index
  %at = arith.select %differ, %c8, %i : index""",
    "the extent of an array": """
  %size = memref.dim %x, %c0 : memref<?xf32>
  %less = arith.subi %size, %i : index
  %at = arith.subi %less, %c1 : index""",
}


def source_of(body: str, arguments: str) -> str:
    return f"""
spmd.kernel @k({arguments}) {{
{CONSTANTS}
  %zero = arith.constant 0.0 : f32
  %i = spmd.global_id x
{body}
  spmd.return
}}"""


def check(
    body: str, arguments: str, args: list[Any], size: tuple[int, int] = (12, 4)
) -> set[tuple[int, str]]:
    """The arrays whose bounds are not exact."""
    source = source_of(body, arguments)
    kernel = spmd.compile(source)["k"]
    assert isinstance(kernel, Kernel)
    found = kernel.footprints_in(*args, global_size=size[0], group_size=size[1])
    sizes = (size[0],), (size[1],)
    return check_footprints(found, trace(parsed(source), "k", args, *sizes), args)


@pytest.mark.parametrize("what", ONE_ELEMENT)
def test_integers(what: str):
    body = f"{ONE_ELEMENT[what]}\n  %w = memref.load %x[%at] : memref<?xf32>"
    assert not check(body, "%x: memref<?xf32>", [np.zeros(64, np.float32)])


def test_a_counter_that_a_loop_carries():
    body = """
  scf.for %k = %c0 to %c3 step %c1 iter_args(%a = %i) -> (index) {
    %v = memref.load %x[%a] : memref<?xf32>
    %next = arith.addi %c4, %a : index
    scf.yield %next : index
  }"""
    assert not check(body, "%x: memref<?xf32>", [np.zeros(64, np.float32)])


def elements_of(body: str, groups: range) -> range:
    """Of an array that 12 work-items in groups of four load from."""
    kernel = spmd.compile(source_of(body, "%x: memref<?xf32>"))["k"]
    assert isinstance(kernel, Kernel)
    found = kernel.footprints_in(np.zeros(64), global_size=12, group_size=4)
    region = found.elements(0, AccessKind.READ, (groups, range(1), range(1))).region
    assert region is not None
    return region[0]


def test_a_product():
    """Between the corners of the box of both factors."""
    body = """
  scf.for %k = %c2 to %c5 step %c1 {
    %at = arith.muli %i, %k : index
    %v = memref.load %x[%at] : memref<?xf32>
  }"""
    assert elements_of(body, range(1, 2)) == range(4 * 2, 7 * 4 + 1)


def test_a_quotient_with_few_values():
    """Each of them is a whole number: with a half in between there were more elements."""
    body = """
  %rest = arith.remui %i, %c8 : index
  %at = arith.addi %i, %rest : index
  %v = memref.load %x[%at] : memref<?xf32>"""
    assert elements_of(body, range(1, 3)) == range(4 + 4, 7 + 7 + 1)


@pytest.mark.parametrize("flag", ["", " overflow<nsw>"])
def test_a_sum_that_may_wrap(flag: str):
    module = parsed(f"""
spmd.kernel @k(%n: i32, %m: i32) {{
  %sum = arith.addi %n, %m{flag} : i32
  spmd.return
}}""")
    (kernel,) = (op for op in module.ops if isinstance(op, KernelOp))
    (total, _) = kernel.body.block.ops
    requires = Indices(kernel).of(total.results[0]).requires
    assert [(each.low, each.high) for each in requires] == (
        [] if flag else [(-(2**31), 2**31 - 1)]
    )


def test_a_sum_of_thousands():
    """Recursion would end where Python ends it."""
    sums = "\n".join(f"%s{n + 1} = arith.addi %s{n}, %one : index" for n in range(2000))
    module = parsed(f"""
spmd.kernel @k() {{
  %s0 = spmd.global_id x
  %one = arith.constant 1 : index
  {sums}
  spmd.return
}}""")
    (kernel,) = (op for op in module.ops if isinstance(op, KernelOp))
    first_id, *_, last, _ = kernel.body.block.ops
    indices = Indices(kernel)
    first = indices.of(first_id.results[0])
    assert (indices.of(last.results[0]).value - first.value).constant == 2000


@pytest.mark.parametrize("flag", [False, True])
@pytest.mark.parametrize("negated", [False, True])
def test_a_flag_of_the_launch(flag: bool, negated: bool):
    body = f"""
  %true = arith.constant true
  %not = arith.xori %flag, %true : i1
  scf.if %{"not" if negated else "flag"} {{
    memref.store %zero, %x[%i] : memref<?xf32>
  }}"""
    args = [flag, np.zeros(12, np.float32)]
    assert not check(body, "%flag: i1, %x: memref<?xf32>", args)


@pytest.mark.parametrize("constant", ["true", "false"])
def test_a_condition_that_is_known(constant: str):
    body = f"""
  %known = arith.constant {constant}
  scf.if %known {{
    memref.store %zero, %x[%i] : memref<?xf32>
  }}"""
    assert not check(body, "%x: memref<?xf32>", [np.zeros(12, np.float32)])


@pytest.mark.parametrize("predicate", ["slt", "ult", "sge", "uge", "eq", "ne"])
def test_comparisons_of_what_may_be_negative(predicate: str):
    body = f"""
  %less = arith.subi %i, %c5 : index
  %some = arith.cmpi {predicate}, %less, %n : index
  scf.if %some {{
    memref.store %zero, %x[%i] : memref<?xf32>
  }}"""
    for n in (-2, 0, 3):
        args = [n, np.zeros(12, np.float32)]
        loose = check(body, "%n: index, %x: memref<?xf32>", args)
        assert not loose or predicate in ("ult", "uge", "ne")


def test_a_dimension_that_becomes_three():
    body = """
  %cube = memref.expand_shape %x [[0, 1, 2]] output_shape [2, 3, 4] : memref<24xf32> into memref<2x3x4xf32>
  scf.for %k = %c0 to %c2 step %c1 {
    %v = memref.load %cube[%k, %c1, %i] : memref<2x3x4xf32>
  }"""
    assert not check(body, "%x: memref<24xf32>", [np.zeros(24, np.float32)], (4, 4))


def test_dimensions_that_become_one():
    body = """
  %row = memref.collapse_shape %x [[0, 1]] : memref<3x4xf32> into memref<12xf32>
  %v = memref.load %row[%i] : memref<12xf32>"""
    check(body, "%x: memref<3x4xf32>", [np.zeros((3, 4), np.float32)])


def test_all_of_a_view():
    view = "memref<1x3xf32, strided<[?, 1], offset: ?>>"
    row = "memref<3xf32, strided<[1], offset: ?>>"
    body = f"""
  %from = memref.subview %x[%i, 2] [1, 3] [1, 1] : memref<?x?xf32> to {row}
  %to = memref.subview %y[%i, 1] [1, 3] [1, 1] : memref<?x?xf32> to {row}
  memref.copy %from, %to : {row} to {row}
  %all = memref.subview %y[%i, 1] [1, 3] [1, 1] : memref<?x?xf32> to {view}
  memref.copy %all, %all : {view} to {view}"""
    args = [np.zeros((12, 8), np.float32), np.zeros((12, 8), np.float32)]
    loose = check(body, "%x: memref<?x?xf32>, %y: memref<?x?xf32>", args)
    assert loose == {(0, "read"), (1, "read"), (1, "write")}


def test_one_of_two_arrays():
    body = """
  %some = arith.cmpi slt, %i, %c4 : index
  %either = arith.select %some, %x, %y : memref<?xf32>
  memref.store %zero, %either[%i] : memref<?xf32>"""
    args = [np.zeros(16, np.float32), np.zeros(16, np.float32)]
    arguments = "%x: memref<?xf32>, %y: memref<?xf32>"
    assert check(body, arguments, args) == {(0, "write"), (1, "write")}


def test_words_for_what_is_loaded():
    module = parsed("""
func.func @f(%n: memref<index>, %x: memref<?xi32>) {
  %only = memref.load %n[] : memref<index>
  %v = memref.load %x[%only] : memref<?xi32>
  %at = arith.index_cast %v : i32 to index
  func.return
}""")
    *_, last, _ = module.body.block.walk()
    assert words_for(last.results[0]) == "x[n[]]"

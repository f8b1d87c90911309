"""
Sub-group operations in native code and after every pass, against the interpreter.

Sub-group sizes, groups of one to three dimensions with tails, divergent control flow, all
kinds and types; with `vectorize` and with loops over lanes.
"""

from __future__ import annotations

import os
import re
from typing import Any

import pytest

import spmd
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.sub_groups_to_loops import SubGroupsToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.runtime.options import Strategy
from tests.execution.cases import of_each, one
from tests.execution.harness import (
    KERNELS,
    Arguments,
    Launch,
    Maker,
    check_native,
    check_passes,
    check_schedules,
)
from tests.execution.harness.comparing import EXACT

EVERYTHING = os.environ.get("SPMD_ALL_WIDTHS") == "1"
SIZES = (1, 2, 4, 8, 16, 32, 64)
LAUNCHES = (
    Launch((1,), (1,)),
    Launch((3,), (8,)),
    Launch((64,), (16,)),
    Launch((100,), (37,)),
    Launch((150,), (129,)),
    Launch((19, 7), (8, 3)),
    Launch((16, 8), (8, 4)),
    Launch((9, 5, 3), (4, 3, 2)),
)


def small(make: Maker) -> list[Any]:
    return [make.integers("i64", 0, 7, make.n), make.zeros("i64", make.n, 4)]


ARGUMENTS: dict[str, Arguments] = {
    "queries": one(lambda make: make.zeros("index", make.n, 4)),
    "votes": lambda make: [
        make.integers("i32", 0, 9, make.n),
        make.zeros("i64", make.n, 3),
        make.zeros("i1", make.n, 7),
    ],
    "shuffles": lambda make: [
        3,
        make.random("f32", make.n),
        make.zeros("f32", make.n, 11),
    ],
    "dynamic_arrays": lambda make: [make.random("i32", make.n), make.n % 5],
    "in_divergent_loops": small,
    "nested": lambda make: [
        3,
        make.integers("i32", -20, 20, make.n),
        make.zeros("i32", make.n),
    ],
    "exchange": lambda make: [
        make.random("i32", make.n),
        spmd.local(make.group_items),
    ],
    "with_atomics": lambda make: [
        make.integers("i32", 0, 50, make.n),
        make.zeros("i32", 1),
        make.zeros("i32", 1),
        make.zeros("i32", make.n),
    ],
    "private_arrays": lambda make: [
        make.random("i32", make.n, 4),
        make.zeros("i32", make.n),
    ],
    "vectors": lambda make: [
        make.random("i32", make.n, 4),
        make.zeros("i32", make.n),
    ],
    "work_group_sum": lambda make: [
        make.random("i32", make.n),
        make.zeros("i32", make.n),
        spmd.local(make.group_items),
    ],
}


NO_LEVELS = {
    # An inactive lane computes where its view would be from an undefined index.
    "private_arrays": ("mask-divergence",),
}


def sized(source: str, size: int) -> str:
    """`source` with a sub-group size."""
    return re.sub(
        r"(spmd\.kernel .*\)) \{",
        rf"\1 attributes {{sub_group_size = {size} : i64}} {{",
        source,
        count=1,
    )


def kernel(name: str, size: int) -> str:
    return sized((KERNELS / "sub_groups" / f"{name}.mlir").read_text(), size)


def test_there_are_arguments_for_every_kernel():
    assert sorted(ARGUMENTS) == sorted(
        path.stem for path in (KERNELS / "sub_groups").glob("*.mlir")
    )


@pytest.mark.parametrize("name", ARGUMENTS)
def test_the_order_of_work_items_does_not_matter(name: str):
    for launch in (LAUNCHES[3], LAUNCHES[5]):
        check_schedules(kernel(name, 8), ARGUMENTS[name], launch)


def runs() -> list[object]:
    """Every other size of each kernel as vectors, fewer of them as loops over lanes."""
    return [
        pytest.param(name, size, vectorize, id=f"{name}-{size}-{how}")
        for number, name in enumerate(ARGUMENTS)
        for place, size in enumerate(SIZES)
        for vectorize, how in ((True, "vectors"), (False, "loops"))
        if EVERYTHING or (number + place) % (2 if vectorize else 4) == 0
    ]


@pytest.mark.parametrize(("name", "size", "vectorize"), runs())
def test_native_code_does_the_same(name: str, size: int, vectorize: bool):
    turn = SIZES.index(size) + list(ARGUMENTS).index(name)
    for number, launch in enumerate(LAUNCHES):
        if EVERYTHING or (number + turn) % len(LAUNCHES) == 0:
            check_native(
                kernel(name, size), ARGUMENTS[name], launch, vectorize=vectorize
            )


@pytest.mark.parametrize("vectorize", [True, False], ids=["vectors", "loops"])
@pytest.mark.parametrize("name", ARGUMENTS)
def test_every_pass_keeps_the_meaning(name: str, vectorize: bool):
    after = VectorizePass() if vectorize else SubGroupsToLoopsPass()
    turn = list(ARGUMENTS).index(name) + vectorize
    size, launch = ((4, LAUNCHES[5]), (16, LAUNCHES[3]))[turn % 2]
    check_passes(
        kernel(name, size),
        ARGUMENTS[name],
        (launch,),
        SpmdToLoopsPass(),
        after,
        skip=NO_LEVELS.get(name, ()),
    )


INTEGERS = ("i8", "i16", "i32", "i64", "index")
FLOATS = ("f16", "bf16", "f32", "f64")
COMMON = ("add", "mul", "min", "max")
BITWISE = ("and", "or", "xor")
UNSIGNED = ("minui", "maxui")


def kinds_of(type_: str) -> tuple[str, ...]:
    if type_ == "i1":
        return BITWISE
    return COMMON if type_ in FLOATS else (*COMMON, *UNSIGNED, *BITWISE)


def collectives(type_: str) -> str:
    """Every kind in a reduction and both scans, in one branch of a divergent `scf.if`."""
    kinds = kinds_of(type_)
    stores: list[str] = []
    for number, kind in enumerate(kinds):
        for place, op in enumerate(
            (f"reduce {kind}", f"scan inclusive {kind}", f"scan exclusive {kind}")
        ):
            at = 3 * number + place
            stores.append(
                f"    %p{at} = arith.constant {at} : index\n"
                f"    %r{at} = spmd.{op} %v across sub_group : {type_}\n"
                f"    memref.store %r{at}, %out[%i, %p{at}] : {{out}}"
            )
    columns = 3 * len(kinds) + 2
    out = f"memref<?x{columns}x{type_}>"
    body = "\n".join(stores).replace("{out}", out)
    return f"""
spmd.kernel @collectives(%on: memref<?xi1>, %x: memref<?x{type_}>, %out: {out}) {{
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %n = spmd.sub_group_size
  %turn = arith.constant 1 : index
  %v = memref.load %x[%i] : memref<?x{type_}>
  %lane = spmd.lane_id
  %half = arith.divui %lane, %turn : index
  %a = arith.constant {columns - 2} : index
  %b = arith.constant {columns - 1} : index
  %first = spmd.broadcast %v from %c0 across sub_group : {type_}
  %other = spmd.shuffle rotate %v, %half : {type_}
  memref.store %first, %out[%i, %a] : {out}
  memref.store %other, %out[%i, %b] : {out}
  %mine = memref.load %on[%i] : memref<?xi1>
  scf.if %mine {{
{body}
  }}
  spmd.return
}}
"""


def values(type_: str) -> Arguments:
    columns = 3 * len(kinds_of(type_)) + 2

    def arguments(make: Maker) -> list[Any]:
        # Small whole floats: combined in any order they give the same.
        x = (
            make.integers(type_, 1, 3, make.n)
            if type_ in FLOATS
            else make.random(type_, make.n)
        )
        return [make.random("i1", make.n), x, make.zeros(type_, make.n, columns)]

    return arguments


@pytest.mark.parametrize("vectorize", [True, False], ids=["vectors", "loops"])
@pytest.mark.parametrize("type_", ["i1", *INTEGERS, *FLOATS])
def test_every_kind_of_every_type(type_: str, vectorize: bool):
    sizes = (2, 8) if vectorize else (4,)
    for number, size in enumerate(SIZES if EVERYTHING else sizes):
        launch = (Launch((53,), (24,)), Launch((70,), (70,)))[number % 2]
        source = sized(collectives(type_), size)
        check_native(
            source, values(type_), launch, vectorize=vectorize, tolerance=EXACT
        )


def test_the_size_is_the_compilers_choice_without_an_attribute():
    source = (KERNELS / "sub_groups" / "queries.mlir").read_text()
    for width in (4, "auto"):
        check_native(source, ARGUMENTS["queries"], Launch((40,), (40,)), width=width)


ALONE = """
spmd.kernel @alone(%x: memref<?xi32>, %out: memref<?xi64>)
    attributes {work_group_size = array<i64: 1>} {
  %i = spmd.global_id x
  %zero = arith.constant 0 : i32
  %v = memref.load %x[%i] : memref<?xi32>
  %p = arith.cmpi sgt, %v, %zero : i32
  %any = spmd.any %p across sub_group
  %lane = spmd.lane_id
  %bits = spmd.ballot %any : i64
  %sum = spmd.reduce add %v across sub_group : i32
  %before = spmd.scan exclusive mul %v across sub_group : i32
  %n = spmd.sub_group_size
  %a = arith.extsi %sum : i32 to i64
  %b = arith.extsi %before : i32 to i64
  %c = arith.index_cast %n : index to i64
  %d = arith.addi %a, %b : i64
  %e = arith.addi %d, %c : i64
  %f = arith.addi %e, %bits : i64
  memref.store %f, %out[%i] : memref<?xi64>
  spmd.return
}
"""


@pytest.mark.parametrize("vectorize", [True, False])
def test_groups_of_one_work_item(vectorize: bool):
    check_native(ALONE, of_each("i32", "i64"), Launch((7,), (1,)), vectorize=vectorize)


ROUNDS_OF_THEIR_OWN = """
spmd.kernel @k(%x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i = spmd.global_id x
  %lid = spmd.local_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %trips = arith.addi %lid, %c2 : index
  %r = scf.for %k = %c0 to %trips step %c1 iter_args(%a = %v) -> (i32) {
    %early = arith.cmpi ult, %k, %c2 : index
    scf.if %early {
      spmd.barrier
    }
    %s = spmd.reduce add %a across sub_group : i32
    scf.yield %s : i32
  }
  memref.store %r, %x[%i] : memref<?xi32>
  spmd.return
}
"""


@pytest.mark.parametrize("vectorize", [True, False])
@pytest.mark.parametrize("groups", [8, 20, 64])
def test_lanes_leave_a_loop_in_iterations_of_their_own(groups: int, vectorize: bool):
    """All that wait at the barrier are in the same iteration: those who left never come back."""
    launch = Launch((2 * groups + 3,), (groups,))
    check_native(ROUNDS_OF_THEIR_OWN, of_each("i32"), launch, vectorize=vectorize)


LOOPS_OF_BLOCKS = """
spmd.kernel @k(%x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %i = spmd.global_id x
  %lid = spmd.local_id x
  %trips = arith.remui %lid, %c3 : index
  cf.br ^outer(%c0 : index)
^outer(%j: index):
  %seen = memref.load %x[%i] : memref<?xi32>
  %sum = spmd.reduce add %seen across sub_group : i32
  cf.br ^inner(%c0, %sum : index, i32)
^inner(%k: index, %a: i32):
  %more = arith.cmpi ult, %k, %trips : index
  cf.cond_br %more, ^add, ^wait
^add:
  %b = spmd.reduce add %a across sub_group : i32
  %next_k = arith.addi %k, %c1 : index
  cf.br ^inner(%next_k, %b : index, i32)
^wait:
  spmd.barrier
  %all = spmd.reduce xor %a across sub_group : i32
  %number = arith.index_cast %j : index to i32
  %new = arith.addi %all, %number : i32
  memref.store %new, %x[%i] : memref<?xi32>
  %next_j = arith.addi %j, %c1 : index
  %again = arith.cmpi ult, %next_j, %c3 : index
  cf.cond_br %again, ^outer(%next_j : index), ^end
^end:
  spmd.return
}
"""


@pytest.mark.parametrize("vectorize", [True, False])
@pytest.mark.parametrize("strategy", ["auto", "continuations"])
def test_a_loop_left_in_different_iterations_inside_of_one_that_is_not(
    strategy: Strategy, vectorize: bool
):
    for groups in (3, 16, 100):
        launch = Launch((2 * groups + 1,), (groups,))
        check_native(
            LOOPS_OF_BLOCKS,
            of_each("i32"),
            launch,
            strategy=strategy,
            vectorize=vectorize,
        )


WAITING_AT_TIMES = ROUNDS_OF_THEIR_OWN.replace(
    "%early = arith.cmpi ult, %k, %c2 : index",
    """%w = memref.load %x[%i] : memref<?xi32>
    %l = arith.index_cast %w : i32 to index
    %early = arith.cmpi eq, %k, %l : index""",
)
"""Each work-item waits once, in an iteration that it has read."""


def test_lanes_in_different_iterations_of_a_loop_are_an_error():
    with pytest.raises(spmd.CompileError, match="in the same iteration of every loop"):
        check_native(WAITING_AT_TIMES, of_each("i32"), Launch((8,), (8,)))


def test_after_such_a_loop_lanes_are_together():
    inside = "%s = spmd.reduce add %a across sub_group : i32"
    after = "memref.store %r, %x"
    source = ROUNDS_OF_THEIR_OWN.replace(inside, "%s = arith.addi %a, %v : i32")
    source = source.replace(
        after,
        "%t = spmd.reduce add %r across sub_group : i32\n  memref.store %t, %x",
    )
    check_native(source, of_each("i32"), Launch((40,), (20,)))

"""Atomic instructions do what the atomics of the dialect mean; level 4 is all upstream."""

from __future__ import annotations

import shutil
import subprocess
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp

from spmd.passes.memory.lower_atomics import LowerAtomicsPass
from spmd.passes.pipelines.pipeline import flatten
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.sub_groups_to_loops import SubGroupsToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.runtime.parsing import make_context
from tests.execution.cases import CASES, Case
from tests.execution.harness import (
    LINES,
    Launch,
    Maker,
    check_native,
    check_passes,
    parsed,
)

INTEGER_KINDS = [
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
FLOAT_KINDS = ["add", "sub", "min", "max", "exchange"]


def kernel(type_: str, kinds: list[str]) -> str:
    """Every kind, on one element that all change and on one of each work-item's own."""
    shared, own = f"memref<?x3x{type_}>", f"memref<?x{type_}, strided<[?], offset: ?>>"
    ops = "\n".join(
        f"""
  %k{n} = arith.constant {n} : index
  %a{n} = spmd.atomic_rmw {kind} %v, %all[%k{n}, %c1] : {shared}
  %at{n} = arith.addi %first, %k{n} : index
  %b{n} = spmd.atomic_rmw {kind} %v, %own[%at{n}] ordering(acq_rel) : {own}
  memref.store %b{n}, %old[%i, %k{n}] : memref<?x10x{type_}>"""
        for n, kind in enumerate(kinds)
        if kind != "exchange"
    )
    return f"""
spmd.kernel @each(%x: memref<?x{type_}>, %all: {shared}, %own: {own}, %old: memref<?x10x{type_}>) {{
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %i = spmd.global_id x
  %first = arith.muli %i, %c10 : index
  %v = memref.load %x[%i] : memref<?x{type_}>{ops}
  %last = arith.constant 9 : index
  %at = arith.addi %first, %last : index
  %b = spmd.atomic_rmw exchange %v, %own[%at] : {own}
  memref.store %b, %old[%i, %last] : memref<?x10x{type_}>
  spmd.return
}}
"""


# Whoever finds its own number in its own element wins; in local memory, one wins for all.
EXCHANGES = """
spmd.kernel @exchanges(%x: memref<?xindex>, %won: memref<?x2xi1>, %first: memref<?xi32>)
    attributes {work_group_size = array<i64: 32>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %tile = spmd.local_alloc : memref<1xi32, #spmd.memory<local>>
  %count = spmd.local_alloc : memref<1xi32, #spmd.memory<local>>
  %i = spmd.global_id x
  %g = spmd.group_id x
  %l = spmd.local_id x
  %leads = arith.cmpi eq, %l, %c0 : index
  scf.if %leads {
    memref.store %zero, %tile[%c0] : memref<1xi32, #spmd.memory<local>>
    memref.store %zero, %count[%c0] : memref<1xi32, #spmd.memory<local>>
  }
  spmd.barrier
  %next = arith.addi %i, %c1 : index
  %old, %mine = spmd.atomic_cas %i, %next, %x[%i] ordering(seq_cst) : memref<?xindex>
  %none, %taken = spmd.atomic_cas %zero, %one, %tile[%c0] : memref<1xi32, #spmd.memory<local>>
  %add = arith.select %taken, %one, %zero : i32
  %before = spmd.atomic_rmw add %add, %count[%c0] scope(work_group) : memref<1xi32, #spmd.memory<local>>
  spmd.barrier
  %winners = memref.load %count[%c0] : memref<1xi32, #spmd.memory<local>>
  %is_one = arith.cmpi eq, %winners, %one : i32
  memref.store %mine, %won[%i, %c0] : memref<?x2xi1>
  memref.store %is_one, %won[%i, %c1] : memref<?x2xi1>
  spmd.return
}
"""


def changes(type_: str):
    def arguments(make: Maker) -> list[Any]:
        own = make.integers(type_, -50, 50, 2 * 10 * make.n)
        return [
            make.integers(type_, -50, 50, make.n),
            make.integers(type_, -50, 50, 10, 3),
            own[1::2],
            make.zeros(type_, make.n, 10),
        ]

    return arguments


def exchanged(make: Maker) -> list[Any]:
    x = make.range("index", make.n)
    x[::3] += 1
    return [x, make.zeros("i1", make.n, 2), make.zeros("i32", make.groups)]


KERNELS: list[tuple[str, Any]] = [
    *((kernel(t, INTEGER_KINDS), changes(t)) for t in ("i8", "i16", "i64", "index")),
    *((kernel(t, FLOAT_KINDS), changes(t)) for t in ("f32", "f64")),
    (EXCHANGES, exchanged),
]
IDS = ["i8", "i16", "i64", "index", "f32", "f64", "exchanges"]

VARIANTS = {
    "scalar": (SpmdToLoopsPass(), LowerAtomicsPass()),
    "loops": (SpmdToLoopsPass(), SubGroupsToLoopsPass()),
    "vectors": (SpmdToLoopsPass(), VectorizePass(8)),
}


def launches(source: str) -> list[Launch]:
    if "work_group_size" in source:
        return [Launch((100,), (32,))]
    return [LINES[1], LINES[3]]


@pytest.mark.parametrize("way", VARIANTS)
@pytest.mark.parametrize(("source", "arguments"), KERNELS, ids=IDS)
def test_every_pass_keeps_the_meaning(source: str, arguments: Any, way: str):
    module = check_passes(source, arguments, launches(source), *VARIANTS[way])
    assert not any(op.name.startswith("spmd.") for op in module.walk())


@pytest.mark.parametrize("vectorize", [True, False])
@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize(("source", "arguments"), KERNELS, ids=IDS)
def test_native_code_does_the_same(
    source: str, arguments: Any, threads: int, vectorize: bool
):
    for launch in launches(source):
        check_native(source, arguments, launch, threads=threads, vectorize=vectorize)


def vectorized(case: Case) -> ModuleOp:
    module = parsed(case.source).clone()
    for step in flatten((SpmdToLoopsPass(), VectorizePass(8))):
        step.apply(make_context(), module)
    return module


@pytest.mark.parametrize("case", CASES, ids=str)
def test_level_4_has_no_operation_of_the_dialect(case: Case):
    names = {op.name for op in vectorized(case).walk()}
    assert not [name for name in names if name.startswith("spmd.")]


@pytest.mark.skipif(
    shutil.which("mlir-opt") is None, reason="mlir-opt is not installed"
)
@pytest.mark.parametrize("case", CASES[::4], ids=str)
def test_upstream_reads_level_4(case: Case):
    subprocess.run(
        ["mlir-opt", "--allow-unregistered-dialect", "-o", "/dev/null"],
        input=str(vectorized(case)),
        text=True,
        check=True,
        capture_output=True,
    )

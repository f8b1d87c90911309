"""Extrema of floats as integers are the same floats: NaN, infinities, the sign of zero."""

from __future__ import annotations

from typing import Any

import pytest

from spmd.passes.lane_loops.lanes_to_loops import LanesToLoopsPass
from spmd.passes.masking.mask_divergence import MaskDivergencePass
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.passes.sub_groups.form_sub_groups import FormSubGroupsPass
from tests.execution.harness import Launch, Maker, check_native, check_passes

LAUNCHES = (Launch((129,), (64,)), Launch((40,), (8,)))
BITS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
RESULTS = {
    "%of_group": "spmd.reduce max %v across work_group",
    "%least": "spmd.reduce min %v across work_group",
    "%above": "spmd.reduce max %v across sub_group",
    "%below": "spmd.reduce min %v across sub_group",
    "%upto": "spmd.scan inclusive max %v across sub_group",
    "%before": "spmd.scan exclusive min %v across sub_group",
}


def kernel(type_: str) -> str:
    """Stores the bits of every extremum, with one pattern for all NaNs."""
    bits = f"i{BITS[type_]}"
    results = "\n".join(
        f"  {name} = {op} : {type_}\n  func.call @show({name}, %out, %{n}, %gid)"
        f" : ({type_}, memref<?x?x{bits}>, index, index) -> ()"
        for n, (name, op) in enumerate(RESULTS.items())
    )
    numbers = "\n".join(f"  %{n} = arith.constant {n} : index" for n in range(8))
    return f"""
func.func private @show(%v: {type_}, %out: memref<?x?x{bits}>, %row: index, %gid: index) {{
  %nan = arith.constant -1 : {bits}
  %is_nan = arith.cmpf uno, %v, %v : {type_}
  %own = arith.bitcast %v : {type_} to {bits}
  %shown = arith.select %is_nan, %nan, %own : {bits}
  memref.store %shown, %out[%row, %gid] : memref<?x?x{bits}>
  func.return
}}
spmd.kernel @extrema(%x: memref<?x{type_}>, %out: memref<?x?x{bits}>) {{
{numbers}
  %gid = spmd.global_id x
  %v = memref.load %x[%gid] : memref<?x{type_}>
{results}
  %up, %down = scf.for %i = %0 to %5 step %1 iter_args(%a = %v, %b = %v) -> ({type_}, {type_}) {{
    %at = arith.muli %i, %3 : index
    %far = arith.addi %at, %gid : index
    %p = memref.load %x[%far] : memref<?x{type_}>
    %q = memref.load %x[%i] : memref<?x{type_}>
    %first = arith.maximumf %p, %a : {type_}
    %next = arith.maximumf %first, %q : {type_}
    %less = arith.minimumf %b, %p : {type_}
    scf.yield %next, %less : {type_}, {type_}
  }}
  func.call @show(%up, %out, %6, %gid) : ({type_}, memref<?x?x{bits}>, index, index) -> ()
  func.call @show(%down, %out, %7, %gid) : ({type_}, memref<?x?x{bits}>, index, index) -> ()
  spmd.return
}}
"""


def arguments(type_: str, make: Maker) -> list[Any]:
    """In some groups all numbers are unusual, in others few."""
    x = make.bits(type_, make.n + 16)
    few = make.integers(type_, -2, 1, make.n + 16) * type(x[0])(-0.0)
    x[16:48], x[90:] = few[16:48], few[90:]
    return [x, make.zeros(f"i{BITS[type_]}", 8, make.n)]


@pytest.mark.parametrize("type_", BITS)
def test_extrema_of_floats_are_the_same(type_: str):
    source = kernel(type_)

    def made(make: Maker) -> list[Any]:
        return arguments(type_, make)

    check_passes(
        source,
        made,
        LAUNCHES,
        SpmdToLoopsPass(),
        FormSubGroupsPass(4),
        MaskDivergencePass(),
        LanesToLoopsPass(),
    )
    for launch in LAUNCHES:
        check_native(source, made, launch, vectorize=False)
        check_native(source, made, launch)
    for width in (1, 4, 16):
        check_native(source, made, LAUNCHES[0], width=width)


def test_integers_are_carried_where_floats_were():
    module = check_passes(
        kernel("f32"),
        lambda make: arguments("f32", make),
        LAUNCHES[:1],
        SpmdToLoopsPass(),
    )
    VectorizePass(width=4).apply(None, module)  # pyright: ignore[reportArgumentType]
    text = str(module)
    assert "maximumf" not in text
    assert "minimumf" not in text

"""Scans of work-groups are the same several elements at a time."""

from __future__ import annotations

from typing import Any

import pytest

from tests.execution.harness import (
    Launch,
    Maker,
    check_native_launches,
)

LAUNCHES = (
    Launch((512,), (256,)),
    Launch((100,), (37,)),
    Launch((5,), (16,)),
    Launch((24, 10), (8, 4)),
    Launch((40, 3), (40, 2)),
)
"""Whole vectors, some that are left over, too few, and rows of a plane that share a total."""

KINDS = {
    "i8": ("add", "maxui"),
    "i16": ("mul", "min"),
    "i32": ("add", "xor", "max"),
    "i64": ("add", "and", "minui"),
    "f32": ("add", "min"),
    "f64": ("add", "max"),
}


def kernel(type_: str, rank: int) -> str:
    """Stores all scans; in an own row each, and the values go on being needed."""
    scans = [
        f"spmd.scan {mode} {kind} %v across work_group"
        for kind in KINDS[type_]
        for mode in ("inclusive", "exclusive")
    ]
    stores = "\n".join(
        f"""
  %n{n} = arith.constant {n} : index
  %r{n} = {scan} : {type_}
  memref.store %r{n}, %out[%n{n}, %item] : memref<?x?x{type_}>"""
        for n, scan in enumerate(scans)
    )
    linear = "%item = arith.addi %gid, %zero : index"
    if rank == 2:
        linear = """
  %y = spmd.global_id y
  %row = spmd.global_size x
  %before = arith.muli %y, %row : index
  %item = arith.addi %before, %gid : index"""
    return f"""
spmd.kernel @scans(%x: memref<?x{type_}>, %out: memref<?x?x{type_}>) {{
  %zero = arith.constant 0 : index
  %gid = spmd.global_id x
  {linear}
  %v = memref.load %x[%item] : memref<?x{type_}>
{stores}
  memref.store %v, %x[%item] : memref<?x{type_}>
  spmd.return
}}"""


@pytest.mark.parametrize("rank", [1, 2])
@pytest.mark.parametrize("type_", KINDS)
def test_scans_of_all_kinds(type_: str, rank: int):
    def arrays(make: Maker) -> list[Any]:
        x = make.random(type_, make.n)
        if type_[0] == "f":
            # Sums of whole numbers are the same in any order.
            x = make.random("i8", make.n).astype(x.dtype)
        return [x, make.zeros(type_, 2 * len(KINDS[type_]), make.n)]

    launches = [launch for launch in LAUNCHES if len(launch.global_size) == rank]
    # Other options make it code for another target.
    for width in ("auto", 8, 16):
        check_native_launches(kernel(type_, rank), arrays, launches, width=width)

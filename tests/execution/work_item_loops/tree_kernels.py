"""A sum over a work-group as a tree, for what becomes of its loop and its conditions."""

from __future__ import annotations


def tree_kernel(start: int | None = None, attributes: str = "") -> str:
    """
    A kernel that sums `x` in each group of at most 64 work-items.

    The first distance is `start`, or else the first argument. Groups may be smaller than
    twice that.
    """
    argument = "%start: index, " if start is None else ""
    constant = "" if start is None else f"%start = arith.constant {start} : index"
    return f"""
spmd.kernel @tree({argument}%x: memref<?xi32>, %sums: memref<?xi32>) {attributes} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  {constant}
  %tile = spmd.local_alloc : memref<64xi32, #spmd.memory<local>>
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %group = spmd.group_id x
  %n = spmd.local_size x
  %v = memref.load %x[%gid] : memref<?xi32>
  memref.store %v, %tile[%lid] : memref<64xi32, #spmd.memory<local>>
  spmd.barrier
  %last = scf.while (%s = %start) : (index) -> index {{
    %more = arith.cmpi ugt, %s, %c0 : index
    scf.condition(%more) %s : index
  }} do {{
  ^bb0(%s: index):
    %low = arith.cmpi ult, %lid, %s : index
    %j = arith.addi %lid, %s : index
    %there = arith.cmpi ult, %j, %n : index
    %active = arith.andi %low, %there : i1
    scf.if %active {{
      %a = memref.load %tile[%lid] : memref<64xi32, #spmd.memory<local>>
      %b = memref.load %tile[%j] : memref<64xi32, #spmd.memory<local>>
      %c = arith.addi %a, %b : i32
      memref.store %c, %tile[%lid] : memref<64xi32, #spmd.memory<local>>
    }}
    spmd.barrier
    %half = arith.shrui %s, %c1 : index
    scf.yield %half : index
  }}
  %first = arith.cmpi eq, %lid, %c0 : index
  scf.if %first {{
    %sum = memref.load %tile[%c0] : memref<64xi32, #spmd.memory<local>>
    memref.store %sum, %sums[%group] : memref<?xi32>
  }}
  spmd.return
}}
"""

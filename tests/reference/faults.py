"""
Kernels as people write them when they make a mistake.

Each is a correct kernel with one edit: a barrier forgotten, an index off by one. `kind` is
what the checker has to find, `at` a piece of the op that it has to blame.
"""

from __future__ import annotations

from dataclasses import dataclass

from spmd.reference.checking.findings import Kind
from tests.execution.cases import CASES
from tests.execution.harness import Launch

CORRECT = {case.name: case for case in CASES}


@dataclass(frozen=True)
class Fault:
    title: str
    case: str
    edits: tuple[tuple[str, str], ...]
    kind: Kind
    at: str
    launch: Launch | None = None
    """Where the fault shows; else the last range of the case."""

    def __str__(self) -> str:
        return self.title.replace(" ", "-")

    @property
    def source(self) -> str:
        source = CORRECT[self.case].source
        for old, new in self.edits:
            if source.count(old) < 1:
                raise AssertionError(f"{self.title}: no '{old}' in {self.case}.mlir")
            source = source.replace(old, new, 1)
        return source

    def where(self) -> Launch:
        return self.launch or CORRECT[self.case].launches[-1]


def nth_barrier(case: str, number: int) -> tuple[tuple[str, str], ...]:
    """An edit that removes one barrier."""
    source = CORRECT[case].source
    lines = source.split("\n")
    at = [i for i, line in enumerate(lines) if line.strip() == "spmd.barrier"][number]
    start = "\n".join(lines[:at]) + "\n"
    return ((start + lines[at] + "\n", start),)


TAIL = Launch((40,), (16,))

RACES = (
    Fault(
        "reduction without a barrier after the loads",
        "barrier_in_while",
        nth_barrier("barrier_in_while", 0),
        "race",
        "%tile",
    ),
    Fault(
        "reduction without a barrier between its steps",
        "barrier_in_while",
        nth_barrier("barrier_in_while", 1),
        "race",
        "%tile[%j]",
    ),
    Fault(
        "scan in place",
        "scan_local",
        (("%to = arith.subi %c1, %from", "%to = arith.addi %from, %c0"),),
        "race",
        "%tiles",
    ),
    Fault(
        "scan with a barrier missing in the loop",
        "scan_local",
        nth_barrier("scan_local", 1),
        "race",
        "%tiles",
    ),
    Fault(
        "stencil that writes to its input",
        "stencil_halo",
        (("memref.store %m, %y[%i]", "memref.store %m, %x[%i]"),),
        "race between groups",
        "%x",
    ),
    Fault(
        "stencil that reads the tile before it is complete",
        "stencil_halo",
        nth_barrier("stencil_halo", 0),
        "race",
        "%tile",
    ),
    Fault(
        "tiled product without a barrier before the next tile",
        "gemm_tile",
        nth_barrier("gemm_tile", 1),
        "race",
        "%t",
    ),
    Fault(
        "tiled product without a barrier after loading a tile",
        "gemm_tile",
        nth_barrier("gemm_tile", 0),
        "race",
        "%t",
    ),
    Fault(
        "histogram with plain additions",
        "histogram",
        (
            (
                "%old = spmd.atomic_rmw add %one, %mine[%bin] scope(work_group) :",
                "%old = memref.load %mine[%bin] :",
            ),
            (
                "  spmd.barrier\n  scf.for",
                "  %new = arith.addi %old, %one : i32\n"
                "  memref.store %new, %mine[%bin] : memref<8xi32, #spmd.memory<local>>\n"
                "  spmd.barrier\n  scf.for",
            ),
        ),
        "race",
        "%mine[%bin]",
    ),
    Fault(
        "histogram that adds to the whole without atomics",
        "histogram",
        (
            (
                "%before = spmd.atomic_rmw add %count, %bins[%b] : memref<8xi32>",
                "%old_b = memref.load %bins[%b] : memref<8xi32>\n"
                "    %new_b = arith.addi %old_b, %count : i32\n"
                "    memref.store %new_b, %bins[%b] : memref<8xi32>",
            ),
        ),
        "race between groups",
        "%bins",
    ),
    Fault(
        "histogram whose bins are cleared while others count",
        "histogram",
        nth_barrier("histogram", 0),
        "race",
        "%mine",
    ),
    Fault(
        "sums of all groups in one place",
        "barrier_in_while",
        (("%out[%group]", "%out[%c0]"),),
        "race between groups",
        "%out",
    ),
    Fault(
        "output indexed by the local id",
        "barrier_exchange",
        (("%r, %x[%i]", "%r, %x[%l]"),),
        "race between groups",
        "%x",
    ),
    Fault(
        "shared element that is read before the leader wrote it",
        "group_leader",
        nth_barrier("group_leader", 0),
        "race",
        "%slot[]",
    ),
    Fault(
        "transpose without a barrier",
        "transpose_tile",
        nth_barrier("transpose_tile", 0),
        "race",
        "%tile",
    ),
    Fault(
        "last group that does not acquire the others' sums",
        "last_group",
        ((" ordering(acq_rel)", ""),),
        "race between groups",
        "%sums",
    ),
)


OUT_OF_BOUNDS = (
    Fault(
        "no bounds check, and more work-items than elements",
        "bounds_check",
        (("arith.cmpi ult, %i, %n", "arith.cmpi ule, %i, %i"),),
        "out of bounds",
        "%x[%i]",
    ),
    Fault(
        "bounds check that lets one too many through",
        "bounds_check",
        (("arith.cmpi ult, %i, %n", "arith.cmpi ule, %i, %n"),),
        "out of bounds",
        "%x[%i]",
    ),
    Fault(
        "stencil that reads left of the first element",
        "stencil_halo",
        (("arith.cmpi ugt, %i, %c0", "arith.cmpi uge, %i, %c0"),),
        "out of bounds",
        "%x[%j]",
    ),
    Fault(
        "stencil that reads right of the last element",
        "stencil_halo",
        (("arith.cmpi ult, %next, %all", "arith.cmpi ule, %next, %all"),),
        "out of bounds",
        "%x[%next]",
    ),
    Fault(
        "tile without room for the halo",
        "stencil_halo",
        tuple(("memref<66xf32", "memref<64xf32") for _ in range(6)),
        "out of bounds",
        "%tile",
        Launch((128,), (64,)),
    ),
    Fault(
        "tile smaller than the group",
        "barrier_exchange",
        tuple(("memref<64xf32", "memref<32xf32") for _ in range(3)),
        "out of bounds",
        "%tile",
    ),
    Fault(
        "reduction that does not mind the end of the tile",
        "barrier_in_while",
        (
            ("%active = arith.andi %low, %there", "%active = arith.ori %low, %there"),
            ("arith.cmpi ult, %j, %n", "arith.cmpi ule, %j, %j"),
        ),
        "out of bounds",
        "%tile[%j]",
    ),
    Fault(
        "bins taken from values that may be negative",
        "histogram",
        (("%low = arith.andi %v, %seven", "%low = arith.remsi %v, %seven"),),
        "out of bounds",
        "%mine[%bin]",
    ),
    Fault(
        "transpose with rows and columns confused",
        "transpose_tile",
        (("%w, %b[%ty, %tx]", "%w, %b[%tx, %ty]"),),
        "out of bounds",
        "%b[%tx, %ty]",
    ),
    Fault(
        "product whose depth is no multiple of the tile",
        "gemm_tile",
        (("%t = %c0 to %k step", "%t = %c1 to %k step"),),
        "out of bounds",
        "%a[%y, %ka]",
    ),
    Fault(
        "loop that runs once too often",
        "uniform_result",
        (
            ("%c0 to %n step", "%c0 to %more step"),
            ("  %s = scf.for", "  %more = arith.addi %n, %c1 : index\n  %s = scf.for"),
        ),
        "out of bounds",
        "%x[%j]",
    ),
    Fault(
        "scan that starts one to the left",
        "scan_local",
        (("%has = arith.cmpi uge, %l, %d", "%has = arith.cmpi uge, %d, %c0"),),
        "out of bounds",
        "%tiles[%from, %j]",
    ),
    Fault(
        "index into a private array that is not reduced to its size",
        "private_across_barrier",
        (("%three = arith.constant 3 : i32", "%three = arith.constant 7 : i32"),),
        "out of bounds",
        "%mine[%at]",
    ),
)

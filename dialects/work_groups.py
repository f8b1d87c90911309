"""
The attributes that mark a work-group in upstream operations (levels 1 to 4).

| attribute                  | on              | meaning                                       |
| -------------------------- | --------------- | --------------------------------------------- |
| `spmd.work_group_function` | `func.func`     | runs one work-group of the kernel it replaces |
| `spmd.work_group_size`     | `func.func`     | the nominal size X, Y, Z that the kernel fixes |
| `spmd.group_order`         | `func.func`     | the dimensions, the one first along which groups are numbered first |
| `spmd.work_items`          | `scf.for`       | its iterations are work-items, independent of each other; the dimension |
| `spmd.group_memory`        | `memref.alloca` | belongs to the work-group, not to a work-item |
| `spmd.context`             | `memref.alloca`, `memref.view` | keeps a value of each work-item (or one that all agree on) across barriers; why |
| `spmd.not_vectorized`      | loops, kernels  | why `vectorize` left them as they were        |
| `spmd.not_launched`        | `scf.parallel`  | why `parallel-loops-to-kernels` left it as it was |
| `spmd.near_edge`           | loads, gathers, loops | made only where lanes are not all neighbours |
| `spmd.groups`              | `scf.for`       | its iterations are work-groups of a launch    |
| `spmd.groups_between_polls` | `func.func`    | how many groups of a launch may run in a row without a poll |
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeGuard, cast

from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.hints import isa

from spmd.dialects.diagnostics import fail
from spmd.dialects.limits import CACHE_LINE
from spmd.dialects.names import GROUP_ORDER

WORK_GROUP_FUNCTION = "spmd.work_group_function"
WORK_GROUP_SIZE = "spmd.work_group_size"
WORK_ITEMS = "spmd.work_items"
GROUP_MEMORY = "spmd.group_memory"
GROUPS = "spmd.groups"
GROUPS_BETWEEN_POLLS = "spmd.groups_between_polls"
CONTEXT = "spmd.context"
NOT_VECTORIZED = "spmd.not_vectorized"
NOT_LAUNCHED = "spmd.not_launched"
NEAR_EDGE = "spmd.near_edge"
LIKELY = "spmd.likely"

FULL_SUFFIX = ".full"
"""`@k.full` is `@k` for groups of exactly the nominal size."""

SCRATCH_BYTES_SUFFIX = ".scratch_bytes"
"""`@k.scratch_bytes` gives the size of the trailing argument `%scratch` of `@k`."""

FOOTPRINTS = ("spmd.reads", "spmd.writes", "spmd.reduces")
"""Attributes of an argument of a kernel, for a reader: which elements are accessed."""


def work_group_functions(module: ModuleOp) -> Iterator[func.FuncOp]:
    """Those of `module`, which may be replaced while they are looked at."""
    return (
        op
        for op in module.body.block.ops
        if isinstance(op, func.FuncOp) and WORK_GROUP_FUNCTION in op.attributes
    )


def fixed_group_size(function: func.FuncOp) -> tuple[int, int, int] | None:
    """The nominal size of the work-groups that `function` runs, if it is fixed."""
    size = function.attributes.get(WORK_GROUP_SIZE)
    if size is None:
        return None
    x, y, z, *_ = (*cast(DenseArrayBase[IntegerType], size).get_values(), 1, 1)
    return x, y, z


def group_order(function: func.FuncOp) -> tuple[int, int, int]:
    """The dimensions of the work-groups of `function`, the first of their numbers first."""
    order = function.attributes.get(GROUP_ORDER)
    if order is None:
        return 0, 1, 2
    if isa(order, DenseArrayBase[IntegerType]):
        values = order.get_values()
        if sorted(values) == [0, 1, 2]:
            first, second, third = values
            return first, second, third
    fail(
        function,
        f"expected {GROUP_ORDER} = array<i64: 0, 1, 2> in some order, got {order}",
    )


def is_work_item_loop(op: Operation | None) -> TypeGuard[scf.ForOp]:
    """Whether the iterations of `op` are work-items."""
    return isinstance(op, scf.ForOp) and WORK_ITEMS in op.attributes


def work_item_dimension(loop: scf.ForOp) -> int:
    """0, 1 or 2 for a work-item loop in dimension x, y or z."""
    match dimensions := loop.attributes[WORK_ITEMS]:
        case DenseArrayBase(elt_type=IntegerType()):
            found = cast(DenseArrayBase[IntegerType], dimensions).get_values()
        case _:
            found = ()
    if len(found) != 1 or found[0] not in range(3):
        words = f"expected {WORK_ITEMS} = array<i64: D>, D 0, 1 or 2, got {dimensions}"
        fail(loop, words)
    return found[0]


def mark_work_items(loop: scf.ForOp, dimension: int) -> scf.ForOp:
    """Say that the iterations of `loop` are work-items."""
    loop.attributes[WORK_ITEMS] = DenseArrayBase.from_list(i64, [dimension])
    return loop


def range_arguments(function: func.FuncOp) -> Sequence[SSAValue]:
    """
    The group id, enqueued local size and global size of a work-group function.

    Each is three values, x first; with an argument for scratch memory they are not last.
    """
    arguments = function.args
    if arguments and isinstance(arguments[-1].type, MemRefType):
        arguments = arguments[:-1]
    return arguments[-9:]


CACHE_LINE_ALIGNMENT = IntegerAttr(CACHE_LINE, i64)
"""The property `alignment` of memory that begins with a cache line."""


def aligned_alloca(type_: Attribute, sizes: Sequence[SSAValue] = ()) -> memref.AllocaOp:
    """Memory that begins with a cache line."""
    return memref.AllocaOp.build(
        operands=[sizes, []],
        result_types=[type_],
        properties={"alignment": CACHE_LINE_ALIGNMENT},
    )


def is_group_memory(op: Operation | Block) -> bool:
    """Whether `op`, the owner of a memref, allocates memory of the work-group."""
    return isinstance(op, memref.AllocaOp) and GROUP_MEMORY in op.attributes


def is_private(array: SSAValue) -> bool:
    """Whether each work-item has an array of its own."""
    owner = array.owner
    return isinstance(owner, memref.AllocaOp) and not is_group_memory(owner)


def mark_group_memory(op: memref.AllocaOp) -> memref.AllocaOp:
    """Say that `op` allocates memory of the work-group."""
    op.attributes[GROUP_MEMORY] = UnitAttr()
    return op

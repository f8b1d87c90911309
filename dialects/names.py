"""
Names: functions of libm in `math` and of MLIR's runner, predicates of `arith.cmpi`, attributes
that users write.
"""

from __future__ import annotations

import re

UNARY = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "cbrt",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "log",
    "log10",
    "log1p",
    "log2",
    "sin",
    "sinh",
    "tan",
    "tanh",
]

BINARY = ["atan2", "pow"]

FUNCTIONS = {f"math.{name}": name for name in (*UNARY, *BINARY)} | {"math.powf": "pow"}
"""By the name of the op that is computed by it."""

PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
"""The predicates of `arith.cmpi`, which the op holds as positions in this list."""

FIRST_UNSIGNED = 6
"""The first of the unsigned ones, which come last, in the order of the signed ones."""

SWAPPED = (0, 1, 4, 5, 2, 3, 8, 9, 6, 7)
"""The predicate for exchanged operands: `sgt` for `slt`, and so on."""

NEGATED = (1, 0, 5, 4, 3, 2, 9, 8, 7, 6)
"""The predicate that holds where another does not: `sge` for `slt`, and so on."""

FULL_GROUPS = "spmd.full_groups"
"""Kernel attribute: a promise that no launch leaves a partial group."""

ANY_GROUP_SIZE = "spmd.any_group_size"
"""Kernel attribute: the launch takes any size of groups, of so many work-items at most."""

FEW_ITEMS = "spmd.few_items"
"""Kernel attribute: a promise that launches have less than `limits.FEW_ITEMS` work-items."""

GROUP_ORDER = "spmd.group_order"
"""Kernel attribute: the three dimensions, the one first along which groups are numbered first."""

GROUP_ATTRIBUTES = ANY_GROUP_SIZE, GROUP_ORDER
"""Kernel attributes with a value, which passes leave for each other."""

KERNEL_PROMISES = FULL_GROUPS, FEW_ITEMS
"""Kernel attributes without a value."""

NOALIAS = "spmd.noalias"
"""Argument attribute: what a launch writes here is reached only through this argument."""

SMALL = "spmd.small"
"""Argument attribute: from the first element of the array to its last there are less than
`limits.SMALL_ARRAY`, and there are some."""

STREAMED = "spmd.streamed"
"""
Argument attribute: what a launch writes here is more than caches hold, and not read again soon.

Its value, if it has one, is how many bytes after the start of a cache line each row begins, that
is the elements whose indices but for the last one are the same.
"""

PROMISES = NOALIAS, SMALL, STREAMED
"""Argument attributes of memrefs; but for `STREAMED` they have no value."""

THREAD_COPIES = "spmd.thread_copies"
"""
Argument attribute: a kernel only updates this array, atomically, by the kind that it names, so
that each thread may do it in a copy of its own.
"""

RUNNER_PRINT = re.compile(
    r"printMemref(Shape)?(\dd)?(?:I8|I16|I32|I64|Ind|F16|BF16|F32|F64)"
)
"""Functions of MLIR's runner that print a memref: its shape alone, and of a known rank."""

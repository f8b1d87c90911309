"""Arrays so short that registers hold all of them."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from spmd.analysis.memory.accesses import is_argument
from spmd.dialects.element_types import memref_layout, memref_type

MOST_ELEMENTS = 64
"""Whatever their type is; registers may hold less."""

MOST_OPERATIONS = 1.5
"""So many for each lane are faster than a gather; measured with AVX2 and AVX-512."""


def table_length(array: SSAValue) -> int | None:
    """
    How many elements `array` has, if it is in one piece, short, and all of it is there.

    That is so for memory of a fixed size which a launch gives, or an op allocates. What a view
    claims need not be there.
    """
    if not isinstance(array.owner, memref.AllocaOp) and not is_argument(array):
        return None
    layout = memref_layout(memref_type(array))
    if layout is None or not layout.is_identity or layout.rank != 1:
        return None
    if layout.element == i1:
        return None  # a byte in memory
    (length,) = layout.sizes
    return length if length is not None and length <= MOST_ELEMENTS else None


def operations_of_look_up(length: int, bits: int, register_bits: int) -> float | None:
    """
    What each lane costs that takes an element of `bits` from a table of so many, by
    permutations of registers; `None` if there are none, or that is more than a gather.

    Of several registers, all are permuted, and compared with the index to choose from.
    """
    if register_bits < 256:
        return None
    lanes = register_bits // max(32, bits)
    registers = -(-length // lanes)
    operations = (3 * registers - 2) / lanes
    return operations if operations <= MOST_OPERATIONS else None

"""Ops that only say which memory will be accessed."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from spmd.dialects.element_types import memref_type, size_in_bytes
from spmd.dialects.interfaces.memory import MemoryHint
from spmd.dialects.spmd import MAX_SUB_GROUP_SIZE
from spmd.dialects.work_groups import CACHE_LINE
from spmd.passes.widening.addresses import has_unit_stride
from spmd.passes.widening.emitter import clone_with
from spmd.passes.widening.lanes import Lanes, Strided, Uniform
from spmd.passes.widening.state import Widening


def widen_hint(widening: Widening, op: Operation) -> None:
    """
    | address       | becomes                                |
    | ------------- | -------------------------------------- |
    | uniform       | the op, once                           |
    | strided       | the op for one lane of each cache line |
    | anything else | the op for each lane                   |

    Inactive lanes ask as well, which does no harm. Private arrays are in the cache,
    and what differs between lanes is not worth a loop over them.
    """
    hint = MemoryHint.of(op)
    assert hint is not None
    memory, indices = op.operands[hint.operand], op.operands[hint.operand + 1 :]
    if memory in widening.private or widening.differs(memory):
        return
    array, held = widening.array(memory), [widening.of(index) for index in indices]
    for lane in range(0, widening.width, _lanes_in_one_line(memory, held)):
        address = [widening.of_lane(index, lane) for index in held]
        widening.append(clone_with(op, [array, *address], ()))


def _lanes_in_one_line(memory: SSAValue, indices: Sequence[Lanes]) -> int:
    """How many neighbouring lanes access one cache line, if the first one begins it."""
    if all(isinstance(index, Uniform) for index in indices):
        return MAX_SUB_GROUP_SIZE
    *outer, last = indices
    if not (
        isinstance(last, Strided)
        and has_unit_stride(memory)
        and all(isinstance(index, Uniform) for index in outer)
    ):
        return 1
    element = size_in_bytes(memref_type(memory).element_type)
    return max(1, CACHE_LINE // (element * max(1, abs(last.stride))))

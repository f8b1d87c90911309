"""Values in the words of the source: `column[j]`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import BlockArgument, Operation, SSAValue

from spmd.dialects.interfaces.computation import Elementwise
from spmd.dialects.interfaces.memory import MemoryAccess

_DEPTH = 4


def words_for(value: SSAValue, depth: int = _DEPTH) -> str:
    """What `value` is called, or how it is computed as far as that is short."""
    owner = value.owner
    if not isinstance(owner, Operation):
        return _name(value)
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return str(owner.value.value.data)
    if len(owner.operands) == 1 and Elementwise.of(owner) is not None:
        return words_for(owner.operands[0], depth)
    access = MemoryAccess.of(owner)
    indices = None if access is None else access.indices(owner)
    if access is not None and indices is not None and access.read is not None and depth:
        return element_words(owner.operands[access.read], indices, depth - 1)
    return value.name_hint or f"the result of {owner.name}"


def element_words(
    memory: SSAValue, indices: Sequence[SSAValue], depth: int = _DEPTH
) -> str:
    """`x[i, j]`."""
    return f"{_name(memory)}[{', '.join(words_for(i, depth) for i in indices)}]"


def _name(value: SSAValue) -> str:
    if value.name_hint:
        return value.name_hint
    return f"%{value.index}" if isinstance(value, BlockArgument) else "?"

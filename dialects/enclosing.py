"""What operations and values stand in, and what ends a block."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TypeVar, cast

from xdsl.dialects import scf
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.traits import IsTerminator

from spmd.dialects.diagnostics import fail
from spmd.dialects.names import SMALL, STREAMED

OpT = TypeVar("OpT", bound=Operation)


def enclosing(op: Operation, kind: type[OpT]) -> OpT | None:
    """The innermost operation of a kind around `op`."""
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, kind):
        parent = parent.parent_op()
    return parent


def function_around(op: Operation) -> FuncOp:
    """The function of `op`; an error if it stands in none, as in a kernel."""
    function = enclosing(op, FuncOp)
    if function is None:
        fail(op, f"expected {op.name} in a func.func, which spmd-to-loops makes")
    return function


def parent_block(op: Operation) -> Block:
    """The block of `op`, which stands in one."""
    assert op.parent is not None, f"{op.name} stands in a block"
    return op.parent


def terminator(block: Block) -> Operation:
    """What ends `block`, which is complete."""
    assert block.last_op is not None, "a block has a terminator"
    return block.last_op


def block_of(value: SSAValue) -> Block:
    """The block that defines `value`."""
    owner = value.owner
    return owner if isinstance(owner, Block) else parent_block(owner)


def op_of(value: SSAValue) -> Operation:
    """The operation that makes `value`, or in whose region it is an argument."""
    owner = value.owner
    op = owner if isinstance(owner, Operation) else owner.parent_op()
    assert op is not None, "a block stands in an operation"
    return op


def is_in_loop(op: Operation) -> bool:
    """Whether `op` stands in a structured loop, and so may run any number of times."""
    return any(enclosing(op, loop) is not None for loop in (scf.ForOp, scf.WhileOp))


def is_outside(value: SSAValue, op: Operation) -> bool:
    """Whether `value` is older than `op`, and so the same in all runs of its regions."""
    return not op.is_ancestor(value.owner)


def block_arguments(op: Operation) -> Iterator[BlockArgument]:
    """The arguments of all blocks of the regions of `op`."""
    for region in op.regions:
        for block in region.blocks:
            yield from block.args


def argument_attribute(value: SSAValue, name: str) -> Attribute | None:
    """The attribute `name` of `value` if it is an argument of a kernel or function."""
    if not isinstance(value, BlockArgument):
        return None
    function = value.block.parent_op()
    attributes = None if function is None else function.properties.get("arg_attrs")
    if not isinstance(attributes, ArrayAttr):
        return None
    own = cast(ArrayAttr[Attribute], attributes).data[value.index]
    return own.data.get(name) if isinstance(own, DictionaryAttr) else None


def is_streamed(array: SSAValue) -> bool:
    """Whether `array` is an argument that no cache holds."""
    return argument_attribute(array, STREAMED) is not None


def line_offset(array: SSAValue) -> int | None:
    """How many bytes after the start of a cache line each row of `array` begins, if it says so."""
    begin = argument_attribute(array, STREAMED)
    return begin.value.data if isinstance(begin, IntegerAttr) else None


def is_small(array: SSAValue) -> bool:
    """Whether `array` is an argument that has less than `SMALL_ARRAY` elements, and some."""
    return argument_attribute(array, SMALL) is not None


def used_from_outside(code: Operation | Block) -> dict[SSAValue, None]:
    """
    The values that `code` uses and that something else defines, in order.

    As `getUsedValuesDefinedAbove` of MLIR.
    """
    if isinstance(code, Operation) and not code.regions:
        return dict.fromkeys(code.operands)
    ops = tuple(code.walk())
    inside: set[object] = {code, *ops}
    for op in ops:
        for region in op.regions:
            inside.update(region.blocks)
    used = (value for op in ops for value in op.operands)
    return {value: None for value in used if value.owner not in inside}


def is_terminator(op: Operation) -> bool:
    """Whether `op` ends a block; of an unregistered one, xDSL's `has_trait` says so."""
    return _ends_block(type(op))


@lru_cache(256)  # unregistered ops have a class each
def _ends_block(kind: type[Operation]) -> bool:
    return kind.get_trait(IsTerminator) is not None

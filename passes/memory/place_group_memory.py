"""
Moves group memory that is too large for the stack to a buffer that the caller gives.

Allocations of constant size stay where they are as long as their sum is at most 16 KiB. What
is more, or has a size that depends on enqueued sizes alone, becomes a view of a last argument
`%scratch`, and a second function says how many bytes it needs for an enqueued local size. The
size of the rest nobody else can know; the memory comes from the heap. Here, with all calls inlined, is known how much
local memory of constant size a work-group has: more than the language allows is an error.

```mlir
// before
func.func @k(..., %ex: index, ...) attributes {spmd.work_group_function} {
  %v = memref.alloca(%ex) {alignment = 64 : i64, spmd.group_memory} : memref<?xf32>
  ...
}
// after
func.func @k(..., %ex: index, ..., %scratch: memref<?xi8>)
    attributes {spmd.work_group_function} {
  %v = memref.view %scratch[%c0][%ex] : memref<?xi8> to memref<?xf32>
  ...
}
func.func @k.scratch_bytes(%ex: index, %ey: index, %ez: index) -> index {
  %bytes = arith.muli %ex, %c4 overflow<nsw, nuw> : index
  ...
  func.return %total : index
}
```

Requires: `lower-memory-types`.
Ensures: group memory of constant size on the stack is at most 16 KiB, local memory of constant size at most
1 MiB in all; a function has the argument `%scratch` exactly if it has a `.scratch_bytes`
beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DictionaryAttr,
    IndexType,
    MemRefType,
    ModuleOp,
    NoneAttr,
    i8,
)
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from spmd.dialects.building import Builder, ConstantPool, Rematerializer
from spmd.dialects.diagnostics import fail
from spmd.dialects.element_types import static_bytes
from spmd.dialects.interfaces.speculation import is_speculatable_from
from spmd.dialects.limits import CACHE_LINE, MAX_LOCAL_BYTES, too_much_local_memory
from spmd.dialects.remarks import PlacedGroupMemory, remark
from spmd.dialects.rewriting import (
    NO_WRAP,
    constant_index,
    erase_dead_ops,
    hint,
    locate,
    merge_equal_ops,
    replace,
)
from spmd.dialects.work_groups import (
    CACHE_LINE_ALIGNMENT,
    CONTEXT,
    GROUPS,
    SCRATCH_BYTES_SUFFIX,
    is_group_memory,
    work_group_functions,
)
from spmd.passes.memory.lower_memory_types import LOCAL_SPACE

STACK_BYTES = 16 * 1024
"""How much group memory a work-group function may put on the stack."""

SCRATCH_TYPE = MemRefType(i8, (DYNAMIC_INDEX,))


@dataclass(frozen=True)
class PlaceGroupMemoryPass(ModulePass):
    """Large group memory in a buffer of the caller; see the module docstring."""

    name = "place-group-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        moved: set[str] = set()
        for function in tuple(work_group_functions(op)):
            place_group_memory(function)
            if function.args[-1].type == SCRATCH_TYPE:
                moved.add(function.sym_name.data)
        for call in tuple(op.walk()) if moved else ():
            if isinstance(call, func.CallOp):
                name = call.callee.string_value()
                if name in moved:
                    _pass_scratch(call, name + SCRATCH_BYTES_SUFFIX)


def place_group_memory(function: func.FuncOp) -> None:
    """Do to one work-group function what the pass does to all."""
    entry = function.body.blocks[0]
    allocas = [
        op
        for op in entry.ops
        if isinstance(op, memref.AllocaOp) and is_group_memory(op)
    ]
    _check_local_memory(allocas)
    enqueued = entry.args[-6:-3]
    moved = choose_moved(allocas, enqueued)
    stack = sum(
        _bytes(alloca)
        for alloca in allocas
        if alloca not in moved and not alloca.dynamic_sizes
    )
    if not moved:
        remark(PlacedGroupMemory, function, stack, 0)
        return
    scratch = hint(entry.insert_arg(SCRATCH_TYPE, len(entry.args)), "scratch")
    function.update_function_type()
    if function.arg_attrs is not None:
        function.arg_attrs = ArrayAttr((*function.arg_attrs.data, DictionaryAttr({})))

    sizes = func.FuncOp(
        function.sym_name.data + SCRATCH_BYTES_SUFFIX,
        ([IndexType()] * 3, [IndexType()]),
    )
    block = sizes.body.block
    for argument, letter in zip(block.args, "xyz", strict=True):
        hint(argument, f"e{letter}")
    given: dict[SSAValue, SSAValue] = dict(zip(enqueued, block.args, strict=True))
    total = _Layout(block, given.get)
    for alloca in moved:
        total.place(alloca)
    bytes_ = hint(total.end, "bytes")
    block.add_op(func.ReturnOp(bytes_))
    merge_equal_ops(block)
    erase_dead_ops(sizes.body)
    remark(PlacedGroupMemory, function, stack, constant_index(bytes_))
    locate(sizes, function)
    assert function.parent is not None
    function.parent.insert_op_after(sizes, function)

    layout = _Layout(entry, lambda size: size)
    for alloca in moved:
        layout.point = InsertPoint.before(alloca)
        layout.stands_for(alloca)
        offset = layout.place(alloca)
        replace(alloca, *_view(scratch, offset, alloca))


def _check_local_memory(allocas: Sequence[memref.AllocaOp]) -> None:
    """Fails if the local memory of a work-group is beyond the limit of the language."""
    total = 0
    for alloca in allocas:
        if alloca.memref.type.memory_space == LOCAL_SPACE:
            total += static_bytes(alloca.memref.type)
            if total > MAX_LOCAL_BYTES:
                why = too_much_local_memory(f"{total} with this allocation")
                fail(
                    alloca,
                    f"{why}, and allocate in the kernel what calls of a function can "
                    "share",
                )


def choose_moved(
    allocas: Sequence[memref.AllocaOp], enqueued: Sequence[SSAValue]
) -> list[memref.AllocaOp]:
    """
    The allocations that do not fit on the stack; the first ones of constant size stay.

    So do those whose size depends on more than the `enqueued` sizes, which no caller knows.
    """
    moved: list[memref.AllocaOp] = []
    total = 0
    for alloca in allocas:
        if alloca.dynamic_sizes:
            sizes = alloca.dynamic_sizes
            if all(is_speculatable_from(size, enqueued.__contains__) for size in sizes):
                moved.append(alloca)
        elif total + _bytes(alloca) > STACK_BYTES:
            moved.append(alloca)
        else:
            total += _bytes(alloca)
    # What has a constant size gets a constant offset.
    moved.sort(key=lambda alloca: bool(alloca.dynamic_sizes))
    return moved


def _pass_scratch(call: func.CallOp, bytes_name: str) -> None:
    """Give the work-group function a buffer, one for all groups of a launch."""
    launch: Operation = call
    parent = call.parent_op()
    while parent is not None and not isinstance(parent, func.FuncOp):
        if GROUPS in parent.attributes:
            launch = parent
        parent = parent.parent_op()
    size = func.CallOp(bytes_name, call.arguments[-6:-3], (IndexType(),))
    scratch = memref.AllocOp(size.results, (), SCRATCH_TYPE, CACHE_LINE_ALIGNMENT)
    hint(scratch.memref, "scratch")
    free = memref.DeallocOp.get(scratch)
    assert launch.parent is not None
    for op in (size, scratch, free):
        locate(op, call)
    launch.parent.insert_ops_before((size, scratch), launch)
    launch.parent.insert_op_after(free, launch)
    call.operands = (*call.operands, scratch.memref)


class _Layout(Builder):
    """
    Where one allocation after the other begins in `%scratch`, computed in a block.

    `known` says what enqueued sizes are called there. The offset is a number as long as all sizes are constants, a value from then on.
    """

    def __init__(self, block: Block, known: Callable[[SSAValue], SSAValue | None]):
        super().__init__(InsertPoint.at_end(block))
        self._constants = ConstantPool(block)
        self._sizes = Rematerializer(self, known)
        self._offset: int | SSAValue = 0

    @property
    def end(self) -> SSAValue:
        """The bytes so far."""
        if isinstance(self._offset, int):
            return self._constants.index(self._offset)
        return self._offset

    def place(self, alloca: memref.AllocaOp) -> SSAValue:
        """The offset at which `alloca` begins; those of constant size come first."""
        begin = self.end
        if not alloca.dynamic_sizes:
            assert isinstance(self._offset, int), "an allocation of constant size"
            self._offset += _bytes(alloca)
            return begin
        size = self._constants.index(static_bytes(alloca.memref.type))
        for extent in alloca.dynamic_sizes:
            size = self._without_wrap(arith.MuliOp, self._sizes.get(extent), size)
        end = size
        if self._offset != 0:
            end = self._without_wrap(arith.AddiOp, begin, size)
        # The next one begins a cache line.
        slack = self._constants.index(CACHE_LINE - 1)
        more = self._without_wrap(arith.AddiOp, end, slack)
        self._offset = self.add(arith.AndIOp(more, self._constants.index(-CACHE_LINE)))
        return begin

    def _without_wrap(
        self, op: type[arith.AddiOp | arith.MuliOp], a: SSAValue, b: SSAValue
    ) -> SSAValue:
        return self.add(op(a, b, overflow=NO_WRAP))


def _view(
    scratch: SSAValue, offset: SSAValue, alloca: memref.AllocaOp
) -> tuple[tuple[Operation, ...], tuple[SSAValue, ...]]:
    """The part of `scratch` that begins at `offset`, of the type of `alloca`."""
    type_ = alloca.memref.type
    plain = MemRefType(type_.element_type, type_.shape, type_.layout)
    view = memref.ViewOp(scratch, offset, alloca.dynamic_sizes, plain)
    if CONTEXT in alloca.attributes:
        view.attributes[CONTEXT] = alloca.attributes[CONTEXT]
    if isinstance(type_.memory_space, NoneAttr):
        return (view,), (view.result,)
    cast = memref.MemorySpaceCastOp(view, type_)
    return (view, cast), (cast.dest,)


def _bytes(alloca: memref.AllocaOp) -> int:
    """The cache lines of an allocation of constant size."""
    return -(-static_bytes(alloca.memref.type) // CACHE_LINE) * CACHE_LINE

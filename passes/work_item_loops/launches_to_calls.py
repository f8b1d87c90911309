"""
A launch as a call of whoever started the host function, who runs the kernel.

This is how the runtime runs host functions: it has threads, and compiles each kernel for
its work-group size. `spmd-to-loops` by itself makes loops over the groups instead.

```mlir
// before
spmd.launch @k global(%n) of(%e) (%a, %x) : f32, memref<?xf32>

// after
%record = memref.alloca() : memref<8xi64>
memref.store %zero, %record[%c0] : memref<8xi64>
memref.store %n_i64, %record[%c1] : memref<8xi64>
...
%address = memref.extract_aligned_pointer_as_index %record : memref<8xi64> -> index
func.call @spmd_launch(%number, %address) : (i64, index) -> ()
%done = memref.load %record[%c0] : memref<8xi64>
%launched = arith.cmpi ne, %done, %zero : i64
cf.assert %launched, "the launch of @k failed"
```

`%number` counts the launches of the module in the order of the source. The record holds,
each in 64 bits: 0, which the callee changes when all went well; the sizes; the group sizes;
and for each argument the bits of a number, zero-extended, or the pointer, offset, sizes
and strides of a memref, or the sizes of `local(...)`.

Requires: verified IR.
Ensures: no `spmd.launch` is left. Kernels stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, cf, func, memref
from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    i64,
)
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import SymbolTable
from xdsl.utils.hints import isa

from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.diagnostics import fail
from spmd.dialects.element_types import size_in_bytes
from spmd.dialects.enclosing import function_around
from spmd.dialects.spmd import LaunchOp, LocalArgument

LAUNCHER = "spmd_launch"
"""The function that is called, with the number of the launch and the address of the record."""


def launches_of(module: ModuleOp) -> list[LaunchOp]:
    """The launches of a module in the order of their numbers."""
    return [op for op in module.walk() if isinstance(op, LaunchOp)]


@dataclass(frozen=True)
class LaunchesToCallsPass(ModulePass):
    """Calls that ask for the launch of a kernel; see the module docstring."""

    name = "launches-to-calls"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        launches = launches_of(op)
        taken = SymbolTable.lookup_symbol(op, LAUNCHER)
        if launches and taken is not None:
            fail(
                taken,
                f"expected the name @{LAUNCHER} to be free for the function that starts "
                "launches; rename this one",
            )
        for number, launch in enumerate(launches):
            _Call(launch).write(number)
        if launches:
            declared = func.FuncOp.external(LAUNCHER, [i64, IndexType()], [])
            op.body.block.add_op(declared)


class _Call(Builder):
    """One launch while it is replaced."""

    def __init__(self, launch: LaunchOp):
        super().__init__(InsertPoint.before(launch), launch)
        self.launch = launch
        self.entry = function_around(launch).body.blocks[0]
        self.constants = ConstantPool(self.entry)

    def write(self, number: int) -> None:
        """Replaces the launch."""
        launch = self.launch
        zero = self.add(arith.ConstantOp(IntegerAttr(0, i64)))
        words = [zero, *self.words()]
        # Backwards, because each new constant goes to the head of the function.
        slots = [self.constants.index(slot) for slot in reversed(range(len(words)))]
        slots.reverse()
        record = self.record(len(words))
        for slot, word in zip(slots, words, strict=True):
            self.append(memref.StoreOp.get(word, record, [slot]))
        pointer = memref.ExtractAlignedPointerAsIndexOp.get(record)
        address = self.add(pointer, "address")
        position = self.add(arith.ConstantOp(IntegerAttr(number, i64)))
        self.append(func.CallOp(LAUNCHER, [position, address], []))
        done = self.add(memref.LoadOp.get(record, [slots[0]]), "done")
        launched = self.add(arith.CmpiOp(done, zero, "ne"), "launched")
        message = f"the launch of @{launch.kernel.root_reference.data} failed"
        self.append(cf.AssertOp(launched, message))
        Rewriter.erase_op(launch)

    def record(self, words: int) -> SSAValue:
        """Memory for the record: once per function call, also if the launch is in a loop."""
        alloca = memref.AllocaOp.get(i64, 64, (words,))
        return Builder.at_head(self.entry, self.launch).add(alloca, "record")

    def words(self) -> Iterator[SSAValue]:
        """What the record holds, in order."""
        for size in (*self.launch.sizes, *self.launch.group_size):
            yield self.word(size)
        for argument in self.launch.kernel_arguments():
            if isinstance(argument, LocalArgument):
                for size in argument.size_values:
                    yield self.word(size)
            elif isinstance(argument.type, MemRefType):
                pointer = memref.ExtractAlignedPointerAsIndexOp.get(argument)
                yield self.word(self.add(pointer))
                parts = memref.ExtractStridedMetaDataOp(argument)
                self.append(parts)
                for part in parts.results[1:]:
                    yield self.word(part)
            else:
                yield self.word(argument)

    def word(self, value: SSAValue) -> SSAValue:
        """The bits of a number, as many zeros in front as make 64."""
        if isinstance(value.type, IndexType):
            return self.add(arith.IndexCastOp(value, i64))
        if not isa(value.type, IntegerType):
            bits = IntegerType(8 * size_in_bytes(value.type))
            value = self.add(arith.BitcastOp(value, bits))
        if value.type == i64:
            return value
        return self.add(arith.ExtUIOp(value, i64))

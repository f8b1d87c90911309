"""
Atomics of the `spmd` dialect become instructions of the `llvm` dialect.

A work-group runs on one thread. So an operation whose scope is the work-group, or whose
memory is local or a copy of the thread (`spmd.thread_copies`), needs no instruction: nobody
else can be in between, and a load and a store do it. All others work on the pointer of the element.

```mlir
// before
%a = spmd.atomic_rmw add %v, %x[%i] : memref<?xi32>
%b = spmd.atomic_rmw max %v, %tile[%i] : memref<64xi32, 3 : i64>

// after
%base = "memref.extract_aligned_pointer_as_index"(%x) : (memref<?xi32>) -> index
%address = arith.index_cast %base : index to i64
%start = llvm.inttoptr %address : i64 to !llvm.ptr
%at = arith.index_cast %i : index to i64
%element = llvm.getelementptr inbounds %start[%at] : (!llvm.ptr, i64) -> !llvm.ptr, i32
%a = llvm.atomicrmw add %element, %v monotonic : !llvm.ptr, i32
%b = memref.load %tile[%i] : memref<64xi32, 3 : i64>
%most = arith.maxsi %b, %v : i32
memref.store %most, %tile[%i] : memref<64xi32, 3 : i64>
```

Every kind has its instruction, floats too (`fmaximum`, `fminimum`). `memref.atomic_rmw`
stays as it is.

Requires: level 1 or 4. It comes after the passes that must know what is atomic.
Ensures: no `spmd.atomic_rmw` and `spmd.atomic_cas` is left.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from spmd.dialects.building import Builder
from spmd.dialects.enclosing import argument_attribute
from spmd.dialects.interfaces.views import underlying_object
from spmd.dialects.names import THREAD_COPIES
from spmd.dialects.rewriting import replace
from spmd.dialects.spmd import AtomicCasOp, AtomicRmwOp, Kind
from spmd.dialects.spmd.atomics import AtomicKind, AtomicScope
from spmd.dialects.spmd.types import combine, is_float, is_local
from spmd.passes.memory.lower_memory_types import LOCAL_SPACE


@dataclass(frozen=True)
class LowerAtomicsPass(ModulePass):
    """Instructions instead of atomics of the dialect; see the module docstring."""

    name = "lower-atomics"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for each in tuple(op.walk()):
            if not isinstance(each, AtomicRmwOp | AtomicCasOp):
                continue
            if needs_no_instruction(each):
                _write_load_and_store(each)
            else:
                # Imported here: few kernels need the `llvm` dialect, which takes long.
                from spmd.passes.memory.atomic_instructions import write_instruction

                write_instruction(each)


def needs_no_instruction(op: AtomicRmwOp | AtomicCasOp) -> bool:
    """Whether only the thread of this work-group can get at the element."""
    type_ = op.memref_type
    return (
        is_local(type_)
        or type_.memory_space == LOCAL_SPACE
        or op.scope.data is AtomicScope.WORK_GROUP
        or argument_attribute(underlying_object(op.memref), THREAD_COPIES) is not None
    )


def _write_load_and_store(op: AtomicRmwOp | AtomicCasOp) -> None:
    at = Builder.before(op)
    old = at.add(memref.LoadOp.get(op.memref, op.indices))
    results = [old]
    if isinstance(op, AtomicCasOp):
        won = at.add(arith.CmpiOp(old, op.expected, "eq"))
        new = at.add(arith.SelectOp(won, op.new, old))
        results.append(won)
    elif op.kind.data is AtomicKind.EXCHANGE:
        new = op.value
    else:
        new = at.add(_update(op.kind.data, old, op.value))
    at.append(memref.StoreOp.get(new, op.memref, op.indices))
    replace(op, (), results)


def _update(kind: AtomicKind, old: SSAValue, value: SSAValue) -> Operation:
    if kind is AtomicKind.SUB:
        subtract = arith.SubfOp if is_float(value.type) else arith.SubiOp
        return subtract(old, value)
    return combine(Kind(kind.value), old, value)

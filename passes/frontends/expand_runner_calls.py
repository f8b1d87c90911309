r"""
Calls of the functions that MLIR's runner brings, as code: upstream's tests print and fill by them.

| function, declared without a body | becomes |
| --- | --- |
| `printMemrefF32` and the like, of memrefs of any rank; `printMemref2dF32` | a line on the layout, and all elements |
| `printMemrefShapeF32` and the like | that line alone |
| `printI64`, `printU64`, `printF32`, `printF64`, `printNewline`, `printComma`, `printOpen`, `printClose` | `spmd.print` |
| `fillResource1DFloat`, `fillResource2DInt` and the like | a loop that stores |
| `mgpuMemGetDeviceMemRef1dFloat`, `mgpuMemGetDeviceMemRef1dInt32` | the memory that it is given |

What is printed is what upstream prints (`mlir/ExecutionEngine/RunnerUtils.h`), but that memory
without elements has none.

Requires: verified IR.
Ensures: no such function is declared or called.

```mlir
// before
func.func private @printMemrefI32(memref<*xi32>)
func.func @main(%x: memref<8xi32>) {
  %any = memref.cast %x : memref<8xi32> to memref<*xi32>
  func.call @printMemrefI32(%any) : (memref<*xi32>) -> ()
  func.return
}
// after
func.func @main(%x: memref<8xi32>) {
  ...
  spmd.print "Unranked Memref base@ = 0x{u:x} rank = 1 offset = {} sizes = [{}] strides = [{}] data = \n["(...)
  scf.for %i = %c0 to %n step %c1 {
    %later = arith.cmpi ne, %i, %c0 : index
    scf.if %later {
      spmd.print ",  "
    }
    %v = memref.load %x[%i] : memref<8xi32>
    spmd.print "{}"(%v) : i32
  }
  spmd.print "]\n"
  func.return
}
```
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.type import get_element_type_or_self

from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.diagnostics import fail
from spmd.dialects.element_types import is_memref
from spmd.dialects.names import RUNNER_PRINT
from spmd.dialects.rewriting import erase_if_dead, replace
from spmd.dialects.spmd import PrintOp
from spmd.dialects.spmd.types import is_float
from spmd.passes.frontends.loop_nests import fill

_MESSAGES = {
    "printI64": "{}",
    "printU64": "{u}",
    "printF32": "{:g}",
    "printF64": "{:g}",
    "printNewline": "\n",
    "printComma": ", ",
    "printOpen": "( ",
    "printClose": " )",
}
_FILL = re.compile(r"fillResource[123]D(?:Float|Int|Int8)")
_SAME_MEMORY = re.compile(r"mgpuMemGetDeviceMemRef1d(?:Float|Int32)")


@dataclass(frozen=True)
class ExpandRunnerCallsPass(ModulePass):
    """Code instead of what MLIR's runner brings; see the module docstring."""

    name = "expand-runner-calls"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        declared = {
            function.sym_name.data: function
            for function in op.ops
            if isinstance(function, func.FuncOp) and function.is_declaration
        }
        found: set[str] = set()
        for call in tuple(op.walk()) if declared else ():
            if isinstance(call, func.CallOp):
                name = call.callee.root_reference.data
                if name in declared and _expand(name, call):
                    found.add(name)
        for name in found:
            Rewriter.erase_op(declared[name])


def _expand(name: str, call: func.CallOp) -> bool:
    """Put code in the place of `call`, if that is what it calls."""
    at, new = Builder.before(call), tuple[SSAValue, ...]()
    if (print_ := RUNNER_PRINT.fullmatch(name)) is not None:
        (memory,) = _expect(call, 1)
        printer = _Printer(at, _with_rank(call, memory))
        printer.print_all("Memref" if print_[2] else "Unranked Memref", not print_[1])
    elif (message := _MESSAGES.get(name)) is not None:
        at.append(print_op := PrintOp(message, call.arguments))
        try:
            print_op.verify_()
        except VerifyException as error:
            fail(call, str(error))
    elif _FILL.fullmatch(name):
        memory, value = _expect(call, 2)
        memory = _with_rank(call, memory)
        if value.type != (element := get_element_type_or_self(memory.type)):
            fail(call, f"expected a value of type {element}, got {value.type}")
        fill(at, memory, value)
    elif _SAME_MEMORY.fullmatch(name):
        new = _expect(call, 1)
    else:
        return False
    arguments = tuple(call.arguments)
    replace(call, (), new)
    for each in arguments:
        erase_if_dead(each)
    return True


class _Printer:
    """Prints one memref as upstream does."""

    def __init__(self, at: Builder, memory: SSAValue):
        self._at = at
        self._constants = ConstantPool(at.point.block)
        self._memory = memory
        layout = memref.ExtractStridedMetaDataOp(memory)
        at.append(layout)
        self._offset, self._sizes = layout.offset, layout.sizes
        self._strides = layout.strides

    def print_all(self, kind: str, data: bool) -> None:
        rank = len(self._sizes)
        pointer = memref.ExtractAlignedPointerAsIndexOp.get(self._memory)
        places = ", ".join(["{}"] * rank)
        self._print(
            f"{kind} base@ = 0x{{u:x}} rank = {rank} offset = {{}} sizes = [{places}] "
            f"strides = [{places}]" + (" data = \n" if data else ""),
            (self._at.add(pointer), self._offset, *self._sizes, *self._strides),
        )
        if data and rank:
            self._print_part(())
            self._print("\n")
        elif data:
            self._print("[")
            self._print_part(())
            self._print("]\n")

    def _print(self, message: str, values: Sequence[SSAValue] = ()) -> None:
        self._at.append(PrintOp(message, values))

    def _print_part(self, indices: Sequence[SSAValue]) -> None:
        """What has these first indices."""
        at, depth = self._at, len(indices)
        if depth == len(self._sizes):
            value = at.add(memref.LoadOp.get(self._memory, indices))
            self._print("{:g}" if is_float(value.type) else "{}", (value,))
            return
        zero, one = self._constants.index(0), self._constants.index(1)
        line = "" if depth + 1 == len(self._sizes) else "\n"
        self._print("[")
        with at.into(Block(arg_types=[IndexType()])) as body:
            index = body.args[0]
            later = at.add(arith.CmpiOp(index, zero, "ne"))
            with at.into(Block()) as between:
                self._print(f", {line}{' ' * (depth + 1)}")
                at.append(scf.YieldOp())
            at.append(scf.IfOp(later, [], [between]))
            self._print_part((*indices, index))
            at.append(scf.YieldOp())
        at.append(scf.ForOp(zero, self._sizes[depth], one, [], body))
        self._print("]")


def _expect(call: func.CallOp, number: int) -> tuple[SSAValue, ...]:
    """The arguments of `call`, so many."""
    if len(call.arguments) != number:
        fail(
            call,
            f"expected {number} arguments for @{call.callee.root_reference.data}, got "
            f"{len(call.arguments)}",
        )
    return tuple(call.arguments)


def _with_rank(call: func.CallOp, memory: SSAValue) -> SSAValue:
    """What `memory` is, before a cast that forgot its rank."""
    cast_ = memory.owner
    if not is_memref(memory.type) and isinstance(cast_, memref.CastOp):
        memory = cast_.source
    if not is_memref(memory.type):
        fail(call, f"expected a memref, or a memref.cast of one, got {memory.type}")
    return memory

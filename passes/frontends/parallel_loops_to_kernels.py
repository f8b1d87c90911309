"""
`scf.parallel` and `scf.forall` of any frontend to kernels, launched where the loop stood.

The last dimension becomes x, which neighbouring lanes share; loops that are all that is in
another join it, and more than three dimensions share z. Bounds and steps become the range
of the launch, values from around the loop arguments, constants are computed again. A
reduction is one of each work-group, and a loop over what the groups found. Group sizes go
by the cost of one iteration.

Loops that are known to do little stay where they are, as work-item loops, from which
`vectorize` makes lanes; so does any loop in a function that kernels call, and in kernels,
as one iteration after the other. What cannot be a kernel stays as it was, with
`spmd.not_launched = "reason"`.

Requires: verified IR. What is short for other ops becomes these first (`expand-ops`).
Ensures: each `scf.parallel` that is left has `spmd.not_launched`, or stands in one that has.

```mlir
// before
func.func @double(%x: memref<?xf32>, %n: index) {
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %x[%i] : memref<?xf32>
    %w = arith.addf %v, %v : f32
    memref.store %w, %x[%i] : memref<?xf32>
    scf.reduce
  }
  func.return
}

// after
spmd.kernel @double_loop(%x: memref<?xf32>) attributes {work_group_size = array<i64: 256>} {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %w = arith.addf %v, %v : f32
  memref.store %w, %x[%i] : memref<?xf32>
  spmd.return
}
func.func @double(%x: memref<?xf32>, %n: index) {
  %count = arith.maxsi %n, %c0 : index
  spmd.launch @double_loop global(%count) (%x) : memref<?xf32>
  func.return
}
```
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import SymbolTable

from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.element_types import is_memref
from spmd.dialects.enclosing import used_from_outside
from spmd.dialects.interfaces.expansion import expand_all
from spmd.dialects.rewriting import NO_WRAP, erase_dead_ops, hint, replace
from spmd.dialects.spmd import (
    Extent,
    GlobalIdOp,
    KernelOp,
    LaunchOp,
    ReturnOp,
)
from spmd.dialects.spmd.types import why_not_argument
from spmd.dialects.work_groups import NOT_LAUNCHED, WORK_GROUP_FUNCTION
from spmd.passes.frontends.group_size import cost_of, group_size_by_cost
from spmd.passes.frontends.loop_nests import (
    counter,
    known_trip_counts,
    merge_nest,
    outermost_parallel_loops,
    reduce_of,
    to_loops,
    to_work_item_loops,
    trip_counts,
)
from spmd.passes.frontends.outlining import (
    free_name,
    is_computed_again,
    use_inside,
    values_inside,
)
from spmd.passes.frontends.reductions import (
    partial_results_type,
    reduce_groups,
    reduce_in_group,
)

COST_OF_LAUNCH = 1 << 13
"""What a launch costs, about, in simple operations of lanes."""

COST_OF_THREADS = 1 << 19
"""What one thread does, in lanes, in the time that it takes to ask others for help."""

_UNKNOWN_EXTENT = 1 << 20


@dataclass(frozen=True)
class ParallelLoopsToKernelsPass(ModulePass):
    """Kernels instead of `scf.parallel`; see the module docstring."""

    name = "parallel-loops-to-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expand_all(op)
        for_work_items = _run_by_work_items(op)
        for function in tuple(op.ops):
            if function in for_work_items:
                for loop in reversed(outermost_parallel_loops(function)):
                    _to_loops_with_inner(loop)
            elif isinstance(function, func.FuncOp) and function.body.blocks:
                for loop in outermost_parallel_loops(function):
                    _convert(merge_nest(loop), function)


def _run_by_work_items(module: ModuleOp) -> set[Operation]:
    """The kernels of `module`, and the functions that they call, directly or not."""
    found: set[Operation] = set()
    worklist: list[Operation] = [
        op
        for op in module.ops
        if isinstance(op, KernelOp) or WORK_GROUP_FUNCTION in op.attributes
    ]
    while worklist:
        code = worklist.pop()
        if code in found:
            continue
        found.add(code)
        for op in code.walk():
            if isinstance(op, func.CallOp):
                callee = SymbolTable.lookup_symbol(module, op.callee)
                if callee is not None:
                    worklist.append(callee)
    return found


def _to_loops_with_inner(loop: scf.ParallelOp) -> None:
    for inner in outermost_parallel_loops(loop):
        _to_loops_with_inner(inner)
    to_loops(loop)


def _convert(loop: scf.ParallelOp, function: func.FuncOp) -> None:
    constants = ConstantPool(function.body.blocks[0])
    extents = known_trip_counts(loop)
    in_lanes = not loop.results and len(extents) <= 3
    iterations = prod(_UNKNOWN_EXTENT if n is None else n for n in extents)
    cost = iterations * cost_of(loop.body.block, _UNKNOWN_EXTENT)
    if cost < (COST_OF_THREADS if in_lanes else COST_OF_LAUNCH):
        for inner in outermost_parallel_loops(loop):
            _to_loops_with_inner(inner)
        if in_lanes:
            to_work_item_loops(loop, constants)
        else:
            to_loops(loop)
        return
    if (reason := why_not_parallel_loop_to_kernel(loop)) is not None:
        loop.attributes[NOT_LAUNCHED] = StringAttr(reason)
        return
    for inner in outermost_parallel_loops(loop):
        _to_loops_with_inner(inner)
    _Outlined(loop, function, constants).launch()


def why_not_parallel_loop_to_kernel(loop: scf.ParallelOp) -> str | None:
    """Why no kernel can do what `loop` does."""
    for value in used_from_outside(loop.body.block):
        if not is_computed_again(value) and (why := why_not_argument(value.type)):
            return f"it uses a value from outside that no kernel can get: {why}"
    for result in loop.results:
        why = why_not_argument(result.type)
        if why is not None or is_memref(result.type):
            return f"it reduces values of type {result.type}"
    for op in loop.body.walk():
        if isinstance(op, memref.AllocOp | memref.DeallocOp):
            return f"it has {op.name}: a work-item has memref.alloca"
        if isinstance(op, LaunchOp):
            return "it launches a kernel"
        if isinstance(op, func.CallOp):
            callee = SymbolTable.lookup_symbol(op, op.callee)
            if not isinstance(callee, func.FuncOp) or not callee.body.blocks:
                return f"it calls {op.callee}, which has no body"
            if any(isinstance(inner, LaunchOp) for inner in callee.walk()):
                return f"it calls {op.callee}, which launches a kernel"
    return None


class _Outlined:
    """One loop while it becomes a kernel and a launch."""

    def __init__(
        self, loop: scf.ParallelOp, function: func.FuncOp, constants: ConstantPool
    ):
        self.loop = loop
        self.function = function
        self.constants = constants
        self.at = Builder.before(loop)
        # x comes first, and is the last dimension of the loop.
        extents = [
            _UNKNOWN_EXTENT if n is None else n
            for n in reversed(known_trip_counts(loop))
        ]
        shared = (*extents[:2], prod(extents[2:]))[: len(extents)]
        self.group = group_size_by_cost(shared, cost_of(loop.body.block))

    def launch(self) -> None:
        """Put the kernel before the function, and the launch in the place of the loop."""
        loop, at = self.loop, self.at
        counts = trip_counts(at, self.constants, loop)[::-1]
        sizes, outer = counts[:2], counts[2:]
        if outer:
            rows = outer[0]
            for count in outer[1:]:
                rows = at.add(arith.MuliOp(rows, count), "rows")
            sizes.append(rows)
        partial, groups = self._partial_results(sizes)
        bounds = (*loop.lowerBound, *loop.step)
        captured = dict.fromkeys(
            (*used_from_outside(loop.body.block), *bounds, *outer[:-1])
        )
        passed = [value for value in captured if not is_computed_again(value)]
        arguments = (*passed, *partial)
        kernel = KernelOp(
            free_name(self.function, "loop"),
            [value.type for value in arguments],
            work_group_size=self.group[: len(sizes)],
        )
        kernel.location = loop.location
        function_block = self.function.parent
        assert function_block is not None, "functions stand in a module"
        function_block.insert_op_before(kernel, self.function)
        self._write(kernel, captured, passed, outer)
        name = kernel.sym_name.data
        at.append(LaunchOp(name, sizes, arguments, extent=Extent.GLOBAL))
        results: list[SSAValue] = []
        if groups is not None:
            results = reduce_groups(at, self.constants, loop, partial, groups)
        replace(loop, (), results)

    def _partial_results(
        self, sizes: Sequence[SSAValue]
    ) -> tuple[list[SSAValue], SSAValue | None]:
        """Memory for what each group reduces, and how many groups there are."""
        if not self.loop.results:
            return [], None
        at, groups = self.at, self.constants.index(1)
        for size, items in zip(sizes, self.group, strict=False):
            count = at.add(arith.CeilDivUIOp(size, self.constants.index(items)))
            groups = at.add(arith.MuliOp(groups, count, overflow=NO_WRAP), "groups")
        partial = [
            at.add(memref.AllocOp([groups], [], partial_results_type(result.type)))
            for result in self.loop.results
        ]
        return [hint(each, "partial") for each in partial], groups

    # The kernel

    def _write(
        self,
        kernel: KernelOp,
        captured: dict[SSAValue, None],
        passed: Sequence[SSAValue],
        outer: Sequence[SSAValue],
    ) -> None:
        """What `kernel` does; `outer` are the trip counts that share z, innermost first."""
        block = kernel.body.block
        at, constants = Builder.at_end(block, self.loop), ConstantPool(block)
        known = values_inside(captured, passed, block.args, at, constants)
        self._write_counters(at, known, outer)
        source = self.loop.body.block
        reduce = reduce_of(self.loop)
        at.move(op for op in source.ops if op is not reduce)
        if reduce.args:
            partial = block.args[len(passed) :]
            reduce_in_group(at, constants, reduce, partial, self.group)
        at.append(ReturnOp())
        use_inside(kernel, known)
        erase_dead_ops(kernel.body)

    def _write_counters(
        self, at: Builder, known: dict[SSAValue, SSAValue], outer: Sequence[SSAValue]
    ) -> None:
        loop = self.loop
        dimensions = ("x", "y", "z")[: len(loop.body.block.args)]
        numbers = [at.add(GlobalIdOp(each)) for each in dimensions]
        for count in outer[:-1]:
            rest = numbers.pop()
            numbers.append(at.add(arith.RemUIOp(rest, known[count])))
            numbers.append(at.add(arith.DivUIOp(rest, known[count])))
        for number, old, low, step in zip(
            reversed(numbers),
            loop.body.block.args,
            loop.lowerBound,
            loop.step,
            strict=True,
        ):
            new = counter(at, known[low], known[step], number, old)
            old.replace_all_uses_with(hint(new, old))

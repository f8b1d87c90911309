"""
Puts a check before every op that can be undefined, so that a launch ends in words.

What must hold, an op says itself (`dialects/interfaces/preconditions.py`): indices below
sizes, no division by zero, shifts by less than the width. Where it does not hold, the
launch ends with the words of `spmd.check`, with the work-item, the indices and the sizes;
the op is not executed.

```mlir
// before
%i = spmd.global_id x
%v = memref.load %x[%i] : memref<?xf32>

// after
%x_size_0 = memref.dim %x, %c0 : memref<?xf32>
%i = spmd.global_id x
%fault = arith.cmpi uge, %i, %x_size_0 : index
scf.if %fault {
  %global = spmd.global_id x
  %local = spmd.local_id x
  %group = spmd.group_id x
  spmd.fail "access out of bounds: [{}] of global memory %x of {} elements [memref.load] in
      work-item {} (local {} of work-group {})"(%i, %x_size_0, %global, %local, %group)
}
%v = memref.load %x[%i] : memref<?xf32>
```

There is no check of what ranges prove, or what a condition around the op or an earlier
check says. A result that is undefined without harm (a shift, a conversion to an integer) is
checked where it is computed, or, if only `arith.select` may take it, where that does. Flags
that rule out an overflow go: such a sum wraps around.

Requires: structured control flow and no calls around accesses (`spmd-inline-calls`,
`structurize-control-flow`); other code gets more checks than it needs.
Ensures: kernels and functions that execute only what is defined, or end with `spmd.fail`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import AnyFloat, ModuleOp, VectorType, i1
from xdsl.dialects.vector import CombiningKindAttr, CombiningKindFlag, ReductionOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.utils.hints import isa
from xdsl.utils.type import get_element_type_or_self

from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.building import ConstantPool
from spmd.dialects.interfaces.preconditions import (
    Case,
    Comparison,
    Fault,
    Terms,
    faults_of,
    is_only_a_check,
)
from spmd.dialects.messages import MAX_VALUES, escaped
from spmd.dialects.remarks import Checked, remark
from spmd.dialects.rewriting import erase_dead_ops
from spmd.dialects.spmd import (
    Dimension,
    DimensionOp,
    FailOp,
    GlobalIdOp,
    GroupIdOp,
    KernelOp,
    LocalIdOp,
)
from spmd.passes.kernels.known_conditions import KnownConditions


@dataclass(frozen=True)
class SpmdInsertChecksPass(ModulePass):
    """Checks before what can be undefined; see the module docstring."""

    name = "spmd-insert-checks"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.body.block.ops:
            if isinstance(function, KernelOp | func.FuncOp) and function.body.blocks:
                insert_checks(function)


def insert_checks(function: KernelOp | func.FuncOp) -> None:
    """Do to one kernel or function what the pass does to all of a module."""
    checks = _Checks(function)
    checks.visit(function)
    erase_dead_ops(function.body)
    remark(Checked, function, checks.inserted, checks.proven)


@dataclass(frozen=True)
class _Use:
    """Where a fault of an op does harm: at `op`, if the comparisons `chosen` hold."""

    op: Operation
    chosen: Case = ()


class _Checks:
    """Inserts the checks of one kernel or function."""

    def __init__(self, function: KernelOp | func.FuncOp):
        first = function.body.blocks[0].first_op
        assert first is not None
        self.function = function
        self.terms = Terms(ConstantPool(function.body.blocks[0]), first)
        self.known = KnownConditions(IntegerRanges())
        self.dimensions = _dimensions(function)
        self.inserted = self.proven = 0
        # Of what a flag rules out a range would take no notice.
        for op in function.walk():
            if "overflowFlags" in op.properties:
                op.properties["overflowFlags"] = arith.IntegerOverflowAttr("none")

    def visit(self, op: Operation) -> None:
        """Check all that is inside of `op`, given what is known around it."""
        for region in op.regions:
            for block in region.blocks:
                with self.known.inside(block):
                    for inner in tuple(block.ops):
                        self._check(inner)
                        self.visit(inner)

    def _check(self, op: Operation) -> None:
        self.terms.go_before(op)
        for fault in faults_of(op, self.terms):
            for use in _uses(op, fault, self.terms.constants.bit(False)):
                self._insert(op, fault, use)
        if is_only_a_check(op):
            Rewriter.erase_op(op)

    def _insert(self, op: Operation, fault: Fault, use: _Use) -> None:
        cases = [self.known.open((*use.chosen, *case)) for case in fault.cases]
        cases = [case for case in cases if case is not None]
        if not cases:
            self.proven += 1
            return
        self.inserted += 1
        self.terms.go_before(use.op)
        self.terms.stands_for(op)
        self._fail_if(self._any(cases), fault, op)
        for case in cases:
            self.known.rule_out(case)

    def _any(self, cases: Sequence[Case]) -> SSAValue:
        """Whether all comparisons of one of the cases hold."""
        return self._joined(arith.OrIOp, list(map(self._all, cases)))

    def _all(self, case: Case) -> SSAValue:
        if not case:
            return self.terms.constants.bit(True)
        holds = self._joined(arith.AndIOp, list(map(self._compare, case)))
        return self._in_any_element(holds)

    def _joined(
        self, kind: type[arith.AndIOp | arith.OrIOp], values: Sequence[SSAValue]
    ) -> SSAValue:
        first, *rest = values
        for value in rest:
            first = self.terms.add(kind(first, value))
        return first

    def _compare(self, comparison: Comparison) -> SSAValue:
        left, right = comparison.left, comparison.right
        floats = isinstance(get_element_type_or_self(left.type), AnyFloat)
        kind = arith.CmpfOp if floats else arith.CmpiOp
        return self.terms.add(kind(left, right, comparison.predicate))

    def _in_any_element(self, holds: SSAValue) -> SSAValue:
        """Of the elements of a vector of a work-item, any may be at fault."""
        if not isa(holds.type, VectorType):
            return holds
        reduction = ReductionOp.create(
            operands=[holds],
            result_types=[i1],
            properties={
                "kind": CombiningKindAttr(CombiningKindFlag.OR),
                "fastmath": arith.FastMathFlagsAttr("none"),
            },
        )
        return self.terms.add(reduction)

    def _fail_if(self, condition: SSAValue, fault: Fault, op: Operation) -> None:
        who, items = self._who()
        message, values = fault.message, (*fault.values, *items)
        if len(values) > MAX_VALUES:
            message, values = message.replace("{}", "?"), tuple(items)
        failing = Block()
        with self.terms.into(failing):
            self.terms.append(*items)
            text = f"{message} [{escaped(op.name)}] in {who}"
            self.terms.append(FailOp(text, values), scf.YieldOp())
        self.terms.append(scf.IfOp(condition, (), Region(failing)))
        condition.name_hint = condition.name_hint or "fault"

    def _who(self) -> tuple[str, Sequence[DimensionOp]]:
        """Who executes code of the function, with places for numbers, and the numbers."""
        if isinstance(self.function, func.FuncOp):
            return f"function @{escaped(self.function.sym_name.data)}", ()
        items = [
            *map(GlobalIdOp, self.dimensions),
            *map(LocalIdOp, self.dimensions),
            *map(GroupIdOp, self.dimensions),
        ]
        at = "{}"
        if len(self.dimensions) > 1:
            at = f"({', '.join('{}' for _ in self.dimensions)})"
        return f"work-item {at} (local {at} of work-group {at})", items


def _uses(op: Operation, fault: Fault, false: SSAValue) -> Iterator[_Use]:
    """Where an undefined result does harm: where only choices take it, those that do."""
    uses = [use for result in op.results for use in result.uses]
    if fault.of_value and all(
        isinstance(use.operation, arith.SelectOp)
        and use.index > 0
        and use.operation.cond.type == i1
        and use.operation.parent is op.parent
        for use in uses
    ):
        for use in uses:
            select = use.operation
            assert isinstance(select, arith.SelectOp)
            predicate = "ne" if use.index == 1 else "eq"
            yield _Use(select, (Comparison(predicate, select.cond, false),))
        return
    yield _Use(op)


def _dimensions(function: KernelOp | func.FuncOp) -> Sequence[Dimension]:
    """Those that a kernel asks for, or has work-items in, and those before."""
    used = {0}
    for op in function.walk():
        if isinstance(op, DimensionOp):
            used.add(op.dimension.data.number)
    if isinstance(function, KernelOp) and function.group_size is not None:
        used |= {n for n, size in enumerate(function.group_size) if size > 1}
    return tuple(Dimension)[: max(used) + 1]

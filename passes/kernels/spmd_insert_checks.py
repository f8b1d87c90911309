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
check says. A result that is undefined without harm (of a shift, of a shuffle from nobody, of
a sum that overflows although a flag rules it out) is checked where it is needed: stored,
decided on, an index (`undefined_values.py`). The flags go. So do `nnan` and `ninf`, without
checks, which would cost more than the arithmetic: results are as IEEE 754 has them.

Requires: structured control flow and no calls around accesses (`spmd-inline-calls`,
`structurize-control-flow`); other code gets more checks than it needs.
Ensures: kernels and functions that execute only what is defined, or end with `spmd.fail`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import AnyFloat, ModuleOp, VectorType, i1
from xdsl.dialects.vector import CombiningKindAttr, CombiningKindFlag, ReductionOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.utils.hints import isa
from xdsl.utils.type import get_element_type_or_self

from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.building import ConstantPool
from spmd.dialects.interfaces.computation import fast_math_flags, floats_ruled_out
from spmd.dialects.interfaces.preconditions import (
    Case,
    Comparison,
    Fault,
    Terms,
    faults_of,
    is_only_a_check,
    makes_undefined,
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
from spmd.passes.kernels.missing_lanes import attach_missing_lanes
from spmd.passes.kernels.undefined_values import Origin, Undefined, UndefinedValues


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


class _Checks:
    """Inserts the checks of one kernel or function."""

    def __init__(self, function: KernelOp | func.FuncOp):
        attach_missing_lanes()
        first = function.body.blocks[0].first_op
        assert first is not None
        self.function = function
        self.terms = Terms(ConstantPool(function.body.blocks[0]), first)
        self.known = KnownConditions(IntegerRanges())
        self.dimensions = _dimensions(function)
        self.inserted = self.proven = 0
        # Of what a flag rules out a range would take no notice.
        self.flags: dict[Operation, Attribute] = {}
        for op in function.walk():
            if "overflowFlags" in op.properties:
                self.flags[op] = op.properties["overflowFlags"]
                op.properties["overflowFlags"] = arith.IntegerOverflowAttr("none")
            if ruled_out := floats_ruled_out(op):
                flags = fast_math_flags(op).difference(ruled_out)
                op.properties["fastmath"] = arith.FastMathFlagsAttr(sorted(flags))
        makers = [op for op in function.walk() if makes_undefined(op)]
        sources = [origin for op in makers for origin in self._origins(op)]
        self.undefined = UndefinedValues(function, sources, self.terms)

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
        for undefined in self.undefined.needed(op):
            self._need(undefined, op)
        self.terms.go_before(op)
        if makes_undefined(op):
            self.undefined.visit(op, self._undefined(op))
            return
        for fault in faults_of(op, self.terms):
            self._insert(fault, op)
        self.undefined.visit(op, None)
        if is_only_a_check(op):
            Rewriter.erase_op(op)

    def _faults(self, op: Operation) -> Sequence[Fault]:
        """Those of an op that makes undefined values, which may have flags."""
        self.terms.go_before(op)
        if (flags := self.flags.get(op)) is None:
            return faults_of(op, self.terms)
        none, op.properties["overflowFlags"] = op.properties["overflowFlags"], flags
        faults = faults_of(op, self.terms)
        op.properties["overflowFlags"] = none
        return faults

    def _origins(self, op: Operation) -> list[Origin]:
        """What `op` may make, without leaving anything before it that tells when."""
        before = op.prev_op
        found = [Origin(op, f.message) for f in self._faults(op) if self._open(f)]
        while (last := op.prev_op) is not before and last is not None:
            if isinstance(last, arith.ConstantOp):
                break  # at the head, where others use them too
            Rewriter.erase_op(last)
        return found

    def _open(self, fault: Fault) -> list[Case]:
        """The cases of a fault that may come about."""
        cases = map(self.known.open, fault.cases)
        return [case for case in cases if case is not None]

    def _cheapest(self, fault: Fault, cases: Sequence[Case]) -> Sequence[Case]:
        """The open `cases` of a fault in the form that costs least."""
        return cases if fault.at_once is None or len(cases) < 2 else [fault.at_once()]

    def _undefined(self, op: Operation) -> Undefined | None:
        """Where `op` makes an undefined value of defined ones."""
        found = [(fault, self._open(fault)) for fault in self._faults(op)]
        cases = [case for fault, left in found for case in self._cheapest(fault, left)]
        self.proven += sum(not left for _, left in found)
        if not cases:
            return None
        origins = (Origin(op, f.message, f.values) for f, left in found if left)
        return Undefined(self._any(cases), tuple(origins))

    def _need(self, undefined: Undefined, op: Operation) -> None:
        """Fail before `op` where a value is undefined that it needs."""
        no = self.terms.constants.bit(False)
        cases = ((Comparison("ne", undefined.bit, no),),)
        origin, *others = undefined.origins
        if not others:
            self.terms.stands_for(origin.op)
            self._insert(Fault(origin.message, origin.values, cases), origin.op)
            return
        told = (each.elsewhere() for each in undefined.origins)
        words = " or ".join(
            f"{each.message} [{escaped(each.op.name)}]" for each in told
        )
        self._insert(Fault(f"an undefined value, of {words}, is needed", (), cases), op)

    def _insert(self, fault: Fault, op: Operation) -> None:
        """Fail where `op` has a fault, unless it is known that it has none."""
        cases = self._open(fault)
        if not cases:
            self.proven += 1
            return
        self.inserted += 1
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


def _dimensions(function: KernelOp | func.FuncOp) -> Sequence[Dimension]:
    """Those that a kernel asks for, or has work-items in, and those before."""
    used = {0}
    for op in function.walk():
        if isinstance(op, DimensionOp):
            used.add(op.dimension.data.number)
    if isinstance(function, KernelOp) and function.group_size is not None:
        used |= {n for n, size in enumerate(function.group_size) if size > 1}
    return tuple(Dimension)[: max(used) + 1]

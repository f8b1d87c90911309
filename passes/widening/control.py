"""The walk over a sub-group's body: uniform control flow around vector code."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, cf, memref, scf
from xdsl.dialects.builtin import MemRefType, i1
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from spmd.analysis.shapes.shape import Shape
from spmd.dialects.diagnostics import fail
from spmd.dialects.enclosing import is_terminator, terminator
from spmd.dialects.interfaces.computation import Elementwise, FunctionOfOperands
from spmd.dialects.interfaces.memory import MemoryHint, is_idempotent
from spmd.dialects.interfaces.views import makes_view
from spmd.dialects.rewriting import hint
from spmd.dialects.spmd import (
    AnyOp,
    AtomicRmwOp,
    FailOp,
    LaneIdOp,
    MaskedOp,
    convergence_of,
)
from spmd.passes.sub_groups.vector_forms import why_lane_by_lane, why_not_combined
from spmd.passes.widening.accesses.memory import widen_hint, widen_load, widen_store
from spmd.passes.widening.accesses.private_arrays import (
    is_size_of_private,
    widen_alloca,
    widen_size,
)
from spmd.passes.widening.atomics import widen_combined
from spmd.passes.widening.collectives import widen_collective
from spmd.passes.widening.emitter import clone_with
from spmd.passes.widening.lane_by_lane import widen_lane_by_lane
from spmd.passes.widening.lanes import Active, Lanes, Row, Strided, Uniform, Varying
from spmd.passes.widening.lanewise import from_first, widen_lanewise
from spmd.passes.widening.state import Widening
from spmd.passes.widening.votes import widen_assert, widen_fail


class SubGroupWidening(Widening):
    """The rewriting of one sub-group."""

    def run(self) -> None:
        """Replace the sub-group by vector code."""
        if self.group.counts:
            fail(
                self.group,
                "expected a sub-group whose lanes all exist, got one with a count; run "
                "mask-divergence first",
            )
        self.stands_for(self.group)
        self._number_lanes()
        self.widen_block(self.group.body.block, Active())
        self.place_before(self.group)
        Rewriter.erase_op(self.group, safe_erase=False)

    def _number_lanes(self) -> None:
        """The index of the lanes in each dimension: the first one steps, others per row."""
        before = 1
        (lane, *outer), (first, *others) = self.group.body.block.args, self.group.bases
        hint(first, lane)
        self.lanes[lane] = self.of_rows([Strided(first, 1)] * self.rows)
        for lane, first, extent in zip(
            outer, others, self.group.lane_shape[1:], strict=True
        ):
            hint(first, lane)
            steps = [
                self.of_lane(Strided(first, 1), step) if step else first
                for step in range(extent)
            ]
            here = [steps[row // before % extent] for row in range(self.rows)]
            self.lanes[lane] = self.of_rows([Uniform(step) for step in here])
            before *= extent

    def _lane_numbers(self) -> Lanes:
        numbers: list[Row] = []
        for row in range(self.rows):
            with self.in_row(row):
                numbers.append(self.lane_index)
        return self.of_rows(numbers)

    # The walk

    def widen_block(self, block: Block, active: Active) -> None:
        """Emit all ops of `block` but the terminator."""
        for op in block.ops:
            if not is_terminator(op):
                self.stands_for(op)
                self._widen(op, active)

    def _widen(self, op: Operation, active: Active) -> None:
        match op:
            case memref.LoadOp() if not self.differs(op.memref):
                widen_load(self, op, active)
            case memref.StoreOp() if not self.differs(op.memref):
                widen_store(self, op, active)
            case AtomicRmwOp() if why_not_combined(op, self.is_uniform) is None:
                widen_combined(self, op, active)
            case memref.AllocaOp():
                widen_alloca(self, op, active)
            case memref.DimOp() if is_size_of_private(self, op):
                widen_size(self, op)
            case MaskedOp():
                self._widen_masked(op, active)
            case LaneIdOp():
                self.hold(op, [self._lane_numbers()])
            case _ if convergence_of(op) is not None:
                widen_collective(self, op, active)
            case cf.AssertOp():
                widen_assert(self, op, active)
            case FailOp():
                widen_fail(self, op, active)
            case scf.IfOp():
                self._widen_if(op, active)
            case scf.IndexSwitchOp():
                self._widen_switch(op, active)
            case scf.ForOp():
                self._widen_for(op, active)
            case scf.WhileOp():
                self._widen_while(op, active)
            case _ if makes_view(op):
                self._widen_view(op, active)
            case _ if MemoryHint.of(op) is not None:
                widen_hint(self, op)
            case _ if Elementwise.of(op) is not None:
                widen_lanewise(self, op, active)
            case _ if self._is_done_once(op, active):
                self._widen_uniform(op, active)
            case _:
                widen_lane_by_lane(self, op, active, why_lane_by_lane(op))

    def _is_done_once(self, op: Operation, active: Active) -> bool:
        """Whether one run of `op` does what all active lanes do."""
        if op.regions or not all(map(self.is_uniform, op.operands)):
            return False
        is_pure = FunctionOfOperands.of(op) is not None
        return is_pure or (active.some and is_idempotent(op))

    def _widen_view(self, op: Operation, active: Active) -> None:
        """Views of memory are made once, or where a lane needs one of its own."""
        if all(map(self.is_uniform, op.operands)):
            self._widen_uniform(op, active)
            return
        for result in op.results:
            if isinstance(result.type, MemRefType):
                self.lane_views.add(result)
        if any(
            result.first_use is not None and result not in self.lane_views
            for result in op.results
        ):
            widen_lane_by_lane(self, op, active, why_lane_by_lane(op))

    def _widen_uniform(self, op: Operation, active: Active) -> None:
        """Views of memory and sizes are computed once."""
        operands: list[SSAValue] = []
        for operand in op.operands:
            if isinstance(operand.type, MemRefType):
                operands.append(self.array(operand))
            else:
                operands.append(self.once(operand, active))
        new = clone_with(op, operands, op.result_types)
        self.append(new)
        for old, result in zip(op.results, new.results, strict=True):
            hint(result, old)
            if isinstance(old.type, MemRefType):
                self.arrays[old] = result
            else:
                self.lanes[old] = Uniform(result)

    # Masks

    def _widen_masked(self, op: MaskedOp, active: Active) -> None:
        mask = self.of(op.mask)
        if active.mask is not None:
            mask = Varying(self.in_active(active, self.vector(mask), 0))
        block = op.body.block
        inner = Active(mask, active.all and op.mask in self.some)
        self.widen_block(block, inner)
        end = terminator(block)
        held = [self.of(value) for value in end.operands]
        if op.old:
            held = [
                self._blended(mask, new, self.of(old), name)
                for new, old, name in zip(held, op.old, op.res, strict=True)
            ]
        for result, value, lanes in zip(op.res, end.operands, held, strict=True):
            if isinstance(result.type, MemRefType):
                self.arrays[result] = self.array(value)
            else:
                self.lanes[result] = lanes

    def _blended(self, mask: Lanes, new: Lanes, old: Lanes, name: SSAValue) -> Lanes:
        if new == old:
            return new
        op = arith.SelectOp(self.vector(mask), self.vector(new), self.vector(old))
        return Varying(self.add(op, name))

    def _knowing(self, condition: SSAValue) -> set[SSAValue]:
        """The masks that are known to hold in some lane where `condition` is true."""
        owner = condition.owner
        masks: set[SSAValue] = set()
        if isinstance(owner, AnyOp):
            mask = owner.predicate
            while mask not in masks:
                masks.add(mask)
                # What is left of a mask is on only where the mask is.
                if isinstance(mask.owner, arith.SelectOp):
                    mask = mask.owner.cond
        return masks

    # Control flow

    def _new_args(self, block: Block, old: Sequence[BlockArgument]) -> None:
        """Give `block` the arguments `old` in the form that their shapes allow."""
        for arg in old:
            new = [
                hint(block.insert_arg(type_, len(block.args)), arg)
                for type_ in self._types_of(arg)
            ]
            self.lanes[arg] = self._held_as(new, arg)

    def _is_counted(self, value: SSAValue) -> bool:
        """Whether a value carried by control flow is held as a scalar."""
        shape = self.shape(value)
        return shape.is_uniform or (shape.is_strided and value.type != i1)

    def _types_of(self, value: SSAValue) -> list[Attribute]:
        """The types of what holds a value that control flow carries: a scalar per row."""
        if self.is_uniform(value):
            return [value.type]
        if self._is_counted(value):
            return [value.type] * self.rows
        return [self.vector_type(value.type)]

    def _held_as(self, new: Sequence[SSAValue], like: SSAValue) -> Lanes:
        """`new`, of the types `_types_of(like)`, as the lanes of `like`."""
        if self.is_uniform(like):
            return Uniform(new[0])
        if self._is_counted(like):
            return self.of_rows([from_first(each, self.shape(like)) for each in new])
        return Varying(new[0])

    def _in_forms_of(
        self, values: Sequence[SSAValue], likes: Sequence[SSAValue], active: Active
    ) -> list[SSAValue]:
        pairs = zip(values, likes, strict=True)
        return [
            each
            for value, like in pairs
            for each in self._in_form_of(self.of(value), like, active)
        ]

    def _in_form_of(
        self, held: Lanes, like: SSAValue, active: Active
    ) -> list[SSAValue]:
        """What is `held` as it must be to become `like`, a block argument or a result."""
        if self.is_uniform(like):
            return [self.scalar(held, active)]
        if not self._is_counted(like):
            return [self.vector(held)]
        shape, firsts = self.shape(like), list[SSAValue]()
        for row in range(self.rows):
            here, lanes = self.row_of(held, row), self.active_in(active, row)
            with self.in_row(row):
                firsts.append(self._first_of(here, shape, lanes))
        return firsts

    def _first_of(self, held: Lanes, shape: Shape, active: Active) -> SSAValue:
        """What lane 0 has, counted back from an active lane if need be."""
        if shape.is_uniform:
            return self.scalar(held, active)
        if isinstance(held, Strided):
            return held.first
        lanes = self.vector(held)
        assert shape.stride is not None
        element = lanes.type.element_type  # pyright: ignore
        steps = self.steps(element, shape.stride)  # pyright: ignore
        first = self.add(arith.SubiOp(lanes, steps))
        return self.scalar(Varying(first), active)

    def _emit_block(
        self,
        source: Block,
        target: Block,
        forms: Sequence[SSAValue],
        active: Active,
    ) -> None:
        """Emit `source` into `target`; it yields values in the forms of others."""
        with self.into(target):
            self.widen_block(source, active)
            yielded = self._in_forms_of(terminator(source).operands, forms, active)
            self.append(scf.YieldOp(*yielded))

    def _branch(self, source: Region, op: Operation, active: Active) -> Region:
        """`source` of `op`, as one that yields what the results of `op` become."""
        target = Block()
        self._emit_block(source.block, target, op.results, active)
        return Region(target)

    def _widen_if(self, op: scf.IfOp, active: Active) -> None:
        condition = self.once(op.cond, active)
        known = self._knowing(op.cond) - self.some
        self.some |= known
        then = self._branch(op.true_region, op, active)
        self.some -= known
        otherwise = None
        if op.false_region.blocks:
            otherwise = self._branch(op.false_region, op, active)
        types = [each for result in op.results for each in self._types_of(result)]
        new = scf.IfOp(condition, types, then, otherwise)
        self._finish(op, new, op.results)

    def _finish(self, op: Operation, new: Operation, forms: Sequence[SSAValue]) -> None:
        """Insert `new` for `op`; its results have the forms of `forms`."""
        new.attributes.update(op.attributes)
        self.stands_for(op)
        self.append(new)
        results = iter(new.results)
        for old, form in zip(op.results, forms, strict=True):
            held = [hint(next(results), old) for _ in self._types_of(form)]
            self.lanes[old] = self._held_as(held, form)

    def _widen_switch(self, op: scf.IndexSwitchOp, active: Active) -> None:
        number = self.once(op.arg, active)
        default, *cases = (self._branch(each, op, active) for each in op.regions)
        types = [each for result in op.results for each in self._types_of(result)]
        new = scf.IndexSwitchOp(number, op.cases, default, cases, types)
        self._finish(op, new, op.results)

    def _widen_for(self, op: scf.ForOp, active: Active) -> None:
        low, high, step = (self.once(v, active) for v in (op.lb, op.ub, op.step))
        source = op.body.block
        iter_args = source.args[1:]
        inits = self._in_forms_of(op.iter_args, iter_args, active)
        body = Block()
        self._new_args(body, source.args)
        self._emit_block(source, body, iter_args, active)
        new = scf.ForOp(low, high, step, inits, body)
        self._finish(op, new, iter_args)

    def _widen_while(self, op: scf.WhileOp, active: Active) -> None:
        test, body = op.before_region.block, op.after_region.block
        condition, end = test.last_op, body.last_op
        assert isinstance(condition, scf.ConditionOp)
        assert isinstance(end, scf.YieldOp)
        inits = self._in_forms_of(op.arguments, test.args, active)
        known = self._known_in_loop(op, condition, end) - self.some
        self.some |= known
        new_test, new_body = Block(), Block()
        self._new_args(new_test, test.args)
        with self.into(new_test):
            self.widen_block(test, active)
            go_on = self.once(condition.condition, active)
            forwarded = self._in_forms_of(condition.args, body.args, active)
            self.append(scf.ConditionOp(go_on, *forwarded))
        self._new_args(new_body, body.args)
        self._emit_block(body, new_body, test.args, active)
        self.some -= known
        types = [value.type for value in forwarded]
        new = scf.WhileOp(inits, types, Region(new_test), Region(new_body))
        self._finish(op, new, body.args)

    def _known_in_loop(
        self, op: scf.WhileOp, condition: scf.ConditionOp, end: scf.YieldOp
    ) -> set[SSAValue]:
        """The masks carried by a loop that hold in some lane whenever it goes on."""
        test, body = op.before_region.block, op.after_region.block
        inside = self._knowing(condition.condition)
        known: set[SSAValue] = {
            arg
            for arg, value in zip(body.args, condition.args, strict=True)
            if value in inside
        }
        for arg, init, following in zip(
            test.args, op.arguments, end.operands, strict=True
        ):
            at_start = init in self.some or self.ranges.of(init).value == -1
            if at_start and following in known:
                known.add(arg)
        return known

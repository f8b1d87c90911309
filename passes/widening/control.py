"""The walk over a sub-group's body: uniform control flow around vector code."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, cf, func, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType, i1, i64
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.traits import IsTerminator

from spmd.analysis.divergence import Divergence
from spmd.analysis.ranges import IntegerRanges
from spmd.analysis.shape import Shape
from spmd.dialects.diagnostics import fail
from spmd.dialects.rewriting import hint
from spmd.dialects.spmd import AllOp, AnyOp, LaneIdOp, MaskedOp, SubGroupOp
from spmd.dialects.work_groups import CACHE_LINE
from spmd.passes.constant_pool import ConstantPool
from spmd.passes.widening.emitter import Emitter, clone_with
from spmd.passes.widening.lanes import (
    Active,
    Lanes,
    Prefix,
    Strided,
    Uniform,
    Varying,
)
from spmd.passes.widening.lanewise import from_first, widen_lanewise
from spmd.passes.widening.memory import (
    PrivateArray,
    widen_alloca,
    widen_load,
    widen_store,
)


class Widening:
    """The rewriting of one sub-group."""

    def __init__(self, group: SubGroupOp, divergence: Divergence):
        self.group = group
        self._divergence = divergence
        function = group.parent_op()
        while not isinstance(function, func.FuncOp):
            assert function is not None, "a sub-group stands in a function"
            function = function.parent_op()
        self.function = function
        self._entry = function.body.block
        self.emitter = Emitter(group.width, ConstantPool(self._entry))
        self.ranges = IntegerRanges()
        self.lanes: dict[SSAValue, Lanes] = {}
        self.private: dict[SSAValue, PrivateArray] = {}
        self._arrays: dict[SSAValue, SSAValue] = {}
        self._some: set[SSAValue] = set()
        self.alignment = IntegerAttr(CACHE_LINE, i64)

    def run(self) -> None:
        """Replace the sub-group by vector code."""
        if self.group.counts or len(self.group.bases) != 1:
            fail(
                self.group,
                "expected a sub-group of one dimension whose lanes all exist, got "
                "another; run mask-divergence first",
            )
        (lane,), (first,) = self.group.body.block.args, self.group.bases
        hint(first, lane)
        self.lanes[lane] = Strided(first, 1)
        self.widen_block(self.group.body.block, Active())
        self.emitter.place_before(self.group)
        self.group.detach()
        self.group.erase(safe_erase=False)

    # What is known of values

    def of(self, value: SSAValue) -> Lanes:
        """How the lanes of a level 3 value are held."""
        return self.lanes.get(value) or Uniform(value)

    def array(self, value: SSAValue) -> SSAValue:
        """The array that all lanes access."""
        private = self.private.get(value)
        if private is not None:
            return private.array
        return self._arrays.get(value, value)

    def shape(self, value: SSAValue) -> Shape:
        return self._divergence.shape(value)

    def hold(self, op: Operation, results: Sequence[Lanes]) -> None:
        """Say how the results of `op` are held; they have the names of the old ones."""
        for old, new in zip(op.results, results, strict=True):
            match new:
                case (
                    Uniform(scalar=value) | Strided(first=value) | Varying(vector=value)
                ):
                    hint(value, old)
                case Prefix():
                    pass
            self.lanes[old] = new

    @property
    def zero(self) -> SSAValue:
        return self.emitter.constants.number(0, IndexType())

    @property
    def lane_index(self) -> Lanes:
        return Strided(self.zero, 1)

    def at_function_head(self, op: Operation) -> None:
        """Insert an allocation behind the constants of the function."""
        anchor = self._entry.first_op
        while isinstance(anchor, arith.ConstantOp):
            anchor = anchor.next_op
        assert anchor is not None, "an entry block has a terminator"
        self._entry.insert_op_before(op, anchor)

    def is_shared(self, array: memref.AllocaOp) -> bool:
        """Whether all lanes always store the same to the same element of `array`."""
        for use in array.memref.uses:
            store = use.operation
            if not isinstance(store, memref.StoreOp):
                continue
            alike = (store.value, *store.indices)
            if not all(self._divergence.is_uniform(each) for each in alike):
                return False
            parent = store.parent_op()
            while parent is not None and parent is not self.group:
                if isinstance(parent, MaskedOp):
                    return False
                parent = parent.parent_op()
        return True

    # The walk

    def widen_block(self, block: Block, active: Active) -> None:
        """Emit all ops of `block` but the terminator."""
        for op in block.ops:
            if not op.has_trait(IsTerminator):
                self.emitter.stands_for(op)
                self._widen(op, active)

    def _widen(self, op: Operation, active: Active) -> None:
        match op:
            case memref.LoadOp():
                widen_load(self, op, active)
            case memref.StoreOp():
                widen_store(self, op, active)
            case memref.AllocaOp():
                widen_alloca(self, op)
            case MaskedOp():
                self._widen_masked(op, active)
            case AnyOp():
                held = self.of(op.predicate)
                self.hold(op, [Uniform(self.emitter.any_lane(held))])
            case AllOp():
                held = self.of(op.predicate)
                self.hold(op, [Uniform(self.emitter.all_lanes(held))])
            case LaneIdOp():
                self.hold(op, [self.lane_index])
            case cf.AssertOp():
                self._widen_assert(op, active)
            case scf.IfOp():
                self._widen_if(op, active)
            case scf.IndexSwitchOp():
                self._widen_switch(op, active)
            case scf.ForOp():
                self._widen_for(op, active)
            case scf.WhileOp():
                self._widen_while(op, active)
            case _ if op.name.startswith(("arith.", "math.")):
                widen_lanewise(self, op, active)
            case _:
                self._widen_uniform(op, active)

    def _widen_uniform(self, op: Operation, active: Active) -> None:
        """Views of memory and sizes are computed once."""
        operands: list[SSAValue] = []
        for operand in op.operands:
            if isinstance(operand.type, MemRefType):
                operands.append(self.array(operand))
            else:
                operands.append(self._once(operand, active))
        new = clone_with(op, operands, op.result_types)
        self.emitter.append(new)
        for old, result in zip(op.results, new.results, strict=True):
            hint(result, old)
            if isinstance(old.type, MemRefType):
                self._arrays[old] = result
            else:
                self.lanes[old] = Uniform(result)

    def _once(self, value: SSAValue, active: Active) -> SSAValue:
        """A value that all active lanes have, as a scalar."""
        held = self.of(value)
        if isinstance(held, Uniform):
            return held.scalar
        if not self.shape(value).is_uniform:
            op = value.owner if isinstance(value.owner, Operation) else self.group
            fail(
                op,
                f"expected %{value.name_hint} to be the same in all lanes, got one "
                f"that is {self.shape(value)}; run mask-divergence first",
            )
        return self.emitter.scalar(held, active)

    # Masks

    def _widen_masked(self, op: MaskedOp, active: Active) -> None:
        mask = self.of(op.mask)
        if active.mask is not None:
            inside = Varying(
                self.emitter.insert(
                    arith.SelectOp(
                        self.emitter.vector(active.mask),
                        self.emitter.vector(mask),
                        self.emitter.dense(0, i1),
                    )
                )
            )
            mask = inside
        block = op.body.block
        inner = Active(mask, active.all and self._is_some(op.mask))
        self.widen_block(block, inner)
        end = block.last_op
        assert end is not None
        held = [self.of(value) for value in end.operands]
        if op.old:
            held = [
                self._blended(mask, new, self.of(old), name)
                for new, old, name in zip(held, op.old, op.res, strict=True)
            ]
        for result, value, lanes in zip(op.res, end.operands, held, strict=True):
            if isinstance(result.type, MemRefType):
                self._arrays[result] = self.array(value)
            else:
                self.hold_value(result, lanes)

    def hold_value(self, value: SSAValue, lanes: Lanes) -> None:
        self.lanes[value] = lanes

    def _blended(self, mask: Lanes, new: Lanes, old: Lanes, name: SSAValue) -> Lanes:
        if new == old:
            return new
        emitter = self.emitter
        op = arith.SelectOp(
            emitter.vector(mask), emitter.vector(new), emitter.vector(old)
        )
        return Varying(emitter.insert(op, name))

    def _is_some(self, mask: SSAValue) -> bool:
        """Whether it is known here that `mask` holds in some lane."""
        return mask in self._some

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

    def _widen_assert(self, op: cf.AssertOp, active: Active) -> None:
        """No lane that is on may fail."""
        held = self.of(op.arg)
        emitter = self.emitter
        if active.mask is not None:
            on = emitter.vector(active.mask)
            arg, fine = emitter.vector(held), emitter.all_on()
            held = Varying(emitter.insert(arith.SelectOp(on, arg, fine)))
        emitter.append(cf.AssertOp(emitter.all_lanes(held), op.msg))

    # Control flow

    def _new_args(self, block: Block, old: Sequence[BlockArgument]) -> None:
        """Give `block` the arguments `old` in the form that their shapes allow."""
        for arg in old:
            shape = self.shape(arg)
            counted = shape.is_uniform or (
                shape.is_strided and arg.type != i1 and not shape.is_undef
            )
            type_ = arg.type if counted else self.emitter.vector_type(arg.type)
            new = hint(block.insert_arg(type_, len(block.args)), arg)
            self.lanes[arg] = from_first(new, shape) if counted else Varying(new)

    def _in_form_of(self, value: SSAValue, like: SSAValue, active: Active) -> SSAValue:
        """`value` as it must be to become `like`, a block argument or a result."""
        held = self.of(value)
        shape = self.shape(like)
        if shape.is_uniform:
            return self.emitter.scalar(held, active)
        if shape.is_strided and like.type != i1:
            match held:
                case Strided(first=first):
                    return first
                case Uniform(scalar=scalar):
                    return scalar
                case _:
                    return self._first_of(held, shape, active)
        return self.emitter.vector(held)

    def _first_of(self, held: Lanes, shape: Shape, active: Active) -> SSAValue:
        """What lane 0 has, counted back from a lane that is on."""
        lanes = self.emitter.vector(held)
        assert shape.stride is not None
        element = lanes.type.element_type  # pyright: ignore
        steps = self.emitter.steps(element, shape.stride)  # pyright: ignore
        first = self.emitter.insert(arith.SubiOp(lanes, steps))
        return self.emitter.scalar(Varying(first), active)

    def _emit_block(
        self,
        source: Block,
        target: Block,
        forms: Sequence[SSAValue],
        active: Active,
    ) -> None:
        """Emit `source` into `target`; it yields values in the forms of others."""
        before = self.emitter.enter(target)
        self.widen_block(source, active)
        end = source.last_op
        assert end is not None
        yielded = [
            self._in_form_of(value, form, active)
            for value, form in zip(end.operands, forms, strict=True)
        ]
        self.emitter.append(scf.YieldOp(*yielded))
        self.emitter.leave(before)

    def _hold_results(self, op: Operation, new: Operation) -> None:
        for old, result in zip(op.results, new.results, strict=True):
            hint(result, old)
            shape = self.shape(old)
            if shape.is_uniform or (shape.is_strided and old.type != i1):
                self.lanes[old] = from_first(result, shape)
            else:
                self.lanes[old] = Varying(result)

    def _types_of(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        """Result types in the form that shapes allow."""
        types: list = []  # pyright: ignore
        for value in values:
            shape = self.shape(value)
            if shape.is_uniform or (shape.is_strided and value.type != i1):
                types.append(value.type)
            else:
                types.append(self.emitter.vector_type(value.type))
        return types  # pyright: ignore

    def _widen_if(self, op: scf.IfOp, active: Active) -> None:
        condition = self._once(op.cond, active)
        known = self._knowing(op.cond) - self._some
        then = Block()
        self._some |= known
        self._emit_block(op.true_region.block, then, op.results, self._renewed(active))
        self._some -= known
        otherwise = None
        if (source := op.false_region.blocks.first) is not None:
            block = Block()
            self._emit_block(source, block, op.results, active)
            otherwise = Region(block)
        new = scf.IfOp(condition, self._types_of(op.results), Region(then), otherwise)
        self._finish(op, new)

    def _renewed(self, active: Active) -> Active:
        return active

    def _finish(self, op: Operation, new: Operation) -> None:
        new.attributes.update(op.attributes)
        self.emitter.stands_for(op)
        self.emitter.append(new)
        self._hold_results(op, new)

    def _widen_switch(self, op: scf.IndexSwitchOp, active: Active) -> None:
        number = self._once(op.arg, active)
        blocks: list[Block] = []
        for region in (op.default_region, *op.case_regions):
            blocks.append(Block())
            self._emit_block(region.block, blocks[-1], op.results, active)
        default, *cases = (Region(block) for block in blocks)
        new = scf.IndexSwitchOp(
            number, op.cases, default, cases, self._types_of(op.results)
        )
        self._finish(op, new)

    def _widen_for(self, op: scf.ForOp, active: Active) -> None:
        bounds = [self._once(each, active) for each in (op.lb, op.ub, op.step)]
        source = op.body.block
        iter_args = source.args[1:]
        inits = [
            self._in_form_of(value, arg, active)
            for value, arg in zip(op.iter_args, iter_args, strict=True)
        ]
        body = Block()
        self._new_args(body, source.args)
        self._emit_block(source, body, iter_args, active)
        new = scf.ForOp(*bounds, inits, body)
        self._finish_loop(op, new, iter_args)

    def _finish_loop(
        self, op: Operation, new: Operation, carried: Sequence[BlockArgument]
    ) -> None:
        """The results of a counted loop are held as its arguments are."""
        new.attributes.update(op.attributes)
        self.emitter.stands_for(op)
        self.emitter.append(new)
        for old, result, arg in zip(op.results, new.results, carried, strict=True):
            hint(result, old)
            shape = self.shape(arg)
            if shape.is_uniform or (shape.is_strided and arg.type != i1):
                self.lanes[old] = from_first(result, shape)
            else:
                self.lanes[old] = Varying(result)

    def _widen_while(self, op: scf.WhileOp, active: Active) -> None:
        test, body = op.before_region.block, op.after_region.block
        condition, end = test.last_op, body.last_op
        assert isinstance(condition, scf.ConditionOp)
        assert isinstance(end, scf.YieldOp)
        inits = [
            self._in_form_of(value, arg, active)
            for value, arg in zip(op.arguments, test.args, strict=True)
        ]
        known = self._known_in_loop(op, condition, end) - self._some
        self._some |= known
        new_test, new_body = Block(), Block()
        self._new_args(new_test, test.args)
        before = self.emitter.enter(new_test)
        self.widen_block(test, active)
        go_on = self._once(condition.condition, active)
        forwarded = [
            self._in_form_of(value, arg, active)
            for value, arg in zip(condition.args, body.args, strict=True)
        ]
        self.emitter.append(scf.ConditionOp(go_on, *forwarded))
        self.emitter.leave(before)
        self._new_args(new_body, body.args)
        self._emit_block(body, new_body, test.args, active)
        self._some -= known
        types = [value.type for value in forwarded]
        new = scf.WhileOp(inits, types, Region(new_test), Region(new_body))
        self._finish_loop(op, new, body.args)

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
            at_start = init in self._some or self.ranges.of(init).value == -1
            if at_start and following in known:
                known.add(arg)
        return known

"""`scf`: structured control flow, written as the blocks and phis that it means."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue

from spmd.dialects.work_groups import LIKELY
from spmd.lowering.writing.control_flow import Join, components_of, write_cfg
from spmd.lowering.writing.counted_loop import CountedLoop
from spmd.lowering.writing.dispatch import write_block
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.loop_hints import loop_hints
from spmd.lowering.writing.registry import emits
from spmd.lowering.writing.types import INDEX_BITS, scalar_bits


@emits(scf.IfOp)
def _if(writer: FunctionWriter, op: scf.IfOp) -> None:
    has_else = bool(op.false_region.blocks)
    then, after = writer.fresh("then"), writer.fresh("endif")
    otherwise = writer.fresh("else") if has_else else after
    condition = writer.get(op.operands[0])
    weights = ""
    if LIKELY in op.attributes:
        weights = f", !prof {writer.module.likely()}"
        writer.module.has_rare_branches = True
    writer.emit(f"br i1 {condition}, label %{then}, label %{otherwise}{weights}")
    regions = [(then, op.true_region)]
    if has_else:
        regions.append((otherwise, op.false_region))
    _write_alternatives(writer, regions, after, op.results)


@emits(scf.IndexSwitchOp)
def _index_switch(writer: FunctionWriter, op: scf.IndexSwitchOp) -> None:
    labels = [writer.fresh("case") for _ in op.case_regions]
    default, after = writer.fresh("default"), writer.fresh("endswitch")
    cases = " ".join(
        f"i{INDEX_BITS} {value}, label %{label}"
        for value, label in zip(op.cases.get_values(), labels, strict=True)
    )
    writer.emit(f"switch {writer.typed(op.arg)}, label %{default} [ {cases} ]")
    regions = [(default, op.default_region)]
    regions += zip(labels, op.case_regions, strict=True)
    _write_alternatives(writer, regions, after, op.results)


def _write_alternatives(
    writer: FunctionWriter,
    regions: Sequence[tuple[str, Region]],
    after: str,
    results: Sequence[SSAValue],
) -> None:
    """Writes regions of one block each, which all go on at `after` with their yields."""
    incoming: list[tuple[str, list[str]]] = []
    for label, region in regions:
        writer.start(label)
        last = write_block(writer, region.blocks[0])
        incoming.append((writer.block, components_of(writer, last.operands)))
        writer.jump(after)
    _join(writer, after, results, incoming)


def _join(
    writer: FunctionWriter,
    label: str,
    results: Sequence[SSAValue],
    incoming: Sequence[tuple[str, Sequence[str]]],
) -> None:
    join = Join(writer, label).start()
    join.bind(results)
    for origin, operands in incoming:
        join.add(origin, operands)
    join.finish()


@emits(scf.ExecuteRegionOp)
def _execute_region(writer: FunctionWriter, op: scf.ExecuteRegionOp) -> None:
    after = writer.fresh("endregion")
    incoming: list[tuple[str, list[str]]] = []

    def leave(terminator: Operation) -> None:
        incoming.append((writer.block, components_of(writer, terminator.operands)))
        writer.jump(after)

    write_cfg(writer, op.region, {scf.YieldOp.name: leave})
    if incoming:
        _join(writer, after, op.results, incoming)
        return
    # No way out: what follows is unreachable, but it has to be written.
    writer.start(after)
    for result in op.results:
        poison = ["poison" for _ in writer.component_types(result)]
        writer.set_components(result, poison)


@emits(scf.WhileOp)
def _while(writer: FunctionWriter, op: scf.WhileOp) -> None:
    head, body = writer.fresh("while"), writer.fresh("do")
    after = writer.fresh("endwhile")
    before, do = op.before_region.blocks[0], op.after_region.blocks[0]
    initial = components_of(writer, op.operands)
    entered = writer.block
    writer.jump(head)
    join = Join(writer, head).start()
    join.bind(before.args)
    join.add(entered, initial)
    with writer.loop([*before.args, *do.args]):
        condition = write_block(writer, before)
        proceed = writer.get(condition.operands[0])
        writer.emit(f"br i1 {proceed}, label %{body}, label %{after}")
        for arg, passed in zip(do.args, condition.operands[1:], strict=True):
            writer.alias(arg, passed)
        writer.start(body)
        last = write_block(writer, do)
        join.add(writer.block, components_of(writer, last.operands))
    # LLVM merges this way back with that of a loop at the end of the body, and gives a loop
    # without properties those of the other: it would try to write out what has no end.
    own = writer.module.loop('!"spmd.while"')
    writer.emit(f"br label %{head}, !llvm.loop {own}")
    join.finish()
    writer.start(after)
    for result, passed in zip(op.results, condition.operands[1:], strict=True):
        writer.alias(result, passed)


def _counted_loop(
    writer: FunctionWriter,
    induction: SSAValue,
    bounds: tuple[SSAValue, SSAValue, SSAValue],
    carried: Sequence[SSAValue],
    initial: Sequence[str],
) -> CountedLoop:
    """
    Starts a loop over an induction variable.

    A narrow one is counted in 64 bits: the upper bound may be so close to the largest
    value that the last step goes past it.
    """
    narrow = writer.type_of(induction)
    wide = f"i{max(INDEX_BITS, scalar_bits(induction.type))}"

    def extended(bound: SSAValue) -> str:
        if narrow == wide:
            return writer.get(bound)
        return writer.temp(f"sext {writer.typed(bound)} to {wide}")

    lower, upper, step = map(extended, bounds)
    loop = CountedLoop(
        writer,
        lower,
        upper,
        step,
        type_=wide,
        saturates=narrow == wide
        and writer.ranges.may_count_past_largest(induction, *bounds[1:]),
        hint=induction.name_hint,
        carried=carried,
        initial=initial,
    )
    if narrow == wide:
        writer.set(induction, loop.counter)
    else:
        writer.define(induction, f"trunc {wide} {loop.counter} to {narrow}")
    return loop


@emits(scf.ForOp)
def _for(writer: FunctionWriter, op: scf.ForOp) -> None:
    block = op.body.blocks[0]
    lower, upper, step, *initial = op.operands
    carried = block.args[1:]
    loop = _counted_loop(
        writer,
        block.args[0],
        (lower, upper, step),
        carried,
        components_of(writer, initial),
    )
    with writer.loop(carried):
        last = write_block(writer, block)
    results = components_of(writer, last.operands)
    loop.finish(results, loop_hints(writer, op))
    for result, arg in zip(op.results, carried, strict=True):
        writer.alias(result, arg)


@emits(scf.ParallelOp)
def _parallel(writer: FunctionWriter, op: scf.ParallelOp) -> None:
    """One iteration after the other, the last dimension innermost."""
    block = op.body.blocks[0]
    results = op.results
    reduce = block.last_op
    assert isinstance(reduce, scf.ReduceOp)
    # The accumulators of each loop are the results of the op, bound anew at every level.
    current = components_of(writer, op.initVals)
    loops: list[tuple[CountedLoop, list[str]]] = []
    bounds = zip(op.lowerBound, op.upperBound, op.step, strict=True)
    for induction, bound in zip(block.args, bounds, strict=True):
        loop = _counted_loop(writer, induction, bound, results, current)
        current = components_of(writer, results)
        loops.append((loop, current))
    with writer.loop(results):
        write_block(writer, block)
        operands = components_of(writer, reduce.args)
        current = [
            _reduction(writer, region.blocks[0], accumulated, operand)
            for region, accumulated, operand in zip(
                reduce.reductions, current, operands, strict=True
            )
        ]
    for loop, accumulated in reversed(loops):
        loop.finish(current)
        current = accumulated
    for result, operand in zip(results, current, strict=True):
        writer.set(result, operand)


def _reduction(writer: FunctionWriter, block: Block, lhs: str, rhs: str) -> str:
    writer.set(block.args[0], lhs)
    writer.set(block.args[1], rhs)
    last = write_block(writer, block)
    return writer.get(last.operands[0])

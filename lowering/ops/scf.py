"""`scf`: structured control flow, written as the blocks and phis that it means."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import AnyFloat
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue

from spmd.analysis.memory.accesses import accesses_of
from spmd.dialects.enclosing import terminator
from spmd.dialects.interfaces.computation import fast_math_flags
from spmd.dialects.interfaces.views import underlying_object
from spmd.dialects.rewriting import trip_count
from spmd.lowering.writing.control_flow import Join, components_of, write_cfg
from spmd.lowering.writing.counted_loop import CountedLoop
from spmd.lowering.writing.dispatch import write_block
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.registry import emits
from spmd.lowering.writing.types import INDEX_BITS, is_vector, scalar_bits

_WRITTEN_OUT = 100
"""Iterations of a load and a sum that LLVM writes out at most: 300 operations."""

_HIDES_COUNTING = 8
"""Operations on whole registers beside which a counter and a branch cost nothing."""

_SMALLEST_REGISTER = 128
"""Bits of a vector register of a machine that does not say so."""


@emits(scf.IfOp)
def _if(writer: FunctionWriter, op: scf.IfOp) -> None:
    has_else = bool(op.false_region.blocks)
    then, after = writer.fresh("then"), writer.fresh("endif")
    otherwise = writer.fresh("else") if has_else else after
    condition = writer.get(op.operands[0])
    writer.emit(f"br i1 {condition}, label %{then}, label %{otherwise}")
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
    writer.jump(head)
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
    combines = _iterates_at_most(op, _WRITTEN_OUT) and any(
        map(_combines_in_any_order, block.ops)
    )
    at_once = _vectors_at_once(writer, op) if combines else 1
    stays = _stays_a_loop(writer, op)
    loop.finish(results, in_any_order=combines, at_once=at_once, stays=stays)
    for result, arg in zip(op.results, carried, strict=True):
        writer.alias(result, arg)


def _vectors_at_once(writer: FunctionWriter, loop: scf.ForOp) -> int:
    """How many vectors hide what an addition takes, if the iterations are as many or more."""
    combined = filter(_combines_in_any_order, loop.body.block.ops)
    bits = max((scalar_bits(op.results[0].type) for op in combined), default=1)
    lanes = writer.module.machine.vector_bits // bits
    count = trip_count(loop) or 0
    return next((n for n in (4, 2) if lanes and count % (n * lanes) == 0), 1)


def _stays_a_loop(writer: FunctionWriter, loop: scf.ForOp) -> bool:
    """
    Whether LLVM would win nothing by writing out iterations of `loop`.

    Each has vectors enough to hide what counting costs, passes on none as they are, and does
    not share memory of this function with others, which could become registers.
    """
    body = loop.body.block
    if any(op.regions for op in body.ops) or _passes_on(body):
        return False
    register = writer.module.machine.vector_bits or _SMALLEST_REGISTER
    registers = sum(
        max((_bits(value.type) for value in (*op.operands, *op.results)), default=0)
        for op in body.ops
    )
    # Of a few iterations that hand on values, all of them are written out and folded.
    few = _WRITTEN_OUT if loop.iter_args else 2
    if registers < _HIDES_COUNTING * register or _iterates_at_most(loop, few):
        return False
    accesses = accesses_of(loop)
    return not accesses.unknown and all(
        isinstance(underlying_object(memory), BlockArgument)
        for memory in (*accesses.reads, *accesses.writes)
    )


def _passes_on(body: Block) -> bool:
    """Whether values go on to the next iteration as they are: written out, they need no move."""
    return any(
        value in body.args and value is not carried
        for carried, value in zip(body.args[1:], terminator(body).operands, strict=True)
    )


def _bits(type_: Attribute) -> int:
    """How many bits a vector has; 0 for all else."""
    if not is_vector(type_):
        return 0
    return type_.element_count() * scalar_bits(type_.element_type)


def _iterates_at_most(loop: scf.ForOp, times: int) -> bool:
    """Whether it is known that `loop` has no more iterations."""
    count = trip_count(loop)
    return count is not None and count <= times


def _combines_in_any_order(op: Operation) -> bool:
    """Whether `op` combines two floats, where its order with others does not matter."""
    return FastMathFlag.REASSOC in fast_math_flags(op) and isinstance(
        op.results[0].type, AnyFloat
    )


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

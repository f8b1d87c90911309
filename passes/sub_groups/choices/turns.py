"""
Loops in which work-items take turns: they begin side by side, and step over each other.

```mlir
scf.for %i = %lx to %n step %c256 {...}    // x = 0 .. 255
```

Each iteration of all work-items goes through one stretch of memory, the next one begins where
it ends or, where the step is the size of the launch, far away. With as many sub-groups as
there are, one after the other, each comes to all of these places again; so the loop over
sub-groups is unrolled and jammed (Callahan, Carr, Kennedy, "Improving Register Allocation for
Subscripted Variables", PLDI 1990), which is to say that a sub-group has more lanes.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import memref, scf
from xdsl.ir import Block, Operation, SSAValue

from spmd.analysis.divergence.access_patterns import access_pattern
from spmd.analysis.divergence.analyze import Divergence
from spmd.dialects.enclosing import function_around
from spmd.dialects.limits import MAX_LANES
from spmd.dialects.rewriting import constant_index
from spmd.dialects.work_groups import range_arguments, work_item_dimension
from spmd.passes.sub_groups.choices.elements import element_bits, widest_element
from spmd.passes.sub_groups.choices.vector_width import is_vector
from spmd.passes.sub_groups.vector_forms import has_vector_form
from spmd.passes.targets import LONGEST_VISIT, Target


def takes_turns(
    loop: Operation, divergence: Divergence, dimension: int, lanes: int
) -> bool:
    """
    Whether so many lanes begin `loop` side by side, make steps over all, and stay together.

    What is not constant is taken for a long step: the size of a group, or of the launch.
    """
    if not isinstance(loop, scf.ForOp):
        return False
    begin = divergence.shape(loop.lb, dimension).stride
    step = constant_index(loop.step)
    return (
        bool(begin)
        and divergence.shape(loop.ub, dimension).is_uniform
        and divergence.shape(loop.step, dimension).is_uniform
        and (step is None or abs(begin) * lanes <= step)
        # Loops in it that lanes leave one by one differ in how often they run.
        and not any(
            divergence.is_divergent(op, dimension)
            for op in loop.body.walk()
            if isinstance(op, scf.ForOp | scf.WhileOp)
        )
    )


def lanes_in_turns(
    loop: scf.ForOp,
    items: int,
    lanes: int,
    target: Target,
    analyze: Callable[[], Divergence],
) -> int:
    """
    `lanes`, or as many of so many `items` of a work-item loop as registers hold.

    These are more where nothing but loops in turns has lanes diverge, and all accesses are
    side by side. `analyze` says where work-items of `loop` diverge.
    """
    inner = [op for op in loop.body.walk() if isinstance(op, scf.ForOp)]
    if all(constant_index(each.lb) is not None for each in inner):
        return lanes
    divergence = analyze()
    dimension = work_item_dimension(loop)
    if all(_goes_far(each, loop) for each in inner):
        held = max(1, *(_carried(each, divergence) for each in inner))
    else:
        held = max(2, _most_held(loop.body.block, divergence))
    bits = min(target.registers * target.register_bits // held, LONGEST_VISIT)
    more = min(items, bits // widest_element(loop.body), MAX_LANES)
    more = 1 << more.bit_length() - 1
    turns = {each for each in inner if takes_turns(each, divergence, dimension, more)}

    def is_as_one(op: Operation) -> bool:
        """Whether lanes stay together at `op`, and access memory side by side."""
        if isinstance(op, memref.LoadOp | memref.StoreOp):
            return access_pattern(divergence, op, dimension).stride in (0, 1)
        if divergence.is_divergent(op):
            return op in turns
        return has_vector_form(op, divergence.is_uniform)

    fits = more > lanes and turns and all(map(is_as_one, loop.body.walk()))
    return more if fits else lanes


def _goes_far(inner: scf.ForOp, loop: scf.ForOp) -> bool:
    """
    Whether work-items step over all those of the launch.

    Then long visits are worth that what an iteration computes has no registers left.
    """
    return inner.step in range_arguments(function_around(loop))[6:]


def _carried(loop: scf.ForOp, divergence: Divergence) -> int:
    """How many vectors `loop` takes from one iteration to the next."""
    return sum(is_vector(each, divergence) for each in loop.results)


def _most_held(block: Block, divergence: Divergence) -> int:
    """How many vectors are needed at once in `block`, where one op follows the other."""
    most, held = 0, set[SSAValue]()
    for op in reversed(block.ops):
        held.difference_update(op.results)
        held |= {each for each in op.operands if _is_held(each, divergence)}
        inner = [each for region in op.regions for each in region.blocks]
        within = max((_most_held(each, divergence) for each in inner), default=0)
        most = max(most, len(held) + within)
    return most


def _is_held(value: SSAValue, divergence: Divergence) -> bool:
    """Whether `value` stays in registers; what is loaded for one op is an operand of it."""
    is_operand = isinstance(value.owner, memref.LoadOp) and value.has_one_use()
    return (
        element_bits(value.type) > 0 and not is_operand and is_vector(value, divergence)
    )

"""
What is known of an integer without knowing the work-item: bounds and a divisor.

`IntegerRanges.of(value)` answers on demand, remembers, and never recurses in Python: a
chain of ten thousand additions costs ten thousand steps once. Loop-carried values are
not followed around the loop; they get the whole range of their type.

Bounds are those of the signed integer. The ids and sizes of a launch are bounded by
`MAX_GLOBAL_SIZE` and `MAX_GROUP_SIZE`, which a launch checks, so that `global_id + 1`
is known not to wrap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import gcd

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.arith import IntegerOverflowFlag
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, MemRefType
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from spmd.analysis.shape import power_of_two_part
from spmd.dialects.spmd import (
    BroadcastOp,
    DimensionOp,
    EnqueuedLocalSizeOp,
    GlobalIdOp,
    GlobalSizeOp,
    GroupIdOp,
    KernelOp,
    LaneIdOp,
    LocalIdOp,
    LocalSizeOp,
    NumGroupsOp,
    NumSubGroupsOp,
    SubGroupIdOp,
    SubGroupOp,
    SubGroupSizeOp,
)
from spmd.dialects.spmd.kernel import FULL_GROUPS

MAX_GLOBAL_SIZE = 1 << 48
"""The largest number of work-items of a launch."""

MAX_GROUP_SIZE = 1 << 14
"""The largest number of work-items of a work-group."""

MAX_SUB_GROUP_SIZE = 64


def bit_width(type_: Attribute) -> int | None:
    """The bits of an integer or `index` (64); `None` for other types."""
    if isinstance(type_, IntegerType):
        return type_.bitwidth
    return 64 if isinstance(type_, IndexType) else None


@dataclass(frozen=True, slots=True)
class IntegerRange:
    """`low <= value <= high`, as signed integers, and `divisor` divides the value."""

    low: int
    high: int
    divisor: int = 1

    @staticmethod
    def constant(value: int) -> IntegerRange:
        return IntegerRange(value, value, abs(value))

    @staticmethod
    def of_width(width: int, divisor: int = 1) -> IntegerRange:
        """Every integer of a width."""
        return IntegerRange(-(1 << (width - 1)), (1 << (width - 1)) - 1, divisor)

    @property
    def value(self) -> int | None:
        """The value, if there is only one."""
        return self.low if self.low == self.high else None

    @property
    def is_non_negative(self) -> bool:
        return self.low >= 0

    def fits(self, width: int) -> bool:
        """Whether every value is a signed integer of this width."""
        return -(1 << (width - 1)) <= self.low and self.high < 1 << (width - 1)

    def join(self, other: IntegerRange) -> IntegerRange:
        return IntegerRange(
            min(self.low, other.low),
            max(self.high, other.high),
            gcd(self.divisor, other.divisor),
        )

    def clamped(self, width: int, no_wrap: bool) -> IntegerRange:
        """This mathematical result as a machine integer; `no_wrap` is `nsw`."""
        if self.fits(width):
            return self
        whole = IntegerRange.of_width(width)
        if no_wrap:
            low, high = max(self.low, whole.low), min(self.high, whole.high)
            if low <= high:
                return IntegerRange(low, high, self.divisor)
            return whole
        return IntegerRange.of_width(
            width, gcd(power_of_two_part(self.divisor), 1 << width)
        )


def has_no_signed_wrap(op: Operation) -> bool:
    """Whether the op carries `overflow<nsw>`."""
    flags = op.properties.get("overflowFlags")
    return (
        isinstance(flags, arith.IntegerOverflowAttr)
        and IntegerOverflowFlag.NSW in flags.data
    )


class IntegerRanges:
    """The ranges of the integers of one piece of IR, worked out when asked for."""

    def __init__(self) -> None:
        self._known: dict[SSAValue, IntegerRange] = {}

    def of(self, value: SSAValue) -> IntegerRange:
        """The range of an integer or `index`; a single 0-to-1 bit for everything else."""
        known = self._known
        if (found := known.get(value)) is not None:
            return found
        pending = [value]
        waiting: set[SSAValue] = set()
        while pending:
            top = pending[-1]
            if top in known:
                pending.pop()
                continue
            width = bit_width(top.type)
            if width is None:
                known[top] = IntegerRange.of_width(64)
                continue
            inputs = [v for v in _inputs(top) if v not in known]
            if inputs and top not in waiting:
                waiting.add(top)
                pending.extend(inputs)
            elif inputs:  # a definition that needs itself: unreachable code
                known[top] = IntegerRange.of_width(width)
            else:
                known[top] = self._range(top, width)
        return known[value]

    def _range(self, value: SSAValue, width: int) -> IntegerRange:
        if isinstance(value, BlockArgument):
            return self._of_argument(value, width)
        owner = value.owner
        assert isinstance(owner, Operation)
        rule = _RULES.get(type(owner))
        if rule is None:
            return IntegerRange.of_width(width)
        return rule(owner, [self._known[v] for v in _inputs(value)], width)

    def _of_argument(self, arg: BlockArgument, width: int) -> IntegerRange:
        whole = IntegerRange.of_width(width)
        parent = arg.block.parent_op()
        if isinstance(parent, scf.ForOp) and arg.index == 0:
            lower, upper, step = (
                self._known[v] for v in (parent.lb, parent.ub, parent.step)
            )
            last = max(lower.low, upper.high - 1)
            if lower.value is not None and step.value is not None and step.value > 0:
                last -= (last - lower.low) % step.value
            return IntegerRange(lower.low, last, gcd(lower.divisor, step.divisor))
        if isinstance(parent, SubGroupOp):
            base = self._known[parent.bases[arg.index]]
            lanes = parent.lane_shape[arg.index]
            return IntegerRange(base.low, base.high + lanes - 1).clamped(width, True)
        if isinstance(parent, func.FuncOp):
            return _of_work_group_argument(parent, arg) or whole
        return whole


def _inputs(value: SSAValue) -> Sequence[SSAValue]:
    """The values that the range of `value` is worked out from."""
    if isinstance(value, BlockArgument):
        parent = value.block.parent_op()
        if isinstance(parent, scf.ForOp) and value.index == 0:
            return (parent.lb, parent.ub, parent.step)
        if isinstance(parent, SubGroupOp):
            return (parent.bases[value.index],)
        return ()
    owner = value.owner
    if isinstance(owner, scf.IfOp):
        position = list(owner.results).index(value)  # type: ignore[arg-type]
        ends = [region.blocks.last for region in owner.regions]
        return [
            end.last_op.operands[position]
            for end in ends
            if end is not None and end.last_op is not None
        ]
    if isinstance(owner, arith.SelectOp):
        return (owner.lhs, owner.rhs)
    if type(owner) in _RULES and isinstance(owner, Operation):
        return owner.operands
    return ()


def _of_work_group_argument(
    function: func.FuncOp, arg: BlockArgument
) -> IntegerRange | None:
    """Group ids and sizes of a work-group function; its last nine `index` arguments."""
    if "spmd.work_group_function" not in function.attributes:
        return None
    arguments = list(function.body.block.args)
    while arguments and isinstance(arguments[-1].type, MemRefType):
        arguments.pop()
    position = arg.index - (len(arguments) - 9)
    if arg.index >= len(arguments) or position < 0:
        return None
    if position < 3:
        return IntegerRange(0, MAX_GLOBAL_SIZE - 1)
    return IntegerRange(1, MAX_GROUP_SIZE if position < 6 else MAX_GLOBAL_SIZE)


# Rules: (op, ranges of the inputs, width of the result) -> range of the result.

_Rule = Callable[[Operation, Sequence[IntegerRange], int], IntegerRange]


def _constant(
    op: Operation, inputs: Sequence[IntegerRange], width: int
) -> IntegerRange:
    value = op.properties.get("value")
    if isinstance(value, IntegerAttr):
        number = value.value.data
        if width > 1 and number >= 1 << (width - 1):
            number -= 1 << width  # written as an unsigned number
        return IntegerRange.constant(-(number & 1) if width == 1 else number)
    return IntegerRange.of_width(width)


def _add(op: Operation, inputs: Sequence[IntegerRange], width: int) -> IntegerRange:
    x, y = inputs
    total = IntegerRange(x.low + y.low, x.high + y.high, gcd(x.divisor, y.divisor))
    return total.clamped(width, has_no_signed_wrap(op))


def _subtract(
    op: Operation, inputs: Sequence[IntegerRange], width: int
) -> IntegerRange:
    x, y = inputs
    total = IntegerRange(x.low - y.high, x.high - y.low, gcd(x.divisor, y.divisor))
    return total.clamped(width, has_no_signed_wrap(op))


def _multiply(
    op: Operation, inputs: Sequence[IntegerRange], width: int
) -> IntegerRange:
    x, y = inputs
    corners = [a * b for a in (x.low, x.high) for b in (y.low, y.high)]
    total = IntegerRange(min(corners), max(corners), x.divisor * y.divisor)
    return total.clamped(width, has_no_signed_wrap(op))


def _shift_left(
    op: Operation, inputs: Sequence[IntegerRange], width: int
) -> IntegerRange:
    x, amount = inputs
    if amount.value is None or not 0 <= amount.value < width:
        return IntegerRange.of_width(width)
    factor = 1 << amount.value
    total = IntegerRange(x.low * factor, x.high * factor, x.divisor * factor)
    return total.clamped(width, has_no_signed_wrap(op))


def _shift_right(
    op: Operation, inputs: Sequence[IntegerRange], width: int
) -> IntegerRange:
    x, amount = inputs
    if amount.value is None or not 0 <= amount.value < width:
        return IntegerRange.of_width(width)
    if isinstance(op, arith.ShRUIOp) and not x.is_non_negative:
        if amount.value == 0:
            return x
        return IntegerRange(0, (1 << (width - amount.value)) - 1)
    factor = 1 << amount.value
    divisor = x.divisor // factor if x.divisor % factor == 0 else 1
    return IntegerRange(x.low >> amount.value, x.high >> amount.value, divisor)


def _divide(op: Operation, inputs: Sequence[IntegerRange], width: int) -> IntegerRange:
    x, y = inputs
    if y.low <= 0 or not x.is_non_negative:
        return IntegerRange.of_width(width)
    up = isinstance(op, arith.CeilDivSIOp | arith.CeilDivUIOp)
    divisor = 1
    if y.value is not None and x.divisor % y.value == 0:
        divisor = x.divisor // y.value
    return IntegerRange(
        -(-x.low // y.high) if up else x.low // y.high,
        -(-x.high // y.low) if up else x.high // y.low,
        divisor,
    )


def _remainder(
    op: Operation, inputs: Sequence[IntegerRange], width: int
) -> IntegerRange:
    x, y = inputs
    if not x.is_non_negative or y.low <= 0:
        return IntegerRange.of_width(width)
    if x.high < y.low:
        return x
    return IntegerRange(0, min(x.high, y.high - 1), gcd(x.divisor, y.divisor))


def _and(op: Operation, inputs: Sequence[IntegerRange], width: int) -> IntegerRange:
    x, y = inputs
    divisor = max(power_of_two_part(x.divisor), power_of_two_part(y.divisor))
    if 0 in (x.divisor, y.divisor):
        return IntegerRange.constant(0)
    bounds = [z.high for z in inputs if z.is_non_negative]
    if bounds:
        return IntegerRange(0, min(bounds), divisor)
    return IntegerRange.of_width(width, divisor)


def _or(op: Operation, inputs: Sequence[IntegerRange], width: int) -> IntegerRange:
    x, y = inputs
    divisor = gcd(power_of_two_part(x.divisor), power_of_two_part(y.divisor))
    if x.is_non_negative and y.is_non_negative:
        low = 0 if isinstance(op, arith.XOrIOp) else max(x.low, y.low)
        return IntegerRange(low, (1 << (x.high | y.high).bit_length()) - 1, divisor)
    return IntegerRange.of_width(width, divisor)


def _minimum(op: Operation, inputs: Sequence[IntegerRange], width: int) -> IntegerRange:
    x, y = inputs
    divisor = gcd(x.divisor, y.divisor)
    if isinstance(op, arith.MinUIOp) and not (x.is_non_negative and y.is_non_negative):
        bounds = [z.high for z in inputs if z.is_non_negative]
        if bounds:
            return IntegerRange(0, min(bounds), divisor)
        return x.join(y)
    return IntegerRange(min(x.low, y.low), min(x.high, y.high), divisor)


def _maximum(op: Operation, inputs: Sequence[IntegerRange], width: int) -> IntegerRange:
    x, y = inputs
    if isinstance(op, arith.MaxUIOp) and not (x.is_non_negative and y.is_non_negative):
        return x.join(y)
    divisor = gcd(x.divisor, y.divisor)
    return IntegerRange(max(x.low, y.low), max(x.high, y.high), divisor)


def _either(op: Operation, inputs: Sequence[IntegerRange], width: int) -> IntegerRange:
    result = inputs[0]
    for other in inputs[1:]:
        result = result.join(other)
    return result


def _sign_extend(
    op: Operation, inputs: Sequence[IntegerRange], width: int
) -> IntegerRange:
    return inputs[0].clamped(width, False)  # truncates as well: index_cast


def _of_another_lane(
    op: Operation, inputs: Sequence[IntegerRange], width: int
) -> IntegerRange:
    return inputs[0]


def _zero_extend(
    op: Operation, inputs: Sequence[IntegerRange], width: int
) -> IntegerRange:
    (x,) = inputs
    source = bit_width(op.operands[0].type)
    if x.is_non_negative or source is None:
        return x
    return IntegerRange(0, (1 << source) - 1, power_of_two_part(x.divisor))


def _dimension_of_memref(
    op: Operation, inputs: Sequence[IntegerRange], width: int
) -> IntegerRange:
    assert isinstance(op, memref.DimOp)
    type_ = op.source.type
    axis = inputs[1].value
    if isinstance(type_, MemRefType) and axis is not None:
        extents = type_.get_shape()
        if 0 <= axis < len(extents) and extents[axis] >= 0:
            return IntegerRange.constant(extents[axis])
    return IntegerRange(0, MAX_GLOBAL_SIZE)


def _kernel_around(op: Operation) -> KernelOp | None:
    parent: Operation | None = op
    while parent is not None and not isinstance(parent, KernelOp):
        parent = parent.parent_op()
    return parent


def nominal_size(op: Operation) -> tuple[int, int, int] | None:
    """The fixed work-group size of the kernel around `op`, if there is one."""
    kernel = _kernel_around(op)
    return None if kernel is None else kernel.group_size


def _has_full_groups(op: Operation) -> bool:
    kernel = _kernel_around(op)
    return kernel is not None and FULL_GROUPS in kernel.attributes


def dimension_of(op: DimensionOp) -> int:
    """0, 1 or 2: the dimension that an id or size op asks for."""
    return "xyz".index(str(op.dimension.data.value))


def _launch_dimension(
    op: Operation, inputs: Sequence[IntegerRange], width: int
) -> IntegerRange:
    assert isinstance(op, DimensionOp)
    sizes = nominal_size(op)
    size = None if sizes is None else sizes[dimension_of(op)]
    largest = MAX_GROUP_SIZE if size is None else size
    match op:
        case LocalIdOp():
            return IntegerRange(0, largest - 1, 0 if largest == 1 else 1)
        case LocalSizeOp() if size is not None and _has_full_groups(op):
            return IntegerRange.constant(size)
        case LocalSizeOp():
            return IntegerRange(1, largest)
        case EnqueuedLocalSizeOp():
            return IntegerRange.constant(size) if size else IntegerRange(1, largest)
        case GlobalSizeOp() | NumGroupsOp():
            return IntegerRange(1, MAX_GLOBAL_SIZE)
        case GlobalIdOp() | GroupIdOp():
            return IntegerRange(0, MAX_GLOBAL_SIZE - 1)
        case _:
            return IntegerRange.of_width(width)


def _sub_group_query(
    op: Operation, inputs: Sequence[IntegerRange], width: int
) -> IntegerRange:
    match op:
        case LaneIdOp():
            return IntegerRange(0, MAX_SUB_GROUP_SIZE - 1)
        case SubGroupSizeOp():
            return IntegerRange(1, MAX_SUB_GROUP_SIZE)
        case _:
            return IntegerRange(0, MAX_GROUP_SIZE)


_RULES: dict[type[object], _Rule] = {
    arith.ConstantOp: _constant,
    arith.AddiOp: _add,
    arith.SubiOp: _subtract,
    arith.MuliOp: _multiply,
    arith.ShLIOp: _shift_left,
    arith.ShRUIOp: _shift_right,
    arith.ShRSIOp: _shift_right,
    arith.DivUIOp: _divide,
    arith.DivSIOp: _divide,
    arith.FloorDivSIOp: _divide,
    arith.CeilDivSIOp: _divide,
    arith.CeilDivUIOp: _divide,
    arith.RemUIOp: _remainder,
    arith.RemSIOp: _remainder,
    arith.AndIOp: _and,
    arith.OrIOp: _or,
    arith.XOrIOp: _or,
    arith.MinSIOp: _minimum,
    arith.MinUIOp: _minimum,
    arith.MaxSIOp: _maximum,
    arith.MaxUIOp: _maximum,
    arith.SelectOp: _either,
    scf.IfOp: _either,
    arith.IndexCastOp: _sign_extend,
    arith.ExtSIOp: _sign_extend,
    arith.TruncIOp: _sign_extend,
    BroadcastOp: _of_another_lane,
    arith.ExtUIOp: _zero_extend,
    memref.DimOp: _dimension_of_memref,
    LocalIdOp: _launch_dimension,
    LocalSizeOp: _launch_dimension,
    EnqueuedLocalSizeOp: _launch_dimension,
    GlobalSizeOp: _launch_dimension,
    GlobalIdOp: _launch_dimension,
    GroupIdOp: _launch_dimension,
    NumGroupsOp: _launch_dimension,
    LaneIdOp: _sub_group_query,
    SubGroupIdOp: _sub_group_query,
    SubGroupSizeOp: _sub_group_query,
    NumSubGroupsOp: _sub_group_query,
}

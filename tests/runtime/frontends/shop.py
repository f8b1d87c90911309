"""A dialect as another project has it, which says what its ops are by interfaces."""

from typing import Any

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    AnyFloatConstr,
    IndexType,
    MemRefType,
    VectorType,
    f32,
    i1,
)
from xdsl.ir import Block, Dialect, Region
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.traits import IsTerminator, MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.universe import Universe

from spmd.interfaces import (
    Cost,
    CostClass,
    Elementwise,
    Emission,
    Expansion,
    Meaning,
    MemoryAccess,
    MemoryHint,
    computed,
    describe,
    element_address,
)

NUMBERS = AnyFloatConstr | VectorType.constr(AnyFloatConstr)


def write_square(writer: Any, op: Any) -> None:
    x = writer.get(op.x)
    writer.define(op.r, f"fmul {writer.type_of(op.x)} {x}, {x}")


def squared(x: float) -> float:
    return x * x


def halved(x: float) -> float:
    return x / 2


@irdl_op_definition
class SquareOp(IRDLOperation):
    """Carries its interfaces."""

    name = "shop.square"
    x = operand_def(NUMBERS)
    r = result_def(NUMBERS)
    assembly_format = "$x attr-dict `:` type($x) `->` type($r)"
    traits = traits_def(
        Pure(),
        Elementwise(),
        Emission(write_square),
        Meaning(computed(squared)),
        Cost(CostClass.SIMPLE),
    )


@irdl_op_definition
class HalfOp(IRDLOperation):
    """Gets its interfaces from outside."""

    name = "shop.half"
    x = operand_def(NUMBERS)
    r = result_def(NUMBERS)
    assembly_format = "$x attr-dict `:` type($x) `->` type($r)"
    traits = traits_def(Pure())


def write_half(writer: Any, op: Any) -> None:
    type_ = writer.type_of(op.x)
    minus = writer.temp(f"fsub {type_} {writer.get(op.x)}, {writer.get(op.x)}")
    quarter = writer.temp(f"fadd {type_} {minus}, {writer.get(op.x)}")
    half = "0.5" if not type_.startswith("<") else "splat (float 0.5)"
    writer.define(op.r, f"fmul {type_} {quarter}, {half}")


describe(
    HalfOp,
    Elementwise(),
    Emission(write_half),
    Meaning(computed(halved)),
)


@irdl_op_definition
class SoonOp(IRDLOperation):
    """Accesses memory, or rather will."""

    name = "shop.soon"
    memory = operand_def(MemRefType)
    index = operand_def(IndexType)
    assembly_format = "$memory `[` $index `]` attr-dict `:` type($memory)"
    traits = traits_def(
        MemoryReadEffect(), MemoryHint(), Emission(lambda writer, op: None)
    )


def write_bump(writer: Any, op: Any) -> None:
    where = element_address(writer, op.memory, [op.index])
    old = writer.temp(f"load float, ptr {where}")
    new = writer.temp(f"fadd float {old}, {writer.get(op.by)}")
    writer.emit(f"store float {new}, ptr {where}")
    writer.define(op.old, f"fadd float {old}, -0.0")


def bumped(by: float, memory: Any, index: int) -> float:
    old = memory[index]
    memory[index] = old + by
    return old


@irdl_op_definition
class BumpOp(IRDLOperation):
    """Reads and writes memory, and has no vector form."""

    name = "shop.bump"
    by = operand_def(f32)
    memory = operand_def(MemRefType)
    index = operand_def(IndexType)
    old = result_def(f32)
    assembly_format = "$memory `[` $index `]` `by` $by attr-dict `:` type($memory)"
    traits = traits_def(
        MemoryReadEffect(),
        MemoryWriteEffect(),
        MemoryAccess(read=1, written=1, element=True),
        Emission(write_bump),
        Meaning(computed(bumped)),
    )


@irdl_op_definition
class GiveOp(IRDLOperation):
    """Ends the region of an op of this dialect."""

    name = "shop.give"
    values = var_operand_def()
    assembly_format = "($values^ `:` type($values))? attr-dict"
    traits = traits_def(IsTerminator())


def replace_end(region: Region, rewriter: PatternRewriter) -> None:
    """In the words of `scf`."""
    end = region.block.last_op
    assert isinstance(end, GiveOp)
    rewriter.replace(end, scf.YieldOp(*end.values))


def expand_unless(op: Any, rewriter: PatternRewriter) -> None:
    replace_end(op.body, rewriter)
    otherwise = Region(Block([scf.YieldOp(op.otherwise)]))
    body = rewriter.move_region_contents_to_new_regions(op.body)
    chosen = scf.IfOp(op.condition, [op.r.type], otherwise, body)
    rewriter.replace(op, chosen)


@irdl_op_definition
class UnlessOp(IRDLOperation):
    """Control flow of one arm."""

    name = "shop.unless"
    condition = operand_def(i1)
    otherwise = operand_def()
    r = result_def()
    body = region_def("single_block")
    assembly_format = "$condition `else` $otherwise attr-dict `:` type($otherwise) `->` type($r) $body"
    traits = traits_def(Expansion(expand_unless))


def expand_repeat(op: Any, rewriter: PatternRewriter) -> None:
    """One iteration after the other, of which each gets what the one before gave."""
    replace_end(op.body, rewriter)
    zero = arith.ConstantOp.from_int_and_width(0, IndexType())
    one = arith.ConstantOp.from_int_and_width(1, IndexType())
    body = rewriter.move_region_contents_to_new_regions(op.body)
    body.block.insert_arg(IndexType(), 0)
    loop = scf.ForOp(zero, op.times, one, [op.first], body)
    rewriter.replace(op, [zero, one, loop])


@irdl_op_definition
class RepeatOp(IRDLOperation):
    """A loop, whose number of iterations may differ between work-items."""

    name = "shop.repeat"
    times = operand_def(IndexType)
    first = operand_def()
    last = result_def()
    body = region_def("single_block")
    assembly_format = (
        "$times `from` $first attr-dict `:` type($first) `->` type($last) $body"
    )
    traits = traits_def(Expansion(expand_repeat))


@irdl_op_definition
class SecretOp(IRDLOperation):
    """Says nothing of itself."""

    name = "shop.secret"
    x = operand_def(NUMBERS)
    r = result_def(NUMBERS)
    assembly_format = "$x attr-dict `:` type($x) `->` type($r)"


SHOP = Dialect(
    "shop",
    [SquareOp, HalfOp, SoonOp, BumpOp, GiveOp, UnlessOp, RepeatOp, SecretOp],
)

SHOP_UNIVERSE = Universe(all_dialects={"shop": lambda: SHOP})

"""How the `narrow_ops` are written."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, i32
from xdsl.ir import Operation, SSAValue

from spmd.dialects.interfaces.computation import is_shift
from spmd.dialects.rewriting import hint
from spmd.passes.widening.accesses.addresses import low_bits
from spmd.passes.widening.emitter import clone_with
from spmd.passes.widening.lanes import Lanes, Row, Rows, Strided, Uniform, Varying
from spmd.passes.widening.state import Widening


def compute_narrow(
    widening: Widening, op: Operation, operands: Sequence[Lanes]
) -> SSAValue:
    """The result of `op`, one of the `narrow_ops`, as a vector of its type."""
    vectors: list[SSAValue] = []
    for lanes, old in zip(operands, op.operands, strict=True):
        if isinstance(old.type, IndexType):
            vectors.append(_in_32_bits(widening, lanes))
        else:  # what `arith.select` chooses by
            shared = isinstance(lanes, Uniform)
            vectors.append(lanes.scalar if shared else widening.vector(lanes))
    is_number = isinstance(op.results[0].type, IndexType)
    type_ = i32 if is_number else op.results[0].type
    known = widening.ranges.of(op.operands[-1])
    far = None
    if is_shift(op) and not (known.low >= 0 and known.high < 32):
        most = widening.dense(31, i32)
        if not isinstance(op, arith.ShLIOp):  # of a number of 31 bits and a sign
            vectors[1] = widening.add(arith.MinUIOp(vectors[1], most))
        else:
            far = widening.add(arith.CmpiOp(vectors[1], most, "ugt"), "far")
    types = [widening.vector_type(type_)]
    result = widening.add(clone_with(op, vectors, types, drop_overflow=True))
    if far is not None:
        zeros = widening.dense(0, i32)
        result = widening.add(arith.SelectOp(far, zeros, result))
    if not is_number:
        return result
    hint(result, op.results[0])
    return widening.add(arith.IndexCastOp(result, widening.vector_type(IndexType())))


def _in_32_bits(widening: Widening, lanes: Lanes) -> SSAValue:
    """The low bits of integers of type `index`."""
    if isinstance(lanes, Rows):
        narrow: dict[Row, Row] = {}
        for number, row in enumerate(lanes.rows):
            if row not in narrow:
                with widening.in_row(number):  # vectors are as long as a row
                    narrow[row] = _scalars_in_32_bits(widening, row)
        lanes = widening.of_rows([narrow[row] for row in lanes.rows])
        return widening.vector(lanes)
    if not isinstance(lanes, Varying):
        return widening.vector(_scalars_in_32_bits(widening, lanes))
    return low_bits(widening, lanes.vector, i32)


def _scalars_in_32_bits(widening: Widening, lanes: Row) -> Row:
    match lanes:
        case Uniform(scalar=scalar):
            return Uniform(widening.low_bits(scalar))
        case Strided(first=first, stride=stride):
            return Strided(widening.low_bits(first), stride)
        case _:
            return Varying(_in_32_bits(widening, lanes))

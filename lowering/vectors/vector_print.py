"""`vector.print`: one line on the standard output, as `( 1, 2, 3 )`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import Float64Type, IndexType
from xdsl.dialects.vector import PrintOp

from spmd.lowering.ops.conversions import round_float
from spmd.lowering.vectors.vector import shape_of
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.registry import emits
from spmd.lowering.writing.types import (
    element_type,
    is_float,
    lane_count,
    like,
    scalar_bits,
)


def _format(shape: Sequence[int], one: str) -> str:
    if not shape:
        return one
    inner = _format(shape[1:], one)
    return f"( {', '.join([inner] * shape[0])} )"


@emits(PrintOp)
def _print(writer: FunctionWriter, op: PrintOp) -> None:
    source = op.operands[0]
    element, lanes = element_type(source.type), lane_count(source.type)
    operand = writer.get(source)
    if is_float(element):
        operand = round_float(writer, operand, element, Float64Type(), lanes)
        scalar, code = "double", "%g"
    else:
        # Signed, but for `i1` and `index`.
        extend = "zext" if scalar_bits(element) == 1 else "sext"
        wide = like("i64", lanes)
        if writer.type_of(source) != wide:
            text = f"{extend} {writer.typed(source)} to {wide}"
            operand = writer.temp(text)
        scalar, code = "i64", "%lu" if isinstance(element, IndexType) else "%ld"
    values = [operand]
    if lanes is not None:
        whole = like(scalar, lanes)
        values = [
            writer.temp(f"extractelement {whole} {operand}, i64 {lane}")
            for lane in range(lanes)
        ]
    text = _format(shape_of(source), code) + "\n"
    name = writer.module.string(text.encode() + b"\0")
    writer.module.declare("printf", "i32", ["ptr", "..."])
    passed = "".join(f", {scalar} {value}" for value in values)
    writer.emit(f"call i32 (ptr, ...) @printf(ptr {name}{passed})")

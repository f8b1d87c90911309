"""Where the elements of a memref lie: index arithmetic on descriptors."""

from __future__ import annotations

from collections.abc import Iterable

from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.memref_value import MemRefValue
from spmd.lowering.writing.types import storage_type


def is_literal(operand: str) -> bool:
    """Whether an operand is an integer known now."""
    return operand.lstrip("-").isdigit()


def multiply(writer: FunctionWriter, a: str, b: str, flags: str = "") -> str:
    """A product of two i64 operands, folded where they are literals."""
    if a == "0" or b == "0":
        return "0"
    if a == "1":
        return b
    if b == "1":
        return a
    if is_literal(a) and is_literal(b):
        return str(int(a) * int(b))
    return writer.temp(f"mul {flags}i64 {a}, {b}")


def add(writer: FunctionWriter, a: str, b: str, flags: str = "") -> str:
    """A sum of two i64 operands, folded where they are literals."""
    if a == "0":
        return b
    if b == "0":
        return a
    if is_literal(a) and is_literal(b):
        return str(int(a) + int(b))
    return writer.temp(f"add {flags}i64 {a}, {b}")


def linear_index(
    writer: FunctionWriter, base: MemRefValue, indices: Iterable[str], flags: str = ""
) -> str:
    """How many elements after `base.aligned` an element lies."""
    total = base.offset
    for index, stride in zip(indices, base.strides, strict=True):
        total = add(writer, total, multiply(writer, index, stride, flags), flags)
    return total


def element_address(
    writer: FunctionWriter,
    base: MemRefValue,
    indices: Iterable[str],
    *,
    in_bounds: bool = True,
) -> str:
    """
    The address of an element.

    `in_bounds` promises that the element exists. Without it nothing is assumed of the
    address, as for an access under a mask that may be all off.
    """
    flags = inbounds = ""
    if in_bounds:
        flags, inbounds = "nsw ", " inbounds"
        if base.layout.is_never_negative:
            flags, inbounds = "nuw nsw ", " inbounds nuw"
    index = linear_index(writer, base, indices, flags)
    if index == "0":
        return base.aligned
    type_ = storage_type(base.layout.element)
    return writer.temp(
        f"getelementptr{inbounds} {type_}, ptr {base.aligned}, i64 {index}"
    )

"""From the arguments of kernels and host functions to what the runtime accepts for them."""

from __future__ import annotations

from collections.abc import Container
from functools import cache

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    MemRefType,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, SSAValue
from xdsl.utils.hints import isa

from spmd.dialects.element_types import is_memref, memref_layout
from spmd.dialects.enclosing import argument_attribute, is_small, line_offset
from spmd.dialects.names import NOALIAS
from spmd.dialects.spmd import KernelOp
from spmd.dialects.spmd.types import is_local
from spmd.runtime.arguments.arrays import ArrayLayout
from spmd.runtime.arguments.elements import ELEMENTS, Element
from spmd.runtime.arguments.parameters import (
    ArrayParameter,
    LocalParameter,
    Parameter,
    PlacedArrayParameter,
    Promises,
    ScalarParameter,
)
from spmd.runtime.arguments.signature import SIZES, Signature

_FLOATS: dict[type[Attribute], str] = {
    Float16Type: "f16",
    BFloat16Type: "bf16",
    Float32Type: "f32",
    Float64Type: "f64",
}


@cache
def element_of(type_: Attribute) -> Element | None:
    """The scalar type `type_`, or `None` if it is none of the language."""
    if isinstance(type_, IndexType):
        return ELEMENTS["index"]
    if isa(type_, IntegerType):
        return ELEMENTS.get(f"i{type_.width.data}")
    return ELEMENTS.get(_FLOATS.get(type(type_), ""))


def signature_of(
    op: KernelOp | FuncOp,
    written: Container[int],
    local_bytes: int = 0,
    more: str = SIZES,
) -> Signature:
    """The signature of a kernel or host function, which may write the arguments `written`."""
    alignments = _assumed_alignments(op.body.blocks[0])
    parameters: list[Parameter] = []
    for argument in op.body.blocks[0].args:
        promises = Promises(
            argument_attribute(argument, NOALIAS) is not None,
            is_small(argument),
            alignments.get(argument),
            line_offset(argument),
        )
        is_written = argument.index in written
        parameters.append(_parameter(argument, is_written, promises))
    return Signature(op.sym_name.data, parameters, local_bytes, more)


def _assumed_alignments(entry: Block) -> dict[SSAValue, int]:
    """In bytes, of the arguments of which each launch relies on one."""
    found: dict[SSAValue, int] = {}
    for op in entry.ops:
        if isinstance(op, memref.AssumeAlignmentOp):
            found[op.memref] = max(op.alignment.value.data, found.get(op.memref, 1))
    return found


def _parameter(argument: BlockArgument, written: bool, promises: Promises) -> Parameter:
    number, name, type_ = argument.index, argument.name_hint, argument.type
    if is_local(type_):
        return LocalParameter(number, name, _layout(type_, written=True))
    if is_memref(type_):
        layout = _layout(type_, written)
        if promises.alignment is None and promises.line_offset is None:
            return ArrayParameter(number, name, layout, promises)
        return PlacedArrayParameter(number, name, layout, promises)
    return ScalarParameter(number, name, str(type_), _element(type_))


def _element(type_: Attribute) -> Element:
    element = element_of(type_)
    assert element is not None, "the verifier accepts scalars of the language only"
    return element


def _layout(type_: MemRefType, written: bool) -> ArrayLayout:
    layout = memref_layout(type_)
    assert layout is not None, "the verifier accepts one stride for each dimension only"
    return ArrayLayout(
        str(type_),
        _element(type_.element_type),
        layout.sizes,
        None if layout.is_identity else layout.strides,
        layout.offset or 0,
        written,
    )

"""
`memref.atomic_rmw`: an instruction where there is one, else exchanges until it works.

The atomics of the `spmd` dialect are the business of the pass `lower-atomics`.
"""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import BFloat16Type, Float32Type, IntegerAttr
from xdsl.ir import Attribute

from spmd.lowering.ops.arith import FOLDED_AS, combined
from spmd.lowering.ops.conversions import round_float
from spmd.lowering.writing.addresses import element_address
from spmd.lowering.writing.control_flow import Join
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.registry import emits
from spmd.lowering.writing.types import (
    TypeNotLowered,
    is_float,
    llvm_type,
    scalar_bits,
    storage_bytes,
)

_KINDS = (
    "fadd",
    "add",
    "xchg",
    "maximum",
    "smax",
    "umax",
    "minimum",
    "smin",
    "umin",
    "fmul",
    "mul",
    "or",
    "and",
    "maxnum",
    "minnum",
    "xor",
)
"""What upstream's numbers of the kinds of `memref.atomic_rmw` mean, as LLVM computes it."""

_OF_FLOATS = ("fadd", "fmul", *FOLDED_AS)

_INSTRUCTIONS = {"smax": "max", "smin": "min", **FOLDED_AS}
"""What `atomicrmw`, which has no products, calls them if it has another name."""

_ORDERING, _ON_FAILURE = "acq_rel", "acquire"
"""How upstream orders `memref.atomic_rmw`."""


@emits(memref.AtomicRMWOp)
def _memref_atomic_rmw(writer: FunctionWriter, op: memref.AtomicRMWOp) -> None:
    value, array, *indices = op.operands
    base = writer.memref(array)
    address = element_address(writer, base, map(writer.get, indices))
    element = base.layout.element
    attribute = op.properties["kind"]
    assert isinstance(attribute, IntegerAttr)
    number = attribute.value.data
    kind = _KINDS[number] if 0 <= number < len(_KINDS) else ""
    fits = kind == "xchg" or (kind in _OF_FLOATS) == is_float(element)
    if not kind or not fits or scalar_bits(element) == 1:
        raise TypeNotLowered(
            f"expected a kind of atomic update that {element} has, got {number}"
        )
    operand = writer.get(value)
    is_product = kind in ("mul", "fmul")
    if is_product or (isinstance(element, BFloat16Type) and kind != "xchg"):
        old = _exchanged_until_it_works(writer, address, element, kind, operand)
    else:
        old = writer.temp(
            f"atomicrmw {_INSTRUCTIONS.get(kind, kind)} ptr {address}, "
            f"{llvm_type(element)} {operand} {_ORDERING}, align {storage_bytes(element)}"
        )
    writer.set(op.results[0], old)


def _new_value(
    writer: FunctionWriter, element: Attribute, kind: str, old: str, operand: str
) -> str:
    if not isinstance(element, BFloat16Type):
        return writer.temp(combined(writer, kind, llvm_type(element), old, operand))
    f32 = Float32Type()
    a = round_float(writer, old, element, f32, None)
    b = round_float(writer, operand, element, f32, None)
    wide = writer.temp(combined(writer, kind, "float", a, b))
    return round_float(writer, wide, f32, element, None)


def _exchanged_until_it_works(
    writer: FunctionWriter, address: str, element: Attribute, kind: str, operand: str
) -> str:
    """Tries until nobody wrote between the load and the exchange; the old value."""
    type_, bits = llvm_type(element), f"i{scalar_bits(element)}"
    # Without this alignment, an access would not be one step.
    at, align = f"ptr {address}", storage_bytes(element)
    first = writer.temp(f"load atomic {bits}, {at} monotonic, align {align}")
    label, done = writer.fresh("exchange"), writer.fresh("exchanged")
    entered = writer.block
    writer.jump(label)
    join = Join(writer, label).start()
    pattern = join.phi(bits, "seen")
    join.add(entered, [first])
    same = bits == type_
    old = pattern if same else writer.temp(f"bitcast {bits} {pattern} to {type_}")
    new = _new_value(writer, element, kind, old, operand)
    if not same:
        new = writer.temp(f"bitcast {type_} {new} to {bits}")
    pair = writer.temp(
        f"cmpxchg {at}, {bits} {pattern}, {bits} {new} {_ORDERING} {_ON_FAILURE}, "
        f"align {align}"
    )
    found = writer.temp(f"extractvalue {{ {bits}, i1 }} {pair}, 0")
    won = writer.temp(f"extractvalue {{ {bits}, i1 }} {pair}, 1")
    join.add(writer.block, [found])
    writer.emit(f"br i1 {won}, label %{done}, label %{label}")
    join.finish()
    writer.start(done)
    return old

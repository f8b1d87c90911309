"""Arrays: elements, sizes, and those that a kernel makes itself."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, memref
from xdsl.ir import SSAValue

from spmd.dialects.limits import MAX_INDEX
from spmd.dialects.spmd import LocalAllocOp
from spmd.frontends.python.emitter import Emitter
from spmd.frontends.python.types import INT, Array, Scalar, scalar_of
from spmd.frontends.python.values import (
    Constant,
    Host,
    Items,
    Memory,
    Number,
    Scalars,
    Value,
    described,
    integer,
)


def size(e: Emitter, array: Memory, dimension: int) -> Scalars:
    """How many elements an array has in one dimension."""
    if not array.type.shape:
        e.fail(f"expected an array that has dimensions, got {described(array.type)}")
    known = array.type.shape[dimension]
    if known is not None:
        return integer(known)
    if array.sizes:
        return array.sizes[dimension]
    at = e.constants.index(dimension)
    return e.number(INT, memref.DimOp(array.ssa, at), 0, MAX_INDEX)


def shape(e: Emitter, array: Memory) -> Items:
    """The sizes of an array."""
    return Items(tuple(size(e, array, d) for d in range(len(array.type.shape))))


def element(e: Emitter, array: Value, index: Value) -> tuple[Memory, list[SSAValue]]:
    """The array and the indices of `array[index]`; a negative constant counts from the end."""
    memory = e.memory(array, "before [")
    given = list(index.values) if isinstance(index, Items) else [index]
    rank = len(memory.type.shape)
    if any(isinstance(i, Host) and isinstance(i.value, slice) for i in given):
        e.fail(
            "expected one element, got a slice; write a loop over the elements, or keep "
            "the view in a variable"
        )
    if len(given) != rank:
        advice = "; write a loop over the elements" if len(given) < rank else ""
        e.fail(
            f"expected {rank} {'index' if rank == 1 else 'indices'} for {memory.type}, "
            f"got {len(given)}{advice}"
        )
    return memory, [place(e, memory, d, each) for d, each in enumerate(given)]


def place(e: Emitter, array: Memory, dimension: int, index: Value) -> SSAValue:
    """An index of one dimension."""
    whole = e.integer(index, "index")
    if not isinstance(whole, Constant):
        return e.index(whole)
    known, at = array.type.shape[dimension], whole.value
    if known is not None and not -known <= at < known:
        e.fail(
            f"expected an index from {-known} to {known - 1} for dimension {dimension} of "
            f"{array.type}, got {at}"
        )
    if at >= 0:
        return e.index(whole)
    if known is not None:
        return e.constants.index(known + at)
    end = e.ssa(size(e, array, dimension))
    return e.add(arith.SubiOp(end, e.constants.index(-at)))


def load(e: Emitter, memory: Memory, indices: Sequence[SSAValue]) -> Number:
    """`array[index]`."""
    return e.number(memory.type.element, memref.LoadOp.get(memory.ssa, indices))


def store(
    e: Emitter, memory: Memory, indices: Sequence[SSAValue], value: Value
) -> None:
    """`array[index] = value`, in the type of the array as NumPy does it."""
    expect_writable(e, memory)
    number = e.scalar(value, f"as element of {memory.type}")
    converted = e.ssa(e.convert(number, memory.type.element))
    e.append(memref.StoreOp.get(converted, memory.ssa, indices))


def expect_writable(e: Emitter, memory: Memory) -> None:
    """An error if the elements are compiled in."""
    if memory.type.space == "constant":
        e.fail(
            "expected an array that is an argument, or one of local or private, to write "
            f"to, got the constant {memory.type}; pass it to the kernel as an argument"
        )


def make_local(e: Emitter, shape: Value, dtype: Value) -> Memory:
    """`local(shape, dtype)`."""
    type_ = Array(_element_type(e, dtype), _static_shape(e, shape), "local")
    op = LocalAllocOp(type_.ir)
    return Memory(type_, e.add(op))


def make_private(e: Emitter, shape: Value, dtype: Value) -> Memory:
    """`private(shape, dtype)`."""
    element_type, sizes = _element_type(e, dtype), _static_shape(e, shape)
    type_ = Array(element_type, sizes, "private")
    return Memory(type_, e.add(memref.AllocaOp.get(element_type.ir, shape=sizes)))


def _element_type(e: Emitter, dtype: Value) -> Scalar:
    found = scalar_of(dtype.value) if isinstance(dtype, Host) else None
    if found is None:
        e.fail(
            "expected a dtype such as np.float32 for the elements, got "
            f"{described(dtype.type)}"
        )
    return found


def _static_shape(e: Emitter, shape: Value) -> tuple[int, ...]:
    sizes: list[int] = []
    for each in shape.values if isinstance(shape, Items) else (shape,):
        if not isinstance(each, Constant) or not each.type.is_integer:
            got = "one that is known at run time only"
            if not isinstance(each, Number):
                got = described(each.type)
            e.fail(
                f"expected sizes that are constants, got {got}; use a number, a constant "
                "of the module or a constexpr parameter"
            )
        if each.value < 1:
            e.fail(f"expected sizes of at least 1, got {each.value}")
        sizes.append(each.value)
    return tuple(sizes)

"""The meaning of loads, stores and allocations. Every index is checked."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from math import prod

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    MemRefType,
    NoneAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue

from spmd.dialects.diagnostics import fail
from spmd.reference.compiler import Body, as_tuple, helper, meaning, trap
from spmd.reference.facts import OPAQUE_TO_POISON
from spmd.reference.memory import MemRef, allocate
from spmd.reference.scalars import Scalar, as_memref, as_vector, length_of, signed
from spmd.reference.semantics.expressions import element

OPAQUE_TO_POISON.update({memref.DimOp})


@helper
def outside(site: int, source: MemRef, indices: tuple[int, ...]) -> None:
    """Report indices that are not all inside."""
    at = ", ".join(str(signed(index, 64)) for index in indices)
    sizes = "x".join(map(str, source.sizes))
    name = f" {source.storage.name}" if source.storage.name else ""
    trap(
        site,
        f"out of bounds: [{at}] of a {source.storage.space} memref{name} "
        f"of {sizes} elements",
    )


def memref_type(value: SSAValue, op: Operation) -> MemRefType[Attribute]:
    type_ = as_memref(value.type)
    if type_ is None:
        fail(op, f"expected a memref, got {value.type}")
    return type_


def element_in_memory(type_: MemRefType[Attribute], op: Operation) -> Scalar:
    """The element type of a memref, which memory must be able to hold."""
    scalar = element(type_, op)
    if not scalar.code:
        fail(op, f"expected elements of 1, 8, 16, 32 or 64 bits, got {type_}")
    return scalar


def size_text(source: str, type_: MemRefType[Attribute], dimension: int) -> str:
    size = type_.get_shape()[dimension]
    return f"{source}.sizes[{dimension}]" if size == DYNAMIC_INDEX else str(size)


def has_vectors(type_: MemRefType[Attribute]) -> bool:
    """Whether the elements are vectors, which lie in memory as their numbers in a row."""
    return as_vector(type_.element_type) is not None


def checked_position(
    body: Body,
    op: Operation,
    source: str,
    type_: MemRefType[Attribute],
    indices: Sequence[str],
) -> str:
    """
    Where in `source.data` the element lies; that of a vector, its first number.

    Stops if an index is outside. A negative one is a huge unsigned number.
    """
    identity = isinstance(type_.layout, NoneAttr) and not has_vectors(type_)
    terms = [] if identity and indices else [f"{source}.offset"]
    tests: list[str] = []
    for dimension, index in enumerate(indices):
        tests.append(f"{index} >= {size_text(source, type_, dimension)}")
        last = identity and dimension == len(indices) - 1
        terms.append(index if last else f"{index} * {source}.strides[{dimension}]")
    if tests:
        report = f"outside({body.site(op)}, {source}, {as_tuple(indices)})"
        body.line(f"if {' or '.join(tests)}: {report}")
    return " + ".join(terms)


LOADED = {"f16": "F16[{}]", "bf16": "BF16[{}]", "i1": "{} & 1"}
STORED = {"f16": "f16_bits({})", "bf16": "bf16_bits({})"}


def loaded(scalar: Scalar, contents: str) -> str:
    """The value of an element in memory, as an expression."""
    return LOADED.get(scalar.name, "{}").format(contents)


def loaded_from(
    scalar: Scalar, type_: MemRefType[Attribute], source: str, at: str
) -> str:
    """The element that lies there, as an expression."""
    if not has_vectors(type_):
        return loaded(scalar, f"{source}.data[{at}]")
    row = f"{source}.data[{at} : {at} + {length_of(type_.element_type)}]"
    return f"tuple([{loaded(scalar, 'n')} for n in {row}])"


def stored(scalar: Scalar, value: str, may_be_poison: bool = False) -> str:
    """What to write to memory; something undefined leaves garbage."""
    if may_be_poison:
        garbage = "nan" if scalar.is_float else str(scalar.mask)
        value = f"({garbage} if {value} is POISON else {value})"
    return STORED.get(scalar.name, "{}").format(value)


@meaning(memref.LoadOp)
def _load(body: Body, op: memref.LoadOp) -> None:
    type_ = memref_type(op.memref, op)
    scalar = element_in_memory(type_, op)
    source, indices = body.use(op.memref), body.uses(op.indices)
    if body.checked:
        body.require(op.indices, op, "index")
        contents = f"check.load(w, {source}, {as_tuple(indices)}, {body.site(op)})"
        body.let(op.res, loaded(scalar, contents))
        return
    unknown = [body.use(i) for i in op.indices if body.may_be_poison(i)]
    name = body.new(op.res)
    if unknown and body.in_lanes:
        # What is uniform in the active lanes is loaded once, for all lanes.
        tests = " or ".join(f"{index} is POISON" for index in unknown)
        body.line(f"if {tests}: {name} = POISON")
        where = body.suite("else")
    else:
        body.require(op.indices, op, "index")
        where = nullcontext()
    with where:
        at = checked_position(body, op, source, type_, indices)
        body.line(f"{name} = {loaded_from(scalar, type_, source, at)}")


@meaning(memref.StoreOp)
def _store(body: Body, op: memref.StoreOp) -> None:
    where = nullcontext()
    if body.in_lanes and body.may_be_poison(op.value):
        # One store for all lanes: inactive ones leave the value to the others.
        where = body.suite(f"if {body.use(op.value)} is not POISON")
    with where:
        _write_store(body, op)


def _write_store(body: Body, op: memref.StoreOp) -> None:
    type_ = memref_type(op.memref, op)
    scalar = element_in_memory(type_, op)
    body.require(op.indices, op, "index")
    target, indices = body.use(op.memref), body.uses(op.indices)
    whole, poison = body.use(op.value), body.may_be_poison(op.value)
    if body.checked:
        value = stored(scalar, whole)
        if poison:
            value = f"(None if {whole} is POISON else {value})"
        at = as_tuple(indices)
        body.line(f"check.store(w, {target}, {at}, {value}, {body.site(op)})")
        return
    at = checked_position(body, op, target, type_, indices)
    if not has_vectors(type_):
        body.line(f"{target}.data[{at}] = {stored(scalar, whole, poison)}")
        return
    with body.suite(f"for at, number in enumerate({whole}, {at})"):
        body.line(f"{target}.data[at] = {stored(scalar, 'number', poison)}")


def sizes_text(
    body: Body, type_: MemRefType[Attribute], dynamic: Sequence[SSAValue]
) -> str:
    """The sizes of a new memref as a tuple; after them the length of its vectors."""
    sizes = body.mixed(type_.get_shape(), dynamic)
    if has_vectors(type_):
        sizes.append(str(length_of(type_.element_type)))
    return as_tuple(sizes)


@helper
def vectors_of(numbers: MemRef) -> MemRef:
    """The rows of the last dimension as elements."""
    return numbers.viewed(numbers.offset, numbers.sizes[:-1], numbers.strides[:-1])


def of_elements(type_: MemRefType[Attribute], numbers: str) -> str:
    """The memory of `type_` of which `numbers` has the sizes of `sizes_text`."""
    return f"vectors_of({numbers})" if has_vectors(type_) else numbers


@helper
def expect_sizes(sizes: tuple[int, ...], site: int) -> None:
    """Trap where a size is negative."""
    given = [signed(size, 64) for size in sizes]
    if min(given) < 0:
        trap(site, f"expected sizes of at least 0, got {given}")


@helper
def taken(
    sizes: tuple[int, ...], scalar: Scalar, space: str, name: str, site: int
) -> MemRef:
    """Fresh memory, or a trap where there is not so much."""
    try:
        return allocate(sizes, scalar, space, name)
    except (MemoryError, OverflowError):
        size = prod(sizes) * scalar.size
        trap(site, f"expected {size} bytes of memory, the system does not give more")


@meaning(memref.AllocOp, memref.AllocaOp)
def _allocate(body: Body, op: memref.AllocOp | memref.AllocaOp) -> None:
    type_ = memref_type(op.memref, op)
    if not isinstance(type_.layout, NoneAttr):
        fail(op, f"expected an allocation with identity layout, got {type_}")
    scalar = body.program.bind(element_in_memory(type_, op), "scalar")
    body.require(op.dynamic_sizes, op, "size")
    name = op.memref.name_hint or ""
    site = body.site(op)
    if op.dynamic_sizes:
        given = as_tuple([body.use(size) for size in op.dynamic_sizes])
        body.line(f"expect_sizes({given}, {site})")
    sizes = sizes_text(body, type_, op.dynamic_sizes)
    numbers = f"taken({sizes}, {scalar}, w.allocates, {name!r}, {site})"
    body.let(op.memref, of_elements(type_, numbers))


@meaning(memref.DeallocOp)
def _deallocate(body: Body, op: memref.DeallocOp) -> None:
    """Memory goes when nobody can reach it any more."""


@meaning(memref.DimOp)
def _dim(body: Body, op: memref.DimOp) -> None:
    body.require([op.index], op, "dimension")
    source, index = body.use(op.source), body.use(op.index)
    rank = len(memref_type(op.source, op).get_shape())
    site = body.site(op)
    message = f"'expected a dimension below {rank}, got ' + str({index})"
    body.line(f"if {index} >= {rank}: trap({site}, {message})")
    body.let(op.result, f"{source}.sizes[{index}]")


@meaning(memref.RankOp)
def _rank(body: Body, op: memref.RankOp) -> None:
    body.let(op.rank, str(len(memref_type(op.source, op).get_shape())))


@helper
def expect_same_shape(source: MemRef, target: MemRef, site: int) -> None:
    if source.sizes != target.sizes:
        trap(site, f"expected equal shapes, got {source.sizes} and {target.sizes}")


@helper
def copy_elements(source: MemRef, target: MemRef) -> None:
    values = [source.data[i] for i in source.positions()]
    data = target.data
    for i, value in zip(target.positions(), values, strict=True):
        data[i] = value


@meaning(memref.CopyOp)
def _copy(body: Body, op: memref.CopyOp) -> None:
    source, target = body.uses([op.source, op.destination])
    body.line(f"expect_same_shape({source}, {target}, {body.site(op)})")
    if body.checked:
        body.line(f"check.copy(w, {source}, {target}, {body.site(op)})")
    body.line(f"copy_elements({source}, {target})")

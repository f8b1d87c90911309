"""
Loads and stores under masks, where a machine has none.

With AVX2 elements of less than 32 bits are accessed one by one under a mask, with a branch for each
lane, and with less than AVX2 all are.

But pages are what is protected: a vector that lies in one page can be read as a whole where one of
its lanes can. It is asked whether it does, and whether a lane is active at all. What is read beyond
an array is thrown away. LLVM must not know where an array ends, so that this is done for arguments
of kernels alone.

Lanes that are not to be stored may be written by other threads. So it is asked of each few lanes
whether all of them are active, or none; near an edge others are rare.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue

from spmd.dialects.interfaces.views import underlying_object
from spmd.dialects.work_groups import WORK_GROUP_FUNCTION
from spmd.lowering.machine import Machine
from spmd.lowering.writing.access import Access
from spmd.lowering.writing.literals import shuffle
from spmd.lowering.writing.module_writer import ModuleWriter
from spmd.lowering.writing.types import like, mangled, storage_bytes, storage_type

PAGE = 4096
"""Bytes, or a multiple of them."""

PART = 8
"""Lanes that are stored together."""


def has_no_masks(machine: Machine, access: Access) -> bool:
    """Whether `machine` accesses the lanes of `access` one by one under a mask."""
    size, lanes = storage_bytes(access.element), access.lanes or 1
    has_some = machine.has_masks or (machine.vector_bits >= 256 and size >= 4)
    return not has_some and lanes.bit_count() == 1 < lanes and size * lanes <= PAGE


def is_unbounded(array: SSAValue) -> bool:
    """Whether LLVM does not know where `array` ends."""
    owner = underlying_object(array).owner
    function = owner.parent_op() if isinstance(owner, Block) else None
    return isinstance(function, FuncOp) and WORK_GROUP_FUNCTION in function.attributes


def load_whole(
    module: ModuleWriter, access: Access, address: str, mask: str, pass_thru: str
) -> str:
    """
    The instruction that has the active lanes from `address` on, `pass_thru` in the others.

    The array `is_unbounded`, and the machine `has_no_masks`.
    """
    masked = _Masked(access)
    name = module.helper(
        f"spmd.load.whole.{masked.name}", lambda: masked.load_whole(module)
    )
    return masked.call(masked.type, name, address, mask, access.to_memory(pass_thru))


def store_parts(
    module: ModuleWriter, access: Access, address: str, mask: str, value: str
) -> str:
    """
    The instruction that stores the active lanes of `value` from `address` on.

    The machine `has_no_masks`.
    """
    masked = _Masked(access)
    name = module.helper(
        f"spmd.store.parts.{masked.name}", lambda: masked.store_parts(module)
    )
    return masked.call("void", name, address, mask, access.to_memory(value))


class _Masked:
    """The functions for accesses of so many lanes."""

    def __init__(self, access: Access):
        assert access.lanes is not None, "a scalar has no mask"
        self.lanes = access.lanes
        self.element = storage_type(access.element)
        self.bytes = storage_bytes(access.element) * self.lanes
        self.alignment, self.align = access.alignment, f"align {access.alignment}"
        self.type, self.mask = access.stored, like("i1", self.lanes)
        self.name = f"{mangled(self.type)}.{access.alignment}"

    def call(self, result: str, name: str, address: str, mask: str, value: str) -> str:
        given = f"ptr {address}, {self.mask} {mask}, {self.type} {value}"
        return f"call {result} @{name}({given})"

    @property
    def parameters(self) -> str:
        return f"ptr %at, {self.mask} %mask, {self.type} %value"

    def load_whole(self, module: ModuleWriter) -> str:
        """One load if that is safe."""
        name = f"spmd.load.each.{self.name}"
        each = module.helper(name, lambda: self._load_each(module, name))
        likely = module.likely()
        bits = f"i{self.lanes}"
        return f"""\
define internal {self.type} @spmd.load.whole.{self.name}({self.parameters}) alwaysinline nounwind {{
entry:
  %bits = bitcast {self.mask} %mask to {bits}
  %some = icmp ne {bits} %bits, 0
  %address = ptrtoint ptr %at to i64
  %inside = and i64 %address, {PAGE - 1}
  %ends = icmp ule i64 %inside, {PAGE - self.bytes}
  %is_whole = and i1 %some, %ends
  br i1 %is_whole, label %whole, label %each, !prof {likely}
whole:
  %all = load {self.type}, ptr %at, {self.align}
  %active = select {self.mask} %mask, {self.type} %all, {self.type} %value
  ret {self.type} %active
each:
  %loaded = call {self.type} @{each}({self.parameters})
  ret {self.type} %loaded
}}
"""

    def _load_each(self, module: ModuleWriter, name: str) -> str:
        """One lane after the other."""
        intrinsic = f"llvm.masked.load.{mangled(self.type)}.p0"
        module.declare(intrinsic, self.type, ["ptr", self.mask, self.type])
        given = f"ptr {self.align} %at, {self.mask} %mask, {self.type} %value"
        return f"""\
define internal {self.type} @{name}({self.parameters}) noinline cold nounwind {{
  %loaded = call {self.type} @{intrinsic}({given})
  ret {self.type} %loaded
}}
"""

    def store_parts(self, module: ModuleWriter) -> str:
        """A part after the other."""
        body = "\n".join(
            line
            for first in range(0, self.lanes, PART)
            for line in self._store_part(module, first)
        )
        return f"""\
define internal void @spmd.store.parts.{self.name}({self.parameters}) noinline nounwind {{
  br label %part0
{body}
part{self.lanes}:
  ret void
}}
"""

    def _store_part(self, module: ModuleWriter, first: int) -> Iterator[str]:
        """The lanes from `first` on."""
        picks = range(first, min(first + PART, self.lanes))
        length, after = len(picks), f"%part{picks.stop}"
        part, mask, bits = (
            like(self.element, length),
            like("i1", length),
            f"i{length}",
        )
        align = f"align {min(self.alignment, self.bytes * length // self.lanes)}"
        intrinsic = f"llvm.masked.store.{mangled(part)}.p0"
        module.declare(intrinsic, "void", [part, "ptr", mask])
        value, active, at, number = (
            f"%{name}{first}" for name in ("value", "mask", "at", "bits")
        )
        yield f"part{first}:"
        yield f"  {value} = {shuffle(self.type, '%value', 'poison', picks)}"
        yield f"  {active} = {shuffle(self.mask, '%mask', 'poison', picks)}"
        yield f"  {at} = getelementptr {self.element}, ptr %at, i64 {first}"
        yield f"  {number} = bitcast {mask} {active} to {bits}"
        yield f"  switch {bits} {number}, label %some{first} ["
        yield f"    {bits} 0, label {after}"
        yield f"    {bits} -1, label %all{first}"
        yield "  ]"
        yield f"all{first}:"
        yield f"  store {part} {value}, ptr {at}, {align}"
        yield f"  br label {after}"
        yield f"some{first}:"
        given = f"{part} {value}, ptr {align} {at}, {mask} {active}"
        yield f"  call void @{intrinsic}({given})"
        yield f"  br label {after}"

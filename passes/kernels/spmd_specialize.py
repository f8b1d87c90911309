"""
Makes constants of what kernels leave to the launch: the work-group size, scalar arguments.

```mlir
// before
spmd.kernel @k(%n: index, %x: memref<?xf32>) { ... }
// after spmd-specialize{work-group-size=16,16 full-groups=true constants="n=1024"}
spmd.kernel @k(%n: index, %x: memref<?xf32>)
    attributes {spmd.full_groups, work_group_size = array<i64: 16, 16, 1>} {
  %n_1 = arith.constant 1024 : index  // instead of %n, which nothing asks any more
  ...
}
```

Options: `work-group-size` is X, X,Y or X,Y,Z; `full-groups` promises that no group is
smaller (the global size is a multiple of the group size in each dimension);
`any-size-up-to` X,Y,Z leaves it to `reshape-groups` to take another size; `disjoint-arrays`
promises that no array that is written overlaps another, as `spmd.noalias` on each does;
`small-arrays` that each has less than 2^30 elements, and some, as `spmd.small` does; `few-items` that
there are less than 2^30 work-items, as `spmd.few_items` does; `constants` are
scalar arguments and their values, such as `"n=1024","a=0.5"`, by name or by number from 0;
`thread-copies` are array arguments and kinds of updates, such as `"counts=add"`, that become
`spmd.thread_copies`; `streamed-arrays` are array arguments, by name or by number, that become
`spmd.streamed`, with the bytes from the start of a cache line to their rows if that is known
(`"y=16"`); `kernel` names the one kernel to specialise, instead of all.

Requires: no kernel to specialise fixes another size.
Ensures: they all fix the given one; what the kernel is launched with has to be as told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, BlockArgument
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from spmd.dialects.building import Builder
from spmd.dialects.diagnostics import KernelError, fail
from spmd.dialects.element_types import is_memref
from spmd.dialects.limits import LINE_OFFSETS, MAX_GROUP_SIZE
from spmd.dialects.names import (
    ANY_GROUP_SIZE,
    FEW_ITEMS,
    FULL_GROUPS,
    NOALIAS,
    SMALL,
    STREAMED,
    THREAD_COPIES,
)
from spmd.dialects.remarks import CopiedByThreads, remark
from spmd.dialects.spmd import AtomicKind, KernelOp
from spmd.dialects.spmd.atomics import AtomicKindAttr, why_not_copied
from spmd.dialects.spmd.kernel import kernels_in
from spmd.dialects.spmd.types import is_local

Words: TypeAlias = tuple[int | float | str, ...]
"""What options say of arguments: xDSL reads a word that is a number as one."""


def _words(size: tuple[int, ...]) -> str:
    return " x ".join(str(extent) for extent in size)


@dataclass(frozen=True)
class SpmdSpecializePass(ModulePass):
    """Fixes the work-group size and arguments; see the module docstring."""

    name = "spmd-specialize"

    work_group_size: tuple[int, ...] = ()
    full_groups: bool = False
    any_size_up_to: tuple[int, ...] = ()
    disjoint_arrays: bool = False
    small_arrays: bool = False
    few_items: bool = False
    constants: Words = ()
    thread_copies: Words = ()
    streamed_arrays: Words = ()
    kernel: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        size = self._checked_size()
        kernels = list(kernels_in(op))
        if self.kernel:
            chosen = [k for k in kernels if k.sym_name.data == self.kernel]
            if not chosen:
                names = ", ".join(f"@{k.sym_name.data}" for k in kernels) or "none"
                raise KernelError(
                    "expected the option kernel to name a kernel of the module "
                    f"({names}), got {self.kernel}"
                )
            kernels = chosen
        for kernel in kernels:
            self._specialize(kernel, size)
            for constant in self.constants:
                _fix(kernel, *str(constant).split("=", 1))
            for copied in self.thread_copies:
                _mark_copied(kernel, *str(copied).split("=", 1))
            for streamed in self.streamed_arrays:
                _mark_streamed(kernel, *str(streamed).split("=", 1))

    def _checked_size(self) -> tuple[int, int, int] | None:
        size = self.work_group_size
        if not size:
            return None
        if len(size) > 3 or any(extent < 1 for extent in size):
            raise KernelError(
                "expected the option work-group-size to be one to three positive sizes, "
                f"got {','.join(map(str, size))}"
            )
        if prod(size) > MAX_GROUP_SIZE:
            raise KernelError(
                f"expected the option work-group-size to be of at most {MAX_GROUP_SIZE} "
                f"work-items, got {','.join(map(str, size))}"
            )
        x, y, z, *_ = (*size, 1, 1)
        return x, y, z

    def _specialize(self, kernel: KernelOp, size: tuple[int, int, int] | None) -> None:
        known = kernel.group_size
        if size is not None:
            if known is not None and known != size:
                fail(
                    kernel,
                    f"expected the work-group size {_words(known)} that "
                    f"@{kernel.sym_name.data} fixes, got {_words(size)}",
                )
            kernel.work_group_size = DenseArrayBase.from_list(i64, size)
        elif known is None and (self.full_groups or not self.constants):
            fail(
                kernel,
                "expected the option work-group-size, since "
                f"@{kernel.sym_name.data} does not fix its size itself",
            )
        if self.full_groups:
            kernel.attributes[FULL_GROUPS] = UnitAttr()
        if self.disjoint_arrays:
            _mark_arrays(kernel, NOALIAS)
        if self.small_arrays:
            _mark_arrays(kernel, SMALL)
        if self.few_items:
            kernel.attributes[FEW_ITEMS] = UnitAttr()
        if self.any_size_up_to:
            most = DenseArrayBase.from_list(i64, self.any_size_up_to)
            kernel.attributes[ANY_GROUP_SIZE] = most


def _mark_arrays(kernel: KernelOp, promise: str) -> None:
    """Marks each array argument with a `promise`."""
    for argument in kernel.body.blocks[0].args:
        if is_memref(argument.type) and not is_local(argument.type):
            _mark(kernel, argument, promise, UnitAttr())


def _mark_copied(kernel: KernelOp, name: str, text: str = "") -> None:
    """Marks an array argument `spmd.thread_copies` of the kind that `text` says."""
    argument = _array_named(kernel, name, "thread-copies")
    kinds = list(AtomicKind)
    if text not in kinds:
        fail(
            kernel,
            f"expected a kind ({', '.join(kinds)}) for the argument {name} in the option "
            f"thread-copies, got {text or 'none'}",
        )
    kind = AtomicKindAttr(AtomicKind(text))
    if why := why_not_copied(kind, argument.type):
        fail(kernel, f"argument {argument.index}: {why}")
    _mark(kernel, argument, THREAD_COPIES, kind)
    remark(CopiedByThreads, kernel, argument)


def _mark_streamed(kernel: KernelOp, name: str, text: str | None = None) -> None:
    """Marks an array argument `spmd.streamed`, whose rows begin where `text` says."""
    argument = _array_named(kernel, name, "streamed-arrays")
    places = {str(place): IntegerAttr(place, i64) for place in LINE_OFFSETS}
    if text is not None and text not in places:
        fail(
            kernel,
            f"expected where in a cache line the argument {name} begins "
            f"({', '.join(places)}) in the option streamed-arrays, got {text or 'none'}",
        )
    value = UnitAttr() if text is None else places[text]
    _mark(kernel, argument, STREAMED, value)


def _mark(
    kernel: KernelOp, argument: BlockArgument, name: str, value: Attribute
) -> None:
    given = kernel.arg_attrs
    if given is None:
        given = [DictionaryAttr({})] * len(argument.block.args)
    marked = list(given)
    marked[argument.index] = DictionaryAttr(marked[argument.index].data | {name: value})
    kernel.arg_attrs = ArrayAttr(marked)


def _array_named(kernel: KernelOp, name: str, option: str) -> BlockArgument:
    arrays = [each for each in kernel.body.blocks[0].args if is_memref(each.type)]
    return _named(kernel, name, arrays, option, "array")


def _named(
    kernel: KernelOp,
    name: str,
    arguments: Sequence[BlockArgument],
    option: str,
    what: str,
) -> BlockArgument:
    """The one of some `arguments` that an option means, by name or by number."""
    by_name = {each.name_hint or str(each.index): each for each in arguments}
    by_number = {str(each.index): each for each in arguments}
    if (argument := by_name.get(name) or by_number.get(name)) is None:
        fail(
            kernel,
            f"expected the option {option} to name {what} arguments of "
            f"@{kernel.sym_name.data} ({', '.join(by_name) or 'there are none'}), got "
            f"{name}",
        )
    return argument


def _fix(kernel: KernelOp, name: str, text: str = "") -> None:
    """Replaces an argument by the constant that `text` says."""
    block = kernel.body.blocks[0]
    types = AnyFloat | IntegerType | IndexType
    scalars = [each for each in block.args if isinstance(each.type, types)]
    argument = _named(kernel, name, scalars, "constants", "scalar")
    try:
        value = _constant(text, argument.type)
    except (ValueError, VerifyException):
        fail(
            kernel,
            f"expected a number of type {argument.type} for the argument {name} in the "
            f"option constants, got {text or 'none'}",
        )
    builder = Builder(InsertPoint.at_start(block), kernel)
    argument.replace_all_uses_with(
        builder.add(arith.ConstantOp(value), argument.name_hint)
    )


def _constant(text: str, type_: Attribute) -> IntegerAttr | FloatAttr:
    if isinstance(type_, AnyFloat):
        return FloatAttr(float(text), type_)
    assert isa(type_, IntegerType | IndexType)
    return IntegerAttr(int(text), type_)

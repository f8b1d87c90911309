"""Kernels and launches of `gpu`: memory spaces, attributions, the body of a launch, sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import arith, func, gpu, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    SymbolRefAttr,
    i8,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.traits import SymbolTable
from xdsl.utils.hints import isa

from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.compat.gpu.functions import argument_attributes, attributions
from spmd.dialects.compat.gpu.memory import (
    AddressSpace,
    AddressSpaceAttr,
    DynamicSharedMemoryOp,
)
from spmd.dialects.diagnostics import fail
from spmd.dialects.element_types import is_memref
from spmd.dialects.enclosing import enclosing, used_from_outside
from spmd.dialects.names import NOALIAS
from spmd.dialects.rewriting import constant_index, replace
from spmd.dialects.spmd import (
    EnqueuedLocalSizeOp,
    Extent,
    GroupIdOp,
    KernelOp,
    LaunchOp,
    LocalAllocOp,
    LocalIdOp,
    MemoryAttr,
    NumGroupsOp,
    ReturnOp,
)
from spmd.dialects.spmd.launch import Argument, LocalArgument
from spmd.dialects.spmd.types import (
    LOCAL,
    PRIVATE,
    is_local,
    why_not_argument,
)
from spmd.passes.frontends.outlining import (
    free_name,
    is_computed_again,
    use_inside,
    values_inside,
)

_SPACES: dict[int | str, MemoryAttr | NoneAttr] = {
    0: NoneAttr(),
    1: NoneAttr(),
    3: LOCAL,
    4: NoneAttr(),
    5: PRIVATE,
    AddressSpace.GLOBAL: NoneAttr(),
    AddressSpace.WORKGROUP: LOCAL,
    AddressSpace.PRIVATE: PRIVATE,
    AddressSpace.CONSTANT: NoneAttr(),
}
"""The memory spaces of `gpu`, and the numbers that LLVM's back ends for GPUs have for them."""

DYNAMIC_MEMORY = MemRefType(i8, [DYNAMIC_INDEX], memory_space=LOCAL)
"""Of the last argument of a kernel that has `gpu.dynamic_shared_memory`."""


def spmd_type(type_: Attribute) -> Attribute:
    """`type_` with the memory space that it has here."""
    if not is_memref(type_):
        return type_
    given: Attribute = type_.memory_space
    space = given
    if isinstance(given, AddressSpaceAttr):
        space = _SPACES[given.data]
    elif isa(given, IntegerAttr):
        space = _SPACES.get(given.value.data, given)
    return MemRefType(type_.element_type, type_.shape, type_.layout, space)


def convert_memory(op: Operation) -> None:
    """Make local memory of what a kernel allocates for its group."""
    match op:
        case memref.AllocOp() | memref.AllocaOp() if is_local(op.memref.type):
            if op.dynamic_sizes:
                fail(
                    op,
                    "expected memory of the group with fixed sizes, got "
                    f"{op.memref.type}: use gpu.dynamic_shared_memory",
                )
            replace(op, LocalAllocOp(op.memref.type))
        case memref.DeallocOp() if is_local(op.memref.type):
            replace(op, (), ())
        case memref.MemorySpaceCastOp() if op.source.type == op.dest.type:
            replace(op, (), (op.source,))
        case memref.GetGlobalOp() if is_local(op.memref.type):
            fail(
                op,
                "expected memory of the group as workgroup(...) of the kernel, or by "
                f"memref.alloc in it, got the global {op.name_}",
            )
        case _:
            pass


def _give_attributions(op: gpu.FuncOp | gpu.LaunchOp, entry: Block) -> None:
    """Let the body of `op`, which begins with `entry`, allocate what `op` gives it."""
    at = Builder(InsertPoint.at_start(entry), op)
    of_group, of_item = attributions(op)
    for argument in (*of_group, *of_item):
        type_ = argument.type
        assert is_memref(type_), "attributions are verified"
        if is_local(type_) != (argument in of_group):
            what = "workgroup" if argument in of_group else "private"
            fail(op, f"expected {what}(...) in that address space, got {type_}")
        new = (
            LocalAllocOp(type_)
            if is_local(type_)
            else memref.AllocaOp.build(operands=[[], []], result_types=[type_])
        )
        argument.replace_all_uses_with(at.add(new, argument))
        entry.erase_arg(argument)


def function_of(op: gpu.FuncOp, name: str) -> KernelOp | func.FuncOp:
    """The kernel, or the function that kernels call, that `op` is."""
    if not op.body.blocks:
        fail(op, "expected a gpu.func with a body, got a declaration")
    _give_attributions(op, op.body.blocks[0])
    given = argument_attributes(op)
    types, body = op.function_type, op.detach_region(op.body)
    for block in body.blocks:
        end = block.last_op
        if isinstance(end, gpu.ReturnOp):
            replace(end, func.ReturnOp(*end.args) if op.kernel is None else ReturnOp())
    if op.kernel is None:
        new = func.FuncOp(name, types, body)
    else:
        size = op.known_block_size
        new = KernelOp(
            name,
            types.inputs.data,
            body,
            work_group_size=None if size is None else [*map(int, size.get_values())],
            arg_attrs=None if given is None else ArrayAttr(map(_attributes, given)),
        )
        _take_dynamic_memory(new)
    new.location = op.location
    return new


def _attributes(of_argument: DictionaryAttr) -> DictionaryAttr:
    """LLVM's `noalias` is that of a kernel."""
    return DictionaryAttr(
        {
            NOALIAS if name == "llvm.noalias" else name: value
            for name, value in of_argument.data.items()
        }
    )


def _take_dynamic_memory(kernel: KernelOp) -> None:
    """Let `kernel` have an argument more if it uses memory that the launch sizes."""
    used = [op for op in kernel.walk() if isinstance(op, DynamicSharedMemoryOp)]
    if not used:
        return
    entry = kernel.body.blocks[0]
    argument = entry.insert_arg(DYNAMIC_MEMORY, len(entry.args))
    for op in used:
        replace(op, (), (argument,))
    if kernel.arg_attrs is not None:
        kernel.arg_attrs = ArrayAttr([*kernel.arg_attrs, DictionaryAttr({})])
    kernel.function_type = FunctionType.from_lists(entry.arg_types, [])


def constant_block_size(
    op: gpu.LaunchOp | gpu.LaunchFuncOp,
) -> tuple[int, int, int] | None:
    """That of the launch `op`, if it is constant and not empty."""
    match [constant_index(n) for n in (op.blockSizeX, op.blockSizeY, op.blockSizeZ)]:
        case int(x), int(y), int(z) if min(x, y, z) > 0:
            return x, y, z
        case _:
            return None


def _bytes(at: Builder, size: SSAValue | None) -> SSAValue:
    if size is None:
        return at.add(arith.ConstantOp(IntegerAttr(0, IndexType())))
    return at.add(arith.IndexCastOp(size, IndexType()))


def _launch(
    op: gpu.LaunchOp | gpu.LaunchFuncOp,
    kernel: KernelOp,
    arguments: Sequence[SSAValue],
    at: Builder,
) -> LaunchOp:
    """What starts `kernel` in the place of `op`."""

    def sizes(*values: SSAValue) -> list[SSAValue]:
        return [
            size
            if size.type == IndexType()
            else at.add(arith.IndexCastOp(size, IndexType()))
            for size in values
        ]

    if op.clusterSizeX is not None:
        fail(op, f"expected {op.name} without clusters, which a CPU does not have")
    passed: list[Argument] = list(arguments)
    types = kernel.function_type.inputs.data
    if len(types) == len(passed) + 1 and types[-1] == DYNAMIC_MEMORY:
        size = _bytes(at, op.dynamicSharedMemorySize)
        passed.append(LocalArgument(DYNAMIC_MEMORY, [size]))
    return LaunchOp(
        kernel.sym_name.data,
        sizes(op.gridSizeX, op.gridSizeY, op.gridSizeZ),
        passed,
        group_size=sizes(op.blockSizeX, op.blockSizeY, op.blockSizeZ),
        extent=Extent.GROUPS,
    )


def launch_of(
    op: gpu.LaunchFuncOp, kernels: Mapping[SymbolRefAttr, KernelOp]
) -> LaunchOp:
    """The launch of one of the `kernels` that `op` is; what it needs stands before `op`."""
    kernel = kernels.get(op.kernel)
    if kernel is None:
        known = ", ".join(map(str, kernels)) or "none"
        fail(
            op,
            f"expected a kernel in a gpu.module of this module ({known}), got {op.kernel}",
        )
    return _launch(op, kernel, op.kernelOperands, Builder.before(op))


def outline(op: gpu.LaunchOp) -> LaunchOp:
    """Put the body of `op` into a kernel before the function around; the launch of it."""
    function = enclosing(op, func.FuncOp)
    if function is None or function.parent is None:
        fail(op, "expected gpu.launch in a func.func")
    named = op.attributes.get("function")
    name = free_name(function, "kernel")
    if isinstance(named, SymbolRefAttr):
        name = named.root_reference.data
        if SymbolTable.lookup_symbol(function, name) is not None:
            fail(
                op, f"expected the name @{name} to be free for the kernel of gpu.launch"
            )
    entry = op.body.blocks[0]
    _give_attributions(op, entry)
    size = constant_block_size(op)
    kernel = KernelOp(name, [], op.detach_region(op.body), work_group_size=size)
    kernel.location = op.location
    function.parent.insert_op_before(kernel, function)
    _replace_ids(kernel, entry)
    captured = used_from_outside(kernel)
    passed = [value for value in captured if not is_computed_again(value)]
    for value in passed:
        if (why := why_not_argument(value.type)) is not None:
            fail(
                kernel,
                f"expected only values from outside that a kernel can get: {why}",
            )
    arguments = [entry.insert_arg(value.type, n) for n, value in enumerate(passed)]
    constants, at = ConstantPool(entry), Builder.at_head(entry, op)
    use_inside(kernel, values_inside(captured, passed, arguments, at, constants))
    for inner in kernel.body.blocks:
        if isinstance(inner.last_op, gpu.TerminatorOp):
            replace(inner.last_op, ReturnOp())
    kernel.function_type = FunctionType.from_lists(entry.arg_types, [])
    _take_dynamic_memory(kernel)
    return _launch(op, kernel, passed, Builder.before(op))


def _replace_ids(kernel: KernelOp, entry: Block) -> None:
    """Ids and sizes are arguments of the body of a launch, and ops of a kernel."""
    at = Builder(InsertPoint.at_start(entry), kernel)
    ids = (
        *map(GroupIdOp, "xyz"),
        *map(LocalIdOp, "xyz"),
        *map(NumGroupsOp, "xyz"),
        *map(EnqueuedLocalSizeOp, "xyz"),
    )
    for id_, argument in zip(ids, tuple(entry.args), strict=True):
        if argument.first_use is not None:
            argument.replace_all_uses_with(at.add(id_, argument))
        entry.erase_arg(argument)

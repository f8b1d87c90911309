"""Kernels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    SymbolNameConstraint,
    UnitAttr,
    i64,
)
from xdsl.dialects.utils import parse_func_op_like, print_func_op_like
from xdsl.ir import Attribute, Block, Region
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsolatedFromAbove,
    IsTerminator,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from spmd.dialects.interfaces.control_flow import RegionBranch, Runs
from spmd.dialects.limits import MAX_GROUP_SIZE, MAX_SUB_GROUP_SIZE
from spmd.dialects.names import (
    FULL_GROUPS,
    GROUP_ATTRIBUTES,
    KERNEL_PROMISES,
    PROMISES,
    THREAD_COPIES,
)
from spmd.dialects.spmd.atomics import why_not_copied
from spmd.dialects.spmd.types import why_not_argument, why_not_promised
from spmd.dialects.work_groups import FOOTPRINTS, NOT_VECTORIZED

DROPPED_BARRIERS = "spmd.dropped_barriers"
"""Kernel attribute: why each barrier that is gone ordered nothing."""

NOT_SPLIT_BY_FISSION = "spmd.not_split_by_fission"
"""Kernel attribute: why fission cannot split it at its barriers."""

ARGUMENT_SHAPES = "spmd.argument_shapes"
"""Attribute of an op with a body: the shapes of its block arguments, for a reader."""

KERNEL_ATTRIBUTES = (
    *KERNEL_PROMISES,
    *GROUP_ATTRIBUTES,
    DROPPED_BARRIERS,
    NOT_SPLIT_BY_FISSION,
    NOT_VECTORIZED,
    ARGUMENT_SHAPES,
)
"""Attributes of the dialect on a kernel: promises to passes, then notes that they leave."""

ARGUMENT_ATTRIBUTES = (*PROMISES, THREAD_COPIES, *FOOTPRINTS)
"""Attributes of the dialect on an argument of a kernel: promises, then notes."""

PREFIX = "spmd."
"""What the names of attributes of the dialect start with."""


def why_not_work_group_size(size: Attribute) -> str | None:
    """Why `size` is no `work_group_size`."""
    if isa(size, DenseArrayBase[IntegerType]) and size.elt_type == i64:
        extents = size.get_values()
        if 1 <= len(extents) <= 3 and all(extent > 0 for extent in extents):
            if (items := prod(extents)) <= MAX_GROUP_SIZE:
                return None
            return (
                f"expected a work_group_size of at most {MAX_GROUP_SIZE} work-items, got "
                f"{' x '.join(map(str, extents))} = {items}"
            )
    form = "work_group_size = array<i64: X[, Y[, Z]]>"
    return f"expected {form} with positive sizes, got {size}"


def why_not_sub_group_size(size: Attribute) -> str | None:
    """Why `size` is no `sub_group_size`."""
    if isa(size, IntegerAttr[IntegerType]) and size.type == i64:
        lanes = size.value.data
        if 1 <= lanes <= MAX_SUB_GROUP_SIZE and lanes & (lanes - 1) == 0:
            return None
    return (
        "expected sub_group_size = N : i64 with a power of two from 1 to "
        f"{MAX_SUB_GROUP_SIZE}, got {size}"
    )


def why_not_argument_attributes(attrs: DictionaryAttr, type_: Attribute) -> str | None:
    """Why an argument of this type cannot have the attributes."""
    for name in attrs.data:
        if name in ARGUMENT_ATTRIBUTES:
            continue
        if name.startswith(PREFIX) or "." not in name:
            meant = PREFIX + name
            hint = f"; did you mean {meant}?" if meant in ARGUMENT_ATTRIBUTES else ""
            return (
                f"expected {', '.join(PROMISES)} or an attribute with the "
                f"prefix of another dialect, got {name}{hint}"
            )
    if (kind := attrs.data.get(THREAD_COPIES)) is not None and (
        why := why_not_copied(kind, type_)
    ):
        return why
    for name in PROMISES:
        promise = attrs.data.get(name)
        if promise is not None and (why := why_not_promised(name, promise, type_)):
            return why
    return None


SIZES = {
    "work_group_size": why_not_work_group_size,
    "sub_group_size": why_not_sub_group_size,
}
"""The kernel attributes that fix a size, and why a value is none."""


@irdl_op_definition
class KernelOp(IRDLOperation):
    """
    The program of one work-item.

    | name              | kind      | type                          | meaning                  |
    | ----------------- | --------- | ----------------------------- | ------------------------ |
    | `sym_name`        | attribute | symbol name                   | the kernel's name        |
    | `function_type`   | attribute | function type without results | types of the arguments   |
    | `arg_attrs`       | attribute | array of dictionaries, optional | `spmd.noalias` and others |
    | `work_group_size` | attribute | `array<i64: X[, Y[, Z]]>`, optional | nominal group size; else the launch decides |
    | `sub_group_size`  | attribute | `i64`, a power of two from 1 to 64, optional | lanes of a sub-group; else the compiler decides |
    | `body`            | region    | one or more blocks            | what one work-item does  |

    Arguments are the same in all work-items of a launch: `index`, `i1 i8 i16 i32 i64`, `f16 bf16 f32 f64`, and
    memrefs of these in global memory (identity or strided layout, static or `?` sizes) or in local memory (identity
    layout; one storage per work-group, of a size that the launch gives). An argument marked `{spmd.noalias}` is a
    memref, and what a launch writes through it or beside it is reached only through it. All that the kernel does with
    one marked `{spmd.thread_copies = #spmd.atomic_kind<K>}` is relaxed `spmd.atomic_rmw K` (or `sub` if it is `add`)
    with results that nobody uses: each thread may do that in a copy of its own, combined with the array in the end.
    An array marked `{spmd.small}` has 1 to 2^30 - 1 elements. Of one marked `{spmd.streamed}` caches keep nothing;
    of `{spmd.streamed = 16 : i64}`, each row begins 16 bytes after the start of a cache line of 64 bytes.
    The unit attribute `spmd.full_groups` promises that no launch leaves a group smaller than `work_group_size`,
    `spmd.few_items` that none has 2^30 work-items or more; one that does is an error.

    Each block ends in `spmd.return` or in a branch to another block.

    Errors: an argument of another type; a memref argument in private memory; results; a block that ends in anything
    else; `work_group_size` without 1 to 3 positive sizes or of more than 16384 work-items; `sub_group_size` that is
    no power of two from 1 to 64; `spmd.noalias` on a scalar; `spmd.thread_copies` without a kind, or on what is no
    memref with identity layout in global memory; `spmd.full_groups` without `work_group_size`; an attribute whose
    name is neither one of these nor prefixed by a dialect, or that starts with `spmd.` and is none that the dialect
    knows; a kernel that does not stand directly in a module.

    ```mlir
    spmd.kernel @scale(%n: index, %a: f32, %x: memref<?xf32> {spmd.noalias})
        attributes {work_group_size = array<i64: 256>} {
      %i = spmd.global_id x
      %inside = arith.cmpi ult, %i, %n : index
      scf.if %inside {
        %v = memref.load %x[%i] : memref<?xf32>
        %w = arith.mulf %a, %v : f32
        memref.store %w, %x[%i] : memref<?xf32>
      }
      spmd.return
    }
    // run: global_size = 4, n = 3, a = 2.0, x = [1, 2, 3, 4]
    // gives: x = [2, 4, 6, 4]
    ```
    """

    name = "spmd.kernel"

    sym_name = prop_def(SymbolNameConstraint())
    function_type = prop_def(FunctionType)
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    work_group_size = opt_prop_def(DenseArrayBase[IntegerType])
    sub_group_size = opt_prop_def(IntegerAttr[IntegerType])
    body = region_def()

    traits = traits_def(
        IsolatedFromAbove(), SymbolOpInterface(), RegionBranch(runs=Runs.ONCE)
    )

    def __init__(
        self,
        name: str,
        arg_types: Sequence[Attribute],
        region: Region | None = None,
        *,
        work_group_size: Sequence[int] | None = None,
        sub_group_size: int | None = None,
        arg_attrs: ArrayAttr[DictionaryAttr] | None = None,
    ):
        properties: dict[str, Attribute | None] = {
            "sym_name": StringAttr(name),
            "function_type": FunctionType.from_lists(arg_types, []),
            "arg_attrs": arg_attrs,
            "work_group_size": None
            if work_group_size is None
            else DenseArrayBase.from_list(i64, work_group_size),
            "sub_group_size": None
            if sub_group_size is None
            else IntegerAttr(sub_group_size, i64),
        }
        body = Region(Block(arg_types=arg_types)) if region is None else region
        super().__init__(properties=properties, regions=[body])

    @property
    def group_size(self) -> tuple[int, int, int] | None:
        """The fixed nominal work-group size (x, y, z), or `None` if the launch decides."""
        if self.work_group_size is None:
            return None
        x, y, z, *_ = (*self.work_group_size.get_values(), 1, 1)
        return x, y, z

    @property
    def has_full_groups(self) -> bool:
        """Whether no launch leaves a group smaller than `group_size`."""
        return FULL_GROUPS in self.attributes

    def verify_(self) -> None:
        parent = self.parent_op()
        if parent is not None and not isinstance(parent, ModuleOp):
            me = f"kernel @{self.sym_name.data}"
            raise VerifyException(
                f"expected {me} directly in a module, got it inside {parent.name}"
            )
        self._verify_attributes()
        self._verify_arguments()
        self._verify_blocks()

    def _verify_attributes(self) -> None:
        for name, why_not in SIZES.items():
            size = self.properties.get(name)
            if size is not None and (reason := why_not(size)) is not None:
                raise VerifyException(reason)
        for name, value in self.attributes.items():
            if "." not in name:
                raise VerifyException(
                    "expected the kernel attributes work_group_size, sub_group_size or "
                    f"names with the prefix of a dialect, got {name}"
                )
            if name.startswith(PREFIX) and name not in KERNEL_ATTRIBUTES:
                raise VerifyException(
                    f"expected work_group_size, sub_group_size or one of "
                    f"{', '.join(KERNEL_ATTRIBUTES)} on a kernel, got {name}"
                )
            if name in KERNEL_PROMISES and not isinstance(value, UnitAttr):
                raise VerifyException(f"expected {name} without a value, got {value}")
        if self.has_full_groups and self.work_group_size is None:
            raise VerifyException(
                f"expected work_group_size on a kernel with {FULL_GROUPS}, got none"
            )

    def _verify_arguments(self) -> None:
        inputs = self.function_type.inputs.data
        if self.function_type.outputs.data:
            raise VerifyException(
                f"expected a kernel without results, got {self.function_type}"
            )
        for number, type_ in enumerate(inputs):
            if (reason := why_not_argument(type_)) is not None:
                raise VerifyException(f"argument {number}: {reason}")
        if self.arg_attrs is None:
            return
        if len(self.arg_attrs) != len(inputs):
            raise VerifyException(
                f"expected attributes for {len(inputs)} arguments, got "
                f"{len(self.arg_attrs)}"
            )
        for number, (type_, attrs) in enumerate(zip(inputs, self.arg_attrs)):
            if (reason := why_not_argument_attributes(attrs, type_)) is not None:
                raise VerifyException(f"argument {number}: {reason}")

    def _verify_blocks(self) -> None:
        entry = self.body.blocks.first
        if entry is None:
            raise VerifyException("expected a kernel with a body, got a declaration")
        if (got := tuple(entry.arg_types)) != self.function_type.inputs.data:
            raise VerifyException(
                "expected a body whose arguments have the types "
                f"{self.function_type.inputs}, got ({', '.join(map(str, got))})"
            )
        for block in self.body.blocks:
            last = block.last_op
            if last is None:
                raise VerifyException(
                    "expected every block to end in spmd.return or a branch, got an "
                    "empty block"
                )
            if not isinstance(last, ReturnOp) and not (
                last.has_trait(IsTerminator, value_if_unregistered=True)
                and last.successors
            ):
                raise VerifyException(
                    "expected every block to end in spmd.return or a branch, got "
                    f"{last.name}"
                )

    @classmethod
    def parse(cls, parser: Parser) -> KernelOp:
        position = parser.pos
        name, inputs, outputs, region, extra, arg_attrs, _ = parse_func_op_like(
            parser, reserved_attr_names=("sym_name", "function_type", "arg_attrs")
        )
        if outputs:
            parser.raise_error(
                "expected a kernel without results; store them in a memref argument",
                position,
            )
        attributes = dict(extra.data) if extra else {}
        op = cls(name, list(inputs), region, arg_attrs=arg_attrs)
        for size, why_not in SIZES.items():
            value = attributes.pop(size, None)
            if value is None:
                continue
            if (reason := why_not(value)) is not None:
                parser.raise_error(reason, position)
            op.properties[size] = value
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        sizes = {
            name: self.properties[name] for name in SIZES if name in self.properties
        }
        print_func_op_like(
            printer,
            self.sym_name,
            self.function_type,
            self.body,
            sizes | self.attributes,
            arg_attrs=self.arg_attrs,
            reserved_attr_names=("sym_name", "function_type", "arg_attrs"),
        )


def kernels_in(module: ModuleOp) -> Iterator[KernelOp]:
    """The kernels of `module`, which may be replaced while they are looked at."""
    return (op for op in module.body.block.ops if isinstance(op, KernelOp))


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """
    Ends the work-item.

    It has no operands. A kernel may have several; the work-items of a group may end at
    different ones, as long as they agree on the barriers they reach.

    Errors: it stands anywhere but at the end of a block of a kernel.

    ```mlir
    spmd.kernel @early(%x: memref<?xi32>) {
      %two = arith.constant 2 : i32
      %i = spmd.global_id x
      %v = memref.load %x[%i] : memref<?xi32>
      %small = arith.cmpi ult, %v, %two : i32
      cf.cond_br %small, ^done, ^more
    ^more:
      memref.store %two, %x[%i] : memref<?xi32>
      spmd.return
    ^done:
      spmd.return
    }
    // run: global_size = 4, group_size = 4, x = [0, 1, 2, 3]
    // gives: x = [0, 1, 2, 2]
    ```
    """

    name = "spmd.return"

    traits = traits_def(IsTerminator(), HasParent(KernelOp))

    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__()

"""Launching a kernel from a host function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from xdsl.dialects.builtin import (
    ArrayAttr,
    FlatSymbolRefAttrConstr,
    IndexType,
    MemRefType,
    SymbolRefAttr,
)
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import SymbolTable, SymbolUserOpInterface
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from spmd.dialects.assembly_format import BracketedKeyword, optional_word
from spmd.dialects.element_types import is_memref
from spmd.dialects.enclosing import enclosing
from spmd.dialects.interfaces.legality import HostOnly
from spmd.dialects.interfaces.order import Ordered
from spmd.dialects.spmd.atomics import AtomicOp
from spmd.dialects.spmd.kernel import KernelOp
from spmd.dialects.spmd.traits import STAYS_IN_PLACE, expect_inside_function
from spmd.dialects.spmd.types import (
    GLOBAL,
    dynamic_dimensions,
    is_local,
)


class Extent(StrEnum):
    """What the sizes of a launch count: whole work-groups, or work-items."""

    GROUPS = "groups"
    GLOBAL = "global"


@irdl_attr_definition
class ExtentAttr(BracketedKeyword, EnumAttribute[Extent]):
    """`#spmd.extent<groups>`; `spmd.launch` prints the bare keyword."""

    name = "spmd.extent"


class LocalArgument(NamedTuple):
    """An argument in local memory: its type, and a size for each `?` of it."""

    type: MemRefType[Attribute]
    sizes: Sequence[SSAValue | Operation] = ()

    @property
    def size_values(self) -> list[SSAValue]:
        """The sizes as values."""
        return [SSAValue.get(size) for size in self.sizes]


Argument: TypeAlias = SSAValue | Operation | LocalArgument


def _same_memory(type_: Attribute) -> Attribute:
    """The type without its memory space if that is the global one, which is the default."""
    if is_memref(type_) and type_.memory_space == GLOBAL:
        return MemRefType(type_.element_type, type_.shape, type_.layout)
    return type_


class _LaunchesKernel(SymbolUserOpInterface):
    """Checks the launch against the kernel that it names."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, LaunchOp)
        if op.parent_op() is None:
            return
        kernel = SymbolTable.lookup_symbol(op, op.kernel)
        if not isinstance(kernel, KernelOp):
            got = "nothing" if kernel is None else kernel.name
            raise VerifyException(f"expected a kernel named {op.kernel}, got {got}")
        if kernel.group_size is None and not op.group_size:
            raise VerifyException(
                f"expected of(...) with the work-group size, since kernel {op.kernel} "
                "does not fix its own"
            )
        wanted, got = kernel.function_type.inputs.data, op.argument_types.data
        if len(wanted) != len(got):
            raise VerifyException(
                f"expected {len(wanted)} arguments for kernel {op.kernel}, got {len(got)}"
            )
        for number, (want, have) in enumerate(zip(wanted, got)):
            if _same_memory(want) != _same_memory(have):
                raise VerifyException(
                    f"expected argument {number} of kernel {op.kernel} to be {want}, "
                    f"got {have}"
                )


@irdl_op_definition
class LaunchOp(IRDLOperation):
    """
    Runs a kernel on a range of work-items, from a host function.

    | name             | kind      | type                    | meaning                     |
    | ---------------- | --------- | ----------------------- | --------------------------- |
    | `kernel`         | attribute | symbol                  | a kernel of the same module |
    | `extent`         | attribute | `groups` or `global`    | what `sizes` counts         |
    | `sizes`          | operands  | 1 to 3 `index`          | whole work-groups, or work-items, x first |
    | `group_size`     | operands  | none, or 1 to 3 `index` | work-items per group, x first |
    | `arguments`      | operands  | see below               | the kernel's arguments      |
    | `argument_types` | attribute | array of types          | the type of each argument   |

    Sizes that are left out are 1. With `global`, the last groups are smaller if the
    number of work-items is no multiple of the group size. `of(...)` may be left out if
    the kernel has a `work_group_size`. A size of 0 launches nothing.

    An argument is a value, or `local(...)` for a memref in local memory, with one size
    for each `?` of its type. Values have the types of the kernel's arguments; a memref
    without memory space is one in global memory.

    The launches of a function run one after the other.

    Errors: no such kernel; a number or type of arguments that is not the kernel's; no
    `of(...)` for a kernel that does not fix its size; a launch inside a kernel or outside
    of a function. Negative sizes, and sizes that contradict the kernel's, are checked
    when the launch runs.

    ```mlir
    spmd.kernel @fill(%v: f32, %x: memref<?xf32>, %tile: memref<?xf32, #spmd.memory<local>>) {
      %i = spmd.global_id x
      memref.store %v, %x[%i] : memref<?xf32>
      spmd.return
    }
    func.func @fill_all(%n: index, %v: f32, %x: memref<?xf32>) {
      %c64 = arith.constant 64 : index
      spmd.launch @fill global(%n) of(%c64) (%v, %x, local(%c64))
        : f32, memref<?xf32>, memref<?xf32, #spmd.memory<local>>
      func.return
    }
    // run: n = 3, v = 1.5, x = [0, 0, 0, 0]
    // gives: x = [1.5, 1.5, 1.5, 0]
    ```
    """

    name = "spmd.launch"

    kernel = prop_def(FlatSymbolRefAttrConstr)
    extent = prop_def(ExtentAttr)
    sizes = var_operand_def(IndexType)
    group_size = var_operand_def(IndexType)
    # A value gives one operand, a local argument one for each of its sizes.
    arguments = var_operand_def()
    argument_types = prop_def(ArrayAttr[Attribute])

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    traits = traits_def(
        *STAYS_IN_PLACE,
        _LaunchesKernel(),
        HostOnly("a function of the host around it, and no work-items that come to it"),
    )

    def __init__(
        self,
        kernel: str | SymbolRefAttr,
        sizes: Sequence[SSAValue | Operation],
        arguments: Sequence[Argument] = (),
        *,
        group_size: Sequence[SSAValue | Operation] = (),
        extent: Extent | str = Extent.GROUPS,
    ):
        types: list[Attribute] = []
        operands: list[SSAValue | Operation] = []
        for argument in arguments:
            if isinstance(argument, LocalArgument):
                types.append(argument.type)
                operands.extend(argument.sizes)
            else:
                types.append(SSAValue.get(argument).type)
                operands.append(argument)
        super().__init__(
            operands=[sizes, group_size, operands],
            properties={
                "kernel": SymbolRefAttr(kernel) if isinstance(kernel, str) else kernel,
                "extent": ExtentAttr(Extent(extent)),
                "argument_types": ArrayAttr(types),
            },
        )

    def kernel_arguments(self) -> Iterator[SSAValue | LocalArgument]:
        """The arguments as the kernel sees them, in order."""
        operands = iter(self.arguments)
        for type_ in self.argument_types:
            if is_local(type_):
                count = dynamic_dimensions(type_)
                yield LocalArgument(type_, [next(operands) for _ in range(count)])
            else:
                yield next(operands)

    def verify_(self) -> None:
        for what, sizes, least in (
            (self.extent.data, self.sizes, 1),
            ("of", self.group_size, 0),
        ):
            if not least <= len(sizes) <= 3:
                raise VerifyException(
                    f"expected 1 to 3 sizes in {what}(...), got {len(sizes)}"
                )
        wanted: list[Attribute] = []
        for type_ in self.argument_types:
            if is_local(type_):
                wanted.extend([IndexType()] * dynamic_dimensions(type_))
            else:
                wanted.append(type_)
        if (got := list(self.arguments.types)) != wanted:
            raise VerifyException(
                "expected operands for the arguments of types "
                f"({', '.join(map(str, wanted))}), got ({', '.join(map(str, got))})"
            )
        expect_inside_function(self)
        if enclosing(self, KernelOp) is not None:
            raise VerifyException(
                f"expected the launch of {self.kernel} in a host function, got it inside "
                "a kernel"
            )

    @classmethod
    def parse(cls, parser: Parser) -> LaunchOp:
        kernel = parser.parse_symbol_name()
        extent = parser.parse_str_enum(Extent)
        sizes = _parse_sizes(parser)
        group_size: Sequence[SSAValue] = ()
        if optional_word(parser, ["of"]) is not None:
            group_size = _parse_sizes(parser)
        parsed = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: _parse_argument(parser)
        )
        attributes = parser.parse_optional_attr_dict()
        arguments: list[Argument] = []
        if parsed:
            parser.parse_punctuation(":")
            position = parser.pos
            types = parser.parse_comma_separated_list(
                parser.Delimiter.NONE, parser.parse_type
            )
            if len(types) != len(parsed):
                parser.raise_error(
                    f"expected {len(parsed)} types, got {len(types)}", position
                )
            for argument, type_ in zip(parsed, types):
                arguments.append(_resolve_argument(parser, argument, type_, position))
        op = cls(
            kernel.data, sizes, arguments, group_size=group_size, extent=Extent(extent)
        )
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        def print_sizes(sizes: Sequence[SSAValue]) -> None:
            with printer.in_parens():
                printer.print_list(sizes, printer.print_ssa_value)

        def print_argument(argument: SSAValue | LocalArgument) -> None:
            if isinstance(argument, LocalArgument):
                printer.print_string("local")
                print_sizes(argument.size_values)
            else:
                printer.print_ssa_value(argument)

        printer.print_string(" ")
        printer.print_symbol_name(self.kernel.root_reference.data)
        printer.print_string(f" {self.extent.data}")
        print_sizes(self.sizes)
        if self.group_size:
            printer.print_string(" of")
            print_sizes(self.group_size)
        printer.print_string(" ")
        with printer.in_parens():
            printer.print_list(self.kernel_arguments(), print_argument)
        printer.print_op_attributes(self.attributes)
        if self.argument_types.data:
            printer.print_string(" : ")
            printer.print_list(self.argument_types, printer.print_attribute)


_ParsedArgument: TypeAlias = UnresolvedOperand | Sequence[SSAValue]
"""The name of a value, or the sizes of a local argument."""


def _parse_sizes(parser: Parser) -> Sequence[SSAValue]:
    return parser.parse_comma_separated_list(
        parser.Delimiter.PAREN,
        lambda: parser.resolve_operand(parser.parse_unresolved_operand(), IndexType()),
    )


def _parse_argument(parser: Parser) -> _ParsedArgument:
    if optional_word(parser, ["local"]) is not None:
        return _parse_sizes(parser)
    return parser.parse_unresolved_operand()


def _resolve_argument(
    parser: Parser, argument: _ParsedArgument, type_: Attribute, position: int
) -> Argument:
    if isinstance(argument, UnresolvedOperand):
        if is_local(type_):
            parser.raise_error(
                f"expected local(...) for an argument of type {type_}, got a value",
                position,
            )
        return parser.resolve_operand(argument, type_)
    if not is_local(type_):
        parser.raise_error(
            f"expected a memref in #spmd.memory<local> for local(...), got {type_}",
            position,
        )
    if len(argument) != dynamic_dimensions(type_):
        parser.raise_error(
            f"expected one size for each ? of {type_} ({dynamic_dimensions(type_)}), got "
            f"{len(argument)}",
            position,
        )
    return LocalArgument(type_, argument)


def needs_work_item(op: Operation) -> bool:
    """Whether `op` can only be executed by a work-item, not by a host function."""
    ours = op.dialect_name() == LaunchOp.dialect_name()
    if not ours or isinstance(op, LaunchOp | AtomicOp):
        return False
    # What is only seen, as text that is printed, the host does as well.
    return Ordered.of(op) is None

"""Kernels and the local memory of a work-group."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    SymbolNameConstraint,
    i64,
)
from xdsl.dialects.utils import parse_func_op_like, print_func_op_like
from xdsl.ir import Attribute, Region
from xdsl.ir.core import Block
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsolatedFromAbove,
    IsTerminator,
    MemoryAllocEffect,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from spmd.dialects.spmd.attributes import LOCAL


@irdl_op_definition
class KernelOp(IRDLOperation):
    """The program of one work-item."""

    name = "spmd.kernel"

    sym_name = prop_def(SymbolNameConstraint())
    function_type = prop_def(FunctionType)
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    work_group_size = opt_prop_def(DenseArrayBase)
    sub_group_size = opt_prop_def(IntegerAttr)
    body = region_def()

    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

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
        return int(x), int(y), int(z)

    @classmethod
    def parse(cls, parser: Parser) -> KernelOp:
        name, inputs, outputs, region, extra, arg_attrs, _ = parse_func_op_like(
            parser, reserved_attr_names=("sym_name", "function_type", "arg_attrs")
        )
        if outputs:
            parser.raise_error("expected a kernel without results")
        op = cls(name, list(inputs), region, arg_attrs=arg_attrs)
        for key, value in (extra.data if extra else {}).items():
            if key in ("work_group_size", "sub_group_size"):
                op.properties[key] = value
            else:
                op.attributes[key] = value
        return op

    def print(self, printer: Printer) -> None:
        attributes = dict(self.attributes)
        if self.work_group_size is not None:
            attributes["work_group_size"] = self.work_group_size
        if self.sub_group_size is not None:
            attributes["sub_group_size"] = self.sub_group_size
        print_func_op_like(
            printer,
            self.sym_name,
            self.function_type,
            self.body,
            attributes,
            arg_attrs=self.arg_attrs,
            reserved_attr_names=("sym_name", "function_type", "arg_attrs"),
        )


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """Ends the work-item."""

    name = "spmd.return"

    traits = traits_def(IsTerminator(), HasParent(KernelOp))

    assembly_format = "attr-dict"


@irdl_op_definition
class LocalAllocOp(IRDLOperation):
    """One piece of local memory, shared by the work-group."""

    name = "spmd.local_alloc"

    memref = result_def(MemRefType)

    traits = traits_def(MemoryAllocEffect())

    assembly_format = "attr-dict `:` type($memref)"

    def __init__(self, memref: MemRefType[Attribute]):
        super().__init__(result_types=[memref])

    def verify_(self) -> None:
        type_ = self.memref.type
        assert isinstance(type_, MemRefType)
        if type_.memory_space != LOCAL:
            raise VerifyException(
                f"expected a memref in #spmd.memory<local>, got {type_}"
            )

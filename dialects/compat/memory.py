"""
The vector ops that xDSL 0.74 lacks, with upstream's names, operands and syntax.

They are members of the `vector` dialect, so the stock `xdsl-opt` reads and prints them
and `mlir-opt` reads what it prints.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, cast

from xdsl.dialects.builtin import (
    I64,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    VectorType,
    i1,
)
from xdsl.dialects.vector import PrintOp, Vector
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from spmd.dialects.compat import add_missing, give_format
from spmd.dialects.element_types import memref_type
from spmd.dialects.interfaces.computation import FunctionOfOperands
from spmd.dialects.interfaces.memory import MemoryAccess, verify_indices

AnyVector: TypeAlias = VectorType[Attribute]

_Indices = VectorType.constr(base(IntegerType) | base(IndexType))
_Mask = VectorType.constr(i1)


def _verify_access(
    op: GatherOp | ScatterOp, lanes_name: str, lanes_type: Attribute
) -> None:
    """What `gather` and `scatter` both demand of their operands."""
    memory = memref_type(op.base)
    lanes = cast(AnyVector, lanes_type)
    if memory.element_type != lanes.element_type:
        raise VerifyException(
            f"expected {lanes_name} with elements of type {memory.element_type} as in "
            f"{memory}, got {lanes}"
        )
    verify_indices(op.base, op.offsets, "offset")
    for name, value in (("indices", op.indices), ("mask", op.mask)):
        shaped = cast(AnyVector, value.type)
        if (shaped.shape, shaped.scalable_dims) != (lanes.shape, lanes.scalable_dims):
            raise VerifyException(
                f"expected {name} of the shape of {lanes}, got {shaped}"
            )
    if op.alignment is not None:
        alignment = op.alignment.value.data
        if alignment <= 0 or alignment & (alignment - 1):
            raise VerifyException(
                f"expected an alignment that is a power of two, got {alignment}"
            )


@irdl_op_definition
class GatherOp(IRDLOperation):
    """
    Loads one element per lane from `base[offsets, last one + indices[lane]]`.

    | name        | kind    | type              | meaning                               |
    | ----------- | ------- | ----------------- | ------------------------------------- |
    | `base`      | operand | memref            | what is read                          |
    | `offsets`   | operand | index, one per dimension | where index 0 points to        |
    | `indices`   | operand | vector of integer | added to the last offset              |
    | `mask`      | operand | vector of i1      | which lanes read                      |
    | `pass_thru` | operand | vector            | what inactive lanes get               |
    | `result`    | result  | vector            | one element per lane                  |

    Inactive lanes access no memory; their index may be anything.

    Errors: element types differ; not one offset per dimension; shapes differ.

    ```mlir
    %v = vector.gather %x[%c0] [%i], %m, %old
        : memref<?xf32>, vector<16xindex>, vector<16xi1>, vector<16xf32> into vector<16xf32>
    ```
    """

    name = "vector.gather"

    base = operand_def(MemRefType)
    offsets = var_operand_def(IndexType)
    indices = operand_def(_Indices)
    mask = operand_def(_Mask)
    pass_thru = operand_def(VectorType.constr(AnyAttr()))
    result = result_def(VectorType.constr(AnyAttr()))
    alignment = opt_prop_def(IntegerAttr[I64])

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryReadEffect(), MemoryAccess(read=0))

    assembly_format = (
        "$base `[` $offsets `]` `[` $indices `]` `,` $mask `,` $pass_thru attr-dict "
        "`:` type($base) `,` type($indices) `,` type($mask) `,` type($pass_thru) "
        "`into` type($result)"
    )

    def __init__(
        self,
        base: SSAValue | Operation,
        offsets: Sequence[SSAValue | Operation],
        indices: SSAValue | Operation,
        mask: SSAValue | Operation,
        pass_thru: SSAValue | Operation,
    ):
        super().__init__(
            operands=[base, offsets, indices, mask, pass_thru],
            result_types=[SSAValue.get(pass_thru).type],
        )

    def verify_(self) -> None:
        _verify_access(self, "a result", self.result.type)
        if self.pass_thru.type != self.result.type:
            raise VerifyException(
                f"expected pass_thru of type {self.result.type}, got "
                f"{self.pass_thru.type}"
            )


@irdl_op_definition
class ScatterOp(IRDLOperation):
    """
    Stores one element per lane to `base[offsets, last one + indices[lane]]`.

    | name             | kind    | type              | meaning                          |
    | ---------------- | ------- | ----------------- | -------------------------------- |
    | `base`           | operand | memref            | what is written                  |
    | `offsets`        | operand | index, one per dimension | where index 0 points to   |
    | `indices`        | operand | vector of integer | added to the last offset         |
    | `mask`           | operand | vector of i1      | which lanes write                |
    | `value_to_store` | operand | vector            | one element per lane             |

    Inactive lanes access no memory. Where two lanes write to one place, the higher
    lane wins.

    Errors: element types differ; not one offset per dimension; shapes differ.

    ```mlir
    vector.scatter %x[%c0] [%i], %m, %v
        : memref<?xf32>, vector<16xindex>, vector<16xi1>, vector<16xf32>
    ```
    """

    name = "vector.scatter"

    base = operand_def(MemRefType)
    offsets = var_operand_def(IndexType)
    indices = operand_def(_Indices)
    mask = operand_def(_Mask)
    value_to_store = operand_def(VectorType.constr(AnyAttr()))
    alignment = opt_prop_def(IntegerAttr[I64])

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryWriteEffect(), MemoryAccess(written=0))

    assembly_format = (
        "$base `[` $offsets `]` `[` $indices `]` `,` $mask `,` $value_to_store "
        "attr-dict `:` type($base) `,` type($indices) `,` type($mask) `,` "
        "type($value_to_store)"
    )

    def __init__(
        self,
        base: SSAValue | Operation,
        offsets: Sequence[SSAValue | Operation],
        indices: SSAValue | Operation,
        mask: SSAValue | Operation,
        value_to_store: SSAValue | Operation,
    ):
        super().__init__(operands=[base, offsets, indices, mask, value_to_store])

    def verify_(self) -> None:
        _verify_access(self, "value_to_store", self.value_to_store.type)


@irdl_op_definition
class StepOp(IRDLOperation):
    """
    The vector 0, 1, 2, ... of a given length.

    | name     | kind   | type                   | meaning              |
    | -------- | ------ | ---------------------- | -------------------- |
    | `result` | result | rank-1 vector of index | lane `i` holds `i`   |

    Errors: the result is not a rank-1 vector of index.

    ```mlir
    %lanes = vector.step : vector<16xindex>
    ```
    """

    name = "vector.step"

    result = result_def(VectorType.constr(base(IndexType)))

    traits = traits_def(Pure(), FunctionOfOperands())

    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, result_type: VectorType[IndexType]):
        super().__init__(result_types=[result_type])

    def verify_(self) -> None:
        lanes = cast(AnyVector, self.result.type)
        if lanes.get_num_dims() != 1:
            raise VerifyException(f"expected a vector of rank 1, got {lanes}")


def repair() -> None:
    """Add the missing ops to xDSL's `vector` dialect, and the syntax of `vector.print`."""
    give_format(PrintOp, "$source attr-dict `:` type($source)")
    add_missing(
        Vector,
        (
            GatherOp,
            ScatterOp,
            StepOp,
        ),
    )

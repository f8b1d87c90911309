"""Atomic operations on memory."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import IndexType, MemRefType, f32, f64, i1
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.irdl.declarative_assembly_format import (
    CustomDirective,
    ParsingState,
    PrintingState,
    TypeDirective,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from spmd.dialects.assembly_format import BracketedKeyword, Clauses, Keyword
from spmd.dialects.element_types import is_memref, memref_layout
from spmd.dialects.interfaces.cost import Cost, CostClass
from spmd.dialects.interfaces.memory import MemoryAccess, verify_indices
from spmd.dialects.names import THREAD_COPIES
from spmd.dialects.spmd.traits import STAYS_IN_PLACE, expect_inside_function
from spmd.dialects.spmd.types import is_integer, is_local


class AtomicKind(StrEnum):
    """What `spmd.atomic_rmw` stores, from the value in memory and its operand."""

    ADD = "add"
    SUB = "sub"
    MIN = "min"
    MAX = "max"
    MINUI = "minui"
    MAXUI = "maxui"
    AND = "and"
    OR = "or"
    XOR = "xor"
    EXCHANGE = "exchange"


class Ordering(StrEnum):
    """How other accesses of the work-item are ordered around an atomic one."""

    RELAXED = "relaxed"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQ_REL = "acq_rel"
    SEQ_CST = "seq_cst"


class AtomicScope(StrEnum):
    """The work-items among which an access is atomic and ordered."""

    WORK_GROUP = "work_group"
    DEVICE = "device"


@irdl_attr_definition
class AtomicKindAttr(BracketedKeyword, EnumAttribute[AtomicKind]):
    """`#spmd.atomic_kind<add>`; ops print the bare keyword."""

    name = "spmd.atomic_kind"


@irdl_attr_definition
class OrderingAttr(BracketedKeyword, EnumAttribute[Ordering]):
    """`#spmd.ordering<relaxed>`; ops print `ordering(relaxed)`."""

    name = "spmd.ordering"
    default = Ordering.RELAXED


@irdl_attr_definition
class AtomicScopeAttr(BracketedKeyword, EnumAttribute[AtomicScope]):
    """`#spmd.atomic_scope<device>`; ops print `scope(device)`."""

    name = "spmd.atomic_scope"
    default = AtomicScope.DEVICE


FLOAT_KINDS = (
    AtomicKind.ADD,
    AtomicKind.SUB,
    AtomicKind.MIN,
    AtomicKind.MAX,
    AtomicKind.EXCHANGE,
)
"""The kinds that f32 and f64 have."""


def why_not_atomic(kind: AtomicKind, type_: Attribute) -> str | None:
    """Why `spmd.atomic_rmw` of this kind cannot work on elements of this type."""
    if is_integer(type_, narrowest=8):
        return None
    wanted = "an integer of 8 to 64 bits or index"
    if kind in FLOAT_KINDS:
        if type_ in (f32, f64):
            return None
        wanted = "an integer of 8 to 64 bits, index, f32 or f64"
    return f"expected elements of {wanted} for {kind}, got {type_}"


def why_not_copied(kind: Attribute, type_: Attribute) -> str | None:
    """Why an argument of this type cannot have `spmd.thread_copies` of this kind."""
    others = AtomicKind.SUB, AtomicKind.EXCHANGE
    if not isinstance(kind, AtomicKindAttr) or kind.data in others:
        return (
            f"expected {THREAD_COPIES} = #spmd.atomic_kind<K> with a kind that combines, "
            f"got {kind}"
        )
    if is_memref(type_) and not is_local(type_):
        layout = memref_layout(type_)
        if layout is not None and layout.is_identity:
            return why_not_atomic(kind.data, type_.element_type)
    return (
        f"expected {THREAD_COPIES} on a memref with identity layout in global memory, "
        f"got {type_}"
    )


@irdl_custom_directive
class _MemoryType(CustomDirective):
    """The type of the memref, whose elements have the type of the values."""

    memory: TypeDirective
    old: TypeDirective
    value: TypeDirective
    other: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        position = parser.pos
        type_ = parser.parse_type()
        if not is_memref(type_):
            parser.raise_error(f"expected a memref, got {type_}", position)
        self.memory.set(state, (type_,))
        for value in (self.old, self.value, self.other):
            value.set(state, (type_.element_type,))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        self.memory.print(printer, state, op)


class AtomicOp(IRDLOperation, ABC):
    """Base of the atomic ops: one element of a memref, an ordering and a scope."""

    memref = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    ordering = prop_def(OrderingAttr)
    scope = prop_def(AtomicScopeAttr)

    traits = traits_def(*STAYS_IN_PLACE)

    custom_directives = (Keyword, Clauses, _MemoryType)

    @property
    def memref_type(self) -> MemRefType[Attribute]:
        """The type of the memory that the op works on."""
        return cast(MemRefType[Attribute], self.memref.type)

    def _verify_element(self, values: Sequence[SSAValue]) -> None:
        verify_indices(self.memref, self.indices)
        element = self.memref_type.element_type
        for value in values:
            if value.type != element:
                raise VerifyException(
                    f"expected values of the element type {element}, got {value.type}"
                )
        expect_inside_function(self)


@irdl_op_definition
class AtomicRmwOp(AtomicOp):
    """
    Changes one element of memory as one step, and gives its old value.

    | name       | kind      | type                   | meaning                         |
    | ---------- | --------- | ---------------------- | ------------------------------- |
    | `kind`     | attribute | `add sub min max minui maxui and or xor exchange` | what is stored |
    | `value`    | operand   | element type           | the second operand of the kind  |
    | `memref`   | operand   | memref                 | the memory                      |
    | `indices`  | operands  | `index`                | the element, one per dimension  |
    | `ordering` | attribute | `relaxed` (default), `acquire`, `release`, `acq_rel`, `seq_cst` | order of other accesses around it |
    | `scope`    | attribute | `device` (default) or `work_group` | among whom           |
    | `old`      | result    | element type           | the element before              |

    Elements are integers of 8 to 64 bits or `index`, and for `add sub min max exchange`
    also `f32` and `f64`. `sub` stores memory minus value, `exchange` the value; `min max`
    are signed, for floats NaN wins. In which order, and in which partial sums, floats are added
    to an element is unspecified if nobody uses `old`, also those of one work-item. Work-items that
    do not reach the op change nothing.
    No other atomic access comes between reading and storing; a plain access at the same
    time is a race.

    Errors: an element type that the kind does not allow; a value of another type; a
    number of indices that is not the rank; an op outside of a kernel or function.

    ```mlir
    spmd.kernel @histogram(%x: memref<?xindex>, %bins: memref<?xi32>, %last: memref<index>) {
      %one = arith.constant 1 : i32
      %i = spmd.global_id x
      %bin = memref.load %x[%i] : memref<?xindex>
      %old = spmd.atomic_rmw add %one, %bins[%bin] : memref<?xi32>
      %top = spmd.atomic_rmw max %i, %last[] ordering(acq_rel) scope(work_group) : memref<index>
      spmd.return
    }
    // run: global_size = 5, group_size = 5, x = [0, 2, 2, 1, 2], bins = [0, 0, 0], last = 0
    // gives: bins = [1, 1, 3], last = 4
    ```
    """

    name = "spmd.atomic_rmw"

    traits = traits_def(
        MemoryAccess(read=1, written=1, element=True, atomic=True),
        Cost(CostClass.ATOMIC),
    )

    kind = prop_def(AtomicKindAttr)
    value = operand_def()
    old = result_def()

    assembly_format = (
        "custom<Keyword>($kind) $value `,` $memref `[` $indices `]` "
        "custom<Clauses>($ordering, $scope) attr-dict `:` custom<_MemoryType>"
        "(type($memref), type($old), type($value), ref(type($value)))"
    )

    def __init__(
        self,
        kind: AtomicKind | str,
        value: SSAValue | Operation,
        memref: SSAValue | Operation,
        indices: Sequence[SSAValue | Operation],
        ordering: Ordering | str = Ordering.RELAXED,
        scope: AtomicScope | str = AtomicScope.DEVICE,
    ):
        super().__init__(
            operands=[value, memref, indices],
            properties={
                "kind": AtomicKindAttr(AtomicKind(kind)),
                "ordering": OrderingAttr(Ordering(ordering)),
                "scope": AtomicScopeAttr(AtomicScope(scope)),
            },
            result_types=[SSAValue.get(value).type],
        )

    def verify_(self) -> None:
        element = self.memref_type.element_type
        if (reason := why_not_atomic(self.kind.data, element)) is not None:
            raise VerifyException(reason)
        self._verify_element((self.value, self.old))


@irdl_op_definition
class AtomicCasOp(AtomicOp):
    """
    Replaces one element of memory if it has the expected value, as one step.

    | name       | kind      | type                   | meaning                         |
    | ---------- | --------- | ---------------------- | ------------------------------- |
    | `expected` | operand   | element type           | what the element must be        |
    | `new`      | operand   | element type           | what is stored then             |
    | `memref`   | operand   | memref of integers of 8 to 64 bits or `index` | the memory |
    | `indices`  | operands  | `index`                | the element, one per dimension  |
    | `ordering` | attribute | as in `spmd.atomic_rmw` | order in case of success; in case of failure the strongest legal one |
    | `scope`    | attribute | as in `spmd.atomic_rmw` | among whom                     |
    | `old`      | result    | element type           | the element before              |
    | `won`      | result    | `i1`                   | whether it was the expected one |

    It never fails while the element has the expected value. Work-items that do not reach
    the op change nothing.

    Errors: elements that are no integers of 8 to 64 bits or `index`; values of another
    type; a number of indices that is not the rank; an op outside of a kernel or function.

    ```mlir
    // Of the work-items that want the same slot, one gets it.
    spmd.kernel @claim(%owner: memref<?xi32>, %wanted: memref<?xindex>, %got: memref<?xi1>) {
      %free = arith.constant 0 : i32
      %taken = arith.constant 1 : i32
      %i = spmd.global_id x
      %slot = memref.load %wanted[%i] : memref<?xindex>
      %old, %won = spmd.atomic_cas %free, %taken, %owner[%slot] ordering(acquire) : memref<?xi32>
      memref.store %won, %got[%i] : memref<?xi1>
      spmd.return
    }
    // run: global_size = 3, group_size = 1, owner = [0, 1, 0], wanted = [2, 1, 0], got = [False, False, False]
    // gives: owner = [1, 1, 1], got = [True, False, True]
    ```
    """

    name = "spmd.atomic_cas"

    traits = traits_def(
        MemoryAccess(read=2, written=2, element=True, atomic=True),
        Cost(CostClass.ATOMIC),
    )

    expected = operand_def()
    new = operand_def()
    old = result_def()
    won = result_def(i1)

    assembly_format = (
        "$expected `,` $new `,` $memref `[` $indices `]` "
        "custom<Clauses>($ordering, $scope) attr-dict `:` custom<_MemoryType>"
        "(type($memref), type($old), type($expected), type($new))"
    )

    def __init__(
        self,
        expected: SSAValue | Operation,
        new: SSAValue | Operation,
        memref: SSAValue | Operation,
        indices: Sequence[SSAValue | Operation],
        ordering: Ordering | str = Ordering.RELAXED,
        scope: AtomicScope | str = AtomicScope.DEVICE,
    ):
        super().__init__(
            operands=[expected, new, memref, indices],
            properties={
                "ordering": OrderingAttr(Ordering(ordering)),
                "scope": AtomicScopeAttr(AtomicScope(scope)),
            },
            result_types=[SSAValue.get(expected).type, i1],
        )

    def verify_(self) -> None:
        element = self.memref_type.element_type
        if not is_integer(element, narrowest=8):
            raise VerifyException(
                "expected elements of an integer of 8 to 64 bits or index, got "
                f"{element}"
            )
        self._verify_element((self.expected, self.new, self.old))

"""
What lanes compute for rows of elements, in the order of memory instead of lane by lane.

```mlir
// before: four bytes of each of 32 lanes, with their places in memory in brackets
%r = vector.shuffle %bytes, %bytes [0, 4, 8, ...]      // [0, 4, 8, ...]
%g = vector.shuffle %bytes, %bytes [1, 5, 9, ...]      // [1, 5, 9, ...]
%dark_r = arith.muli %r, %factor : vector<32xi8>
%dark_g = arith.muli %g, %factor : vector<32xi8>       // and %b, %a
vector.store (%dark_r, %dark_g, %dark_b, %dark_a, shuffled together)

// after: the same elements, as they lie in memory
%0 = vector.load %image[%at]                           // [0, 1, 2, 3, ...]
%1 = vector.load %image[%at_1]                         // [32, 33, 34, ...]
%dark_0 = arith.muli %0, %factor : vector<32xi8>
%dark_1 = arith.muli %1, %factor : vector<32xi8>       // and so on
vector.store %dark_0, vector.store %dark_1, ...
```

A *column* is a vector with one element of each lane's row; a *chunk* has as many elements in the
order of memory. If the same operations make all columns of a store, they make its chunks of chunks of
what they take: loaded elements without a shuffle, or with one inside of rows, and what the
columns share with each lane repeated. It is how S. Larsen and S. Amarasinghe, "Exploiting
Superword Level Parallelism with Multimedia Instruction Sets", PLDI 2000, go from stores to
what makes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, cast

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, VectorType, i1
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.utils.hints import isa

from spmd.dialects.building import Builder, ConstantPool, joined, shuffle
from spmd.dialects.element_types import size_in_bytes, vector_type
from spmd.dialects.interfaces.computation import Elementwise
from spmd.dialects.interfaces.cost import CostClass, cost_class
from spmd.dialects.remarks import CombinedAccesses, remark
from spmd.dialects.rewriting import splat_number
from spmd.passes.memory.accesses.whole_vectors import shuffles

Columns = tuple[SSAValue, ...]
"""One vector for each place of a row."""

REPEATED_OPS = 2
"""So many simple operations are done for each element, rather than once for those of a row."""


class _Chunks(NamedTuple):
    """How chunks are made."""

    of: tuple[Columns, ...]
    make: Callable[[Builder, int, Sequence[SSAValue]], SSAValue]
    """From the chunks of `of` with some number to the one with that number."""


class MemoryOrder:
    """The chunks of the columns that a group of accesses stores."""

    def __init__(
        self,
        columns: Sequence[SSAValue],
        stores: Sequence[Operation],
        numbers: Mapping[Operation, int],
        constants: ConstantPool,
    ):
        """`numbers` says in which order the operations of the block of `stores` are."""
        self._columns = tuple(columns)
        self._step, self._lanes = len(columns), _length(columns[0])
        self._numbers, self._constants = numbers, constants
        self._plan: dict[Columns, _Chunks] = {}
        self._dropped: set[Operation] = {*stores}
        """Those whose results nobody needs any more."""
        self._picks: dict[vector.ShuffleOp, None] = {}
        self._loads: dict[tuple[SSAValue, int], SSAValue] = {}
        self._shuffles = 0
        self._ask(self._columns)

    def _ask(self, columns: Columns) -> None:
        """Plan the chunks of `columns` and of what these are made of."""
        waiting = [columns]
        while waiting:
            dropped, later = len(self._dropped), list[Columns]()
            while waiting:
                columns = waiting.pop()
                if columns in self._plan:
                    continue
                if self._may_be_same_later(columns):
                    later.append(columns)
                    continue
                self._plan[columns] = chunks = self._chunks(columns)
                waiting += chunks.of
            # Perhaps it is known by now that all users of what is left are dropped.
            if len(self._dropped) > dropped:
                waiting = later
                continue
            for columns in later:
                self._plan[columns] = self._put_together(columns)

    @property
    def is_better(self) -> bool:
        """Whether fewer shuffles make the chunks than put the columns together."""
        order = [self._among_columns(at) for at in range(self._step * self._lanes)]
        needed = _cost(self._columns[0], order)
        for pick in self._picks:
            if self._is_dropped(pick.result):
                needed += _cost(pick.result, pick.mask.get_values())
        return self._shuffles < needed

    def make(self, at: Builder) -> Iterator[SSAValue]:
        """The chunks, one after the other."""
        for number in range(self._step):
            made: dict[Columns, SSAValue] = {}
            waiting = [self._columns]
            while waiting:
                columns = waiting[-1]
                chunks = self._plan[columns]
                missing = [each for each in chunks.of if each not in made]
                if not missing:
                    operands = [made[each] for each in chunks.of]
                    made[columns] = chunks.make(at, number, operands)
                    waiting.pop()
                waiting += missing
            yield made[self._columns]

    def erase_dropped(self) -> None:
        """Erase what made the columns, when these are no longer stored."""
        numbers = self._numbers
        dropped = [
            op for op in self._dropped if op in numbers and op.parent is not None
        ]
        for op in sorted(dropped, key=numbers.__getitem__, reverse=True):
            if all(each.first_use is None for each in op.results):
                Rewriter.erase_op(op)

    def _among_columns(self, at: int) -> int:
        """Where the element number `at` in memory is, with one column after the other."""
        lane, place = divmod(at, self._step)
        return place * self._lanes + lane

    def _elements(self, number: int) -> range:
        """The elements of a chunk."""
        return range(number * self._lanes, (number + 1) * self._lanes)

    def _chunks(self, columns: Columns) -> _Chunks:
        first = columns[0]
        shared = all(each is first for each in columns)
        if shared and _is_splat(first):
            return self._of_splat(first)
        if (numbers := _constants(columns)) is not None:
            return self._of_constants(first, numbers)
        if (source := self._picked_from(columns)) is not None:
            return self._of_loaded(columns, source)
        if self._is_repeated(first) if shared else self._are_same(columns):
            return self._of_operation(columns)
        return self._put_together(columns)

    def _of_splat(self, splat: SSAValue) -> _Chunks:
        def same(_at: Builder, _number: int, _of: object) -> SSAValue:
            return splat

        return _Chunks((), same)

    def _of_constants(self, like: SSAValue, numbers: Sequence[float]) -> _Chunks:
        def constant(_at: Builder, number: int, _of: object) -> SSAValue:
            values = [numbers[k % self._step] for k in self._elements(number)]
            dense = DenseIntOrFPElementsAttr.from_list(like.type, values)  # pyright: ignore
            return self._constants.get(dense, "places")  # pyright: ignore[reportUnknownArgumentType]

        return _Chunks((), constant)

    def _put_together(self, columns: Columns) -> _Chunks:
        """The chunks of columns that something else makes."""
        order = [self._among_columns(at) for at in range(self._step * self._lanes)]
        wholes: list[SSAValue] = []
        first, *others = dict.fromkeys(columns)
        if not others:  # Each lane is repeated for all of its row.
            wholes.append(first)
            order = [each % self._lanes for each in order]
        self._shuffles += _cost(first, order)

        def together(at: Builder, number: int, _: object) -> SSAValue:
            if not wholes:
                # As many as a power of two; nothing is taken of those that fill up.
                power = 1 << (self._step - 1).bit_length()
                more = (first,) * (power - self._step)
                wholes.append(joined(at, columns + more))
            (whole,) = wholes
            picked = [order[k] for k in self._elements(number)]
            return at.add(shuffle(whole, whole, picked), first)

        return _Chunks((), together)

    # Elements of memory

    def _picked_from(self, columns: Columns) -> SSAValue | None:
        """The vector that all columns are elements of."""
        sources: dict[SSAValue, None] = {}
        for each in columns:
            if not isinstance(each.owner, vector.ShuffleOp):
                return None
            sources |= dict.fromkeys(each.owner.operands)
        return next(iter(sources)) if len(sources) == 1 else None

    def _of_loaded(self, columns: Columns, source: SSAValue) -> _Chunks:
        picks = [cast(vector.ShuffleOp, each.owner) for each in columns]
        self._picks |= dict.fromkeys(picks)
        size, elements = _length(source), self._step * self._lanes
        places = [[k % size for k in pick.mask.get_values()] for pick in picks]
        order = [places[k % self._step][k // self._step] for k in range(elements)]
        is_whole = size == elements
        if not is_whole or order != [*range(size)]:
            self._shuffles += _cost(source, order)

        def taken(at: Builder, number: int, _: object) -> SSAValue:
            here, elements = source, self._elements(number)
            picked = [order[k] for k in elements]
            if is_whole and all(k in elements for k in picked):
                part = self._loaded(source, number)
                if part is not None:
                    here, picked = part, [k - elements.start for k in picked]
            if here is source or picked != [*range(self._lanes)]:
                here = at.add(shuffle(here, here, picked), columns[0])
            return here

        return _Chunks((), taken)

    def _loaded(self, source: SSAValue, number: int) -> SSAValue | None:
        """A chunk of the loaded elements `source`, by a load of its own."""
        load = source.owner
        if not isinstance(load, vector.LoadOp):
            return None
        if (source, number) not in self._loads:
            at = Builder.before(load)
            *indices, last = load.indices
            if number:
                start = self._constants.index(number * self._lanes)
                last = at.add(arith.AddiOp(last, start), last)
            element = cast(VectorType[Attribute], source.type).element_type
            type_ = vector_type(element, self._lanes)
            part = vector.LoadOp(load.base, [*indices, last], type_)
            part.nontemporal = load.nontemporal
            part.attributes |= load.attributes
            self._loads[source, number] = at.add(part, source)
            remark(CombinedAccesses, load, (part,))
        return self._loads[source, number]

    # Operations

    def _is_dropped(self, value: SSAValue) -> bool:
        return all(use.operation in self._dropped for use in value.uses)

    def _is_elementwise(self, value: SSAValue) -> bool:
        """Whether an operation of the block makes `value` lane by lane."""
        op = value.owner
        if op not in self._numbers or Elementwise.of(cast(Operation, op)) is None:
            return False
        assert isinstance(op, Operation)
        vectors = [*op.results, *(x for x in op.operands if isa(x.type, VectorType))]
        return len(op.results) == 1 and all(
            isa(x.type, VectorType) and x.type.get_shape() == (self._lanes,)
            for x in vectors
        )

    def _may_be_same_later(self, columns: Columns) -> bool:
        """Whether the same operation makes all columns, but perhaps not for them alone."""
        return self._are_same(columns) and not all(map(self._is_dropped, columns))

    def _are_same(self, columns: Columns) -> bool:
        """Whether the same operation makes all columns."""
        if not all(map(self._is_elementwise, columns)) or len({*columns}) < self._step:
            return False
        first, *others = (cast(Operation, each.owner) for each in columns)
        types = [x.type for x in first.operands]
        return all(
            type(op) is type(first)
            and op.properties == first.properties
            and [x.type for x in op.operands] == types
            and op.results[0].type == first.results[0].type
            and all(
                x is y
                for x, y in zip(op.operands, first.operands, strict=True)
                if not isa(x.type, VectorType)
            )
            for op in others
        )

    def _is_repeated(self, value: SSAValue) -> bool:
        """Whether few simple operations make `value` of loaded elements alone."""
        waiting, ops = [value], set[Operation]()
        while waiting:
            at = waiting.pop()
            if _is_splat(at) or not isa(at.type, VectorType):
                continue
            if self._picked_from((at,)) is not None:
                continue
            if not self._is_elementwise(at) or len(ops) == REPEATED_OPS:
                return False
            op = cast(Operation, at.owner)
            if cost_class(op) > CostClass.SIMPLE:
                return False
            ops.add(op)
            waiting += op.operands
        return True

    def _of_operation(self, columns: Columns) -> _Chunks:
        ops = [cast(Operation, each.owner) for each in columns]
        if all(map(self._is_dropped, columns)):
            self._dropped.update(ops)
        first = ops[0]
        vectors = [k for k, x in enumerate(first.operands) if isa(x.type, VectorType)]
        asked = tuple(tuple(op.operands[k] for op in ops) for k in vectors)

        def computed(at: Builder, _: int, operands: Sequence[SSAValue]) -> SSAValue:
            new = first.clone()
            for k, value in zip(vectors, operands, strict=True):
                new.operands[k] = value
            return at.add(new, columns[0])

        return _Chunks(asked, computed)


def _length(value: SSAValue) -> int:
    return cast(VectorType[Attribute], value.type).get_shape()[0]


def _is_splat(value: SSAValue) -> bool:
    """Whether all elements of a vector are one number."""
    return (
        isinstance(value.owner, vector.BroadcastOp) or splat_number(value) is not None
    )


def _constants(columns: Columns) -> list[float] | None:
    """The number that is all elements of each column."""
    numbers = [splat_number(each) for each in columns]
    return (
        [each for each in numbers if each is not None] if None not in numbers else None
    )


def _cost(value: SSAValue, places: Sequence[int]) -> int:
    """How many instructions shuffle elements like those of `value`."""
    element = cast(VectorType[Attribute], value.type).element_type
    return shuffles(places, 4 if element == i1 else size_in_bytes(element))

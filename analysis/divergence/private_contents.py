"""
The shapes of the states of private memory, and which objects all lanes can share.

An object can be *shared* by lanes that run in lock step, one copy for all, if

* all stores write uniform values at uniform addresses,
* all loads see uniform contents,
* no load runs in lanes that take another branch while a store in this one is already
  done: where lanes diverge, one path would overwrite what the other still has to read.

What happens to an object after its last load does not matter.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from xdsl.ir import Block, Operation, SSAValue

from spmd.analysis.divergence.unstructured import UnstructuredRegion
from spmd.analysis.graphs.split_graph import Edge
from spmd.analysis.memory.alloca_ssa import AllocaSSA, State, StateKind
from spmd.analysis.memory.private_memory import PrivateObject
from spmd.analysis.shapes.shape import UNDEF, UNIFORM, VARYING, Shape, join_all
from spmd.dialects.interfaces.control_flow import RegionBranch, Runs
from spmd.dialects.interfaces.memory import stored_memory

Shapes = tuple[Shape, ...]
MOST_PAIRS = 20_000
"""More pairs of a store and a load are not compared to find out about sharing."""


class Values(Protocol):
    """What is known of values and control flow so far."""

    @property
    def divergent(self) -> Mapping[Operation, tuple[bool, ...]]: ...

    @property
    def home(self) -> Mapping[Block, UnstructuredRegion]: ...

    def seen(self, value: SSAValue, user: Operation) -> Shapes: ...

    def all_active(self, op: Operation, dimension: int) -> bool: ...


class PrivateContents:
    """The shape of every state, as far as a fixpoint has come."""

    def __init__(self, ssa: AllocaSSA, values: Values, dimensions: int):
        self._ssa = ssa
        self._values = values
        self._dimensions = range(dimensions)
        self._undef: Shapes = (UNDEF,) * dimensions
        self._varying: Shapes = (VARYING,) * dimensions
        self._unwritten = UNDEF
        self._shapes: dict[State, Shapes] = {}
        self._pending: deque[State] = deque()
        self._is_pending: set[State] = set()
        self._push(ssa.states)

    # Changes from outside

    def store_changed(self, op: Operation) -> None:
        """The value or the address of a store has another shape now."""
        state = self._ssa.at_store.get(op)
        if state is not None:
            self._push((state,))

    def control_changed(self, op: Operation) -> None:
        """An operation has become divergent, or what its blocks bring has changed."""
        self._push(self._ssa.of_control.get(op, ()))

    def block_changed(self, block: Block) -> None:
        """Lanes meet in a block on different paths."""
        self._push(self._ssa.of_block.get(block, ()))

    def loops_changed(self) -> None:
        """What is seen after a loop may differ from what is seen inside."""
        self._push(self._ssa.states)

    def settle_unwritten(self) -> None:
        """From now on a load of what nobody wrote gives all lanes the same."""
        self._unwritten = UNIFORM

    def _push(self, states: Iterable[State]) -> None:
        for state in states:
            if state not in self._is_pending:
                self._is_pending.add(state)
                self._pending.append(state)

    # Fixpoint

    def update(self, changed: Callable[[Operation], None]) -> None:
        """Raise the shapes of states; `changed` is told of loads that see new ones."""
        while self._pending:
            state = self._pending.popleft()
            self._is_pending.discard(state)
            old = self._shapes.get(state, self._undef)
            new = self._shape_of(state)
            new = tuple(a.join(b) for a, b in zip(old, new, strict=True))
            if new != old:
                self._shapes[state] = new
                self._push(state.users)
                for load in state.loads:
                    changed(load)

    def at(self, load: Operation) -> Shapes:
        """The contents that a load sees."""
        state = self._ssa.at_load.get(load)
        if state is None:
            return self._varying
        contents = self._seen(state, load)
        return tuple(self._unwritten if s.is_undef else s for s in contents)

    def _seen(self, state: State, user: Operation) -> Shapes:
        shapes = self._shapes.get(state, self._undef)
        flow = None if state.home is None else self._values.home.get(state.home)
        if state.home is None or flow is None:
            return shapes
        return flow.seen(shapes, state.home, user)

    def _shape_of(self, state: State) -> Shapes:
        match state.kind:
            case StateKind.UNDEF:
                return self._undef
            case StateKind.DEF:
                return self._stored(state)
            case StateKind.BLOCK_PHI:
                return self._block_phi(state)
            case _:
                return self._joined(state)

    def _joined(self, state: State) -> Shapes:
        assert state.op is not None
        inputs = [self._seen(other, state.op) for other in state.inputs]
        flags = self._values.divergent.get(state.op)
        if state.kind is StateKind.LOOP_PHI or len(set(state.inputs)) == 1:
            diverges = state.kind is StateKind.EXIT_PHI
        else:
            diverges = True
        rows = [join_all(shapes) for shapes in zip(*inputs, strict=True)]
        if flags is None or not diverges:
            return tuple(rows)
        return tuple(
            row.diverged() if flag else row
            for row, flag in zip(rows, flags, strict=True)
        )

    def _stored(self, state: State) -> Shapes:
        op = state.op
        assert op is not None
        (before,) = state.inputs
        contents = self._seen(before, op)
        return tuple(
            contents[dimension].join(self._written(op, dimension))
            for dimension in self._dimensions
        )

    def _written(self, op: Operation, dimension: int) -> Shape:
        """The shape of what a store writes; varying if lanes write different elements."""
        memory = stored_memory(op)
        value = op.operands[0] if op.name == "memref.store" else None
        places = [v for v in op.operands if v is not value or v is memory]
        same = all(self._values.seen(v, op)[dimension].is_uniform for v in places)
        if not same:
            return VARYING
        return UNIFORM if value is None else self._values.seen(value, op)[dimension]

    def _block_phi(self, state: State) -> Shapes:
        flow = self._flow_of(state)
        if flow is None:
            return self._varying

        def brings(edge: Edge) -> State | None:
            return state.edges.get(edge[0])

        return tuple(
            flow.phi(
                state.home if state.op is None else None,
                brings,
                dimension,
                lambda other, end, d=dimension: self._seen(other, end)[d],
                lambda other: other.home,
            )
            for dimension in self._dimensions
        )

    def _flow_of(self, state: State) -> UnstructuredRegion | None:
        block = state.home
        if state.op is not None:
            block = state.op.regions[0].blocks.first
        return None if block is None else self._values.home.get(block)

    # Sharing

    def is_shared(self, private: PrivateObject, dimension: int) -> bool:
        """Whether neighbours in a dimension can use one copy of an object."""
        if private.escapes is not None:
            return False
        if not all(self.at(load)[dimension].is_uniform for load in private.loads):
            return False
        if not all(self._written(op, dimension).is_uniform for op in private.stores):
            return False
        active = self._values.all_active
        stores = [op for op in private.stores if not active(op, dimension)]
        if len(stores) * len(private.loads) > MOST_PAIRS:
            return False
        return not any(
            self._run_apart(store, load, dimension)
            for store in stores
            for load in private.loads
        )

    def _run_apart(self, store: Operation, load: Operation, dimension: int) -> bool:
        """Whether some lanes execute `store` where others execute `load`."""
        around: dict[Operation, Operation] = {}
        at: Operation | None = store
        while at is not None:
            parent = at.parent_op()
            if parent is not None:
                around[parent] = at
            at = parent
        at = load
        while (parent := at.parent_op()) is not None and parent not in around:
            at = parent
        if parent is None:
            return True
        other = around[parent]
        if at is other or at.parent is other.parent:
            return False
        one, two = other.parent, at.parent
        if one is None or two is None or one.parent is not two.parent:
            # Two regions of one operation: all lanes are in the same one of a loop.
            flags = self._values.divergent.get(parent)
            diverged = flags is not None and flags[dimension]
            control = RegionBranch.of(parent)
            return diverged and (control is None or control.runs is not Runs.LOOP)
        flow = self._values.home.get(one)
        return flow is None or flow.never_meet(one, two)

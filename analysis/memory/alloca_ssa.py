"""
The states of private memory as if they were values: Alloca SSA.

Every private object (an alloca inside of the analysed code) has one *state* at each point
of the program. A state stands for the contents of all its elements:

| state     | made by                                     | from                             |
| --------- | ------------------------------------------- | -------------------------------- |
| undef     | the alloca                                  | nothing: undefined contents      |
| def       | a store                                     | the state before it              |
| phi       | the end of a branch                         | the states at the ends of it     |
| loop phi  | the begin of a loop body                    | before the loop, end of the body |
| exit phi  | the end of a loop                           | the last states in the loop      |
| block phi | the begin of a block                        | the ends of its predecessors     |

A state has a shape like a value: the join of what was stored, varying where lanes come
together that stored differently. A load at a uniform address has the shape of the state
it sees, whatever happens to the object elsewhere: in another branch, or after the last
load. A loop goes on with what those lanes have that do (`taken_branches.py`). States are made only where an object is written; code that only reads one sees the
state from before.

```mlir
%stack = memref.alloca() : memref<64xindex>       // undef
scf.while ... {                                   // loop phi of undef and def
  memref.store %uniform, %stack[%top]             // def
  ...
}                                                 // exit phi: varying if lanes leave
                                                  // at different times; nobody looks
```
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from xdsl.ir import Block, Operation, Region

from spmd.analysis.memory.private_memory import Memory, PrivateObject
from spmd.analysis.memory.taken_branches import Facts
from spmd.dialects.enclosing import terminator
from spmd.dialects.interfaces.control_flow import RegionBranch, Runs, decisions
from spmd.dialects.interfaces.memory import stored_memory


class StateKind(Enum):
    """Where a state comes from; see the module docstring."""

    UNDEF = auto()
    DEF = auto()
    PHI = auto()
    LOOP_PHI = auto()
    EXIT_PHI = auto()
    BLOCK_PHI = auto()


@dataclass(eq=False)
class State:
    """The contents of one private object at one place."""

    kind: StateKind
    object: PrivateObject
    home: Block | None
    """The block it is made in."""

    op: Operation | None
    """The store, branch or loop that makes it."""

    inputs: list[State] = field(default_factory=list["State"])
    edges: dict[int, State] = field(default_factory=dict[int, "State"])
    """For `BLOCK_PHI`: the states at the ends of other blocks, by their number."""

    users: list[State] = field(default_factory=list["State"])
    loads: list[Operation] = field(default_factory=list[Operation])

    def reads(self, state: State) -> None:
        """Note that this state is made from another one."""
        self.inputs.append(state)
        state.users.append(self)


Current = dict[PrivateObject, State]
"""The state of every object at some point."""


@dataclass
class AllocaSSA:
    """All states of the private objects of some code."""

    states: list[State] = field(default_factory=list[State])
    at_load: dict[Operation, State] = field(default_factory=dict[Operation, State])
    at_store: dict[Operation, State] = field(default_factory=dict[Operation, State])
    of_control: dict[Operation, list[State]] = field(
        default_factory=dict[Operation, list[State]]
    )
    """The states that depend on whether an operation diverges."""

    of_block: dict[Block, list[State]] = field(default_factory=dict[Block, list[State]])
    """The phis at the beginning of a block."""


def build_alloca_ssa(root: Operation, memory: Memory) -> AllocaSSA:
    """Find the states of all objects that do not escape."""
    builder = _Builder(root, memory)
    if builder.tracked:
        for region in root.regions:
            builder.region(region, {})
        builder.remove_trivial_phis()
    return builder.result


class _Builder:
    def __init__(self, root: Operation, memory: Memory):
        self.result = AllocaSSA()
        self.memory = memory
        self.tracked: dict[Operation, PrivateObject] = {}
        self.loads: dict[Operation, PrivateObject] = {}
        self.stores: dict[Operation, PrivateObject] = {}
        self.written: dict[Operation, dict[PrivateObject, None]] = {}
        """The objects that are written somewhere inside of an operation."""
        for private in memory.objects.values():
            owner = private.allocation.owner
            if private.escapes is not None or not isinstance(owner, Operation):
                continue
            self.tracked[owner] = private
            self.loads.update(dict.fromkeys(private.loads, private))
            self.stores.update(dict.fromkeys(private.stores, private))
            for op in (owner, *private.stores):
                around = op.parent_op()
                while around is not None and around is not root:
                    self.written.setdefault(around, {})[private] = None
                    around = around.parent_op()

    def state(
        self,
        kind: StateKind,
        private: PrivateObject,
        home: Block | None,
        op: Operation | None,
        inputs: Iterable[State] = (),
    ) -> State:
        state = State(kind, private, home, op)
        for each in inputs:
            state.reads(each)
        self.result.states.append(state)
        return state

    # Straight code

    def region(self, region: Region, current: Current) -> Current:
        """The states at the end of a region that begins with `current`."""
        if len(region.blocks) > 1:
            return self.blocks(region, current)
        return self.block(region.block, current) if region.blocks else current

    def block(self, block: Block, current: Current) -> Current:
        current = dict(current)
        for op in block.ops:
            if op in self.tracked:
                private = self.tracked[op]
                current[private] = self.state(StateKind.UNDEF, private, block, op)
            elif op in self.loads:
                self.load(op, current)
            elif op in self.stores and stored_memory(op) is not None:
                private = self.stores[op]
                if private in current:
                    state = self.state(
                        StateKind.DEF, private, block, op, [current[private]]
                    )
                    self.result.at_store[op] = current[private] = state
            elif op.regions:
                current = self.control(op, current)
        return current

    def load(self, op: Operation, current: Current) -> None:
        state = current.get(self.loads[op])
        if state is not None:
            self.result.at_load[op] = state
            state.loads.append(op)

    # Structured control flow

    def control(self, op: Operation, current: Current) -> Current:
        flow = RegionBranch.of(op)
        match flow.runs if flow is not None else None:
            case Runs.LOOP:
                return self.loop(op, current)
            case Runs.CHOICE:
                return self.branch(op, current)
            case Runs.ONCE:
                return self.region(op.regions[0], current)
            case None:
                # Nobody knows how often and in which order the regions run; the objects
                # that are used in them escape.
                return current

    def changed(self, op: Operation, current: Current) -> list[PrivateObject]:
        return [p for p in self.written.get(op, ()) if p in current]

    def branch(self, op: Operation, current: Current) -> Current:
        ends = [self.region(region, current) for region in op.regions if region.blocks]
        flow = RegionBranch.of(op)
        may_skip = flow is not None and None in flow.successors(op, None)
        result = dict(current)
        for private in self.changed(op, current):
            states = [end[private] for end in ends]
            if may_skip:
                states.append(current[private])
            result[private] = self.of_control(StateKind.PHI, op, private, states)
        return result

    def loop(self, op: Operation, current: Current) -> Current:
        """A loop, which is left before its only region or at the end of the first of two."""
        changed = self.changed(op, current)
        inside = dict(current)
        for private in changed:
            inside[private] = self.state(
                StateKind.LOOP_PHI,
                private,
                op.regions[0].blocks.first,
                op,
                [current[private]],
            )
        first = last = dict(inside)
        goes_on = Facts(())
        for number, region in enumerate(op.regions):
            inside = self.region(region, inside)
            if number == 0 and len(op.regions) > 1:
                last = inside
                goes_on = Facts((each.value, True) for each in decisions(op))
                inside = last | {p: _where(last[p], goes_on) for p in changed}
        result = dict(current)
        for private in changed:
            end = inside[private]
            again = _again(op, private, end, goes_on)
            states = (last[private],) if again is end else (last[private], end)
            result[private] = self.of_control(StateKind.EXIT_PHI, op, private, states)
            first[private].reads(again)
        return result

    def of_control(
        self,
        kind: StateKind,
        op: Operation,
        private: PrivateObject,
        inputs: Sequence[State],
    ) -> State:
        state = self.state(kind, private, op.parent, op, inputs)
        self.result.of_control.setdefault(op, []).append(state)
        return state

    # Blocks and branches

    def blocks(self, region: Region, current: Current) -> Current:
        blocks = list(region.blocks)
        written = {
            private: None
            for block in blocks
            for op in block.ops
            for private in (
                self.tracked.get(op),
                self.stores.get(op),
                *self.written.get(op, ()),
            )
            if private is not None
        }
        begins: list[Current] = [dict(current) for _ in blocks]
        for block, begin in zip(blocks[1:], begins[1:], strict=True):
            for private in written:
                phi = self.state(StateKind.BLOCK_PHI, private, block, None)
                self.result.of_block.setdefault(block, []).append(phi)
                begin[private] = phi
        ends = [
            self.block(block, begin)
            for block, begin in zip(blocks, begins, strict=True)
        ]
        position = {block: number for number, block in enumerate(blocks)}
        for number, (block, end) in enumerate(zip(blocks, ends, strict=True)):
            for successor in terminator(block).successors:
                begin = begins[position[successor]]
                for private in written:
                    if private in end and begin[private].kind is StateKind.BLOCK_PHI:
                        begin[private].edges[number] = end[private]
        result = dict(current)
        parent = region.parent_op()
        assert parent is not None
        # Asked for is only what blocks bring that lead out of the region.
        for private in written:
            phi = self.of_control(StateKind.BLOCK_PHI, parent, private, [])
            phi.edges = {
                n: end[private] for n, end in enumerate(ends) if private in end
            }
            result[private] = phi
        return result

    def remove_trivial_phis(self) -> None:
        """Forget block phis of one state, and connect the others."""
        same: dict[State, State] = {}

        def resolved(state: State) -> State:
            while state in same:
                state = same[state]
            return state

        phis = [s for s in self.result.states if s.kind is StateKind.BLOCK_PHI]
        changed = True
        while changed:
            changed = False
            for state in phis:
                inputs = {resolved(other) for other in state.edges.values()} - {state}
                if state not in same and len(inputs) == 1:
                    (same[state],) = inputs
                    changed = True
        for state in phis:
            if state not in same:
                state.edges = {n: resolved(s) for n, s in state.edges.items()}
                for other in dict.fromkeys(state.edges.values()):
                    other.users.append(state)
        for old in same:
            new = resolved(old)
            new.loads.extend(old.loads)
            new.users.extend(old.users)
        for state in self.result.states:
            state.inputs = [resolved(other) for other in state.inputs]
        self.result.at_load = {
            op: resolved(state) for op, state in self.result.at_load.items()
        }
        for block, states in self.result.of_block.items():
            self.result.of_block[block] = [s for s in states if s not in same]
        for op, states in self.result.of_control.items():
            self.result.of_control[op] = [s for s in states if s not in same]
        self.result.states = [s for s in self.result.states if s not in same]


def _where(state: State, facts: Facts) -> State:
    """The state before a branch joined others from which no lane comes where `facts` hold."""
    while state.kind is StateKind.PHI and state.op is not None:
        taken = facts.taken(state.op)
        if taken is None or len(state.inputs) != len(state.op.regions):
            break
        facts.enter(state.op, taken)
        state = state.inputs[taken]
    return state


def _again(
    loop: Operation, private: PrivateObject, end: State, goes_on: Facts
) -> State:
    """
    Where an iteration ends, the state of the lanes that run another one.

    Those that do not are of no interest if nobody asks before they leave.
    """
    if not goes_on.known:
        return end
    test, body = (region.block for region in loop.regions)
    nexts = zip(test.args, terminator(body).operands, strict=True)
    facts = [(again, True) for flag, again in nexts if (flag, True) in goes_on.known]
    if not facts or any(map(test.is_ancestor, (*private.loads, *private.stores))):
        return end
    return _where(end, Facts(facts))

"""The code that a graph of blocks is to become, with numbers instead of blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from spmd.passes.structuring.block_graph import Jump, Kept, Variable


class Place(NamedTuple):
    """Where code may go on: at the begin of a block."""

    block: int
    is_next_iteration: bool = False
    """Whether a loop around the code begins there, and the code goes around once more."""


Places = dict[Place, None]
"""Where code may go on, in order."""


@dataclass(eq=False)
class Start:
    """Variables get the value 0."""

    variables: list[Variable] = field(default_factory=list[Variable])


@dataclass(eq=False)
class Run:
    """The operations of a block."""

    block: int


@dataclass(eq=False)
class Go:
    """A jump sets the variables of its target."""

    jump: Jump


@dataclass(eq=False)
class Branch:
    """What the jumps of a block lead to: an arm for each."""

    block: int
    arms: list[Arm]


@dataclass(eq=False)
class Dispatch:
    """One of several places to go on at; the last arm is for all numbers from 0."""

    variable: Variable
    arms: list[Arm]
    """For the numbers 1, 2, ..., and last for 0."""

    like: int
    """A block to take the location from."""


@dataclass(eq=False)
class Loop:
    """A cycle of blocks, entered in the order of `entries`."""

    entries: Sequence[int]
    body: Arm
    back: Sequence[Jump]
    """The jumps to the next iteration."""

    entry: Variable | None
    """Says at which of several entries an iteration begins."""

    again: Variable | None
    """Says whether there is another iteration; `None` if there always is."""

    kept: Sequence[Kept] = ()
    """What it carries and is asked for after it."""

    exits: Places = field(default_factory=Places)


@dataclass(eq=False)
class HeadedLoop:
    """A loop that is left only by the jump `out` of the block in which it begins."""

    header: int
    inside: Jump
    out: Jump
    back: Sequence[Jump]
    """The jumps to the next iteration."""

    body: Arm
    exits: Places = field(default_factory=Places)


Item = Start | Run | Go | Branch | Dispatch | Loop | HeadedLoop


@dataclass(eq=False)
class Arm:
    """Code that runs in order, and where it may go on."""

    items: list[Item] = field(default_factory=list[Item])
    after: Places = field(default_factory=Places)

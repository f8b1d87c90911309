"""Joining paths: the values that structured operations and blocks hand on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import cf, scf
from xdsl.ir import Attribute, Block, Region, SSAValue

from spmd.frontends.python.emitter import Emitter
from spmd.frontends.python.statements.variables import (
    Environment,
    Unset,
    adapted,
    joined_value,
    name_value,
    same,
    ssa_leaves,
)
from spmd.frontends.python.values import Memory, Number, Value, with_leaves


@dataclass
class Path:
    """Where a path ends, and what the variables are there."""

    block: Block
    environment: Environment


@dataclass
class Handed:
    """The variables that a join hands on, each as a pattern with its types."""

    patterns: dict[str, Value] = field(default_factory=dict[str, Value])

    def types(self, e: Emitter) -> list[Attribute]:
        """The types of the values of IR that stand for them."""
        return [
            leaf.type.ir
            for pattern in self.patterns.values()
            for leaf in ssa_leaves(e, pattern)
        ]

    def operands(self, e: Emitter, environment: Environment) -> list[SSAValue]:
        """The values of IR at the end of a path, converted at the emitter's place."""
        operands: list[SSAValue] = []
        for name, pattern in self.patterns.items():
            value = environment[name]
            assert not isinstance(value, Unset), "only what every path has is handed on"
            for leaf in ssa_leaves(e, adapted(e, value, pattern.type)):
                operands.append(e.ssa(leaf))
        return operands

    def received(
        self, environment: Environment, values: Iterable[SSAValue]
    ) -> Environment:
        """`environment` with the variables as `values` of IR."""
        rest = iter(values)
        new = dict(environment)
        for name, pattern in self.patterns.items():
            value = new[name] = with_leaves(pattern, rest)
            if isinstance(value, Number | Memory):
                name_value(value, name)
        return new


_ON_A_PATH = (
    "where a condition does not hold, or a loop does not run; give it one before"
)
_BEFORE_LOOP = "before the loop, which may not run; give it one there"


def handed(
    e: Emitter,
    names: Iterable[str],
    live: set[str],
    environments: Sequence[Environment],
) -> tuple[Handed, Environment]:
    """
    What has to be handed on where paths meet, and the environment of the rest.

    `names` are the variables that may differ, `live` those that are needed.
    """
    rest = dict(environments[0])
    result = Handed()
    for name in sorted(names):
        values = [environment.get(name) for environment in environments]
        present = [v for v in values if v is not None and not isinstance(v, Unset)]
        if name not in live or len(present) < len(values):
            unset = [v for v in values if isinstance(v, Unset) and not present]
            rest[name] = unset[0] if unset else Unset(_ON_A_PATH)
        elif all(same(present[0], each) for each in present[1:]):
            continue
        else:
            result.patterns[name] = joined_value(e, name, present)
    return result, rest


def kept(
    e: Emitter, names: Iterable[str], live: set[str], environment: Environment
) -> tuple[Handed, Environment]:
    """
    What is handed on of the variables that have a value, and the environment of the rest.

    A loop hands on what has a value before it: it may have no iteration.
    """
    result, rest = Handed(), dict(environment)
    for name in sorted(names):
        value = environment.get(name)
        if isinstance(value, Unset):
            continue
        if name in live and value is not None:
            result.patterns[name] = joined_value(e, name, [value])
        else:
            rest[name] = Unset(_BEFORE_LOOP)
    return result, rest


class Paths:
    """
    Where code is written: the end of a path, and what the variables are there.

    Base of what writes statements.
    """

    def __init__(self, emitter: Emitter, environment: Environment):
        self.e = emitter
        self.environment = environment

    def start(self, block: Block, environment: Environment) -> None:
        """Go on in a new block of the region."""
        assert self.e.region is not None, "structured code has one block"
        self.e.region.add_block(block)
        self.e.block, self.environment = block, environment

    def end_path(self, paths: list[Path]) -> None:
        """End the path that is being written; it goes on where `paths` do."""
        if self.e.block is not None:
            paths.append(Path(self.e.block, self.environment))
            self.e.block = None

    def join(self, paths: Sequence[Path], names: set[str], live: set[str]) -> None:
        """Go on where `paths` meet; `names` are the variables that may differ."""
        if not paths:
            self.e.block = None
            return
        if len(paths) == 1:
            self.e.block, self.environment = paths[0].block, paths[0].environment
            return
        values, rest = handed(self.e, names, live, [each.environment for each in paths])
        block = Block(arg_types=values.types(self.e))
        for path in paths:
            self.e.block = path.block
            operands = values.operands(self.e, path.environment)
            self.e.append(cf.BranchOp(block, *operands))
        self.start(block, values.received(rest, block.args))

    def apart(
        self, write: Callable[[], object], names: set[str], live: set[str]
    ) -> None:
        """Write blocks in the midst of structured code: in a region of their own."""
        region = Region(Block())
        with self.e.into(region.block, region):
            write()
            values, rest = kept(self.e, names, live, self.environment)
            self.e.append(scf.YieldOp(*values.operands(self.e, self.environment)))
        op = scf.ExecuteRegionOp(values.types(self.e), region)
        self.e.append(op)
        self.environment = values.received(rest, op.results)

"""
`walk` in linear time.

xDSL makes three generators for each operation, and hands each on through those of all that is
around it. Passes walk through a kernel some hundred times: up to a tenth of what they took.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

walk_of_xdsl = Operation.walk
"""The original, for the other orders."""


def _walk(
    self: Operation, *, reverse: bool = False, region_first: bool = False
) -> Iterator[Operation]:
    if reverse or region_first:
        return walk_of_xdsl(self, reverse=reverse, region_first=region_first)
    return _in_order(self)


def _in_order(op: Operation) -> Iterator[Operation]:
    yield op
    if not op.regions:
        return
    around = [_inside(op)]
    while around:
        for inner in around[-1]:
            yield inner
            if inner.regions:
                around.append(_inside(inner))
                break
        else:
            around.pop()


def _inside(op: Operation) -> Iterator[Operation]:
    """The operations in `op`, not those in them; each may be erased when it is reached."""
    for region in op.regions:
        for block in region.blocks:
            inner = block.first_op
            while inner is not None:
                following = inner.next_op
                yield inner
                inner = following


def repair() -> None:
    """Let every operation walk so."""
    setattr(Operation, "walk", _walk)

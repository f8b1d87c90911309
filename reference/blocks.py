"""
The order of the blocks of a region: reverse post-order, and the natural loops.

The interpreter has its own, plain version of what `analysis/` does with more care: it is
the yardstick, and must not share faults with what it measures.
"""

from __future__ import annotations

from xdsl.ir import Block, Region


def successors(block: Block) -> list[Block]:
    last = block.last_op
    return [] if last is None else list(last.successors)


class BlockOrder:
    """Reachable blocks in reverse post-order, and the loops around each."""

    def __init__(self, region: Region):
        self.blocks = self._reverse_post_order(region.blocks[0])
        self.number = {block: i for i, block in enumerate(self.blocks)}
        self.predecessors: dict[Block, list[Block]] = {b: [] for b in self.blocks}
        for block in self.blocks:
            for successor in successors(block):
                self.predecessors[successor].append(block)
        self.loops = self._loops(self._immediate_dominators())
        """The blocks of each natural loop, by header."""
        self.headers = list(self.loops)

    @staticmethod
    def _reverse_post_order(entry: Block) -> list[Block]:
        order: list[Block] = []
        seen = {entry}
        stack = [(entry, iter(successors(entry)))]
        while stack:
            block, rest = stack[-1]
            for successor in rest:
                if successor not in seen:
                    seen.add(successor)
                    stack.append((successor, iter(successors(successor))))
                    break
            else:
                order.append(block)
                stack.pop()
        order.reverse()
        return order

    def _immediate_dominators(self) -> list[int]:
        dominator = [-1] * len(self.blocks)
        dominator[0] = 0
        changed = True
        while changed:
            changed = False
            for i, block in enumerate(self.blocks[1:], 1):
                new = -1
                for predecessor in self.predecessors[block]:
                    j = self.number[predecessor]
                    if dominator[j] < 0:
                        continue
                    if new < 0:
                        new = j
                    while new != j:
                        if new > j:
                            new = dominator[new]
                        else:
                            j = dominator[j]
                if dominator[i] != new:
                    dominator[i] = new
                    changed = True
        return dominator

    def _loops(self, dominator: list[int]) -> dict[Block, set[Block]]:
        loops: dict[Block, set[Block]] = {}
        for block in self.blocks:
            for header in successors(block):
                i, j = self.number[block], self.number[header]
                while i > j:
                    i = dominator[i]
                if i != j:
                    continue  # not a back edge
                members = loops.setdefault(header, {header})
                work = [block]
                while work:
                    member = work.pop()
                    if member not in members:
                        members.add(member)
                        work += self.predecessors[member]
        return dict(sorted(loops.items(), key=lambda item: self.number[item[0]]))

    def loops_around(self, block: Block) -> list[Block]:
        """Headers of the loops that contain `block`, outermost first."""
        return [header for header, members in self.loops.items() if block in members]

    def is_inside(self, block: Block, header: Block) -> bool:
        """Whether `block` belongs to the loop of `header`."""
        return block in self.loops[header]

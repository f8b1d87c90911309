"""A module in the interpreter, and whether a pass has changed it."""

from __future__ import annotations

from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from spmd.reference.interpreter import Interpreter


class Runs:
    """A module in the interpreter, which compiles it once for all launches."""

    def __init__(self, module: ModuleOp, schedule: str = "in-order"):
        self.module = module
        self.schedule = schedule
        self._interpreter: Interpreter | None = None

    def __call__(
        self,
        name: str,
        args: list[Any],
        global_size: tuple[int, ...],
        group_size: tuple[int, ...],
    ) -> None:
        """Run a kernel, at whatever level the module is."""
        found = self._interpreter
        if found is None or found.program.memory:  # what a launch left in a global
            found = self._interpreter = Interpreter(self.module, schedule=self.schedule)
        is_function = isinstance(found.program.symbols.get(name), func.FuncOp)
        run = found.run_work_groups if is_function else found.run_kernel
        run(name, args, global_size=global_size, group_size=group_size)


def content(root: Operation) -> list[Any]:
    """
    What a module or kernel consists of, equal only as long as no pass changes it.

    It takes a seventh of the time of the text, which is what it stands for.
    """
    return [
        (
            op,
            op.parent,
            op.attributes.copy(),
            op.properties.copy(),
            tuple(op.operands),
            tuple(op.successors),
            [(value.type, value.name_hint) for value in op.results],
            [
                (block, [(value.type, value.name_hint) for value in block.args])
                for region in op.regions
                for block in region.blocks
            ],
        )
        for op in root.walk()
    ]

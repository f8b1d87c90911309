"""The meaning of a launch in a host function: the kernel, for every work-item."""

from __future__ import annotations

from xdsl.dialects.builtin import DYNAMIC_INDEX

from spmd.dialects.spmd import Extent, LaunchOp, LocalArgument
from spmd.reference.compiler import Body, meaning


def _argument(body: Body, argument: LocalArgument) -> str:
    """Local memory as its sizes, as a tuple; each group has its own."""
    dynamic = iter(body.uses(argument.size_values))
    sizes = [
        next(dynamic) if extent == DYNAMIC_INDEX else str(extent)
        for extent in argument.type.get_shape()
    ]
    return f"({''.join(f'{size}, ' for size in sizes)})"


@meaning(LaunchOp)
def _launch(body: Body, op: LaunchOp) -> None:
    body.require([*op.sizes, *op.group_size], op, "size")
    arguments: list[str] = []
    for argument in op.kernel_arguments():
        if isinstance(argument, LocalArgument):
            body.require(argument.size_values, op, "size of local memory")
            arguments.append(_argument(body, argument))
        else:
            arguments.append(body.use(argument))
    body.line(
        f"launch(w, {body.site(op)}, {op.kernel.root_reference.data!r}, "
        f"[{', '.join(body.uses(op.sizes))}], {op.extent.data is Extent.GROUPS}, "
        f"[{', '.join(body.uses(op.group_size))}], [{', '.join(arguments)}])"
    )

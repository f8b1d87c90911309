"""The meaning of a launch in a host function: the kernel, for every work-item."""

from __future__ import annotations

from spmd.dialects.spmd import Extent, LaunchOp, LocalArgument
from spmd.reference.compiler import Body, as_tuple, meaning


@meaning(LaunchOp)
def _launch(body: Body, op: LaunchOp) -> None:
    body.require([*op.sizes, *op.group_size], op, "size")
    arguments: list[str] = []
    for argument in op.kernel_arguments():
        if isinstance(argument, LocalArgument):
            body.require(argument.size_values, op, "size of local memory")
            # Local memory as its sizes: each group has its own.
            sizes = body.mixed(argument.type.get_shape(), argument.size_values)
            arguments.append(as_tuple(sizes))
        else:
            arguments.append(body.use(argument))
    body.line(
        f"launch(w, {body.site(op)}, {op.kernel.root_reference.data!r}, "
        f"[{', '.join(body.uses(op.sizes))}], {op.extent.data is Extent.GROUPS}, "
        f"[{', '.join(body.uses(op.group_size))}], [{', '.join(arguments)}])"
    )

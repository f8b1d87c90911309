"""
What an op of any dialect says of itself, so that the whole compiler knows it.

```python
from spmd.interfaces import Elementwise, Emission, Meaning, computed

@irdl_op_definition
class SquareOp(IRDLOperation):
    name = "my.square"
    x = operand_def(AnyFloatConstr | VectorType.constr(AnyFloatConstr))
    r = result_def(AnyFloatConstr | VectorType.constr(AnyFloatConstr))
    traits = traits_def(
        Pure(), Elementwise(), Emission(write_square), Meaning(computed(lambda x: x * x))
    )
```

An op of somebody else gets its interfaces by `describe`. `docs/embedding.md` has a table
of what each of them is for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.ir import Operation, SSAValue

from spmd.dialects.interfaces.computation import Elementwise, FunctionOfOperands
from spmd.dialects.interfaces.control_flow import (
    Branch,
    RegionBranch,
    RegionTerminator,
    Runs,
)
from spmd.dialects.interfaces.cost import Cost, CostClass
from spmd.dialects.interfaces.expansion import Expansion
from spmd.dialects.interfaces.interface import OpInterface
from spmd.dialects.interfaces.legality import Legality
from spmd.dialects.interfaces.meaning import Emission, Meaning
from spmd.dialects.interfaces.memory import MemoryAccess, MemoryHint
from spmd.dialects.interfaces.order import Ordered
from spmd.dialects.interfaces.preconditions import Comparison, Fault, Preconditions
from spmd.dialects.interfaces.speculation import IntegerDivision
from spmd.dialects.interfaces.views import ViewLike
from spmd.runtime.cache.disk import cache

__all__ = [
    "Branch",
    "Comparison",
    "Cost",
    "CostClass",
    "Elementwise",
    "Emission",
    "Expansion",
    "Fault",
    "FunctionOfOperands",
    "IntegerDivision",
    "Legality",
    "Meaning",
    "MemoryAccess",
    "MemoryHint",
    "OpInterface",
    "Ordered",
    "Preconditions",
    "RegionBranch",
    "RegionTerminator",
    "Runs",
    "ViewLike",
    "computed",
    "describe",
    "element_address",
]


def describe(op: type[Operation] | str, *interfaces: OpInterface) -> None:
    """
    Give interfaces to an op whose class has none: a class, or its name.

    Raises `TypeError` for what is no op or no interface.
    """
    if not isinstance(op, str) and not (
        isinstance(op, type) and issubclass(op, Operation)  # pyright: ignore[reportUnnecessaryIsInstance]
    ):
        raise TypeError(f"expected a class of operations or a name, got {op!r}")
    cache.switch_off("describe() has changed what the compiler knows of ops")
    for interface in interfaces:
        if not isinstance(interface, OpInterface):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(
                f"expected interfaces for {op}, such as Elementwise(), got {interface!r}"
            )
        interface.attach(op)


def computed(function: Callable[..., Any]) -> Callable[[Any, Any], None]:
    """
    For `Meaning`: the result is `function` of the operands; several are a tuple.

    Floats are Python's, and results are rounded to their types; integers are the bits, not
    negative. Of vectors the function gets element by element. Of a memref it can read and
    write `array[i, j]`, and ask for the `array.shape`; such an access is watched as a load.
    An undefined operand makes an undefined result, or is an error if there are memrefs.
    """

    def write(body: Any, op: Operation) -> None:
        from spmd.reference.semantics.computed import computed_by

        computed_by(body, op, function)

    return write


def element_address(writer: Any, memory: SSAValue, indices: Sequence[SSAValue]) -> str:
    """For `Emission`: the address of an element of a memref, as an LLVM operand."""
    from spmd.lowering.writing.addresses import element_address

    return element_address(writer, writer.memref(memory), map(writer.get, indices))

"""What the ops of `math` are."""

from xdsl.dialects import math

from spmd.dialects.interfaces.computation import Elementwise
from spmd.dialects.interfaces.cost import Cost, CostClass
from spmd.dialects.names import FUNCTIONS

Elementwise().attach(*math.Math.operations)

Cost(CostClass.SLOW).attach(math.SqrtOp, math.RsqrtOp)
Cost(CostClass.LIBRARY).attach(
    math.FPowIOp, *(op for op in math.Math.operations if op.name in FUNCTIONS)
)

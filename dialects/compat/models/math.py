"""What the ops of `math` are."""

from xdsl.dialects import math

from spmd.dialects.interfaces.computation import Elementwise
from spmd.dialects.interfaces.cost import Cost, CostClass

Elementwise().attach(*math.Math.operations)

Cost(CostClass.SLOW).attach(math.SqrtOp, math.RsqrtOp)
Cost(CostClass.LIBRARY).attach(
    math.AcosOp,
    math.AcoshOp,
    math.AsinOp,
    math.AsinhOp,
    math.Atan2Op,
    math.AtanOp,
    math.AtanhOp,
    math.CbrtOp,
    math.CosOp,
    math.CoshOp,
    math.ErfOp,
    math.Exp2Op,
    math.ExpM1Op,
    math.ExpOp,
    math.FPowIOp,
    math.Log10Op,
    math.Log1pOp,
    math.Log2Op,
    math.LogOp,
    math.PowFOp,
    math.SinOp,
    math.SinhOp,
    math.TanOp,
    math.TanhOp,
)

"""What the ops of `arith` are."""

from xdsl.dialects import arith

from spmd.dialects.compat.legality import arith as legality
from spmd.dialects.interfaces.computation import Elementwise
from spmd.dialects.interfaces.cost import Cost, CostClass
from spmd.dialects.interfaces.legality import Legality
from spmd.dialects.interfaces.speculation import IntegerDivision
from spmd.dialects.interfaces.views import ViewLike

Elementwise().attach(*arith.Arith.operations)
Elementwise(modular=True).attach(
    arith.AddiOp,
    arith.SubiOp,
    arith.MuliOp,
    arith.ShLIOp,
    arith.TruncIOp,
    arith.AndIOp,
    arith.OrIOp,
    arith.XOrIOp,
)
Elementwise(unsigned=True).attach(
    arith.DivUIOp,
    arith.CeilDivUIOp,
    arith.RemUIOp,
    arith.ShRUIOp,
    arith.MinUIOp,
    arith.MaxUIOp,
)

IntegerDivision(signed=True).attach(
    arith.DivSIOp, arith.CeilDivSIOp, arith.FloorDivSIOp, arith.RemSIOp
)
IntegerDivision(signed=False).attach(arith.DivUIOp, arith.CeilDivUIOp, arith.RemUIOp)

ViewLike((1, 2)).attach(arith.SelectOp)

Cost(CostClass.FREE).attach(arith.ConstantOp)
Cost(CostClass.SLOW).attach(arith.DivfOp)

Legality(legality.why_not_same_width).attach(arith.BitcastOp)
Legality(legality.why_no_comparison).attach(arith.CmpiOp, arith.CmpfOp)
Legality(legality.why_not_wider).attach(arith.ExtFOp)
Legality(legality.why_not_narrower).attach(arith.TruncFOp)

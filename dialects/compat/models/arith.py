"""What the ops of `arith` are."""

from xdsl.dialects import arith

from spmd.dialects.compat.legality import arith as legality
from spmd.dialects.interfaces.computation import Elementwise
from spmd.dialects.interfaces.cost import Cost, CostClass
from spmd.dialects.interfaces.legality import Legality
from spmd.dialects.interfaces.speculation import IntegerDivision, Quotient
from spmd.dialects.interfaces.views import ViewLike

Elementwise().attach(*arith.Arith.operations)
Elementwise(modular=True, affine=True).attach(
    arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.TruncIOp
)
Elementwise(modular=True, affine=True, shifts=True).attach(arith.ShLIOp)
Elementwise(modular=True).attach(arith.AndIOp, arith.OrIOp, arith.XOrIOp)
Elementwise(affine=True).attach(arith.ConstantOp, arith.IndexCastOp, arith.ExtSIOp)
Elementwise(affine=True, unsigned=True).attach(arith.ExtUIOp)
Elementwise(unsigned=True).attach(
    arith.DivUIOp,
    arith.CeilDivUIOp,
    arith.RemUIOp,
)
Elementwise(unsigned=True, shifts=True).attach(arith.ShRUIOp)
Elementwise(shifts=True).attach(arith.ShRSIOp)
Elementwise(unsigned=True, compares=True).attach(arith.MinUIOp, arith.MaxUIOp)
Elementwise(compares=True).attach(arith.CmpiOp, arith.MinSIOp, arith.MaxSIOp)

IntegerDivision(signed=True).attach(arith.DivSIOp)
IntegerDivision(signed=True, quotient=Quotient.UP).attach(arith.CeilDivSIOp)
IntegerDivision(signed=True, quotient=Quotient.DOWN).attach(arith.FloorDivSIOp)
IntegerDivision(signed=True, quotient=None).attach(arith.RemSIOp)
IntegerDivision(signed=False).attach(arith.DivUIOp)
IntegerDivision(signed=False, quotient=Quotient.UP).attach(arith.CeilDivUIOp)
IntegerDivision(signed=False, quotient=None).attach(arith.RemUIOp)

ViewLike((1, 2)).attach(arith.SelectOp)

Cost(CostClass.FREE).attach(arith.ConstantOp, arith.IndexCastOp)
Cost(CostClass.SLOW).attach(arith.DivfOp)

Legality(legality.why_not_same_width).attach(arith.BitcastOp)
Legality(legality.why_no_comparison).attach(arith.CmpiOp, arith.CmpfOp)
Legality(legality.why_not_wider).attach(arith.ExtFOp)
Legality(legality.why_not_narrower).attach(arith.TruncFOp)

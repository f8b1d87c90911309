"""What the ops of `memref` are."""

from xdsl.dialects import memref

from spmd.dialects.interfaces.computation import FunctionOfOperands
from spmd.dialects.interfaces.control_flow import RegionBranch, RegionTerminator
from spmd.dialects.interfaces.cost import Cost, CostClass
from spmd.dialects.interfaces.memory import MemoryAccess
from spmd.dialects.interfaces.views import ViewLike

ViewLike().attach(
    memref.AssumeAlignmentOp,
    memref.CastOp,
    memref.CollapseShapeOp,
    memref.ExpandShapeOp,
    memref.ExtractStridedMetaDataOp,
    memref.MemorySpaceCastOp,
    memref.ReinterpretCastOp,
    memref.SubviewOp,
    memref.ViewOp,
)
ViewLike(sources=()).attach(memref.GetGlobalOp)

FunctionOfOperands().attach(
    memref.DimOp, memref.ExtractAlignedPointerAsIndexOp, memref.RankOp
)

RegionBranch().attach(memref.AllocaScopeOp)
RegionTerminator(forwarded=0).attach(memref.AllocaScopeReturnOp)

MemoryAccess().attach(memref.DimOp, memref.RankOp)
MemoryAccess(read=0, element=True).attach(memref.LoadOp)
MemoryAccess(written=1, element=True).attach(memref.StoreOp)
MemoryAccess(read=0, written=1).attach(memref.CopyOp)
MemoryAccess(read=1, written=1, element=True, atomic=True).attach(memref.AtomicRMWOp)

Cost(CostClass.MEMORY).attach(memref.LoadOp, memref.StoreOp)

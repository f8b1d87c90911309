"""What the ops of `memref` are."""

from xdsl.dialects import memref

from spmd.dialects.compat.legality import memref as legality
from spmd.dialects.interfaces.computation import FunctionOfOperands
from spmd.dialects.interfaces.control_flow import RegionBranch, RegionTerminator
from spmd.dialects.interfaces.cost import Cost, CostClass
from spmd.dialects.interfaces.legality import HostOnly, Legality
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
Cost(CostClass.ATOMIC).attach(memref.AtomicRMWOp)

Legality(legality.why_no_private_memory).attach(memref.AllocaOp)
Legality(legality.why_not_aligned).attach(memref.AssumeAlignmentOp)
Legality(legality.why_no_atomic_update).attach(memref.AtomicRMWOp)
Legality(legality.why_no_cast).attach(memref.CastOp)
Legality(legality.why_no_collapse).attach(memref.CollapseShapeOp)
Legality(legality.why_no_dimension).attach(memref.DimOp)
Legality(legality.why_no_expansion).attach(memref.ExpandShapeOp)
Legality(legality.why_no_metadata).attach(memref.ExtractStridedMetaDataOp)
Legality(legality.why_no_such_global).attach(memref.GetGlobalOp)
Legality(legality.why_no_global).attach(memref.GlobalOp)
Legality(legality.why_no_reinterpretation).attach(memref.ReinterpretCastOp)
Legality(legality.why_no_subview).attach(memref.SubviewOp)
Legality(legality.why_no_view).attach(memref.ViewOp)
HostOnly(
    "memory that belongs to a work-item or a group: memref.alloca or spmd.local_alloc"
).attach(memref.AllocOp, memref.DeallocOp, memref.DmaStartOp, memref.DmaWaitOp)

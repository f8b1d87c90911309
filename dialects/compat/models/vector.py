"""What the ops of `vector` are that xDSL has; the others say it themselves."""

from xdsl.dialects import vector

from spmd.dialects.compat.legality import vector as legality
from spmd.dialects.interfaces.computation import FunctionOfOperands
from spmd.dialects.interfaces.legality import Legality
from spmd.dialects.interfaces.memory import MemoryAccess

FunctionOfOperands().attach(
    vector.BitcastOp,
    vector.BroadcastOp,
    vector.CreateMaskOp,
    vector.ExtractOp,
    vector.FMAOp,
    vector.InsertOp,
    vector.ReductionOp,
    vector.ShuffleOp,
)

MemoryAccess(read=0).attach(vector.LoadOp, vector.MaskedLoadOp, vector.TransferReadOp)
MemoryAccess(written=0).attach(vector.MaskedStoreOp)
MemoryAccess(written=1).attach(vector.StoreOp, vector.TransferWriteOp)

Legality(legality.why_no_broadcast).attach(vector.BroadcastOp)
Legality(legality.why_no_extract).attach(vector.ExtractOp)
Legality(legality.why_no_insert).attach(vector.InsertOp)
Legality(legality.why_no_masked_load).attach(vector.MaskedLoadOp)
Legality(legality.why_no_masked_store).attach(vector.MaskedStoreOp)
Legality(legality.why_no_reduction).attach(vector.ReductionOp)

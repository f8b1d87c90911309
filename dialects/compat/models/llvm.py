"""What the ops of `llvm` are."""

from xdsl.dialects import llvm

from spmd.dialects.compat.legality import llvm as legality
from spmd.dialects.interfaces.legality import Legality

Legality(legality.why_other_indices).attach(llvm.GEPOp)

"""What the ops of `cf` are."""

from xdsl.dialects import cf

from spmd.dialects.compat.legality import cf as legality
from spmd.dialects.interfaces.control_flow import Branch
from spmd.dialects.interfaces.legality import Legality

Branch().attach(cf.BranchOp)
Branch(decides=1).attach(cf.ConditionalBranchOp, cf.SwitchOp)

Legality(legality.why_equal_cases).attach(cf.SwitchOp)

"""What the ops of `cf` are."""

from xdsl.dialects import cf

from spmd.dialects.compat.preconditions import others as preconditions
from spmd.dialects.interfaces.control_flow import Branch
from spmd.dialects.interfaces.preconditions import Preconditions

Branch().attach(cf.BranchOp)
Branch(decides=1).attach(cf.ConditionalBranchOp, cf.SwitchOp)

Preconditions(preconditions.fails, only=True).attach(cf.AssertOp)

"""What the ops of `cf` are."""

from xdsl.dialects import cf

from spmd.dialects.interfaces.control_flow import Branch

Branch().attach(cf.BranchOp)
Branch(decides=1).attach(cf.ConditionalBranchOp, cf.SwitchOp)

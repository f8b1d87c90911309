"""What the ops of `scf` are."""

from xdsl.dialects import scf

from spmd.dialects.compat.legality import scf as legality
from spmd.dialects.interfaces.control_flow import RegionBranch, RegionTerminator, Runs
from spmd.dialects.interfaces.legality import Legality

RegionBranch(runs=Runs.ONCE).attach(scf.ExecuteRegionOp)
RegionBranch(runs=Runs.CHOICE, decides=1).attach(scf.IfOp, scf.IndexSwitchOp)
RegionBranch(runs=Runs.LOOP, decides=3, forwarded=3, own_arguments=1).attach(scf.ForOp)
RegionBranch(runs=Runs.LOOP, forwarded=0).attach(scf.WhileOp)

RegionTerminator(forwarded=0).attach(scf.YieldOp)
RegionTerminator(decides=1, forwarded=1).attach(scf.ConditionOp)

Legality(legality.why_no_step).attach(scf.ForOp, scf.ParallelOp)

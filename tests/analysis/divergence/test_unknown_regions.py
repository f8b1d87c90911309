"""Operations with regions that the analysis has no rule for."""

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Region
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    region_def,
    result_def,
    traits_def,
)

from spmd.analysis.divergence.control import flow_of
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.analysis.shapes.shape import UNIFORM, VARYING
from spmd.analysis.shapes.transfer import Lanes
from spmd.dialects.interfaces.control_flow import RegionBranch, Runs
from spmd.dialects.spmd import Scope


@irdl_op_definition
class LoopOp(IRDLOperation):
    name = "test.loop"

    result = result_def(IndexType())
    body = region_def("single_block")
    traits = traits_def(RegionBranch(runs=Runs.LOOP))


def test_lanes_may_leave_a_loop_that_is_not_known_in_different_iterations():
    loop = LoopOp.create(result_types=[IndexType()], regions=[Region(Block())])
    lanes = Lanes(0, 8, Scope.WORK_GROUP, IntegerRanges())
    flow = flow_of(loop, lambda value: UNIFORM, lanes)
    assert flow.diverges
    assert flow.shapes == [(loop.result, VARYING)]

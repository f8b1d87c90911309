"""The parts of `mask-divergence`."""

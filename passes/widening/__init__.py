"""The parts of `widen-sub-groups`."""

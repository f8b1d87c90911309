"""Memory accesses of lanes."""

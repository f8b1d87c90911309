"""SPMD kernels for CPUs: a multi-level compiler on xDSL and llvmlite."""

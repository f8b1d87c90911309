"""What xDSL 0.74 lacks of upstream's `gpu`: the syntax of its ops, and some ops."""

from spmd.dialects.compat.gpu import functions, kinds, lanes, memory, syntax


def repair() -> None:
    """Give the ops their syntax, and the dialect the ops that it lacks."""
    for part in (kinds, syntax, functions, lanes, memory):
        part.repair()

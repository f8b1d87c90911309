"""What every op means: one file per dialect; importing a file registers its ops."""

from importlib import import_module

_FILES = (
    "arith",
    "arith_casts",
    "arith_float",
    "atomics",
    "cf",
    "collectives",
    "failure",
    "ids",
    "lanes",
    "launch",
    "llvm",
    "math",
    "memref",
    "memref_views",
    "scf",
    "ub",
    "vector",
    "vector_memory",
    "work_items",
)


def register() -> None:
    """Import all files."""
    for name in _FILES:
        import_module(f"{__name__}.{name}")

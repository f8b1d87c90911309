"""What every op means: one file per dialect; importing a file registers its ops."""

from importlib import import_module

_FILES = {
    "spmd": "atomics collectives ids lanes launch messages work_items",
    "upstream": (
        "arith arith_casts arith_float cf llvm math memref memref_views scf vector "
        "vector_memory"
    ),
}


def register() -> None:
    """Import all files."""
    for folder, names in _FILES.items():
        for name in names.split():
            import_module(f"{__name__}.{folder}.{name}")

"""llvmlite's binding of LLVM, which has no type annotations, as one untyped object."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

llvm: Any = import_module("llvmlite.binding")


@cache
def initialize_llvm() -> None:
    """Makes all of LLVM's back ends known."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()

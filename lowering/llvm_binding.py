"""llvmlite's binding of LLVM, which has no type annotations, as one untyped object."""

from __future__ import annotations

from importlib import import_module
from typing import Any

llvm: Any = import_module("llvmlite.binding")

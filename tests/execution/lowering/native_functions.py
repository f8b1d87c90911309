"""Compiles plain functions to native code and calls them with NumPy arrays."""

from __future__ import annotations

import ctypes
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.universe import Universe

from spmd.dialects.compat import common
from spmd.dialects.element_types import is_memref
from spmd.lowering.emit import emit_llvm
from spmd.lowering.machine import Machine, host_machine
from spmd.lowering.native import compile_native
from spmd.lowering.ops.assertions import Assertions
from spmd.lowering.writing.record import POLL
from spmd.passes.memory.lower_atomics import LowerAtomicsPass
from spmd.runtime.launching.python_calls import poll_address
from spmd.runtime.launching.record import LaunchRecord

common.repair()  # as the runtime and the stock tool do

Array = NDArray[Any]

DTYPES: dict[str, Any] = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "index": np.int64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
}

_C_TYPES: dict[str, Any] = {
    "i1": ctypes.c_bool,
    "i8": ctypes.c_int8,
    "i16": ctypes.c_int16,
    "i32": ctypes.c_int32,
    "i64": ctypes.c_int64,
    "index": ctypes.c_int64,
    "f32": ctypes.c_float,
    "f64": ctypes.c_double,
}


def parse_module(text: str) -> ModuleOp:
    """Parses and verifies MLIR text; its file is called `<unknown>`."""
    context = Context()
    for name, factory in Universe.get_multiverse().all_dialects.items():
        context.register_dialect(name, factory)
    module = Parser(context, text).parse_module()
    module.verify()
    return module


class NativeFunctions:
    """The functions of a module, called by name: `functions("f", array, 3)`."""

    def __init__(
        self,
        source: str | ModuleOp,
        machine: Machine | None = None,
        assertions: Assertions = "abort",
    ):
        module = (
            source.clone() if isinstance(source, ModuleOp) else parse_module(source)
        )
        LowerAtomicsPass().apply(Context(), module)
        machine = machine or host_machine()
        self.llvm_ir = emit_llvm(module, machine, assertions=assertions)
        symbols = {POLL: poll_address()} if assertions == "report" else None
        self.native = compile_native(self.llvm_ir, machine, opt=1, symbols=symbols)
        self.types = {
            op.sym_name.data: op.function_type
            for op in module.ops
            if isinstance(op, FuncOp)
        }

    def __call__(
        self, name: str, *arguments: Any, failed: LaunchRecord | None = None
    ) -> Any:
        inputs = self.types[name].inputs.data
        assert len(inputs) == len(arguments), f"@{name} takes {len(inputs)} arguments"
        passed = [
            value
            for type_, argument in zip(inputs, arguments, strict=True)
            for value in _passed(type_, argument)
        ]
        if failed is not None:
            passed.append(ctypes.c_void_p(ctypes.addressof(failed)))
        results = self.types[name].outputs.data
        returned = _C_TYPES[str(results[0])] if results else None
        function = ctypes.CFUNCTYPE(returned, *map(type, passed))
        return function(self.native.address(name))(*passed)


def _passed(type_: Attribute, argument: Any) -> list[Any]:
    if not is_memref(type_):
        return [_C_TYPES[str(type_)](argument)]
    array: Array = argument
    assert array.dtype == DTYPES[str(type_.element_type)], f"{array.dtype}, {type_}"
    pointer = ctypes.c_void_p(array.ctypes.data)
    strides = [stride // array.itemsize for stride in array.strides]
    numbers = (0, *array.shape, *strides)
    return [pointer, pointer, *map(ctypes.c_int64, numbers)]

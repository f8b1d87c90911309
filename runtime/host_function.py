"""A host function: it launches kernels, and is called like one, without sizes."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from ctypes import CFUNCTYPE, addressof, c_char, c_void_p
from typing import TYPE_CHECKING, Any

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

from spmd.dialects.diagnostics import fail
from spmd.dialects.spmd.kernel import why_not_argument_attributes
from spmd.dialects.spmd.launch import needs_work_item
from spmd.dialects.spmd.types import is_local, is_memref
from spmd.dialects.work_groups import WORK_GROUP_FUNCTION
from spmd.lowering.entries.host_entry import CALL_SUFFIX, mark_host_function
from spmd.lowering.native import NativeModule, compile_native
from spmd.lowering.writing.symbols import exported_symbol
from spmd.passes.work_item_loops.launches_to_calls import (
    LAUNCHER,
    LaunchesToCallsPass,
    launches_of,
)
from spmd.runtime.arguments.elements import Element, element_of
from spmd.runtime.arguments.signature import PackedArguments, Signature
from spmd.runtime.arguments.sizes import Size, Triple
from spmd.runtime.arguments.written_arguments import written_arguments
from spmd.runtime.entry_point import EntryPoint, Sizes
from spmd.runtime.errors import LaunchError
from spmd.runtime.kernel import Kernel, explain_all
from spmd.runtime.launching.host_launch import HostLaunch, RunningHost, launcher_address
from spmd.runtime.launching.record import LaunchRecord
from spmd.runtime.launching.watcher import watched, watcher
from spmd.runtime.native_kernel import native_errors
from spmd.runtime.pipeline import (
    Unit,
    called_functions,
    launched_kernels,
    restrict_to_host,
    run_passes,
    stages,
    to_llvm,
)

if TYPE_CHECKING:
    from spmd.reference.checking.findings import Report
    from spmd.runtime.explanation.explanation import Explanation

_ENTRY = CFUNCTYPE(None, c_void_p)


class HostFunction(EntryPoint[func.FuncOp, "HostCall", "NativeHost"]):
    """
    A `func.func` of a `Program` that launches kernels.

    ```python
    total = sum_all(x, scratch, n)
    total = sum_all(x, scratch, n, threads=2)
    call = sum_all.bind(x, scratch, n)
    total = call()
    ```

    The sizes of launches are its own business. It gives back what the function returns:
    nothing, a number, or a tuple of numbers.
    """

    kind = "host function"

    def __init__(self, unit: Unit, op: func.FuncOp, kernels: Mapping[str, Kernel]):
        self._kernels = kernels
        super().__init__(unit, op)

    def __reduce__(self) -> tuple[Any, ...]:
        return _function_again, (self._unit, self.name, self._kernels)

    def _check_code(self) -> Signature:
        op, module = self._op, self._unit.module
        for argument in op.body.blocks[0].args:
            if why := why_not_an_argument(argument.type):
                fail(op, f"argument {argument.index}: {why}")
        for number, attributes in enumerate(op.arg_attrs or ()):
            type_ = op.function_type.inputs.data[number]
            if why := why_not_argument_attributes(attributes, type_):
                fail(op, f"argument {number}: {why}")
        self._results = tuple(result_element(op, t) for t in op.function_type.outputs)
        for function in (op, *called_functions(module, op, kernels=False).values()):
            check_host_code(function)
        self._launched = launched_kernels(module, op)
        functions = called_functions(module, op)
        written = written_arguments(op, functions, self._launched)
        results = "".join(element.code for element in self._results)
        return Signature(op, written, more=results + "P")

    def prepare(
        self,
        packed: PackedArguments,
        sizes: Sizes,
        threads: int | None,
        timeout: float | None = None,
    ) -> HostCall:
        """A call with arguments that are packed already."""
        return HostCall(
            self._compiled(), self.signature, packed, self._results, threads, timeout
        )

    def _watched(self, sizes: Sizes) -> Callable[..., Report]:
        from spmd.reference.check import check_function

        return check_function

    def _check_sizes(self, *sizes: Size | None) -> None:
        for what, size in zip(("global_size", "group_size"), sizes):
            if size is not None:
                raise LaunchError(
                    f"{self.name}: expected no {what}, because a host function gives the "
                    f"sizes of its launches itself, got {size!r}"
                )

    def assembly(self) -> str:
        """The native code, without that of the kernels."""
        return self._compiled().native.assembly()

    def stages(self) -> Iterator[tuple[str, str]]:
        """The name of each pass and the IR after it, without the kernels."""
        return stages(self._restricted(), self._passes(), self._unit.source)

    def explain(
        self, *, global_size: Size | None = None, group_size: Size | None = None
    ) -> Explanation:
        """What the compiler makes of the kernels that the function launches."""
        self._check_sizes(global_size, group_size)
        return explain_all(
            kernel for name, kernel in self._kernels.items() if name in self._launched
        )

    def _restricted(self) -> ModuleOp:
        module = restrict_to_host(self._unit.module, self._op)
        function = module.body.block.last_op
        assert isinstance(function, func.FuncOp), "the function itself comes last"
        mark_host_function(function)
        return module

    def _passes(self) -> tuple[ModulePass, ...]:
        return (LaunchesToCallsPass(), *self._unit.options.passes())

    def _compile(self, size: Triple | None, full: bool) -> NativeHost:
        module, source = self._restricted(), self._unit.source
        launches = [
            HostLaunch(op, self._kernels[op.kernel.root_reference.data])
            for op in launches_of(module)
        ]
        run_passes(module, self._passes(), source)
        llvm_ir = to_llvm(module, source, assertions="report")
        with native_errors(source, self._op):
            native = compile_native(llvm_ir, symbols={LAUNCHER: launcher_address()})
        return NativeHost(self.name, native, launches)


def _function_again(
    unit: Unit, name: str, kernels: Mapping[str, Kernel]
) -> HostFunction:
    op = unit.symbol(name)
    assert isinstance(op, func.FuncOp)
    return HostFunction(unit, op, kernels)


class NativeHost:
    """Native code of a host function, and the launches that it asks for."""

    def __init__(self, name: str, native: NativeModule, launches: Sequence[HostLaunch]):
        self.name = name
        self.native = native  # owns the code
        self.launches = launches
        self.entry = _ENTRY(native.address(exported_symbol(name) + CALL_SUFFIX))


class HostCall:
    """
    A host function with its arguments; calling it runs the function.

    The arrays are kept alive, as by `Launch`.
    """

    __slots__ = (
        "_args",
        "_arrays",
        "_host",
        "_results",
        "_results_at",
        "_signature",
        "_threads",
        "_timeout",
    )

    def __init__(
        self,
        host: NativeHost,
        signature: Signature,
        packed: PackedArguments,
        results: Sequence[Element],
        threads: int | None,
        timeout: float | None,
    ):
        self._host = host
        self._arrays = packed.arrays
        # Results are zero and the pointer to the record is null until the call.
        self._signature = signature
        self._args = signature.pack(packed, (*[0] * len(results), 0))
        self._results = results
        self._results_at = [
            signature.field_offset(len(packed.fields) + n) for n in range(len(results))
        ]
        self._threads = threads
        self._timeout = timeout

    @watched
    def __call__(self) -> Any:
        """Runs the function; what it returns."""
        host = self._host
        args = (c_char * len(self._args)).from_buffer_copy(self._args)
        record = LaunchRecord()
        record.name, record.timeout = host.name, self._timeout
        struct.pack_into("@P", args, len(self._args) - 8, record.address)
        if watcher.asleep:
            watcher.wake()
        watcher.limit(record)
        with RunningHost(host.launches, self._threads) as running:
            host.entry(addressof(args))
        if record.error is not None:
            record.raise_error(self._signature.failed)
        if running.error is not None:
            if isinstance(running.error, LaunchError):
                raise LaunchError(f"{host.name}: {running.error}") from None
            raise running.error
        record.raise_error(self._signature.failed)
        values = [
            _result(element, args, at)
            for element, at in zip(self._results, self._results_at)
        ]
        if not values:
            return None
        return values[0] if len(values) == 1 else tuple(values)


def why_not_an_argument(type_: Attribute) -> str | None:
    """Why a host function with an argument of this type cannot be called."""
    element = type_.element_type if is_memref(type_) else type_
    if element_of(element) is None or is_local(type_):
        return (
            "expected index, i1, i8, i16, i32, i64, f16, bf16, f32, f64 or a memref of "
            f"one of them in global memory, got {type_}"
        )
    return None


def is_for_users(module: ModuleOp, op: func.FuncOp) -> bool:
    """
    Whether users may call `op`: it launches kernels, or has nothing to do with them.

    What is wrong with a function that launches kernels is an error; any other one is
    left alone.
    """
    if launched_kernels(module, op):
        return True
    return (
        all(why_not_an_argument(arg.type) is None for arg in op.body.blocks[0].args)
        and all(element_of(type_) is not None for type_ in op.function_type.outputs)
        and WORK_GROUP_FUNCTION not in op.attributes
        and not any(map(needs_work_item, op.walk()))
    )


def check_host_code(function: func.FuncOp) -> None:
    """Fails if `function`, which the host runs, has an op that takes a work-item."""
    for op in function.walk():
        if needs_work_item(op):
            fail(
                op,
                f"expected {op.name} in a kernel, or in a function that only kernels "
                f"call, got it in @{function.sym_name.data}, which the host runs; launch "
                "a kernel that does it",
            )


def result_element(function: func.FuncOp, type_: Attribute) -> Element:
    """The scalar type of a result; fails if it is none."""
    element = element_of(type_)
    if element is None:
        fail(function, f"expected numbers as results of a host function, got {type_}")
    return element


def _result(element: Element, args: Any, at: int) -> bool | int | float:
    """The number that was returned; integers are signed."""
    if element.name == "bf16":
        (bits,) = struct.unpack_from("@H", args, at)
        return struct.unpack("@f", struct.pack("@I", bits << 16))[0]
    if element.name == "i1":
        return bool(args[at] != b"\0")
    code = element.code if element.is_float else element.code.lower()
    return struct.unpack_from(f"@{code}", args, at)[0]

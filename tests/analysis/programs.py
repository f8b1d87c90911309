"""Reading test programs and finding values in them by name."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnknownLoc
from xdsl.ir import Operation, SSAValue
from xdsl.parser import Parser
from xdsl.universe import Universe

from spmd.analysis.divergence.analyze import Divergence, analyze_kernel
from spmd.dialects import compat
from spmd.dialects.spmd import KernelOp


def parse(text: str) -> ModuleOp:
    """A verified module, whose ops have no places: explanations are shorter without."""
    compat.ensure()
    context = Context()
    for name, factory in Universe.get_multiverse().all_dialects.items():
        context.register_dialect(name, factory)
    module = Parser(context, text).parse_module()
    module.verify()
    for op in module.walk():
        op.location = UnknownLoc()
    return module


def values_of(root: Operation) -> Iterator[SSAValue]:
    """All results and block arguments inside of `root`, in order."""
    for op in root.walk():
        yield from op.results
        for region in op.regions:
            for block in region.blocks:
                yield from block.args


def value(root: Operation, name: str) -> SSAValue:
    """The only value of a name."""
    found = [v for v in values_of(root) if v.name_hint == name]
    assert len(found) == 1, f"expected one %{name}, got {len(found)}"
    return found[0]


def find(root: Operation, name: str, index: int = 0) -> Operation:
    """An operation by its name, the first unless told otherwise."""
    return [op for op in root.walk() if op.name == name][index]


def kernel_of(body: str, arguments: str = "", attributes: str = "") -> KernelOp:
    """A kernel with some usual values: ids, sizes, constants and memory."""
    if attributes:
        attributes = f"attributes {{{attributes}}}"
    text = f"""
    spmd.kernel @k(%n: index, %m: index, %i: i32, %f: f32, %x: memref<?xf32>,
        %table: memref<?xindex>, %rows: memref<?x16xf32>{arguments}) {attributes} {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      %gid = spmd.global_id x
      %lid = spmd.local_id x
      %lidy = spmd.local_id y
      %true = arith.constant true
      %zero = arith.constant 0.0 : f32
      {body}
      spmd.return
    }}"""
    (kernel,) = parse(text).ops
    assert isinstance(kernel, KernelOp)
    return kernel


class Analysed:
    """A kernel and its divergence, asked by names."""

    def __init__(self, body: str, arguments: str = "", attributes: str = ""):
        self.kernel = kernel_of(body, arguments, attributes)
        self.divergence: Divergence = analyze_kernel(self.kernel)

    def shape(self, name: str, dim: int = 0) -> str:
        """The text of the shape of a value."""
        return str(self.divergence.shape(self.value(name), dim))

    def value(self, name: str) -> SSAValue:
        return value(self.kernel, name)

    def definition(self, name: str) -> Operation:
        """The operation that defines a value."""
        owner = self.value(name).owner
        assert isinstance(owner, Operation)
        return owner

    def op(self, name: str, index: int = 0) -> Operation:
        return find(self.kernel, name, index)

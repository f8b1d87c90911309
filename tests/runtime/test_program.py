"""What `spmd.compile` gives, from which sources, with which stages."""

import inspect
from collections.abc import Callable
from copy import copy, deepcopy
from html import escape
from importlib import metadata
from pathlib import Path
from pickle import dumps, loads
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import spmd
from spmd.runtime.errors import SourceText
from spmd.runtime.parsing import parse
from tests.runtime.test_kernel import FIXED, SCALE, kernel


def test_program_is_a_mapping_of_kernels():
    program = spmd.compile(SCALE + FIXED)
    assert list(program) == ["scale", "fixed"]
    assert program["scale"].name == "scale"
    assert "nope" not in program
    assert program.get("nope") is None
    with pytest.raises(KeyError) as info:
        program["nope"]
    assert isinstance(info.value, spmd.CompileError)
    assert str(info.value) == "expected one of the kernels (scale, fixed), got 'nope'"


def test_sources(tmp_path: Path):
    path = tmp_path / "scale.mlir"
    path.write_text(SCALE)
    for source in (path, str(path), SCALE, parse(SourceText("", SCALE))):
        assert list(spmd.compile(source)) == ["scale"]
    bad: Any = 3
    with pytest.raises(
        spmd.CompileError, match=r"a path, MLIR text or a ModuleOp, got int"
    ):
        spmd.compile(bad)
    with pytest.raises(spmd.CompileError, match=r"at least one spmd.kernel, or a"):
        spmd.compile("builtin.module {}")


def test_module_of_the_caller_is_left_alone():
    module = parse(SourceText("", SCALE))
    before = str(module)
    program = spmd.compile(module, vectorize=False)
    list(program.stages())
    x = np.ones(4, np.float32)
    program["scale"](2, x, x, global_size=4)
    assert str(module) == before
    # Nor does the program see what becomes of it.
    for op in list(module.ops):
        op.detach()
    program["scale"](2, x, x, global_size=4, group_size=2)
    assert_array_equal(x, 4)


RECURSIVE = """
func.func private @f() {
  func.call @f() : () -> ()
  func.return
}
spmd.kernel @bad() {
  func.call @f() : () -> ()
  spmd.return
}
"""


def test_other_kernels_of_the_module_do_not_matter():
    x = np.ones(4, np.float32)
    spmd.compile(RECURSIVE + SCALE, vectorize=False)["scale"](2, x, x, global_size=4)
    assert_array_equal(x, 2)


def test_a_check_says_what_calls_itself():
    with pytest.raises(spmd.CompileError, match="3:3: expected functions that do not"):
        spmd.check(RECURSIVE, global_size=4)


def test_functions_of_functions_come_along():
    k = kernel(
        """
        "memref.global"() <{
          sym_name = "table", sym_visibility = "private", type = memref<2xf32>,
          initial_value = dense<[3.0, 5.0]> : tensor<2xf32>, constant
        }> : () -> ()
        func.func private @inner(%i: index) -> f32 {
          %t = "memref.get_global"() <{name = @table}> : () -> memref<2xf32>
          %v = memref.load %t[%i] : memref<2xf32>
          func.return %v : f32
        }
        func.func private @outer(%i: index) -> f32 {
          %v = func.call @inner(%i) : (index) -> f32
          func.return %v : f32
        }
        spmd.kernel @k(%x: memref<2xf32>) {
          %i = spmd.global_id x
          %v = func.call @outer(%i) : (index) -> f32
          memref.store %v, %x[%i] : memref<2xf32>
          spmd.return
        }
        """
    )
    x = np.zeros(2, np.float32)
    k(x, global_size=2)
    assert_array_equal(x, [3, 5])


def test_stages_lead_to_llvm():
    program = spmd.compile(SCALE, vectorize=False)
    stages = dict(program.stages())
    names = list(stages)
    assert names[-1] == "spmd-llvm"
    assert "define void @scale(" in stages["spmd-llvm"]
    assert "spmd.work_items" in stages["spmd-to-loops"]
    assert program.ir("spmd-to-loops") == stages["spmd-to-loops"]
    scale = program.kernels["scale"]
    assert "spmd.work_group_size" in scale.ir("spmd-to-loops", group_size=32)
    for ir in (program.ir, scale.ir):
        with pytest.raises(
            KeyError, match=r"expected one of the stages \(.*spmd-to-loops"
        ):
            ir("nope")


def test_assembly_is_that_of_the_kernel():
    assert "scale:" in kernel(SCALE).assembly()
    with pytest.raises(spmd.LaunchError, match="group_size 8 that"):
        kernel(FIXED).assembly(group_size=7)


def test_public_names_exist():
    for name in spmd.__all__:
        assert getattr(spmd, name) is not None
    assert set(spmd.__all__) <= set(dir(spmd))
    with pytest.raises(AttributeError, match="module 'spmd' has no attribute 'nope'"):
        spmd.nope  # pyright: ignore
    assert inspect.signature(spmd.compile).parameters["strategy"].default == "auto"


def test_a_barrier_that_not_all_reach_is_an_error_before_any_launch():
    source = """
spmd.kernel @k() {
  %c0 = arith.constant 0 : index
  %lid = spmd.local_id x
  %first = arith.cmpi eq, %lid, %c0 : index
  scf.if %first {
    spmd.barrier
  }
  spmd.return
}
"""
    with pytest.raises(spmd.CompileError, match="expected all work-items") as info:
        spmd.compile(source)
    assert info.value.line == 7
    spmd.compile(source, divergent_barriers="allow")
    assert not spmd.check(source, global_size=4)


BOTH = """
spmd.kernel @double(%x: memref<?xi32>) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %w = arith.addi %v, %v : i32
  memref.store %w, %x[%i] : memref<?xi32>
  spmd.return
}
func.func @host(%n: index, %x: memref<?xi32>) {
  spmd.launch @double global(%n) of(%n) (%x) : memref<?xi32>
  func.return
}
"""


def pickled(what: Any) -> Any:
    return loads(dumps(what))


@pytest.mark.parametrize("again", [pickled, deepcopy, copy])
@pytest.mark.parametrize("as_module", [False, True])
def test_programs_and_their_members_are_copied_by_source(
    again: Callable[[Any], Any], as_module: bool
):
    source = parse(SourceText("k.mlir", BOTH)) if as_module else BOTH
    program = spmd.compile(source, vectorize=False)
    program["double"](np.ones(3, np.int32), global_size=3)
    x = np.ones(3, np.int32)
    again(program)["double"](x, global_size=3)
    again(program["double"])(x, global_size=3)
    again(program["host"])(3, x)
    assert list(x) == [8, 8, 8]
    assert "vectorize" not in dict(again(program).stages())


def test_what_users_hold_says_what_it_is_in_few_words():
    program = spmd.compile(BOTH)
    kernel = program.kernels["double"]
    x = np.ones(3, np.int32)
    launch = kernel.bind(x, global_size=3)
    report = kernel.check(x, global_size=4, group_size=4)
    explanation = kernel.explain()
    assert repr(program) == "<spmd program with double, host>"
    assert repr(kernel) == "<spmd kernel double(%x: memref<?xi32>)>"
    assert repr(launch) == "<spmd launch of double in 1 group>"
    call = program["host"].bind(3, x)
    assert repr(call) == "<spmd call of host>"
    finding = report.findings[0]
    assert repr(finding).startswith("<spmd finding: error: access out of bounds: [3]")
    assert program._repr_html_() == (  # pyright: ignore[reportPrivateUsage]
        "<pre>&lt;spmd kernel double(%x: memref&lt;?xi32&gt;)&gt;\n"
        "&lt;spmd host function host(%n: index, %x: memref&lt;?xi32&gt;)&gt;</pre>"
    )
    assert program["host"]._repr_html_() == (  # pyright: ignore[reportPrivateUsage]
        "<table><caption>host function <code>host</code></caption>"
        "<tr><th>argument</th><th>type</th></tr>"
        "<tr><td><code>%n</code></td><td><code>index</code></td></tr>"
        "<tr><td><code>%x</code></td><td><code>memref&lt;?xi32&gt;</code></td></tr></table>"
    )
    assert repr(report) == "<spmd report: @double: 2 faults found>"
    assert repr(explanation) == "<spmd explanation of double>"
    for shown in (report, explanation):
        html = shown._repr_html_()  # pyright: ignore[reportPrivateUsage]
        assert html == f"<pre>{escape(str(shown))}</pre>"
        assert str(deepcopy(shown)) == str(shown)
    assert str(loads(dumps(explanation))) == str(explanation)
    for bound in (launch, call):
        with pytest.raises(TypeError, match="take what is called and its arguments"):
            dumps(bound)


BLOCKS = """
func.func @plain(%n: index) -> index {
  cf.br ^end
^end:
  func.return %n : index
}
"""


def test_functions_of_many_blocks_stand_beside_kernels():
    program = spmd.compile(BOTH + BLOCKS)
    assert program["plain"](3) == 3
    assert "@plain" in program.ir("vectorize")


def test_the_version_is_that_of_the_package():
    assert spmd.__version__ == metadata.version("xdsl-spmd")


CALLED = """
func.func private @wait(%lid: index) {
  %c8 = arith.constant 8 : index
  %low = arith.cmpi ult, %lid, %c8 : index
  scf.if %low {
    spmd.barrier
  }
  func.return
}
spmd.kernel @k() {
  %lid = spmd.local_id x
  func.call @wait(%lid) : (index) -> ()
  spmd.return
}
"""


def test_barriers_of_called_functions_are_checked_early():
    with pytest.raises(spmd.CompileError, match=r"6:5: expected all work-items"):
        spmd.compile(CALLED)
    assert list(spmd.compile(CALLED, divergent_barriers="allow")) == ["k"]

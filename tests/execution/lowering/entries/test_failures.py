"""`spmd.fail`: a message with numbers in it, in native code and in the interpreter."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import spmd
from spmd.dialects.messages import MAX_VALUES, Place, escaped, formatted, pieces_of
from spmd.lowering.ops.assertions import functions_that_may_fail
from spmd.reference import run_function
from spmd.reference.errors import UndefinedBehavior
from spmd.runtime.launching.record import LaunchRecord
from tests.execution.lowering.native_functions import NativeFunctions, parse_module

CHECK = """func.func @check(%n: i8, %word: i32, %bit: i1, %x: memref<1xindex>) -> index {
  %c0 = arith.constant 0 : index
  %five = arith.constant 5 : i8
  %i = arith.index_cast %n : i8 to index
  %bad = arith.cmpi sgt, %n, %five : i8
  %negative = arith.constant -7 : i64
  scf.if %bad {
    spmd.fail "100% {{sure}}: {} {one|two|many} {} {}"(%n, %word, %bit, %negative)
      : i8, i32, i1, i64
  }
  memref.store %i, %x[%c0] : memref<1xindex>
  func.return %i : index
}
"""
SAID = {
    (6, 0, False): "100% {sure}: 6 one 0 -7",
    (9, 1, True): "100% {sure}: 9 two 1 -7",
    (9, 7, True): "100% {sure}: 9 many 1 -7",
    (9, -1, True): "100% {sure}: 9 many 1 -7",
}


def test_messages_are_taken_apart():
    assert pieces_of("a {} {b|c}|") == (
        "a ",
        Place(),
        " ",
        Place(("b", "c")),
        "|",
    )
    assert pieces_of("{u:04x}{:.2f}") == (Place((), "04x", True), Place((), ".2f"))
    assert pieces_of("") == ()
    text = "{a|b}} || {"
    assert pieces_of(escaped(text)) == (text,)
    assert formatted(f"{{{escaped(text)}|x}}{{}}", [0, -3]) == text + "-3"
    for wrong in ("{", "}", "{a{}", "a}b", "{a|"):
        with pytest.raises(ValueError, match="expected"):
            pieces_of(wrong)


@pytest.mark.parametrize(("given", "said"), SAID.items())
def test_native_code_reports(given: tuple[int, int, bool], said: str):
    functions = NativeFunctions(CHECK, assertions="report")
    x = np.zeros(1, np.int64)
    failure = LaunchRecord()
    assert functions("check", 5, 0, True, x, failed=failure) == 5
    assert failure.take() is None
    x[0] = 0
    functions("check", *given, x, failed=failure)
    # Nothing after it has run, and the first report stays.
    assert x[0] == 0
    functions("check", 100, 0, True, x, failed=failure)
    assert failure.take() == f"<unknown>:8:5: {said}"
    assert failure.take() is None


@pytest.mark.parametrize(("given", "said"), SAID.items())
def test_the_interpreter_says_the_same(given: tuple[int, int, bool], said: str):
    module = parse_module(CHECK)
    x = np.zeros(1, np.int64)
    assert run_function(module, "check", [5, 0, True, x]) == [5]
    with pytest.raises(UndefinedBehavior) as caught:
        run_function(module, "check", [*given, x])
    assert said in str(caught.value)


def test_alone_it_prints_and_ends_the_process():
    script = (
        "import numpy as np\n"
        "from tests.execution.lowering.native_functions import NativeFunctions\n"
        f"functions = NativeFunctions({CHECK!r})\n"
        "functions('check', 9, 1, True, np.zeros(1, np.int64))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert run.returncode == -6
    assert run.stderr.startswith("<unknown>:8:5: 100% {sure}: 9 two 1 -7\n")


def test_callers_return():
    text = (
        CHECK
        + """func.func @f(%n: i8, %x: memref<1xindex>) -> index {
  %word = arith.constant 1 : i32
  %bit = arith.constant true
  %r = func.call @check(%n, %word, %bit, %x) : (i8, i32, i1, memref<1xindex>) -> index
  func.return %r : index
}"""
    )
    assert functions_that_may_fail(parse_module(text), ()) == {"check", "f"}


def test_as_many_values_as_fit():
    places = " ".join(["{}"] * MAX_VALUES)
    values = ", ".join(["%n"] * MAX_VALUES)
    types = ", ".join(["index"] * MAX_VALUES)
    text = f"""spmd.kernel @k(%n: index) {{
  spmd.fail "{places}"({values}) : {types}
  spmd.return
}}"""
    for vectorize in (False, True):
        kernel = spmd.compile(text, vectorize=vectorize)["k"]
        with pytest.raises(spmd.LaunchError) as caught:
            kernel(-5, global_size=64)
        assert str(caught.value) == (
            "k: <string>:2:3: " + " ".join(["-5"] * MAX_VALUES)
        )


@pytest.mark.parametrize("vectorize", [False, True])
def test_work_items_may_fail_themselves(vectorize: bool):
    text = """spmd.kernel @k(%x: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %bad = arith.cmpi slt, %v, %zero : i32
  scf.if %bad {
    spmd.fail "{} at {}"(%v, %i) : i32, index
  }
  spmd.return
}"""
    kernel = spmd.compile(text, vectorize=vectorize)["k"]
    x = np.zeros(100, np.int32)
    kernel(x, global_size=100)
    x[70] = -3
    with pytest.raises(spmd.LaunchError, match="k: <string>:7:5: -3 at 70"):
        kernel(x, global_size=100, threads=2)

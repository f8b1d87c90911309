"""Locations on every op, and errors that show the line they are about."""

import sys
from pathlib import Path

import pytest
from xdsl.dialects.builtin import FileLineColLoc

import spmd
from spmd.runtime.compiling.reading import read_file, read_source
from spmd.runtime.errors import CompileError, InternalError, SourceText, compile_errors
from spmd.runtime.parsing import parse

KERNEL = """\
// A comment first.
spmd.kernel @k(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %c = arith.cmpf oeq, %v, %v : f32
  scf.if %c {
    memref.store %v, %x[%i] : memref<?xf32>
  }
  "spmd.return"() : () -> ()
}
"""


def error(text: str) -> CompileError:
    with pytest.raises(CompileError) as info:
        parse(SourceText("k.mlir", text))
    assert not isinstance(info.value, InternalError)
    return info.value


def test_every_op_knows_where_its_name_stands():
    lines = KERNEL.splitlines()
    module = parse(SourceText("k.mlir", KERNEL))
    found = [op for op in module.walk() if op is not module]
    assert len(found) == 8
    for op in found:
        assert isinstance(op.location, FileLineColLoc)
        if (
            op.name == "scf.yield"
        ):  # not written down: it stands where its `scf.if` does
            assert "scf.if" in lines[op.location.line.data - 1]
            continue
        assert op.location.filename.data == "k.mlir"
        line = lines[op.location.line.data - 1]
        assert line[op.location.column.data - 1 :].lstrip('"').startswith(op.name)


def test_explicit_location_wins():
    text = 'func.func @f() { func.return loc("other.py":7:3) }'
    (function,) = parse(SourceText("k.mlir", text)).ops
    ret = function.regions[0].block.last_op
    assert ret is not None
    assert str(ret.location) == 'loc("other.py":7:3)'


def test_error_shows_the_line_and_a_caret():
    got = error("func.func @f() {\n\t%x = arith.constant 300 : i8\n}\n")
    assert (got.file, got.line, got.column) == ("k.mlir", 2, 7)
    assert str(got) == (
        "k.mlir:2:7: cannot parse this: integer value 300 is out of range for type i8 "
        "which supports values in the range [-128, 256)\n"
        "  \t%x = arith.constant 300 : i8\n"
        "  \t     ^"
    )


def test_unknown_operation_suggests_the_nearest():
    got = error("func.func @f() {\n  spmd.barier\n  func.return\n}")
    assert (got.line, got.column) == (2, 3)
    assert (
        got.message == "unknown operation 'spmd.barier'; did you mean 'spmd.barrier'?"
    )


def test_undefined_value_is_shown_where_it_is_used_first():
    got = error("func.func @f() {\n  %b = arith.addi %a, %a : i32\n  func.return\n}")
    assert (got.line, got.column) == (2, 19)
    assert got.message == "value %a is never defined"


def test_verifier_error_names_the_innermost_op():
    got = error(
        "func.func @f(%b: i1) -> i32 {\n  scf.if %b {\n"
        '    %v = "arith.constant"() <{value = 1 : i8}> : () -> i32\n'
        "  }\n  %c = arith.constant 1 : i32\n  func.return %c : i32\n}"
    )
    assert got.line == 3
    assert got.message.startswith("'arith.constant': ")


@pytest.mark.parametrize(
    "body",
    [
        "  %b = arith.addi %a, %a : i32\n  %a = arith.constant 1 : i32\n  func.return\n",
        "  scf.if %p {\n  %b = arith.addi %a, %a : i32\n  }\n"
        "  %a = arith.constant 1 : i32\n  func.return\n",
        "  cf.cond_br %p, ^l, ^r\n^l:\n  %a = arith.constant 1 : i32\n  cf.br ^e\n"
        "^r:\n  cf.br ^e\n^e:\n  %b = arith.addi %a, %a : i32\n  func.return\n",
    ],
)
def test_use_before_definition_is_an_error(body: str):
    got = error(f"func.func @f(%p: i1) {{\n{body}}}")
    assert got.message == (
        "expected value %a to be defined before 'arith.addi' uses it"
    )


@pytest.mark.parametrize(
    "body",
    [
        "  cf.br ^d\n^u:\n  %b = arith.addi %a, %a : i32\n  func.return\n"
        "^d:\n  %a = arith.constant 1 : i32\n  cf.br ^u\n",
        # Nobody reaches the use.
        "  func.return\n^u:\n  %b = arith.addi %a, %a : i32\n"
        "  %a = arith.constant 1 : i32\n  func.return\n",
        "  cf.br ^l\n^l:\n  %a = arith.constant 1 : i32\n  cf.cond_br %p, ^l, ^e\n"
        "^e:\n  scf.if %p {\n    %b = arith.addi %a, %a : i32\n  }\n  func.return\n",
    ],
)
def test_definition_that_dominates_is_fine(body: str):
    text = f"func.func @f(%p: i1) {{\n{body}}}"
    if "^u:\n  %b = arith.addi %a, %a : i32\n  %a" in text:
        # In one block the order counts, reached or not.
        assert "defined before" in error(text).message
    else:
        parse(SourceText("k.mlir", text))


def test_nesting_too_deep_is_an_error():
    deep = "scf.execute_region {" * 5000
    got = error(f"func.func @f() {{ {deep}")
    assert got.message == "expected operations nested at most 256 deep"
    assert got.column == 18 + 20 * 255


def test_what_is_not_too_deep_compiles_and_prints():
    module = "spmd.kernel @k(%c: i1) {\n" + "scf.if %c {\n" * 200 + "}\n" * 200
    program = spmd.compile(module + "spmd.return\n}", vectorize=False)
    before = sys.getrecursionlimit()
    assert dict(program.stages())["spmd-to-loops"]
    program["k"](True, global_size=1)
    assert sys.getrecursionlimit() == before


def test_deep_recursion_in_several_threads_leaves_the_limit_as_it_was():
    before = sys.getrecursionlimit()
    with compile_errors(None, "this"):
        with compile_errors(None, "that"):
            assert sys.getrecursionlimit() > before
        assert sys.getrecursionlimit() > before
    assert sys.getrecursionlimit() == before


def test_long_line_is_cut():
    text = f"func.func @f() {{ {' ' * 5000} spmd.nope }}"
    assert max(map(len, str(error(text)).splitlines())) < 200


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nope.mlir", "expected a file that can be read, got 'nope.mlir'"),
        ("/", "expected a file that can be read, got '/'"),
        ("", "got an empty string"),
        (" \n ", "got an empty string"),
        ("a\0b", "expected a file that can be read"),
    ],
)
def test_source_that_cannot_be_read(source: str, message: str):
    with pytest.raises(CompileError, match=message):
        read_source(source)


def test_source_is_a_path_or_a_text(tmp_path: Path):
    path = tmp_path / "k.mlir"
    path.write_text(KERNEL)
    for source in (path, str(path)):
        assert read_source(source) == SourceText(str(path), KERNEL)
    assert read_source(KERNEL) == SourceText("<string>", KERNEL)
    assert read_source("builtin.module {}").name == "<string>"


def test_bytes_that_are_no_text(tmp_path: Path):
    path = tmp_path / "k.mlir"
    path.write_bytes(b"// \xff")
    with pytest.raises(CompileError, match="UTF-8 text, got byte 0xff at offset 3"):
        read_source(path)


def test_our_own_failure_says_so():
    with (
        pytest.raises(InternalError, match="this is a bug in the compiler") as info,
        compile_errors(SourceText("k.mlir", ""), "running pass 'x'"),
    ):
        raise IndexError("list index\nout of range")
    assert str(info.value).startswith(
        "k.mlir: internal error while running pass 'x': IndexError: list index; out of"
    )
    assert isinstance(info.value.__cause__, IndexError)


def test_byte_order_mark_is_no_part_of_the_text(tmp_path: Path):
    path = tmp_path / "k.mlir"
    path.write_bytes(b"\xef\xbb\xbfspmd.kernel @k() {\n  spmd.return\n}\n")
    assert parse(read_file(path)).ops.first is not None


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            "%x = arith.cmpi %a, %a : i32",
            "predicate such as eq, ne, slt or olt, got '%a'",
        ),
        (
            "%x = arith.cmpi lt, %a, %a : i32",
            "expected a predicate (of integers: eq ne",
        ),
        ("%x = arith.addi %a : i32", "expected ',', got ':'"),
        (
            '%x = "arith.addi"(%a) : (i32) -> i32',
            "'arith.addi': expected 2 operands, got 1",
        ),
        ("func.call f(%a) : (i32) -> ()", "expected a value or an attribute, got 'f'"),
        ("func.func private f()", "expected a name that begins with @, got 'f'"),
        ("scf.for %i = 0 to %a step 1 {", "expected an operand such as %x, got '0'"),
        (
            "%x = arith.sitofp %a : int to f32",
            "expected a type such as i32, f32, index or",
        ),
        (
            "%a = arith.addi %a, %a : i32",
            "expected a new name, got %a, which is already",
        ),
        ("%x, %y = arith.addi %a, %a : i32", "expected names for 1 results, got 2"),
        ("scf.if %c %a", "expected '{', got '%a'"),
        (
            f"%x = arith.constant {'1' * 5000} : i32",
            "expected a number of at most 4300 dig",
        ),
        ("%x = memref.load %m : memref<?xi32>", "expected '[', got ':'"),
        ("%x = memref.load %m[] : memref<?xi32", "expected '>'"),
    ],
    ids=lambda value: value[:30],
)
def test_what_xdsl_says_is_told_in_our_words(line: str, says: str):
    head = "spmd.kernel @k(%a: i32, %c: i1, %m: memref<?xi32>) {\n"
    got = error(f"{head}  {line}\n  spmd.return\n}}\n")
    assert got.line == 2
    assert says in got.message


def test_memrefs_have_a_most_size():
    got = error(
        "spmd.kernel @k(%m: memref<99999999999999999999xf32>) {\n  spmd.return\n}\n"
    )
    assert "expected sizes of at most 281474976710656" in got.message

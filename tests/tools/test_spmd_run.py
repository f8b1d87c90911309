"""`spmd-run`: output, files, and errors without a traceback."""

import os
import re
import resource
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from spmd.tools.spmd_run import main

KERNEL = """
spmd.kernel @double(%x: memref<?xf32>, %y: memref<?xf32>) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %w = arith.addf %v, %v : f32
  memref.store %w, %y[%i] : memref<?xf32>
  spmd.return
}
"""

BFLOAT = """
spmd.kernel @copy(%x: memref<?xbf16>, %y: memref<?xbf16>) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xbf16>
  memref.store %v, %y[%i] : memref<?xbf16>
  spmd.return
}
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "double.mlir"
    path.write_text(KERNEL)
    return str(path)


def run(*words: str) -> int:
    return main([*words, "--no-vectorize"])


def test_changed_arrays_are_printed(file: str, capsys: pytest.CaptureFixture[str]):
    assert run(file, "--global-size=3", "--arg=range:f32[3]", "--arg=zeros:f32[3]") == 0
    assert capsys.readouterr() == ("%y: f32[3] = [0, 2, 4]\n", "")


def test_same_seed_same_output(file: str, capsys: pytest.CaptureFixture[str]):
    def output(seed: str) -> str:
        words = ("--global-size=3", "--arg=random:f32[3]", "--arg=zeros:f32[3]")
        assert run(file, *words, "--seed", seed) == 0
        return capsys.readouterr().out

    assert output("1") == output("1") != output("2")


def test_bfloat16_is_printed_as_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "copy.mlir"
    path.write_text(BFLOAT)
    words = ("--global-size=3", "--arg=range:bf16[3]", "--arg=zeros:bf16[3]")
    assert run(str(path), *words) == 0
    assert capsys.readouterr().out == "%y: bf16[3] = [0, 1, 2]\n"


def test_arrays_from_and_to_files(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    x = np.arange(5, dtype=np.float32)
    np.save(tmp_path / "in.npy", x)
    words = (f"--arg={tmp_path}/in.npy", "--arg=zeros:f32[5]", f"--save={tmp_path}/out")
    assert run(file, "--global-size=5", *words) == 0
    assert_array_equal(np.load(tmp_path / "out" / "y.npy"), 2 * x)
    assert not (tmp_path / "out" / "x.npy").exists()
    assert capsys.readouterr().err == ""


def test_time_goes_to_stderr(file: str, capsys: pytest.CaptureFixture[str]):
    words = ("--arg=range:f32[3]", "--arg=zeros:f32[3]", "--time")
    assert run(file, "--global-size=3", *words) == 0
    out, err = capsys.readouterr()
    assert out == "%y: f32[3] = [0, 2, 4]\n"
    number = r"\d+\.\d"
    assert re.fullmatch(
        rf"compiled in {number} ms, first run {number} us, median of \d+ runs "
        rf"{number} us\n",
        err,
    )


def test_print_after_all(file: str, capsys: pytest.CaptureFixture[str]):
    assert run(file, "--print-after=all") == 0
    out = capsys.readouterr().out
    assert "// IR after hoist-ids\n" in out
    assert "; IR after spmd-llvm\n" in out


GOOD = ("--global-size=3", "--arg=range:f32[3]", "--arg=zeros:f32[3]")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--print-after=nope",), "--print-after: expected all or one of .*got 'nope'"),
        (("--global-size=3",), r"double: expected 2 arguments \(.*\), got 0"),
        ((*GOOD, "--kernel=x"), r"expected one of the kernels \(double\), got 'x'"),
        ((*GOOD, "--width=5"), "option 'width': expected one of .*got 5"),
        ((*GOOD, "--width=no"), "option 'width': expected one of .*got 'no'"),
        ((*GOOD, "--strategy=no"), "option 'strategy': expected one of .*got 'no'"),
        ((*GOOD, "--group-size=0"), "double: expected group_size with one to three"),
        ((*GOOD, "--threads=0"), "double: expected threads as a whole number"),
        ((*GOOD[:2], "--arg=zeros:f64[3]"), r"argument 1 \(%y\): expected an array of"),
        (
            (*GOOD[:2], "--arg=zeros:g32[3]"),
            "expected one of the types i1, .*'zeros:g32",
        ),
        (
            (*GOOD[:2], "--arg=nine:f32[3]"),
            "expected one of zeros, ones, range, random",
        ),
        ((*GOOD[:2], "--arg=zeros:f32[-3]"), "expected sizes as whole numbers between"),
        ((*GOOD[:2], "--arg=zeros:f32[9999999999999]"), "expected an array of at most"),
        (
            (*GOOD[:2], "--arg=nope.npy"),
            "expected a file that NumPy can load, got 'nope",
        ),
        ((*GOOD[:2], "--arg=abc"), r"expected an argument such as .*got 'abc'"),
    ],
)
def test_errors_are_one_paragraph(
    words: tuple[str, ...],
    message: str,
    file: str,
    capsys: pytest.CaptureFixture[str],
):
    assert run(file, *words) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert re.match("spmd-run: error: .*" + message, err), err


@pytest.mark.parametrize("content", [b"nonsense", b"\xff", b""])
def test_bad_file(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "bad.mlir"
    path.write_bytes(content)
    for name in (str(path), str(tmp_path / "none.mlir"), str(tmp_path)):
        assert run(name, "--global-size=1") == 1
        err = capsys.readouterr().err
        assert err.startswith("spmd-run: error: ")
        assert name in err
        assert "Traceback" not in err


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--global-size=x",),
        (*GOOD, "--seed=-1"),
        (*GOOD, "--seed=x"),
        (*GOOD, "--threads=1.5"),
        (*GOOD, "--explain=yaml"),
        (*GOOD, "--nope"),
    ],
)
def test_usage_errors_have_status_2(
    words: tuple[str, ...], file: str, capsys: pytest.CaptureFixture[str]
):
    with pytest.raises(SystemExit, match="2"):
        run(file, *words)
    error = capsys.readouterr().err
    assert error.startswith("spmd-run: error: ")
    assert error.count("\n") == 1


def npy(shape: str) -> bytes:
    """A file of NumPy's with any header, and no data."""
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n"
    return b"\x93NUMPY\x01\0" + len(text).to_bytes(2, "little") + text.encode()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "EOF: reading magic string"),
        (npy("(3,)")[:20], "EOF: reading array header"),
        (npy("((((3"), "EOF in multi-line statement"),
        (npy("(" * 3000), "EOF in multi-line statement"),
        (npy("(3,), " + " " * 60000), "Header info length"),
        (npy("'three'"), "shape is not valid"),
        (npy("(3,)"), "Failed to read all data"),
        (npy("(4000000000000,)"), "expected an array that fits in memory"),
        (npy("(9223372036854775807, 9)"), "array is too big"),
    ],
)
def test_arrays_of_files_that_are_none(
    content: bytes, message: str, file: str, capsys: pytest.CaptureFixture[str]
):
    array = Path(file).with_name("x.npy")
    array.write_bytes(content)
    assert run(file, *GOOD[:2], f"--arg={array}") == 1
    error = capsys.readouterr().err
    assert message in error
    assert str(array) in error
    assert error.count("\n") == 1
    assert len(error) < 500


def test_arrays_of_named_pipes(file: str, capsys: pytest.CaptureFixture[str]):
    array = Path(file).with_name("x.npy")
    os.mkfifo(array)
    assert run(file, *GOOD[:2], f"--arg={array}") == 1
    assert f"got '{array}': no regular file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (",".join(["1"] * 33), "expected at most 32 dimensions, got 33"),
        ("9" * 5000, "expected sizes as whole numbers between the brackets"),
        ("4000000000,4000000000", "expected an array of at most 1099511627776 bytes"),
    ],
)
def test_arrays_of_impossible_shapes(
    shape: str, message: str, file: str, capsys: pytest.CaptureFixture[str]
):
    assert run(file, *GOOD[:2], f"--arg=zeros:f32[{shape}]") == 1
    assert message in capsys.readouterr().err


def test_an_array_of_objects_is_refused(file: str, capsys: pytest.CaptureFixture[str]):
    array = Path(file).with_name("x.npy")
    np.save(array, np.array([None]), allow_pickle=True)
    assert run(file, *GOOD[:2], f"--arg={array}") == 1
    assert "Object arrays cannot be loaded" in capsys.readouterr().err


@pytest.mark.parametrize("folder", ["/proc/nowhere", "double.mlir"])
def test_the_folder_is_checked_before_the_run(
    folder: str, file: str, capsys: pytest.CaptureFixture[str]
):
    path = Path(file).parent / folder
    assert run(file, *GOOD, f"--save={path}") == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert f"--save: expected a folder that can be written, got '{path}': " in err


def test_the_disk_is_full_while_saving(file: str, capsys: pytest.CaptureFixture[str]):
    folder = Path(file).parent
    (folder / "y.npy").symlink_to("/dev/full")
    assert run(file, *GOOD, f"--save={folder}") == 1
    assert "--save: expected a folder that can be written" in capsys.readouterr().err


def test_a_file_may_not_grow_so_large(file: str):
    arrays = Path(file).parent / "arrays"
    program = Path(sys.executable).parent / "spmd-run"
    limited = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (64, 64))
    done = subprocess.run(
        [program, file, *GOOD, f"--save={arrays}"],
        preexec_fn=limited,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stderr == (
        f"spmd-run: error: --save: expected a folder that can be written, got '{arrays}': "
        "file too large\n"
    )


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--threads=100000", "expected threads as a whole number from 1 to 1024"),
        ("--threads=0", "expected threads as a whole number from 1 to 1024"),
        (
            f"--global-size={1 << 49}",
            "expected a global_size of at most 281474976710656",
        ),
        (
            f"--global-size={'9' * 30}",
            "expected a global_size of at most 281474976710656",
        ),
        (f"--group-size={1 << 40}", "expected"),
    ],
)
def test_numbers_that_are_too_large(
    option: str, message: str, file: str, capsys: pytest.CaptureFixture[str]
):
    assert run(file, *GOOD, option) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_more_work_items_than_there_is_time_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    kernel = tmp_path / "nothing.mlir"
    kernel.write_text("""
spmd.kernel @k(%x: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %i = spmd.global_id x
  %v = arith.index_cast %i : index to i64
  %old = spmd.atomic_rmw xor %v, %x[%c0] : memref<?xi64>
  spmd.return
}
""")
    sizes = f"--global-size={1 << 40}", "--timeout=0.1"
    assert run(str(kernel), *sizes, "--arg=zeros:i64[1]") == 1
    assert "done within the timeout of 0.1 s, it was not" in capsys.readouterr().err


def test_a_byte_order_mark(file: str, capsys: pytest.CaptureFixture[str]):
    Path(file).write_text(KERNEL, encoding="utf-8-sig")
    assert run(file, *GOOD) == 0
    assert capsys.readouterr().out == "%y: f32[3] = [0, 2, 4]\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--schedule=random",), "expected --check with --schedule"),
        (("--check", "--time"), "expected --time without --check"),
        (("--check", "--save=here"), "expected --save without --check"),
    ],
)
def test_options_that_do_not_go_together(
    words: tuple[str, ...],
    message: str,
    file: str,
    capsys: pytest.CaptureFixture[str],
):
    with pytest.raises(SystemExit, match="2"):
        run(file, *GOOD, *words)
    assert message in capsys.readouterr().err

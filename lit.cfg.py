"""How lit finds and runs the tests in `tests/filecheck`."""
# `config` is put in scope by lit.
# ruff: noqa: F821
# pyright: basic

import os
import sys
from pathlib import Path

import lit.formats

root = Path(__file__).resolve().parent

config.name = "spmd"
config.test_format = lit.formats.ShTest()
if "forked" in lit_config.params:  # `make quick`, which has no time to start programs
    sys.path.insert(0, str(root))
    from tests.filecheck import forked

    forked.load()
    config.test_format = forked.ForkedTest()
config.suffixes = [".mlir"]
config.test_source_root = str(root)
config.excludes = ["build", "examples", "benchmarks", "out"]

# The environment that lit itself runs in: `.venv/bin/lit` works without activation.
config.environment["PATH"] = os.pathsep.join(
    (str(Path(sys.executable).parent), os.environ["PATH"])
)
config.environment["PYTHONWARNINGS"] = "error"
config.environment["SPMD_CACHE_DIR"] = ""  # what is tested is compiled
if "PYTHONPATH" in os.environ:  # a copy of the source, see tests/mutation
    config.environment["PYTHONPATH"] = os.environ["PYTHONPATH"]

ROUNDTRIP = "xdsl-opt %s --split-input-file | xdsl-opt --split-input-file"
config.substitutions += [
    # Prints, parses and prints again; the generic form in between for the second.
    ("XDSL_ROUNDTRIP", f"{ROUNDTRIP} | filecheck %s"),
    (
        "XDSL_GENERIC_ROUNDTRIP",
        "xdsl-opt %s --print-op-generic --split-input-file"
        " | xdsl-opt --split-input-file | filecheck %s",
    ),
]

config.maxIndividualTestTime = 60

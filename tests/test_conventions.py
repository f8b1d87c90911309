"""
What holds for every pass, op and file of the project, so that a reader who has seen one
has seen all: names, documentation, tests, direction of imports, size, words.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from statistics import median

import pytest
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.traits import IsTerminator, MemoryEffect, SymbolOpInterface

from spmd.dialects.compat.memory import GatherOp, ScatterOp, StepOp
from spmd.universe import SPMD_UNIVERSE
from tests.dialects.op_lists import is_op, is_prefix_of_ops, lists_of, members
from tests.docs.examples import documentation
from tests.docs.imports import circles, folded, import_graph, imported

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"

MAY_IMPORT = {
    "dialects": set[str](),
    "analysis": {"dialects"},
    "passes": {"dialects", "analysis"},
    "lowering": {"dialects", "analysis", "passes"},
    "runtime": {"dialects", "analysis", "passes", "lowering", "reference"},
    "reference": {"dialects"},
    "frontends": {"dialects", "runtime", "reference"},
    "distribution": {"dialects", "analysis", "runtime", "frontends"},
    "tools": {"dialects", "analysis", "passes", "lowering", "runtime", "reference"},
}
"""What a folder may import, beside itself."""

PACKAGES = tuple(name for name in MAY_IMPORT if (ROOT / name).is_dir())
MODULES = sorted(path for name in PACKAGES for path in (ROOT / name).rglob("*.py"))

WRITTEN = sorted(
    path
    for folder in (*PACKAGES, "src", "tests", "examples", "benchmarks", "docs", ".ci")
    for path in (ROOT / folder).rglob("*")
    if path.is_file()
    and path.suffix in {".py", ".mlir", ".md", ".toml", ""}
    and not {"__pycache__", "Output"} & set(path.parts)
    and not any(part.endswith(".egg-info") for part in path.parts)
    and path != ROOT / "examples" / "notebook.py"  # made of docs/python.md
) + [
    ROOT / name
    for name in (
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "Makefile",
        "README.md",
        "lit.cfg.py",
        "pyproject.toml",
        "requirements-dev.lock",
    )
]

LONGEST = 400
LONGEST_MEDIAN = 200
LONGEST_FUNCTION = 60
MOST_ENTRIES = 16

LONG_FILES = set[str]()
LONG_FUNCTIONS: dict[str, set[str]] = {}
FULL_FOLDERS = set[str]()
CIRCLES = set[str]()
"""What is still too long, too full or a circle. These lists only ever get shorter."""

PASSES = [load() for load in SPMD_UNIVERSE.all_passes.values()]
OPS: list[type[Operation]] = [
    *(op for load in SPMD_UNIVERSE.all_dialects.values() for op in load().operations),
    GatherOp,
    ScatterOp,
    StepOp,
]


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


def docstring_of_module(cls: type[object]) -> str:
    path = cls.__module__.removeprefix("spmd.").replace(".", "/") + ".py"
    return ast.get_docstring(ast.parse((ROOT / path).read_text())) or ""


# --- passes -----------------------------------------------------------------------


def test_passes_are_registered():
    assert PASSES


@pytest.mark.parametrize("pass_", PASSES, ids=lambda p: p.name)
def test_pass_file_class_and_name_are_equal(pass_: type[ModulePass]):
    words = pass_.name.split("-")
    assert pass_.__name__ == "".join(word.capitalize() for word in words) + "Pass"
    _, package, _folder, *_, file = pass_.__module__.split(".")
    assert (package, file) == ("passes", "_".join(words))


@pytest.mark.parametrize("pass_", PASSES, ids=lambda p: p.name)
def test_pass_says_what_it_requires_and_ensures_and_shows_ir(pass_: type[ModulePass]):
    text = docstring_of_module(pass_)
    for needed in ("Requires:", "Ensures:", "```mlir", "before", "after"):
        assert needed in text, f"expected {needed!r} in the docstring of {pass_.name}"


@pytest.mark.parametrize("pass_", PASSES, ids=lambda p: p.name)
def test_pass_has_a_filecheck_and_an_execution_test(pass_: type[ModulePass]):
    folder = pass_.__module__.split(".")[2]
    filecheck = TESTS / "filecheck" / "passes" / folder / f"{pass_.name}.mlir"
    file = f"test_{pass_.name.replace('-', '_')}.py"
    execution = TESTS / "execution" / folder / file
    assert filecheck.is_file(), f"expected {relative(filecheck)}"
    assert pass_.name in filecheck.read_text()
    assert execution.is_file(), f"expected {relative(execution)}"


# --- ops --------------------------------------------------------------------------


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_op_class_is_named_after_the_op(op: type[Operation]):
    words = re.split(r"[._]", op.name)[1:]
    assert op.__name__ == "".join(word.capitalize() for word in words) + "Op"


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_op_is_documented_with_an_example(op: type[Operation]):
    text = documentation(op)
    assert "```mlir" in text
    assert op.name in text
    if op.name != "spmd.return":
        assert "Errors:" in text, "expected a line on errors"


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_op_declares_its_memory_effects(op: type[Operation]):
    if op.has_trait(IsTerminator) or op.has_trait(SymbolOpInterface):
        return
    assert op.get_traits_of_type(MemoryEffect)


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_op_has_a_filecheck_test(op: type[Operation]):
    texts = (p.read_text() for p in (TESTS / "filecheck" / "dialects").rglob("*.mlir"))
    assert any(re.search(rf"CHECK.*{re.escape(op.name)}\b", text) for text in texts)


LONGEST_LIST_OF_OPS = 2
"""What an op is stands on the op: three of them in a row outside of it are a list."""

LISTS_OF_OPS = {
    "frontends/python/explaining.py": "what Python has for each op of upstream",
    "frontends/python/expressions/functions.py": "what NumPy calls what ops of math do",
    "passes/frontends/convert_gpu_to_spmd.py": "what each op of gpu is called here",
    "passes/kernels/check_barriers.py": "ids, which messages show as they are",
    "passes/kernels/hoist_ids.py": "name hints of ids",
    "passes/rematerialization/promotion.py": "what it has a case for below",
    "passes/sub_groups/vector_forms.py": "what `widening/control.py` has a case for",
    "passes/work_item_loops/split_vectors.py": "what it has a case for further below",
}
"""Files of `LISTING_FOLDERS` that may have lists of ops, and of what."""

LISTING_FOLDERS = (
    "analysis",
    "benchmarks",
    "passes",
    "lowering",
    "runtime",
    "frontends",
    "distribution",
    "tools",
)
EMITTERS = ("lowering/math", "lowering/ops")
"""How each op is written: tables from ops to what they are called, and no other lists."""


def test_what_an_op_is_stands_on_the_op():
    found = {
        relative(path)
        for path in WRITTEN
        if path.suffix == ".py" and relative(path).startswith(LISTING_FOLDERS)
        for tree in (ast.parse(path.read_text()),)
        for lists in (lists_of(tree),)
        for node in ast.walk(tree)
        if not (isinstance(node, ast.Dict) and relative(path).startswith(EMITTERS))
        and (
            len([each for each in members(node, lists) if is_op(each)])
            > LONGEST_LIST_OF_OPS
            or is_prefix_of_ops(node)
        )
    }
    assert found == set(LISTS_OF_OPS), "expected passes to ask an interface of the ops"


# --- files ------------------------------------------------------------------------


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_point_one_way(package: str):
    for path in (ROOT / package).rglob("*.py"):
        for name in imported(path):
            if not name.startswith("spmd"):
                continue
            _, *rest = name.split(".")
            if not rest:
                continue  # `import spmd`, checked by what is used of it
            assert rest[0] in MAY_IMPORT[package] | {package}, (
                f"expected {package} to import only {sorted(MAY_IMPORT[package])}, got "
                f"{name} in {relative(path)}"
            )


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_module_has_a_docstring(path: Path):
    tree = ast.parse(path.read_text())
    assert ast.get_docstring(tree) or not tree.body


def test_files_are_short():
    files = [p for p in WRITTEN if p.suffix == ".py"]
    lengths = {relative(p): len(p.read_text().splitlines()) for p in files}
    too_long = {name for name, n in lengths.items() if n > LONGEST}
    assert too_long == LONG_FILES, f"expected at most {LONGEST} lines"
    assert median(n for n in lengths.values() if n) < LONGEST_MEDIAN


def test_functions_are_short():
    too_long: dict[str, set[str]] = {}
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                assert node.end_lineno is not None
                if node.end_lineno - node.lineno >= LONGEST_FUNCTION:
                    too_long.setdefault(relative(path), set()).add(node.name)
    assert too_long == LONG_FUNCTIONS, f"expected at most {LONGEST_FUNCTION} lines"


def test_folders_are_small():
    entries: dict[str, set[Path]] = {}
    for path in WRITTEN:
        for folder, entry in zip(path.parents, (path, *path.parents), strict=False):
            if folder != ROOT and folder.is_relative_to(ROOT):
                entries.setdefault(relative(folder), set()).add(entry)
    too_full = {name for name, held in entries.items() if len(held) > MOST_ENTRIES}
    too_full -= {"examples"}
    assert too_full == FULL_FOLDERS, f"expected at most {MOST_ENTRIES} entries"


FOLDERS = sorted({path.parent for path in MODULES})


@pytest.mark.parametrize("folder", FOLDERS, ids=relative)
def test_folder_says_what_is_in_it(folder: Path):
    text = (folder / "README.md").read_text()
    for needed in ("# ", "\nIn: ", "\nOut: ", "\nRead"):
        assert needed in text, f"expected {needed!r} in {relative(folder)}/README.md"
    for name in re.findall(r"`([\w/]+(?:\.py|/))`", text):
        found = (folder / name).exists() or (ROOT / name).exists()
        assert found, f"{relative(folder)}/README.md names {name}, which is not there"


def test_imports_form_no_circle():
    modules = import_graph()
    folders = folded(modules, 2)
    inside = {name for name in folders if (ROOT / name.replace(".", "/")).is_dir()}
    folders = {name: folders[name] & inside for name in inside}
    assert circles(modules) | circles(folders) == CIRCLES


# Written so that this file does not contain them.
SYNONYMS = re.compile(
    rf"\b({'|'.join(['war' + 'p', 'gan' + 'g'])})s?\b|thread[ -]block"
)
OWN_WORDS = re.compile(
    "|".join(
        [
            r"(?<![a-z])(?:be"
            + r"hind|way"
            + r"s|par"
            + r"ted|ali"
            + r"ke|cel"
            + "ls?)(?![a-z])",
            r"(?<![a-z])recom"
            + r"put|\bopen"
            + r"_\b|\bin fron"
            + r"t of\b|%roun"
            + r"ds?\b",
            r"\b(?:same|each|several|both) wa" + r"y\b|\b(?:made|done) aga" + r"in\b",
            r"\blanes? (?:that )?(?:may be|are|is) (?:of"
            + r"f|o"
            + r"n)\b|out of ste"
            + "p",
            r"\b(?:one|same|next|last|different|their|its|each) roun"
            + r"ds?\b|loop_roun"
            + "d",
        ]
    )
)
"""What the field calls after, path, diverge, uniform, slot, rematerialize, worklist, iteration."""
MARKERS = re.compile("|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X"]))
MACHINE = re.compile(
    "|".join(["/wor" + "k/", "/roo" + "t/", "/hom" + "e/", "/tm" + "p/"])
)
REGISTRY = re.compile(
    "|".join(["pypi" + r"\.", "pythonhosted" + r"\.", "--index" + "-url"])
)


@pytest.mark.parametrize(
    ("unwanted", "why"),
    [
        (SYNONYMS, "the words are work-item, work-group, sub-group and lane"),
        (OWN_WORDS, "the words are those of docs/glossary.md"),
        (MARKERS, "what is missing is an error message or an issue"),
        (MACHINE, "the repository works in any folder of any machine"),
        (REGISTRY, "any package index will do"),
    ],
    ids=["synonyms", "own words", "markers", "machine", "registry"],
)
def test_no_file_contains(unwanted: re.Pattern[str], why: str):
    lines = [
        f"{relative(path)}:{number}: {line.strip()}"
        for path in WRITTEN
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if unwanted.search(line.lower() if unwanted in (SYNONYMS, OWN_WORDS) else line)
        # `make lock` has to say that the lock file names no index.
        and not (path.name == "Makefile" and "--no-emit" in line)
        # marimo calls them so.
        and "@app." not in line
    ]
    assert not lines, why

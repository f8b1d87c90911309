"""A wheel holds the whole compiler, as real files, and nothing else."""

import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).resolve().parents[2]
LINKS = [path for path in (ROOT / "src" / "spmd").iterdir() if path.is_symlink()]


def test_every_folder_is_linked():
    assert {path.name for path in LINKS} >= {
        "analysis",
        "dialects",
        "lowering",
        "passes",
        "reference",
        "runtime",
        "tools",
    }
    for link in LINKS:
        assert link.readlink() == Path("..", "..", link.name)


def test_wheel_holds_all_modules(tmp_path: Path):
    # A copy, because setuptools writes into the folder that it builds from.
    copy = tmp_path / "copy"
    copy.mkdir()
    ignore = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for name in ("src", *(link.name for link in LINKS)):
        shutil.copytree(ROOT / name, copy / name, symlinks=True, ignore=ignore)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy / name)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    command += ["--no-build-isolation", "--wheel-dir", str(tmp_path), str(copy)]
    subprocess.run(command, capture_output=True, check=True)

    (wheel,) = tmp_path.glob("*.whl")
    with ZipFile(wheel) as archive:
        packed = set(archive.namelist())
        (entry_points,) = (name for name in packed if name.endswith("entry_points.txt"))
        text = archive.read(entry_points).decode()
    modules = {
        f"spmd/{path.relative_to(copy).as_posix()}"
        for link in LINKS
        for path in (copy / link.name).rglob("*.py")
    }
    assert modules <= packed
    assert {"spmd/__init__.py", "spmd/universe.py", "spmd/py.typed"} <= packed
    assert all(name.startswith(("spmd/", "xdsl_spmd-")) for name in packed)
    assert "spmd = spmd.universe:SPMD_UNIVERSE" in text
    assert "spmd-run = spmd.tools.spmd_run:main" in text

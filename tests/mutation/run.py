"""
Puts one fault after the other into the loaded source and sees whether a test fails.

    make mutate N=200 SEED=1            # the same faults every time; goes on where it ended
    make mutate N=50 ONLY=passes/masking

First each test runs alone and marks the statements that it reaches; out/ keeps that for as
long as the files stay what they are that it ran. For each fault then the tests that reach its
statement run, until one fails. What nothing sees is a gap, or changes nothing that anybody
could see: those are listed with the reason in `explained.toml`. All that is found is
written down at once, so that a run which was stopped goes on. mutmut and cosmic-ray start
their tests anew for each fault and run no FileCheck files.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import tomllib
from hashlib import sha1
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from tests.mutation import items  # noqa: E402
from tests.mutation.mutations import Mutation, mutations  # noqa: E402
from tests.mutation.reach import Marks  # noqa: E402
from tests.mutation.session import Session, Verdict  # noqa: E402

EXPLAINED = Path(__file__).parent / "explained.toml"
FOLDERS = ("analysis", "passes", "lowering")


def sampled(count: int, seed: int, only: str) -> list[Mutation]:
    """The faults of a seed: as long as a line is, it is among them or not."""
    found: dict[str, Mutation] = {}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            file = str(path.relative_to(ROOT))
            if file.startswith(only):
                found |= {m.id: m for m in mutations(file, path.read_text())}
    return sorted(
        found.values(), key=lambda m: sha1(f"{seed} {m.id}".encode()).digest()
    )[:count]


def copy_tree(tree: Path) -> None:
    """So that the source may be changed meanwhile."""
    left_out = shutil.ignore_patterns(".git", ".venv", "out", "__pycache__", "Output")
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(ROOT, tree, symlinks=True, ignore=left_out)


def reason(mutation: Mutation, explained: list[dict[str, Any]]) -> str | None:
    for entry in explained:
        if (entry["file"], entry["before"], entry["after"]) == (
            mutation.file,
            mutation.before,
            mutation.after,
        ):
            return entry["why"]
    return None


def report(results: list[tuple[Mutation, Verdict]]) -> str:
    """What stopped the faults, and every one that nothing did, with its line."""
    explained = tomllib.loads(EXPLAINED.read_text())["mutation"]
    seen = [verdict.killer for _, verdict in results if verdict.killer]
    filecheck = sum(killer.endswith(".mlir::RUN") for killer in seen)
    lines = [f"{filecheck} seen by FileCheck, {len(seen) - filecheck} by Python"]
    survivors = [(m, verdict) for m, verdict in results if not verdict.killer]
    unexplained = 0
    for mutation, verdict in sorted(survivors, key=lambda r: (r[0].file, r[0].line)):
        why = reason(mutation, explained)
        unexplained += why is None
        lines += [
            "",
            f"{mutation.file}:{mutation.line}: {mutation.kind}, {verdict.reached}"
            + (f" (explained: {why})" if why else ""),
            f"  - {mutation.before}",
            f"  + {mutation.after}",
        ]
    lines += ["", f"{unexplained} of {len(results)} survive unexplained"]
    return "\n".join(lines)


def stop(number: int, frame: FrameType | None) -> NoReturn:
    """Ends this process as an error does, so that the forks it waits for end too."""
    sys.exit("stopped")


def main() -> None:
    parser = argparse.ArgumentParser(description="Put faults into the source.")
    parser.add_argument("-n", type=int, default=200, help="how many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="files that begin like this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="at a time")
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.out is None:
        out = ROOT / "out" / "mutation"
        copy_tree(out / "tree")
        again = (sys.executable, str(out / "tree" / Path(__file__).relative_to(ROOT)))
        os.chdir(out / "tree")
        os.execv(again[0], (*again, *sys.argv[1:], "--out", str(out)))
    signal.signal(signal.SIGTERM, stop)
    marks = Marks(ROOT / "src" / "spmd", FOLDERS)
    marks.install()
    chosen = sampled(arguments.n, arguments.seed, arguments.only)
    name = f"seed-{arguments.seed}"
    log = arguments.out / f"{name}.jsonl"
    session = Session(ROOT, arguments.out, marks, arguments.jobs, chosen, log)
    options = ("-q", "-s", "-n", "0", "-m", "not slow")
    options = (*options, "-p", "no:cacheprovider", "-p", "no:faulthandler")
    if status := pytest.main([*options, str(ROOT / "tests")], plugins=[items, session]):
        sys.exit(status)
    text = report(session.results)
    (arguments.out / f"{name}.md").write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()

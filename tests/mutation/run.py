"""
Puts one fault after the other into a copy of the source and sees whether a test fails.

    make mutate N=200 SEED=1            # the same faults every time; goes on where it ended
    make mutate N=50 ONLY=passes/masking

For each fault the tests nearest to it run first: FileCheck files of its step, then all of
them, then what `make quick` runs in Python, from the folder of the same name on: a minute
for a fault that nothing sees. That is a gap, or changes nothing that anybody could see:
those are listed with the reason in `explained.toml`. mutmut and cosmic-ray know one command
for all faults, cannot run FileCheck files first, and draw no sample.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.mutation.mutations import Mutation, mutations  # noqa: E402

OUT = ROOT / "out" / "mutation"
TREE = OUT / "tree"
EXPLAINED = Path(__file__).parent / "explained.toml"
FOLDERS = ("analysis", "passes", "lowering")
SECONDS = 600
BYTES = 4 << 30
"""What takes longer or needs more has been led into a loop without end by the fault."""
UNABLE = (
    "benchmarks",
    "dialects",
    "docs",
    "examples",
    "fuzz/test_determinism.py",
    "reference",
    "test_conventions.py",
    "tools/test_packaging.py",
)
"""Tests of what has no faults here, of the text of the source, or slow and no keener."""

USERS = {
    "analysis/barriers": ("kernels", "splitting"),
    "analysis/contexts": ("splitting",),
    "analysis/divergence": ("kernels", "masking", "sub_groups", "widening"),
    "analysis/graphs": ("structuring", "splitting"),
    "analysis/memory": ("kernels", "sub_groups", "masking"),
    "analysis/ranges": ("masking", "widening", "work_item_loops"),
    "analysis/shapes": ("kernels", "widening", "sub_groups"),
    "passes/collectives": ("collectives", "splitting"),
    "passes/rematerialization": ("rematerialization", "splitting"),
    "passes/splitting": ("splitting", "work_item_loops"),
    "passes/sub_groups": ("sub_groups", "widening"),
    "passes/work_item_loops": ("work_item_loops", "splitting", "masking"),
}
"""The folders of passes whose tests see a fault soonest, if not only the one of its name."""


@dataclass(frozen=True)
class Stage:
    name: str
    command: tuple[str, ...]


def folder_of(file: str) -> str:
    return "/".join(file.split("/")[:2])


def stages(file: str) -> list[Stage]:
    """What to run for a fault in `file`, the quickest first."""
    package, _, rest = folder_of(file).partition("/")
    filecheck, execution = TREE / "tests" / "filecheck", TREE / "tests" / "execution"
    steps = USERS.get(f"{package}/{rest}", (rest,) if package == "passes" else ())
    checks = existing(filecheck / "passes" / step for step in steps)
    tests = existing(execution / step for step in steps)
    if package == "lowering":
        checks, tests = [str(filecheck / package)], [str(execution / package)]
    elif package == "analysis":
        tests = [*existing([TREE / "tests" / "analysis" / rest]), *tests]
    lit = (str(Path(sys.executable).parent / "lit"), "-q", "-j1", "-D", "forked=only")
    lit = (*lit, "--max-failures=1")
    found = [Stage("filecheck", (*lit, str(filecheck)))]
    if checks:
        found.insert(0, Stage("filecheck, near", (*lit, *checks)))
    pytest = (sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-m", "not slow")
    pytest = (*pytest, "-p", "no:cacheprovider")
    unable = (f"--ignore={TREE / 'tests' / each}" for each in UNABLE)
    found.append(
        Stage("quick", (*pytest, "--sample=0", *unable, *tests, str(TREE / "tests")))
    )
    return found


def existing(paths: Iterable[Path]) -> list[str]:
    return [str(path) for path in paths if path.is_dir()]


def sampled(count: int, seed: int, only: str) -> list[Mutation]:
    """The faults of a seed, each line as likely as any other."""
    found: dict[str, Mutation] = {}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            file = str(path.relative_to(ROOT))
            if file.startswith(only):
                found |= {m.id: m for m in mutations(file, path.read_text())}
    order = sorted(found.values(), key=lambda m: m.id)
    random.Random(seed).shuffle(order)
    return order[:count]


def copy_tree() -> None:
    shutil.rmtree(TREE, ignore_errors=True)
    shutil.copytree(
        ROOT,
        TREE,
        symlinks=True,
        ignore=shutil.ignore_patterns(".git", ".venv", "out", "__pycache__", "Output"),
    )
    # Compiled code is believed only if it belongs to the text, whatever the time is.
    compiled = (sys.executable, "-m", "compileall", "-q", "--invalidation-mode")
    subprocess.run([*compiled, "checked-hash", TREE], check=True)


def killed_by(mutation: Mutation) -> str | None:
    """The first stage that fails with the fault in the tree."""
    path = TREE / mutation.file
    raw = path.read_bytes()
    path.write_bytes(
        raw[: mutation.start] + mutation.text.encode() + raw[mutation.end :]
    )
    try:
        return failing(stages(mutation.file))
    finally:
        path.write_bytes(raw)


def failing(stages: list[Stage]) -> str | None:
    """The first of the stages that fails."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(TREE / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
    }
    for stage in stages:
        try:
            run = subprocess.run(
                stage.command,
                cwd=TREE,
                env=environment,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"{stage.name}, without end"
        if run.returncode:
            return stage.name
    return None


def reason(mutation: Mutation, explained: list[dict[str, Any]]) -> str | None:
    for entry in explained:
        if (entry["file"], entry["before"], entry["after"]) == (
            mutation.file,
            mutation.before,
            mutation.after,
        ):
            return entry["why"]
    return None


def report(results: list[tuple[Mutation, str | None]]) -> str:
    """A table, and every fault that survived, with its line."""
    explained = tomllib.loads(EXPLAINED.read_text())["mutation"]
    survivors = [mutation for mutation, stage in results if stage is None]
    lines = ["| stopped by | faults |", "| --- | --- |"]
    by = [stage or "nothing" for _, stage in results]
    lines += [f"| {stage} | {by.count(stage)} |" for stage in sorted(set(by))]
    unexplained = 0
    for mutation in sorted(survivors, key=lambda m: (m.file, m.line)):
        why = reason(mutation, explained)
        unexplained += why is None
        lines += [
            "",
            f"{mutation.file}:{mutation.line}: {mutation.kind}"
            + (f" (explained: {why})" if why else ""),
            f"  - {mutation.before}",
            f"  + {mutation.after}",
        ]
    lines += ["", f"{unexplained} of {len(results)} survive unexplained"]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="Put faults into the source.")
    parser.add_argument("-n", type=int, default=200, help="how many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="files that begin like this")
    arguments = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    resource.setrlimit(resource.RLIMIT_DATA, (BYTES, BYTES))
    log = OUT / f"seed-{arguments.seed}.jsonl"
    known: dict[str, str | None] = {}
    if log.exists():
        known = dict(json.loads(line) for line in log.read_text().splitlines())
    chosen = sampled(arguments.n, arguments.seed, arguments.only)
    copy_tree()
    if (stage := failing(stages(""))) is not None:
        sys.exit(f"expected tests that pass without a fault, got failures in {stage}")
    results: list[tuple[Mutation, str | None]] = []
    for number, mutation in enumerate(chosen, 1):
        if mutation.id not in known:
            known[mutation.id] = killed_by(mutation)
            with log.open("a") as file:
                file.write(json.dumps([mutation.id, known[mutation.id]]) + "\n")
        stage = known[mutation.id]
        results.append((mutation, stage))
        where = f"{mutation.file}:{mutation.line}"
        print(f"{number}/{len(chosen)} {where} {mutation.kind}: {stage or 'SURVIVED'}")
        sys.stdout.flush()
    text = report(results)
    (OUT / f"seed-{arguments.seed}.md").write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()

"""A run of pytest in which each test is a fork, with a fault or without."""

from __future__ import annotations

import ast
import gc
import json
import os
import pickle
import resource
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import astuple, dataclass, replace
from functools import cache, partial
from hashlib import sha1
from itertools import zip_longest
from pathlib import Path
from pickle import UnpicklingError
from types import CodeType, FunctionType
from typing import Any

import pytest

from tests.mutation.forks import in_forks
from tests.mutation.mutations import Mutation
from tests.mutation.reach import Marks, Met, first_line, has_met

SECONDS = 5
SLOWER = 10
"""The CPU time that a fault may add to a test, and how many times it may make it slower."""
EACH_FAULT = 60
"""The CPU time for a fault; what no test has seen by then survives."""
BYTES = 4 << 30
QUICK = 0.1
"""The CPU time of a test of which each case is looked at by itself: they may differ in all."""


@dataclass(frozen=True)
class Reach:
    """What a test did without a fault."""

    text: str
    """Stands for the file of the test, and those of which it ran something."""
    seconds: float
    met: Met
    passed: bool


@dataclass(frozen=True)
class Verdict:
    """What became of a fault."""

    killer: str | None
    tests: int
    """How many ran, the killer too."""
    reached: str
    """By what the statement is reached."""


class Session:
    """The tests of a tree, loaded once; a plugin of pytest."""

    def __init__(
        self,
        root: Path,
        out: Path,
        marks: Marks,
        jobs: int,
        faults: list[Mutation],
        log: Path,
    ):
        self.root, self.marks, self.jobs = root, marks, jobs
        self.cache = out / "reach.pickle"
        self.unreached = out / "unreached.txt"
        """Gets the statements that no test runs."""
        self.faults, self.log = faults, log
        self.results: list[tuple[Mutation, Verdict]] = []
        self.cases: dict[str, list[pytest.Item]] = {}
        self.reach: dict[str, Reach] = {}
        """Of the first case of each test, and of the others that are quick."""
        self.functions: dict[tuple[str, str, int], list[FunctionType]] = {}
        self.imported: Met = {}
        sources = sorted(root.glob("src/spmd/*/**/*.py"))
        self.around = text_of(
            [p for p in sources if not str(p).startswith(marks.folders)]
        )
        """What is not marked, but decides about what tests reach."""
        tests = [
            path
            for path in sorted(root.glob("tests/**/*"))
            if path.suffix in (".py", ".mlir") and "mutation" not in path.parts
        ]
        self.state = text_of([*sources, *tests])
        """What tells whether what survived would survive still."""

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for item in session.items:
            self.cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
        self.marks.load()
        self.imported = self.marks.met()
        gc.unfreeze()
        for each in gc.get_objects():
            if isinstance(each, FunctionType):
                self.functions.setdefault(key_of(each.__code__), []).append(each)
        gc.collect()
        gc.freeze()  # a collection in a fork would write to every page that is shared
        self.measure()
        self.try_faults()
        return True

    # --- without a fault ----------------------------------------------------------

    def measure(self) -> None:
        """Finds out what each test reaches, as far as no other run has."""
        known = self.known()
        self.measure_each([*self.cases], known)
        for name, reach in [*self.reach.items()]:
            if reach.passed and reach.seconds < QUICK:
                first, *others = self.cases[name]
                self.cases[name] = [first]
                self.cases |= {each.nodeid: [each] for each in others}
        self.measure_each([n for n in self.cases if n not in self.reach], known)
        for name, reach in self.reach.items():
            if not reach.passed:
                print(f"fails alone, and is left out: {name}")
        left = [
            f"{file}:{line}\n"
            for file, places in sorted(self.marks.places.items())
            for line, place in sorted(places.items())
            if not has_met(self.imported, file, place)
            and not any(
                has_met(reach.met, file, place) for reach in self.reach.values()
            )
        ]
        self.unreached.write_text("".join(left))

    def measure_each(self, names: list[str], known: dict[str, Reach]) -> None:
        """Of the first case of each of these tests, as far as it is not known."""
        new: list[str] = []
        for name in names:
            reach, first = known.get(name), self.cases[name][0]
            if (
                reach is not None
                and reach.passed
                and reach.text == self.text_of(first, reach.met)
            ):
                self.reach[name] = reach
            else:
                new.append(name)
        tasks = [partial(self.reached, name) for name in new]
        with self.cache.open("ab") as file:
            for done, (number, reach) in enumerate(in_forks(tasks, self.jobs), 1):
                reach = reach or Reach("", 0.0, {}, passed=False)
                self.reach[new[number]] = reach
                file.write(pickle.dumps((new[number], reach)))
                if done % 100 == 0:
                    file.flush()
                    print(f"{done} of {len(new)} tests measured", flush=True)

    def text_of(self, item: pytest.Item, met: Met) -> str:
        """Stands for the files that decide what a test reaches."""
        return text_of([item.path, *(self.root / file for file in sorted(met))])

    def known(self) -> dict[str, Reach]:
        """What earlier runs have measured, also one that was stopped."""
        known: dict[str, Reach] = {}
        if self.cache.exists():
            with self.cache.open("rb") as file, suppress(EOFError, UnpicklingError):
                if pickle.load(file) == self.around:
                    while True:
                        name, reach = pickle.load(file)
                        known[name] = reach
        with self.cache.open("wb") as file:
            pickle.dump(self.around, file)
            for record in known.items():
                file.write(pickle.dumps(record))
        return known

    def reached(self, name: str) -> Reach:
        item = self.cases[name][0]
        self.marks.clear()
        began = cpu_seconds()
        passed = passes(item)
        seconds = cpu_seconds() - began
        met = self.marks.met()
        return Reach(self.text_of(item, met), seconds, met, passed)

    # --- with a fault -------------------------------------------------------------

    def try_faults(self) -> None:
        """Tries what no earlier run has seen a test fail for."""
        known: dict[str, Verdict] = {}
        for name, state, *verdict in self.logged():
            if verdict[0] or state == self.state:
                known[name] = Verdict(*verdict)
        self.results = [
            (each, known[each.id]) for each in self.faults if each.id in known
        ]
        left = [mutation for mutation in self.faults if mutation.id not in known]
        tasks = [partial(self.verdict, mutation) for mutation in left]
        for number, verdict in in_forks(tasks, self.jobs):
            mutation = left[number]
            if verdict is None:
                sys.exit(f"cannot try {mutation}")
            self.results.append((mutation, verdict))
            with self.log.open("a") as file:
                record = (mutation.id, self.state, *astuple(verdict))
                file.write(json.dumps(record) + "\n")
            print(
                f"{len(self.results)}/{len(self.faults)} {mutation.file}:{mutation.line} "
                f"{mutation.kind}: {verdict.killer or 'SURVIVED'} ({verdict.tests})",
                flush=True,
            )

    def logged(self) -> list[list[Any]]:
        """A line for each fault that any run has tried: its id, `state` and verdict."""
        if not self.log.exists():
            return []
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def verdict(self, mutation: Mutation) -> Verdict:
        """Runs what reaches the fault until a test fails."""
        tree = ast.parse((self.root / mutation.file).read_text())
        file = mutation.file
        place = self.marks.places[file][first_line(tree, mutation.line)]
        reaching = sum(has_met(reach.met, file, place) for reach in self.reach.values())
        reached = f"reached by {reaching} tests"
        if has_met(self.imported, file, place):
            reached += ", and before the fault was there"
        no_fault = replace(mutation, end=mutation.start, text="")
        self.put(mutation)
        resource.setrlimit(resource.RLIMIT_DATA, (BYTES, BYTES))
        number = 0
        for number, (item, seconds) in enumerate(self.order(file, place), 1):
            task = partial(passes_within, item, seconds)
            ((_, passed),) = in_forks([task])
            if not passed:
                self.put(no_fault)
                ((_, passed),) = in_forks([task])
                if passed:  # or it fails for some other reason
                    return Verdict(item.nodeid, number, reached)
                self.put(mutation)
        return Verdict(None, number, reached)

    def order(self, file: str, place: int) -> Iterator[tuple[pytest.Item, float]]:
        """
        The tests that reach a statement, first those of its folder, then those that run much
        of its file in little time; then more cases of them.
        """
        folder = f"/{Path(file).parent.name}/"
        in_file = {
            name: reach.met[file].bit_count()
            for name, reach in self.reach.items()
            if reach.passed and file in reach.met
        }
        near = sorted(
            in_file,
            key=lambda name: (
                folder not in name,
                self.reach[name].seconds / in_file[name],
            ),
        )
        reaching = [name for name in near if has_met(self.reach[name].met, file, place)]
        end = cpu_seconds() + EACH_FAULT
        tests, skipped = (reaching, 0) if reaching else (near, 1)
        for items in zip_longest(*(self.cases[name][skipped:] for name in tests)):
            for item, name in zip(items, tests, strict=True):
                if item is not None and cpu_seconds() < end:
                    yield item, self.reach[name].seconds

    def put(self, mutation: Mutation) -> None:
        """Gives the functions around the fault the code that has it."""
        raw = (self.root / mutation.file).read_bytes()
        text = mutation.text.encode()
        tree = ast.parse(raw[: mutation.start] + text + raw[mutation.end :])
        path = str(self.marks.source / mutation.file)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.lineno <= mutation.line:
                first = min(each.lineno for each in (node, *node.decorator_list))
                old = self.functions.get((path, node.name, first), [])
                # Its free variables stay, even if the fault drops what used them.
                free = {name for each in old for name in each.__code__.co_freevars}
                node.body += ast.parse(f"if False: {', '.join(('0', *free))}").body
        tree = ast.fix_missing_locations(tree)
        for code in codes(compile(tree, path, "exec")):
            if code.co_firstlineno <= mutation.line and code.co_name != "<lambda>":
                for function in self.functions.get(key_of(code), []):
                    function.__code__ = code


def passes_within(item: pytest.Item, seconds: float) -> bool:
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, SECONDS + SLOWER * seconds)
    return passes(item)


def passes(item: pytest.Item) -> bool:
    """Runs the test here; for all who come after it nothing of pytest is left."""
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    reporter = item.config.pluginmanager.get_plugin("terminalreporter")
    item.config.pluginmanager.unregister(reporter)
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
    return not item.session.testsfailed


def key_of(code: CodeType) -> tuple[str, str, int]:
    return code.co_filename, code.co_name, code.co_firstlineno


def codes(code: CodeType) -> Iterator[CodeType]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each
            yield from codes(each)


def text_of(paths: Iterable[Path]) -> str:
    """Stands for what the files say."""
    return sha1(b"".join(map(_digest, paths))).hexdigest()


@cache
def _digest(path: Path) -> bytes:
    return sha1(path.read_bytes()).digest()


def cpu_seconds() -> float:
    """Of this process and all that it has waited for."""
    times = [
        resource.getrusage(who)
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    ]
    return sum(each.ru_utime + each.ru_stime for each in times)

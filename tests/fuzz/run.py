"""
Runs many random kernels: `make fuzz N=2000 SEED=1`, or `make fuzz N=5000 ONLY=barriers`.

Kernel `i` of a kind and a seed is the same everywhere. Results go to `out/fuzz`, as
`barriers-seed-1.jsonl`; a second run with the same seed goes on where the first one stopped.
Kernels run in processes of their own, so that a crash or a hang is a result like any other.
Most of them are not optimised by LLVM, which takes longer than all passes and is not what is
looked for; one of five is, since what passes say of a value shows only in what LLVM makes of it.
What fails is made smaller and written to `barriers-seed-1-kernel-5.mlir`, and
`--kind barriers --seed 1 --only 5` runs it again.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import json
import multiprocessing
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from spmd.lowering.compiling import compile_object  # noqa: E402
from spmd.runtime.compiling import native_code  # noqa: E402
from spmd.runtime.launching import streaming  # noqa: E402
from tests.analysis.footprints.random_kernels import write_footprint_kernel  # noqa: E402
from tests.analysis.footprints.traced import check_random_footprints  # noqa: E402
from tests.execution.frontends.random_gpu_kernels import check_as_gpu  # noqa: E402
from tests.fuzz.faults import check_reported, write_kernel_at_fault  # noqa: E402
from tests.fuzz.hosts import write_host_functions  # noqa: E402
from tests.fuzz.illegal import (  # noqa: E402
    check_refused_or_right,
    write_faulty_kernel,
    write_mangled_kernel,
)
from tests.fuzz.properties import (  # noqa: E402
    CHECKS,
    check,
    check_host,
    check_meetings,
    check_shapes,
)
from tests.fuzz.writing.programs import (  # noqa: E402
    write_kernel,
    write_kernel_in_planes,
    write_kernel_that_shows_bits,
    write_kernel_with_barriers,
)
from tests.fuzz.writing.writer import Choose  # noqa: E402
from tests.runtime.python.random_types import (  # noqa: E402
    check_as_python,
    write_python_kernel,
)

# No kernel comes twice.
os.environ["SPMD_CACHE_DIR"] = ""

OUT = ROOT / "out" / "fuzz"
SECONDS = 60
"""How long one kernel may take, of a processor; ten times as long if it waits for one."""
OPTIMIZED = 5
"""Of so many kernels one is optimised by LLVM."""
STREAMED = 3
"""In one of so many, as if no cache held anything."""
STACK = 64 << 20
"""Bytes: code that is not optimised keeps every vector, and 256 lanes have long ones."""
TOGETHER = 10
"""Kernels to a process: most of the time of one kernel in a new process is its start."""


class Recorder:
    """Random choices that can be replayed; beyond the recorded ones all are 0."""

    def __init__(self, recorded: Sequence[int] | None = None, seed: str = ""):
        self.recorded = recorded
        self.random = random.Random(seed)
        self.made: list[int] = []

    def __call__(self, options: int) -> int:
        if self.recorded is None:
            choice = self.random.randrange(options)
        else:
            at = len(self.made)
            choice = self.recorded[at] if at < len(self.recorded) else 0
            choice = min(choice, options - 1)
        self.made.append(choice)
        return choice


@dataclass(frozen=True)
class Kind:
    """A kind of kernels, and what must hold for them."""

    name: str
    write: Callable[[Choose], Any]
    check: Callable[[Any, int], None]

    def file(self, seed: int, rest: str) -> Path:
        return OUT / f"{self.name}-seed-{seed}{rest}"


KINDS = {
    kind.name: kind
    for kind in (
        Kind("mixed", write_kernel, check),
        Kind("planes", write_kernel_in_planes, check_shapes),
        Kind("bits", write_kernel_that_shows_bits, check),
        Kind("barriers", write_kernel_with_barriers, check_meetings),
        Kind("faults", write_kernel_at_fault, check_reported),
        Kind("illegal", write_faulty_kernel, check_refused_or_right),
        Kind("footprints", write_footprint_kernel, check_random_footprints),
        Kind("texts", write_mangled_kernel, check_refused_or_right),
        Kind("gpu", write_kernel, check_as_gpu),
        Kind("python", write_python_kernel, check_as_python),
        Kind("hosts", write_host_functions, check_host),
    )
}


def checked(kind: Kind, kernels: Sequence[tuple[int, Any]]) -> tuple[int, str | None]:
    """
    Check kernels, each with its number, in a process of their own.

    How many were right, and what is wrong with the one after these, if anything is.
    """
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        status = 0
        try:
            os.close(read)
            said, file = tempfile.mkstemp()
            os.unlink(file)
            os.dup2(said, sys.stderr.fileno())
            faulthandler.disable()
            warnings.simplefilter("error")
            for number, kernel in kernels:
                signal.setitimer(signal.ITIMER_PROF, SECONDS)
                signal.alarm(10 * SECONDS)
                compile_for(number)
                kind.check(kernel, number)
                if words := os.pread(said, 4000, 0).decode():
                    raise AssertionError(f"LLVM said: {words}")
                os.write(write, b".")
        except BaseException as error:
            notes: list[str] = getattr(error, "__notes__", [])
            where = traceback.extract_tb(error.__traceback__)[-1]
            first = str(error) or type(error).__name__
            text = (
                f"\n{type(error).__name__}: {first}\n({where.filename}:{where.lineno})"
            )
            os.write(write, "\n".join([text, *notes])[:60000].encode())
            status = 1
        finally:
            os._exit(status)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        right, _, message = pipe.read().decode().partition("\n")
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        number_ = os.WTERMSIG(status)
        if number_ in (signal.SIGALRM, signal.SIGPROF):
            return len(right), f"Timeout: more than {SECONDS} s"
        return len(right), f"Crash: {signal.Signals(number_).name}"
    return len(right), message or "Unknown" if status else None


def compile_for(number: int) -> None:
    """Whether kernels are optimised by LLVM from now on, and stores go around the caches."""
    opt = 3 if number % OPTIMIZED == 0 else 0
    setattr(native_code, "compile_object", partial(compile_object, opt=opt))
    cache = 1 if number % STREAMED == 0 else 1 << 30
    setattr(streaming, "largest_cache", lambda: cache)


def failure(kind: Kind, kernel: Any, number: int) -> str | None:
    """What goes wrong with a kernel that has a process to itself, if anything does."""
    return checked(kind, [(number, kernel)])[1]


def cause(message: str) -> str:
    """What failures of the same cause have in common."""
    head = message.split("\n", 1)[0]
    return head.split(":", 1)[0] + ("" if "after " not in head else head[-40:])


def smaller(choices: list[int]) -> Iterator[list[int]]:
    """Simpler choices to try: shorter ones, then blocks of zeros, then smaller numbers."""
    size = len(choices) // 2
    while size:
        for start in range(0, len(choices), size):
            yield choices[:start] + choices[start + size :]
        size //= 2
    size = 8
    while size:
        for start in range(0, len(choices), size):
            part = choices[start : start + size]
            if any(part):
                yield choices[:start] + [0] * len(part) + choices[start + size :]
        size //= 2


def shrink(
    choices: list[int], fails: Callable[[list[int]], bool], seconds: float
) -> list[int]:
    """Choices that are as simple as can be found in the time, and still fail."""
    end = time.monotonic() + seconds
    progress = True
    while progress:
        progress = False
        for candidate in smaller(choices):
            if time.monotonic() > end:
                return choices
            if fails(candidate):
                choices = candidate
                progress = True
                break
    return choices


Result = tuple[str, int, str | None]
"""The kind, the number of the kernel, and what is wrong."""


def run(task: tuple[str, list[int]], seed: int, shrink_seconds: float) -> list[Result]:
    """Check the kernels of these numbers; what goes wrong is tried again alone."""
    name, todo = task
    kind, results = KINDS[name], list[Result]()
    while todo:
        kernels = [(n, kind.write(Recorder(seed=f"{seed}/{n}"))) for n in todo]
        right, message = checked(kind, kernels)
        results += [(name, number, None) for number in todo[:right]]
        if message is not None:
            alone = reduced(kind, todo[right], seed, shrink_seconds)
            if alone is None:
                alone = f"only in the process of kernels {todo[: right + 1]}: {message}"
            results.append((name, todo[right], alone.split("\n", 1)[0]))
        todo = todo[right + 1 :]
    return results


def reduced(kind: Kind, number: int, seed: int, seconds: float) -> str | None:
    """What is wrong with a kernel, which is made smaller and written to a file."""
    recorder = Recorder(seed=f"{seed}/{number}")
    kernel = kind.write(recorder)
    message = failure(kind, kernel, number)
    if message is None:
        return None
    wanted = cause(message)

    def fails(choices: list[int]) -> bool:
        other = failure(kind, kind.write(Recorder(choices)), number)
        return other is not None and cause(other) == wanted

    choices = shrink(recorder.made, fails, seconds)
    kernel = kind.write(Recorder(choices))
    message = failure(kind, kernel, number) or message
    comments = "\n".join(f"// {line}" for line in message.split("\n"))
    path = kind.file(seed, f"-kernel-{number}.mlir")
    path.write_text(f"// {kernel.launch}\n{kernel.source}\n{comments}\n")
    return message


def done_before(path: Path) -> dict[int, str | None]:
    if not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return {line["index"]: line["failure"] for line in lines}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=200, help="kernels in all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, help="no longer than about that")
    parser.add_argument("--shrink", type=float, default=60, help="seconds per failure")
    parser.add_argument(
        "--kind", choices=["all", *KINDS], default="all", help="all in turn, or one"
    )
    parser.add_argument("--only", type=int, help="one kernel, whatever was done before")
    options = parser.parse_args()
    names = list(KINDS) if options.kind == "all" else [options.kind]

    # Everything is imported now: the processes of one run see one state of the source, and
    # share the memory that it takes.
    for name in names:
        for number in range(CHECKS):
            KINDS[name].check(KINDS[name].write(Recorder([])), number)
    gc.collect()
    gc.freeze()
    _, most = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (STACK, most))

    OUT.mkdir(parents=True, exist_ok=True)
    check = partial(run, seed=options.seed, shrink_seconds=options.shrink)
    if options.only is not None:
        found = [result for name in names for result in check((name, [options.only]))]
        for name, number, message in found:
            print(f"{name} kernel {number}: {message or 'ok'}")
        return int(any(message for _, _, message in found))

    paths = {name: KINDS[name].file(options.seed, ".jsonl") for name in names}
    before = {name: done_before(path) for name, path in paths.items()}
    tasks: list[tuple[str, list[int]]] = []
    for turn, name in enumerate(names):
        own = range(len(range(turn, options.n, len(names))))
        todo = [number for number in own if number not in before[name]]
        tasks += [(name, todo[i : i + TOGETHER]) for i in range(0, len(todo), TOGETHER)]
    random.Random(options.seed).shuffle(tasks)
    right, wrong = Counter[str](), Counter[str]()
    for name, found in before.items():
        wrong[name] = sum(failure is not None for failure in found.values())
        right[name] = len(found) - wrong[name]
    start, count = time.monotonic(), 0
    with multiprocessing.Pool(options.jobs) as pool:
        found = chain.from_iterable(pool.imap_unordered(check, tasks))
        for name, index, message in found:
            with paths[name].open("a") as log:
                log.write(json.dumps({"index": index, "failure": message}) + "\n")
            count += 1
            (right if message is None else wrong)[name] += 1
            if message is not None:
                print(f"{name} kernel {index}: {message}", flush=True)
            if options.seconds and time.monotonic() - start > options.seconds:
                break
    seconds = time.monotonic() - start
    for name in names:
        print(f"{name}: {right[name]} kernels ok, {wrong[name]} failed")
    print(
        f"seed {options.seed}: {right.total()} kernels ok, {wrong.total()} failed; "
        f"{count} of them in {seconds:.0f} s just now, see {OUT.relative_to(ROOT)}"
    )
    return int(wrong.total() > 0)


if __name__ == "__main__":
    sys.exit(main())

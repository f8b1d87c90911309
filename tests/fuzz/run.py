"""
Runs many random kernels: `make fuzz N=2000 SEED=1`, or `make fuzz N=5000 ONLY=barriers`.

Kernel `i` of seed `s` is the same everywhere. Results go to `out/fuzz/seed-s.jsonl`; a
second run with the same seed goes on where the first one stopped. Each kernel runs in a
process of its own, so that a crash or a hang is a result like any other. What fails is
made smaller and written to `out/fuzz/seed-s-kernel-i.mlir`. Kernels of another kind than
`all` are written to `barriers-seed-s` and the like.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import multiprocessing
import os
import random
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.analysis.footprints.random_kernels import write_footprint_kernel  # noqa: E402
from tests.analysis.footprints.traced import check_random_footprints  # noqa: E402
from tests.execution.frontends.random_gpu_kernels import check_as_gpu  # noqa: E402
from tests.fuzz.faults import check_reported, write_kernel_at_fault  # noqa: E402
from tests.fuzz.illegal import (  # noqa: E402
    check_refused_or_right,
    write_faulty_kernel,
    write_mangled_kernel,
)
from tests.fuzz.programs import (  # noqa: E402
    write_kernel,
    write_kernel_in_planes,
    write_kernel_that_shows_bits,
    write_kernel_with_barriers,
)
from tests.fuzz.properties import VARIANTS, check, check_meetings, check_shapes  # noqa: E402
from tests.fuzz.writer import Choose  # noqa: E402
from tests.runtime.python.random_types import (  # noqa: E402
    check_as_python,
    write_python_kernel,
)

OUT = ROOT / "out" / "fuzz"
SECONDS = 60
"""How long one kernel may take."""


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
        prefix = "" if self.name == "all" else f"{self.name}-"
        return OUT / f"{prefix}seed-{seed}{rest}"


KINDS = {
    kind.name: kind
    for kind in (
        Kind("all", write_kernel, check),
        Kind("planes", write_kernel_in_planes, check_shapes),
        Kind("bits", write_kernel_that_shows_bits, check),
        Kind("barriers", write_kernel_with_barriers, check_meetings),
        Kind("faults", write_kernel_at_fault, check_reported),
        Kind("illegal", write_faulty_kernel, check_refused_or_right),
        Kind("footprints", write_footprint_kernel, check_random_footprints),
        Kind("texts", write_mangled_kernel, check_refused_or_right),
        Kind("gpu", write_kernel, check_as_gpu),
        Kind("python", write_python_kernel, check_as_python),
    )
}


def failure(kind: Kind, kernel: Any, number: int) -> str | None:
    """Check the kernel in a process of its own; what went wrong, if anything did."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        status = 0
        try:
            os.close(read)
            faulthandler.disable()
            signal.alarm(SECONDS)
            warnings.simplefilter("error")
            kind.check(kernel, number)
        except BaseException as error:
            notes: list[str] = getattr(error, "__notes__", [])
            where = traceback.extract_tb(error.__traceback__)[-1]
            first = str(error) or type(error).__name__
            text = f"{type(error).__name__}: {first}\n({where.filename}:{where.lineno})"
            os.write(write, "\n".join([text, *notes])[:60000].encode())
            status = 1
        finally:
            os._exit(status)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        message = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        number_ = os.WTERMSIG(status)
        if number_ == signal.SIGALRM:
            return f"Timeout: more than {SECONDS} s"
        return f"Crash: {signal.Signals(number_).name}"
    return message or "Unknown" if status else None


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


def run_one(
    index: int, kind: str, seed: int, shrink_seconds: float
) -> tuple[int, str | None]:
    of = KINDS[kind]
    recorder = Recorder(seed=f"{seed}/{index}")
    kernel = of.write(recorder)
    message = failure(of, kernel, index)
    if message is None:
        return index, None
    wanted = cause(message)

    def fails(choices: list[int]) -> bool:
        other = failure(of, of.write(Recorder(choices)), index)
        return other is not None and cause(other) == wanted

    choices = shrink(recorder.made, fails, shrink_seconds)
    kernel = of.write(Recorder(choices))
    message = failure(of, kernel, index) or message
    comments = "\n".join(f"// {line}" for line in message.split("\n"))
    path = of.file(seed, f"-kernel-{index}.mlir")
    path.write_text(f"// {kernel.launch}\n{kernel.source}\n{comments}\n")
    return index, message.split("\n", 1)[0]


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
    parser.add_argument("--shrink", type=float, default=60, help="seconds per failure")
    parser.add_argument(
        "--kind", choices=KINDS, default="all", help="all sorts, or one sort of kernels"
    )
    parser.add_argument("--only", type=int, help="one kernel, whatever was done before")
    options = parser.parse_args()

    # Everything is imported now: the processes of one run see one state of the source.
    for number in range(VARIANTS):
        for kind in KINDS.values():
            kind.check(kind.write(Recorder([])), number)

    OUT.mkdir(parents=True, exist_ok=True)
    path = KINDS[options.kind].file(options.seed, ".jsonl")
    run = partial(
        run_one,
        kind=options.kind,
        seed=options.seed,
        shrink_seconds=options.shrink,
    )
    if options.only is not None:
        index, message = run(options.only)
        print(f"kernel {index}: {message or 'ok'}")
        return int(message is not None)

    before = done_before(path)
    todo = [index for index in range(options.n) if index not in before]
    results = Counter(
        "ok" if message is None else "failed" for message in before.values()
    )
    start = time.monotonic()
    with path.open("a") as log, multiprocessing.Pool(options.jobs) as pool:
        for index, message in pool.imap_unordered(run, todo):
            log.write(json.dumps({"index": index, "failure": message}) + "\n")
            log.flush()
            results["ok" if message is None else "failed"] += 1
            if message is not None:
                print(f"kernel {index}: {message}", flush=True)
    seconds = time.monotonic() - start
    print(
        f"seed {options.seed}: {results['ok']} kernels ok, {results['failed']} failed; "
        f"{len(todo)} of them in {seconds:.0f} s just now, see {path.relative_to(ROOT)}"
    )
    return int(results["failed"] > 0)


if __name__ == "__main__":
    sys.exit(main())

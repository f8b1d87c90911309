"""`spmd-run`: run a kernel from the shell and print the arrays that it changed."""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from time import perf_counter
from typing import Any

import numpy as np

from spmd.runtime.errors import CompileError, LaunchError, why_not_done
from spmd.runtime.host_function import HostFunction
from spmd.runtime.kernel import Kernel
from spmd.runtime.options import CompileOptions
from spmd.runtime.program import Program, chosen
from spmd.tools.array_specs import ARRAYS, bfloat16_values, parse_argument
from spmd.tools.array_text import describe
from spmd.tools.command_line import Options, exit_status, read_source

_EPILOG = """\
arguments (--arg, one for each argument of the kernel, in order):
  zeros:f32[16]  ones:f64[4,4]  range:i32[8,8]  random:f32[4096]   an array
  x.npy                                                            an array from a file
  local[256]  local[16,17]                                         local memory
  3  2.5  true  nan                                                a number

example:
  spmd-run group_sum.mlir --kernel group_sum --global-size 4096 \\
      --arg 'random:f32[4096]' --arg 'zeros:f32[16]'
  spmd-run --explain group_sum.mlir
"""

_REPEATS = 20
"""How often `--time` runs the kernel, or until it took a second."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line `argv`; returns the exit status."""
    return exit_status("spmd-run", lambda: _run(_parse(argv)))


def _parser() -> Options:
    parser = Options(
        "spmd-run", "Run a kernel and print the arrays that it changed.", _EPILOG
    )
    add = parser.add_argument
    add("file", help="a file with MLIR, or - for the standard input")
    add("--kernel", metavar="NAME", help="default: @main(), or the only one")
    add(
        "--global-size",
        metavar="X[,Y[,Z]]",
        type=_sizes,
        help="work-items to run; not for a host function, which says itself",
    )
    add("--group-size", metavar="X[,Y[,Z]]", type=_sizes, help="of a work-group")
    add("--arg", metavar="WORD", action="append", default=[], help="see below")
    add("--seed", type=int, default=0, help="of random arguments (default: 0)")
    add("--threads", type=int, help="default: SPMD_NUM_THREADS or the number of CPUs")
    add("--constants", metavar="N[,M]", type=_names, default=(), help="compiled in")
    add("--width", default="auto", help="lanes of a sub-group: auto, 1, 2, ... 64")
    add("--target", default="host", help="host, x86-64-v3, neoverse-v1, ...")
    add("--strategy", default="auto", help="auto, fission or continuations")
    add("--divergent-barriers", default="reject", help="reject or allow")
    add(
        "--check-barriers",
        action="store_true",
        help="stop if not all work-items of a group come to the same barrier",
    )
    add("--checked", action="store_true", help="stop at accesses out of bounds, ...")
    add("--no-vectorize", action="store_true", help="stop after spmd-to-loops")
    add(
        "--print-after",
        metavar="PASS",
        action="append",
        default=[],
        help="print the IR after a pass, or after each: all; nothing is run if there "
        "is no --global-size",
    )
    add(
        "--check",
        action="store_true",
        help="run in the interpreter, which finds races, accesses out of bounds, "
        "missed barriers and the like; the exit status is 1 if there are any",
    )
    add(
        "--explain",
        metavar="text|json",
        choices=("text", "json"),
        help="tell what became of each kernel and what makes it slow, and run nothing; "
        "with sizes, of the code for such a launch; --explain=json for tools",
    )
    add("--timeout", metavar="SECONDS", type=float, help="end a launch, or check, then")
    add("--schedule", help="with --check: in-order (default), reversed or random")
    add("--time", action="store_true", help="tell on stderr how long it took")
    add("--save", metavar="DIR", type=Path, help="save changed arrays as DIR/NAME.npy")
    add("--precision", type=int, default=6, help="digits of floats (default: 6)")
    add("--limit", type=int, default=64, help="elements to print (default: 64)")
    return parser


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = _parser()
    words = sys.argv[1:] if argv is None else argv
    # The form is optional, and must not be taken for the file that follows.
    options = parser.parse_args(
        ["--explain=text" if word == "--explain" else word for word in words]
    )
    if options.explain and options.check:
        parser.error("expected --explain or --check, got both")
    if options.seed < 0 or options.limit < 0 or not 1 <= options.precision <= 17:
        parser.error(
            "expected --seed and --limit of at least 0 and --precision from 1 to 17"
        )
    if options.schedule is not None and not options.check:
        parser.error("expected --check with --schedule, which orders its work-items")
    for option, given in (("--time", options.time), ("--save", options.save)):
        if given and options.check:
            parser.error(
                f"expected {option} without --check, whose runs are not those of the "
                "compiled kernel"
            )
    return options


def _sizes(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected one to three whole numbers such as 64,64, got '{text}'"
        ) from None


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


def _run(options: argparse.Namespace) -> int:
    start = perf_counter()
    width = options.width
    checked = CompileOptions.from_user(
        {
            "width": int(width) if width.isdecimal() else width,
            "target": options.target,
            "strategy": options.strategy,
            "vectorize": not options.no_vectorize,
            # With --check, the run shows whether all work-items come to a barrier.
            "divergent_barriers": "allow"
            if options.check
            else options.divergent_barriers,
            "check_barriers": options.check_barriers,
            "checked": options.checked,
        }
    )
    program = Program.from_source(read_source(options.file), checked)
    if options.explain and options.kernel is None and not options.print_after:
        print(_explanation(program, options))
        return 0
    kernel = chosen(program, options.kernel, "--kernel")
    _print_stages(kernel, options)
    if options.explain:
        print(_explanation(kernel, options))
        return 0
    if isinstance(kernel, HostFunction):
        if options.check:
            return _check(kernel, options)
        # To see IR is all that is wanted if there are no arguments for it.
        if not options.print_after or options.arg or not kernel.parameters:
            _launch(kernel, options, start)
    elif options.global_size is not None:
        if options.check:
            return _check(kernel, options)
        _launch(kernel, options, start)
    elif not options.print_after:
        _parser().error("expected --global-size, or --print-after to see IR only")
    return 0


def _print_stages(kernel: Kernel | HostFunction, options: argparse.Namespace) -> None:
    wanted: list[str] = options.print_after
    if not wanted:
        return
    if isinstance(kernel, HostFunction):
        stages = list(kernel.stages())
    else:
        stages = list(kernel.stages(group_size=options.group_size))
    names = list(dict.fromkeys(name for name, _ in stages))
    for name in wanted:
        if name != "all" and name not in names:
            raise CompileError(
                f"--print-after: expected all or one of {', '.join(names)}, got '{name}'"
            )
    for name, text in stages:
        if name in wanted or "all" in wanted:
            comment = ";" if name == stages[-1][0] else "//"
            print(f"{comment} IR after {name}\n{text}")


def _explanation(
    what: Program | Kernel | HostFunction, options: argparse.Namespace
) -> str:
    """What became of a program, a kernel or a host function."""
    found = what.explain(global_size=options.global_size, group_size=options.group_size)
    return found.to_json() if options.explain == "json" else str(found)


def _arguments(options: argparse.Namespace) -> list[Any]:
    return [
        parse_argument(word, number, options.seed)
        for number, word in enumerate(options.arg)
    ]


def _check(kernel: Kernel | HostFunction, options: argparse.Namespace) -> int:
    report = kernel.check(
        *_arguments(options),
        global_size=options.global_size,
        group_size=options.group_size,
        schedule=options.schedule or "in-order",
        seed=options.seed,
        timeout=options.timeout,
    )
    print(report)
    return 0 if report else 1


def _launch(
    kernel: Kernel | HostFunction, options: argparse.Namespace, start: float
) -> None:
    if options.save is not None:
        # A run that cannot be kept is not worth the wait.
        with _saving(options.save):
            options.save.mkdir(parents=True, exist_ok=True)
            TemporaryFile(dir=options.save).close()
    arguments = _arguments(options)
    before = [_copy(argument) for argument in arguments]
    sizes: dict[str, Any] = {
        "global_size": options.global_size,
        "group_size": options.group_size,
        "threads": options.threads,
        "timeout": options.timeout,
        "constants": options.constants,
    }
    launch = kernel.bind(*arguments, **sizes)
    compiled = perf_counter()
    result = launch()
    ran = perf_counter()
    if options.time:
        again = kernel.bind(*(_copy(argument) for argument in before), **sizes)
        times = _time(again)
        print(
            f"compiled in {(compiled - start) * 1e3:.1f} ms, first run "
            f"{(ran - compiled) * 1e6:.1f} us, median of {len(times)} runs "
            f"{statistics.median(times) * 1e6:.1f} us",
            file=sys.stderr,
        )
    _report(kernel, arguments, before, options)
    if result is not None:
        print(f"result: {result}")


def _copy(argument: Any) -> Any:
    return argument.copy() if isinstance(argument, ARRAYS) else argument


def _time(launch: Any) -> list[float]:
    times: list[float] = []
    while len(times) < _REPEATS and sum(times) < 1:
        start = perf_counter()
        launch()
        times.append(perf_counter() - start)
    return times


def _report(
    kernel: Kernel | HostFunction,
    arguments: list[Any],
    before: list[Any],
    options: argparse.Namespace,
) -> None:
    """Prints the arrays that differ from what they were before."""
    changed = False
    for number, (now, old) in enumerate(zip(arguments, before)):
        if not isinstance(now, ARRAYS) or now.tobytes() == old.tobytes():
            continue
        changed = True
        parameter = kernel.parameters[number]
        name = parameter.name or f"arg{number}"
        bits = parameter.element.name == "bf16"
        shown = bfloat16_values(now) if bits else now
        head = f"%{name}: {parameter.element.name}"
        for line in describe(head, shown, options.precision, options.limit):
            print(line)
        if options.save is not None:
            with _saving(options.save):
                np.save(options.save / f"{name}.npy", now)
    if not changed:
        print("no array changed")


@contextmanager
def _saving(folder: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise LaunchError(
            f"--save: expected a folder that can be written, got '{folder}': "
            f"{why_not_done(error)}"
        ) from None


if __name__ == "__main__":
    raise SystemExit(main())

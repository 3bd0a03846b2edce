"""Compares real programs before and after a real change: python -m proof.histories --help.

Each runs under `python -m traced ab` with torchrun, as a user would run it. The programs also run
untraced and print their own figures.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class History:
    """Names a program before and after a change.

    Attributes:
        other: Whether the older one runs with another interpreter.
    """

    before: str
    after: str
    other: bool = False


HISTORIES = {
    "buckets": History("ddp.py --bucket-cap-mb 25", "ddp.py --bucket-cap-mb 5"),
    "prefetch": History("fsdp.py --prefetch", "fsdp.py"),
    "torch": History("ddp.py", "ddp.py", other=True),
}


def _torchrun(program: str, python: str) -> str:
    script, *options = program.split()
    run = [python, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    return shlex.join([*run, str(_HERE / script), *options])


def compare(name: str, folder: Path, blocks: int, other: str) -> int:
    """Prints the result of `tracectl compare`, then the programs' own figures."""
    history = HISTORIES[name]
    before = _torchrun(history.before, other if history.other else sys.executable)
    after = _torchrun(history.after, sys.executable)
    ab = [sys.executable, "-m", "traced", "ab", "--dir", str(folder / name)]
    compared = subprocess.run(
        [*ab, "--blocks", str(blocks), "--a", before, "--b", after, "--", "--all"], check=False
    )
    untraced = {key: value for key, value in os.environ.items() if not key.startswith("TRACED")}
    for command in (before, after):
        print(f"\n$ {command}", flush=True)
        subprocess.run(command, shell=True, env=untraced, check=True)
    return compared.returncode


def main() -> int:
    """Compares the requested programs."""
    parser = argparse.ArgumentParser(prog="proof.histories", description=__doc__)
    parser.add_argument("names", nargs="*", default=["buckets", "prefetch"])
    parser.add_argument("--dir", type=Path, required=True)
    parser.add_argument("--blocks", type=int, default=9)
    parser.add_argument("--other", default="", help="python of the torch before, of `torch`")
    options = parser.parse_args()
    for name in options.names:
        if HISTORIES[name].other and not Path(options.other).is_file():
            print(f"{name}: not measured, there is no interpreter {options.other!r} (--other)")
            continue
        code = compare(name, options.dir, options.blocks, options.other)
        print(f"{name}: tracectl compare ended with {code}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

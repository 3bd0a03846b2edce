"""Measures each command of tracectl at any width: processor time, memory, bytes read, and a model.

    .venv/bin/python bench/scale/verbs.py [--shapes 64x160,...] [--verbs report,...] [--json FILE]

make_traces creates the traces, which are read from the page cache. Each command runs on one core
and on all; the best of the rounds counts. Processor time is user and system together. A peak of 12
MB is that of this program, from which each run begins.

The model of a command is seconds = a * operations + b * files + c, fitted to relative errors. Its
error on a shape is that of the model fitted to the other shapes. The times on one core and on all
give the serial part (Amdahl's law), and from it the time on more cores.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

_REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(_REPOSITORY / "bench" / "overhead"), str(Path(__file__).parent)]

from results import environment, progress  # noqa: E402
from runs import Run, best, measure, shapes  # noqa: E402

_SHAPES = "64x160,64x8000,64x60000,1024x160,1024x4000,10000x160,10000x400,100000x160"
# Arguments of each command. "OUT" becomes a path of its own.
VERBS = {
    "info": ["info"],
    "report": ["report"],
    "diagnose": ["diagnose"],
    "compare": ["compare", "--append", "OUT"],
    "merge": ["merge", "-o", "OUT"],
    "pack": ["merge", "--pack", "OUT"],
    "parquet": ["export", "--format", "parquet", "-o", "OUT"],
}


def _best(
    arguments: argparse.Namespace, verb: str, shape: tuple[int, int], cores: int, folder: Path
) -> Run:
    runs = []
    for number in range(arguments.rounds):
        output = str(folder / f"{verb}.{cores}.{number}")
        words = [output if word == "OUT" else word for word in VERBS[verb]]
        command = [str(arguments.tracectl), *words, str(folder / "traces")]
        runs.append(measure(command, verb, shape, cores))
    return best(runs)


def _print(run: Run) -> None:
    print(
        f"{run.verb:<17} {run.ranks:>7} x {run.operations:<8} {run.cores} cores "
        f"{1e6 * run.cpu_s / run.total:8.3f} s CPU per million {run.wall_s:8.2f} s wall "
        f"{run.peak_mb:7.0f} MB {run.read_mb:9.1f} MB read",
        flush=True,
    )


def _measure_all(arguments: argparse.Namespace, verbs: Sequence[str], cores: int) -> list[Run]:
    runs = []
    for shape in shapes(arguments.shapes):
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
            traces = Path(folder, "traces")
            subprocess.run([arguments.make_traces, traces, *map(str, shape)], check=True)
            for verb in verbs:
                progress(f"{verb}, {shape[0]} x {shape[1]}")
                for number in sorted({1, cores}):
                    runs.append(_best(arguments, verb, shape, number, Path(folder)))
                    _print(runs[-1])
    progress(None)
    return runs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shapes", default=_SHAPES, help="ranks x operations of each")
    parser.add_argument("--verbs", default=",".join(VERBS))
    parser.add_argument("--rounds", type=int, default=3, help="of which the best counts")
    parser.add_argument("--build", type=Path, default=_REPOSITORY / "build/release")
    parser.add_argument("--folder", help="where traces are made, such as /dev/shm")
    parser.add_argument("--json", type=Path, help="a file for the results")
    arguments = parser.parse_args()
    arguments.tracectl = arguments.build / "backend/cli/tracectl"
    arguments.make_traces = arguments.build / "bench/make_traces"
    cores = os.cpu_count() or 1
    verbs = arguments.verbs.split(",")
    runs = _measure_all(arguments, verbs, cores)
    # Imported after the runs, whose measured peaks would include its memory.
    from cost_model import model

    models = {}
    for verb in verbs:
        models[verb] = model([run for run in runs if run.verb == verb], cores)
        print(f"{verb}: {json.dumps(models[verb])}", flush=True)
    if arguments.json:
        result = {"runs": [asdict(run) for run in runs], "models": models}
        arguments.json.write_text(json.dumps({**environment(), **result}, indent=1) + "\n")


if __name__ == "__main__":
    main()

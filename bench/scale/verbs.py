"""What each verb of tracectl takes at any width: processor time, memory, bytes read, and a model.

    .venv/bin/python bench/scale/verbs.py [--shapes 64x160,...] [--verbs report,...] [--json FILE]

Traces are made by make_traces and read from the page cache. Each verb runs on one core and on all;
the best of the rounds counts. Processor time is user and system together. A peak of 20 MB is that
of this program, from which each run begins.

The model of a verb is seconds = a * operations + b * files + c, fitted to relative errors; its
error is that on each shape, when it is fitted to the others. What is done by one thread at a time
is told from the times on one core and on all (Amdahl's law), and gives the time on more cores.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import nnls

_REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(_REPOSITORY / "bench" / "overhead"))

from results import environment, progress  # noqa: E402

_SHAPES = "64x160,64x8000,64x60000,1024x160,1024x4000,10000x160,10000x400,100000x160"
# What each is called with; "OUT" is a path of its own.
VERBS = {
    "info": ["info"],
    "report": ["report"],
    "diagnose": ["diagnose"],
    "compare": ["compare", "--append", "OUT"],
    "merge": ["merge", "-o", "OUT"],
    "pack": ["pack", "-o", "OUT"],
    "parquet": ["export", "--format", "parquet", "-o", "OUT"],
}


@dataclass(frozen=True)
class Run:
    """One run of a verb over all operations of a job."""

    verb: str
    ranks: int
    operations: int
    cores: int
    cpu_s: float
    wall_s: float
    peak_mb: float
    read_mb: float

    @property
    def total(self) -> int:
        """Operations of all ranks."""
        return self.ranks * self.operations


def _bytes_read(pid: int) -> int:
    told = dict(line.split(": ") for line in Path(f"/proc/{pid}/io").read_text().splitlines())
    return int(told["rchar"])


def measure(command: Sequence[str], verb: str, shape: tuple[int, int], cores: int) -> Run:
    """Runs a command on the first cores of this machine.

    Raises:
        SystemExit: It failed.
    """
    begin = os.times().elapsed
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={"TRACECTL_PYTHON": sys.executable, **os.environ},
        preexec_fn=lambda: os.sched_setaffinity(0, range(cores)),
    )
    # It stays where it is for a look at what it read.
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    wall_s = os.times().elapsed - begin
    read = _bytes_read(process.pid)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} exited with {process.returncode}")
    cpu_s = usage.ru_utime + usage.ru_stime
    return Run(verb, *shape, cores, cpu_s, wall_s, usage.ru_maxrss / 1024, read / 1e6)


def _best(
    arguments: argparse.Namespace, verb: str, shape: tuple[int, int], cores: int, folder: Path
) -> Run:
    runs = []
    for number in range(arguments.rounds):
        output = str(folder / f"{verb}.{cores}.{number}")
        words = [output if word == "OUT" else word for word in VERBS[verb]]
        command = [str(arguments.tracectl), *words, str(folder / "traces")]
        runs.append(measure(command, verb, shape, cores))
    return min(runs, key=lambda run: run.cpu_s)


def fit(runs: Sequence[Run]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Seconds of an operation, of a file and of a start, none below 0, least in relative errors."""
    rows = np.array([[run.total, run.ranks, 1] for run in runs]) / [[run.cpu_s] for run in runs]
    # nnls ends sooner where the columns are alike in size.
    sizes = rows.max(axis=0)
    return np.asarray(nnls(rows / sizes, np.ones(len(runs)))[0] / sizes)


def errors_left_out(runs: Sequence[Run]) -> list[float]:
    """Of each run how far the model of the others is off, as a part of what it took."""
    errors = []
    for number, run in enumerate(runs):
        others = fit([*runs[:number], *runs[number + 1 :]])
        errors.append(float(others @ [run.total, run.ranks, 1]) / run.cpu_s - 1)
    return errors


def serial_part(one: Sequence[Run], many: Sequence[Run]) -> float:
    """By Amdahl's law, of the time on one core and on several: the median over shapes."""
    parts = []
    for alone, shared in zip(one, many, strict=True):
        cores = shared.cores
        parts.append((shared.wall_s / alone.wall_s - 1 / cores) / (1 - 1 / cores))
    return float(np.clip(np.median(parts), 0, 1))


def model(runs: Sequence[Run], cores: int) -> dict[str, Any]:
    """What the runs of one verb say of other shapes and cores."""
    one = [run for run in runs if run.cores == 1]
    many = [run for run in runs if run.cores == cores]
    of_operation, of_file, of_start = map(float, fit(one))
    serial = serial_part(one, many) if cores > 1 else 1.0
    work_s = of_operation * 1e11 + of_file * 1e5
    return {
        "ns_per_operation": of_operation * 1e9,
        "us_per_file": of_file * 1e6,
        "ms_per_start": of_start * 1e3,
        "errors_left_out": errors_left_out(one),
        "serial_part": serial,
        # 100,000 ranks of a million operations.
        "hours": {n: work_s * (serial + (1 - serial) / n) / 3600 for n in (1, 16, 128)},
    }


def _shapes(text: str) -> list[tuple[int, int]]:
    parts = [part.partition("x") for part in text.split(",")]
    return [(int(ranks), int(operations)) for ranks, _, operations in parts]


def _print(run: Run) -> None:
    print(
        f"{run.verb:<10} {run.ranks:>7} x {run.operations:<8} {run.cores} cores "
        f"{1e6 * run.cpu_s / run.total:8.3f} s CPU per million {run.wall_s:8.2f} s wall "
        f"{run.peak_mb:7.0f} MB {run.read_mb:9.1f} MB read",
        flush=True,
    )


def _measure_all(arguments: argparse.Namespace, verbs: Sequence[str], cores: int) -> list[Run]:
    runs = []
    for shape in _shapes(arguments.shapes):
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
    models = {}
    for verb in verbs:
        models[verb] = model([run for run in runs if run.verb == verb], cores)
        print(f"{verb}: {json.dumps(models[verb])}", flush=True)
    if arguments.json:
        told = {"runs": [asdict(run) for run in runs], "models": models}
        arguments.json.write_text(json.dumps({**environment(), **told}, indent=1) + "\n")


if __name__ == "__main__":
    main()

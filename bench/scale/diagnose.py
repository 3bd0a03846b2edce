"""Measures the speed and the memory of `tracectl diagnose` on traces of any width.

    .venv/bin/python bench/scale/diagnose.py [--shapes 64x250000,...] [--stock 64x2000,...]

make_traces creates the traces, which are read from the page cache. Figures per core are of
processor time, user and system together, because the machine may have other work to do. With
--stock, torchfrtrace reads the same operations from Flight Recorder dumps.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

_REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(_REPOSITORY / "bench" / "overhead"), str(Path(__file__).parent)]

import flights  # noqa: E402
from results import environment, progress  # noqa: E402
from runs import Run, best, measure, shapes  # noqa: E402

_SHAPES = "64x250000,1024x16000,10000x1600,100000x160"


def _line(name: str, run: Run) -> str:
    return (
        f"{name:<14} {run.ranks:>7} x {run.operations:<8} "
        f"{run.per_core / 1e6:8.2f} M op/s per core {run.cpu_s:8.2f} s CPU "
        f"{run.wall_s:8.2f} s wall {run.peak_mb:7.0f} MB"
    )


def _diagnose(arguments: argparse.Namespace, shape: tuple[int, int], folder: Path) -> Run:
    traces = folder / "traces"
    subprocess.run([arguments.make_traces, traces, *map(str, shape)], check=True)
    command = [arguments.tracectl, "diagnose", str(traces)]
    return best(measure(command, "diagnose", shape) for _ in range(arguments.rounds))


def _stock(shape: tuple[int, int], folder: Path) -> Run:
    flights.write(folder / "flights", *shape)
    command = [sys.executable, "-m", "torch.distributed.flight_recorder.fr_trace"]
    return measure([*command, str(folder / "flights"), "-p", "rank_"], "torchfrtrace", shape)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shapes", default=_SHAPES, help="ranks x operations of each")
    parser.add_argument("--stock", default="", help="shapes for torchfrtrace, too")
    parser.add_argument("--rounds", type=int, default=3, help="of which the best counts")
    parser.add_argument("--build", type=Path, default=_REPOSITORY / "build/release")
    parser.add_argument("--folder", help="where traces are made, such as /dev/shm")
    parser.add_argument("--json", type=Path, help="a file for the results")
    arguments = parser.parse_args()
    arguments.tracectl = arguments.build / "backend/cli/tracectl"
    arguments.make_traces = arguments.build / "bench/make_traces"

    runs: list[dict[str, object]] = []
    for shape in shapes(arguments.shapes) + shapes(arguments.stock):
        progress(f"{shape[0]} x {shape[1]}")
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
            run = _diagnose(arguments, shape, Path(folder))
            print(_line("diagnose", run), flush=True)
            runs.append(asdict(run))
            if shape not in shapes(arguments.stock):
                continue
            stock = _stock(shape, Path(folder))
            print(_line("torchfrtrace", stock), f" {stock.cpu_s / run.cpu_s:.0f} times")
            runs.append(asdict(stock))
    progress(None)
    if arguments.json:
        arguments.json.write_text(json.dumps({**environment(), "runs": runs}, indent=1) + "\n")


if __name__ == "__main__":
    main()

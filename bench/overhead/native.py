"""Runs the C++ benches one after the other and keeps their figures in one file.

    .venv/bin/python bench/overhead/native.py [--build build/release] --json FILE

The benches are those that the build folder has (bench/README.md says how to build them), each
pinned to one core.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from results import environment, progress

CORE = "1"
# What Google Benchmark says of itself and of the run, not of the figures.
LEFT_OUT = {
    "family_index",
    "per_family_instance_index",
    "repetitions",
    "repetition_index",
    "run_name",
    "run_type",
    "threads",
    "aggregate_name",
    "aggregate_unit",
}


def google_benchmark(path: Path) -> list[dict[str, object]]:
    """Figures of a Google Benchmark program; of repetitions the median."""
    options = ["--benchmark_format=json", "--benchmark_report_aggregates_only=true"]
    command = ["taskset", "-c", CORE, str(path), *options]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [
        {
            key: round(value, 3) if isinstance(value, float) else value
            for key, value in run.items()
            if key not in LEFT_OUT
        }
        for run in json.loads(output)["benchmarks"]
        if run.get("aggregate_name") in (None, "median")
    ]


def wrapper(path: Path) -> object:
    """Figures of wrapper_bench, which writes its own JSON."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        command = ["taskset", "-c", CORE, str(path), "--json", file.name]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        return json.loads(Path(file.name).read_text())


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs the C++ benches.")
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--json", type=Path, required=True)
    arguments = parser.parse_args()
    folder = arguments.build / "bench"
    benches = {
        "wrapper": (folder / "wrapper" / "wrapper_bench", wrapper),
        "record": (folder / "record_bench", google_benchmark),
        "encode": (folder / "encode_bench", google_benchmark),
        "peers": (folder / "peers_bench", google_benchmark),
    }
    figures: dict[str, object] = {"environment": environment()}
    for name, (path, run) in benches.items():
        if not path.exists():
            print(f"not built, left out: {path}", file=sys.stderr)
            continue
        progress(name)
        figures[name] = run(path)
    progress(None)
    arguments.json.write_text(json.dumps(figures, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Runs the C++ benches one after the other and stores their figures in one file.

    .venv/bin/python bench/overhead/native.py [--build build/release] --json FILE

Runs the benches that the build folder contains (see bench/README.md), each pinned to one core.
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
# Keys in which Google Benchmark describes itself and the run.
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
    """Returns the figures of a Google Benchmark program: the medians of repetitions."""
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
    """Returns the figures of wrapper_bench, which writes its own JSON."""
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

"""Measures `tracectl export --format parquet`, and DuckDB queries on its tables.

    .venv/bin/python bench/scale/tables.py [--shapes 64x160,...] [--threads 2]

make_traces creates the traces. DuckDB is that of scripts/export_tools. The query "who was last"
uses the table of matches, and the operations themselves. The best of three runs counts.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from runs import shapes

_REPOSITORY = Path(__file__).resolve().parents[2]
_SHAPES = "64x160,64x60000,10000x160,100000x160"
_QUERIES = {
    "matches": "SELECT last_rank, COUNT(*) FROM matches WHERE last_rank IS NOT NULL GROUP BY 1",
    "operations": (
        "SELECT latest, COUNT(*) FROM (SELECT arg_max(rank, issue_ns) AS latest FROM operations "
        "GROUP BY correlation_id) AS each GROUP BY latest"
    ),
}
_ASK = """
import json, sys, time, duckdb
folder, threads, queries = json.loads(sys.argv[1])
duckdb.sql(f"SET threads = {threads}")
for table in ("matches", "operations"):
    duckdb.read_parquet(f"{folder}/{table}/*/*/*.parquet").create_view(table)
def took(query):
    begin = time.monotonic()
    duckdb.sql(query).fetchall()
    return time.monotonic() - begin
print(json.dumps({name: min(took(query) for _ in range(3)) for name, query in queries.items()}))
"""


def _export(arguments: argparse.Namespace, traces: Path, tables: Path) -> dict[str, float]:
    begin = os.times().elapsed
    command = [arguments.tracectl, "export", "--format", "parquet", "-o", tables, traces]
    # This Python has pyarrow. The processor time of its process is included in
    # that of tracectl.
    surroundings = {"TRACECTL_PYTHON": sys.executable, **os.environ}
    process = subprocess.Popen(command, env=surroundings)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit("tracectl failed")
    return {
        "wall_s": os.times().elapsed - begin,
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "peak_mb": usage.ru_maxrss / 1024,
    }


def _sizes(tables: Path, operations: int) -> dict[str, float]:
    files = list(tables.rglob("*.parquet"))
    size = {
        table: sum(path.stat().st_size for path in files if path.is_relative_to(tables / table))
        for table in ("operations", "waits", "matches")
    }
    return {
        "files": len(files),
        **{f"{table}_bytes": total / operations for table, total in size.items()},
    }


def _asked(arguments: argparse.Namespace, tables: Path) -> dict[str, float]:
    done = subprocess.run(
        [arguments.python, "-c", _ASK, json.dumps([str(tables), arguments.threads, _QUERIES])],
        stdout=subprocess.PIPE,
        check=True,
    )
    answers: dict[str, float] = json.loads(done.stdout)
    return {f"{name}_s": seconds for name, seconds in answers.items()}


def _measure(arguments: argparse.Namespace, shape: tuple[int, int], folder: Path) -> dict[str, Any]:
    traces, tables = folder / "traces", folder / "tables"
    subprocess.run([arguments.make_traces, traces, *map(str, shape)], check=True)
    return {
        "ranks": shape[0],
        "operations": shape[1],
        **_export(arguments, traces, tables),
        **_sizes(tables, shape[0] * shape[1]),
        **_asked(arguments, tables),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shapes", default=_SHAPES, help="ranks x operations of each")
    parser.add_argument("--threads", type=int, default=2, help="of DuckDB")
    parser.add_argument("--folder", help="where traces are made, such as /dev/shm")
    parser.add_argument("--build", type=Path, default=_REPOSITORY / "build/release")
    parser.add_argument(
        "--python", type=Path, default=_REPOSITORY / ".venv-export/tables/bin/python"
    )
    arguments = parser.parse_args()
    arguments.tracectl = arguments.build / "backend/cli/tracectl"
    arguments.make_traces = arguments.build / "bench/make_traces"
    for shape in shapes(arguments.shapes):
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
            measured = _measure(arguments, shape, Path(folder))
        print(
            " ".join(
                f"{name} {value:.3g}" if isinstance(value, float) else f"{name} {value}"
                for name, value in measured.items()
            ),
            flush=True,
        )


if __name__ == "__main__":
    main()

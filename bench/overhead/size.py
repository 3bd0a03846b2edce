"""Measures the size of one operation on disk, in the files of three tracers of the same training.

    .venv/bin/python bench/overhead/size.py [--steps 400] [--json FILE]

Trains a small model with DDP over Gloo, world size 1, with about 12 all_reduce per step. Each
tracer runs in a process of its own.

"raw" is the size before compression: the payloads of traced's chunks, the pickle and the JSON of
Flight Recorder's dump, and the JSON of torch.profiler (CPU activities, communication events only).
"zstd" is each compressed by zstd at level 3; for traced it is the file itself.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

BUCKET_MB = 0.02
LAYERS = 12


def train(steps: int, backend: str = "gloo") -> None:
    """Creates the default group and trains; the group remains."""
    import torch
    import torch.distributed as dist
    from torch import nn

    torch.set_num_threads(1)
    dist.init_process_group(backend, rank=0, world_size=1, store=dist.HashStore())
    model = nn.parallel.DistributedDataParallel(
        nn.Sequential(*(nn.Linear(64, 64) for _ in range(LAYERS))), bucket_cap_mb=BUCKET_MB
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    for _ in range(steps):
        optimizer.zero_grad()
        model(torch.ones(8, 64)).square().mean().backward()
        optimizer.step()


def compressed(data: bytes) -> int:
    import zstandard

    return len(zstandard.ZstdCompressor(level=3).compress(data))


def traced(steps: int) -> dict[str, float]:
    import torch.distributed as dist
    import traced as package
    from traced.reader.chunks import scan

    train(steps, "traced:gloo")
    dist.destroy_process_group()
    package.flush()
    path = Path(package.location() or "")
    operations = sum(len(stream.operations) for stream in package.read(path).streams)
    chunks = scan(str(path), path.read_bytes()).chunks
    raw = sum(chunk.message.payload_bytes for chunk in chunks)
    return {"operations": operations, "raw": raw, "zstd": path.stat().st_size}


def flight_recorder(steps: int, *, as_json: bool) -> dict[str, float]:
    from torch._C import _distributed_c10d as c10d

    train(steps)
    # Arguments: collectives, stack traces, only active.
    if as_json:
        dump, load = c10d._dump_fr_trace_json(True, False), json.loads
    else:
        dump, load = c10d._dump_fr_trace(True, True), pickle.loads
    operations = len(load(dump)["entries"])
    return {"operations": operations, "raw": len(dump), "zstd": compressed(dump)}


def kineto(steps: int) -> dict[str, float]:
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        train(steps)
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        profiler.export_chrome_trace(file.name)
        events = json.loads(Path(file.name).read_text())["traceEvents"]
    # One operation may be several events: the dispatcher's, Gloo's and the
    # arguments.
    names = ("c10d::", "gloo:", "record_param_comms")
    chosen = [event for event in events if str(event.get("name", "")).startswith(names)]
    operations = sum(str(event["name"]).startswith("c10d::") for event in chosen)
    text = json.dumps(chosen).encode()
    return {"operations": operations, "raw": len(text), "zstd": compressed(text)}


# Each trains for a number of steps. Returns the number of operations and their bytes in all.
ARMS: dict[str, Callable[[int], dict[str, float]]] = {
    "traced": traced,
    "Flight Recorder, pickle": lambda steps: flight_recorder(steps, as_json=False),
    "Flight Recorder, JSON": lambda steps: flight_recorder(steps, as_json=True),
    "torch.profiler, JSON": kineto,
}


def measure(steps: int) -> list[dict[str, object]]:
    """Returns one row per tracer, in bytes per operation."""
    rows: list[dict[str, object]] = []
    for name in ARMS:
        with tempfile.TemporaryDirectory() as folder:
            ended = subprocess.run(
                [sys.executable, __file__, "--arm", name, "--steps", str(steps)],
                env=os.environ
                | {"TORCH_FR_BUFFER_SIZE": "20000", "TRACED_DIR": folder, "TRACED": ""},
                capture_output=True,
                text=True,
                check=False,
            )
        if ended.returncode:
            raise RuntimeError(f"{name}: {ended.stderr}")
        seen = json.loads(ended.stdout.splitlines()[-1])
        per_op = {key: seen[key] / seen["operations"] for key in ("raw", "zstd")}
        rows.append({"tracer": name, "operations": seen["operations"], **per_op})
    return rows


def main() -> None:
    from results import environment

    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--arm", choices=ARMS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.arm:
        print(json.dumps(ARMS[options.arm](options.steps)))
        return
    rows = measure(options.steps)
    print(f"{'tracer':26} {'operations':>10} {'raw B/op':>10} {'zstd B/op':>10}")
    for row in rows:
        print(f"{row['tracer']:26} {row['operations']:10} {row['raw']:10.1f} {row['zstd']:10.1f}")
    if options.json:
        document = {"bench": "overhead/size", "steps": options.steps, **environment()}
        options.json.write_text(json.dumps(document | {"tracers": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()

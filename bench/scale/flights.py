"""Writes the job of make_traces as the Flight Recorder would dump it.

The dumps have the same operations on the same groups, without a fault. They contain the fields of
an entry that torchfrtrace reads, and no stacks.
"""

from __future__ import annotations

import pickle
from pathlib import Path

_GROUP = 8
_MIB = 1 << 20
# For each of 4 operations: name, whether all ranks join it, bfloat16 elements
# in and out.
_CALLS = (
    ("gloo:all_reduce", True, _MIB // 2, _MIB // 2),
    ("gloo:_reduce_scatter_base", False, 4 * _MIB, _MIB // 2),
    ("gloo:_all_gather_base", False, _MIB // 2, 4 * _MIB),
    ("gloo:_all_gather_base", False, _MIB // 2, 4 * _MIB),
)
_INTERVAL_NS = 400_000


def write(folder: Path, ranks: int, operations: int) -> None:
    """Writes a dump per rank, named "rank_0" and so on."""
    folder.mkdir(parents=True)
    for rank in range(ranks):
        dump = _dump(rank, ranks, operations)
        (folder / f"rank_{rank}").write_bytes(pickle.dumps(dump))


def _dump(rank: int, ranks: int, operations: int) -> dict[str, object]:
    first = rank // _GROUP * _GROUP
    groups = {
        "0": {"name": "0", "desc": "world", "ranks": str(list(range(ranks)))},
        str(first + 1): {
            "name": str(first + 1),
            "desc": "shard",
            "ranks": str(list(range(first, min(first + _GROUP, ranks)))),
        },
    }
    world, shard = ((name, group["desc"]) for name, group in groups.items())
    entries = []
    seq = {world: 0, shard: 0}
    for i in range(operations):
        name, joined_by_all, elements_in, elements_out = _CALLS[i % 4]
        group = world if joined_by_all else shard
        seq[group] += 1
        entries.append(
            {
                "record_id": i,
                "pg_id": 0 if joined_by_all else 1,
                "process_group": group,
                "collective_seq_id": seq[group],
                "p2p_seq_id": 0,
                "op_id": seq[group],
                "profiling_name": name,
                "time_created_ns": 1_000_000_000 + i * _INTERVAL_NS,
                "input_sizes": [[elements_in]],
                "input_dtypes": ["BFloat16"],
                "output_sizes": [[elements_out]],
                "output_dtypes": ["BFloat16"],
                "state": "completed",
                "time_discovered_started_ns": None,
                "time_discovered_completed_ns": 1_000_150_000 + i * _INTERVAL_NS,
                "retired": True,
                "timeout_ms": 600_000,
                "is_p2p": False,
                "frames": [],
            }
        )
    return {"version": "2.10", "pg_config": groups, "pg_status": {}, "entries": entries}

"""A program for test_new_programs.py: new_programs.py spawn | exec | restart."""

from __future__ import annotations

import os
import sys

import torch
import torch.distributed as dist
import traced

CALLS = 5


def _calls(expected: float) -> None:
    for _ in range(CALLS):
        tensor = torch.ones(4)
        dist.all_reduce(tensor)
        assert float(tensor.sum()) == expected


def spawned(rank: int, store: str) -> None:
    """Runs one rank of two that multiprocessing spawned."""
    dist.init_process_group("traced:gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    _calls(8)
    dist.destroy_process_group()


def spawn() -> None:
    """Has torch spawn the ranks."""
    torch.multiprocessing.spawn(spawned, (os.path.abspath("store"),), nprocs=2)


def replace() -> None:
    """Replaces the program by itself between its calls."""
    dist.init_process_group("traced:gloo")
    _calls(4)
    if os.environ.get("TEST_REPLACED"):
        dist.destroy_process_group()
        return
    assert traced.flush(20)
    _calls(4)
    os.environ["TEST_REPLACED"] = "1"
    os.execv(sys.executable, [sys.executable, *sys.argv])


def restart() -> None:
    """Fails one rank once; the launcher restarts all of them."""
    attempt = os.environ["TORCHELASTIC_RESTART_COUNT"]
    # One store per attempt: in torchrun's own, Gloo may find addresses of the previous attempt.
    dist.init_process_group(
        "traced:gloo",
        init_method=f"file://{os.path.abspath('store')}{attempt}",
        rank=int(os.environ["RANK"]),
        world_size=int(os.environ["WORLD_SIZE"]),
    )
    _calls(8)
    if attempt == "0":
        # All ranks have recorded before one fails: the launcher kills the others.
        assert traced.flush(20)
        dist.monitored_barrier()
        if dist.get_rank() == 1:
            sys.exit(3)
    _calls(8)
    dist.destroy_process_group()


if __name__ == "__main__":
    {"spawn": spawn, "exec": replace, "restart": restart}[sys.argv[1]]()

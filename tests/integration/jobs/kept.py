"""Processes that end in the ways a keeper protects against.

As a script: kept.py STORE_FOLDER runs a rank of a launcher that waits for its end.
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

from jobs.joining import join, meet

CALLS = 5

_kept: list[torch.Tensor] = []


def _calls() -> None:
    for _ in range(CALLS):
        _kept.append(torch.ones(3))
        dist.all_reduce(_kept[-1])


def _await(path: str) -> None:
    while not os.path.exists(path):
        time.sleep(0.01)


def rank_1_is_killed() -> None:
    """The other rank fails, and ends without any clean-up."""
    rank = join()
    _calls()
    meet("called")
    if rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    try:
        dist.all_reduce(torch.ones(3))
    except RuntimeError:
        os._exit(3)


def is_ordered_to_end(stderr: str = "as it is") -> None:
    """Records on all ranks, reports that, and waits for a signal.

    Args:
        stderr: Path of stderr from the start; or "closed", or "full".
    """
    _redirect(stderr)
    os.setpgrp()
    rank = join()
    _calls()
    meet("called")
    Path(f"ready{rank}").touch()
    _await("never")


def gives_up_its_log(log: str) -> None:
    """Runs is_ordered_to_end; closes its stderr once it records.

    Args:
        log: Path of its stderr until then.
    """
    _redirect(log)
    rank = join()
    _calls()
    meet("called")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 2)
    Path(f"ready{rank}").touch()
    _await("never")


def ends_in_order() -> None:
    """Waits for a request, then ends in order."""
    rank = join()
    _calls()
    meet("called")
    Path(f"ready{rank}").touch()
    _await("go")
    dist.destroy_process_group()


def _redirect(stderr: str) -> None:
    if stderr == "as it is":
        return
    os.close(2)
    if stderr == "closed":
        sys.stderr = sys.__stderr__ = None  # as Python does for a closed descriptor
        # The program's next file gets the number.
        assert os.open("data", os.O_CREAT | os.O_RDWR, 0o600) == 2
    elif stderr == "full":
        reading, writing = os.pipe()
        assert reading == 2
        os.set_blocking(writing, False)
        size = fcntl.fcntl(writing, fcntl.F_GETPIPE_SZ)
        assert os.write(writing, b"\0" * size) == size
        kept = os.dup(reading)
        os.dup2(writing, 2)
        os.close(writing)
        os.set_inheritable(kept, True)
    else:
        assert os.open(stderr, os.O_WRONLY) == 2


def observes_children() -> dict[str, Any]:
    """Returns what a program could observe of a child process started meanwhile."""
    signals: list[int] = []
    signal.signal(signal.SIGCHLD, lambda number, _: signals.append(number))
    reaped: list[int] = []
    done = threading.Event()

    def reap() -> None:
        while not done.is_set():
            try:
                reaped.append(os.waitpid(-1, os.WNOHANG)[0])
            except ChildProcessError:
                time.sleep(0)

    reaper = threading.Thread(target=reap)
    reaper.start()
    rank = join()
    _calls()
    done.set()
    reaper.join()
    Path(f"ready{rank}").touch()
    _await("go")
    children = [
        path.read_text().split()
        for path in Path("/proc/self/task").glob("*/children")
        if path.read_text().strip()
    ]
    return {"signals": signals, "reaped": reaped, "children": children}


def forks_ranks_one_of_which_is_killed() -> str:
    """Forks ranks, otherwise as torch.multiprocessing.spawn does; one is killed."""
    import torch.multiprocessing as mp

    os.environ["WORLD_SIZE"] = "2"
    try:
        mp.start_processes(_forked_rank, nprocs=2, start_method="fork")
    except mp.ProcessExitedException as error:
        return str(error)
    return ""


def _forked_rank(rank: int) -> None:
    os.environ["RANK"] = str(rank)
    rank_1_is_killed()


def main() -> None:
    """Records, reports that, and waits for a signal; the file "victim" gets a rank's number."""
    folder = sys.argv[1]
    attempt = os.environ["TORCHELASTIC_RESTART_COUNT"]
    rank = int(os.environ["RANK"])
    dist.init_process_group(
        "traced:gloo",
        init_method=f"file://{folder}/store{attempt}",
        rank=rank,
        world_size=int(os.environ["WORLD_SIZE"]),
    )
    _calls()
    dist.monitored_barrier()
    Path(f"{folder}/ready{rank}").write_text(str(os.getpid()))
    _await(f"{folder}/never")


if __name__ == "__main__":
    main()

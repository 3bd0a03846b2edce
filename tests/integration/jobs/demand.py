"""Jobs with traces on demand, at run time or because of a failure."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.distributed.distributed_c10d as c10d
import traced
from patience import patient, patient_timeout, until

from jobs.joining import join, joined, meet, until_let_go
from jobs.reading import snapshot, streams_so_far

_TIMEOUT_S = patient(60)
_SOON = patient_timeout(1)


def snapshots() -> list[dict[str, Any]] | None:
    """Rank 0 takes a snapshot with a collective in flight, one of only in-flight calls, and one
    at the end.
    """
    taken: list[dict[str, Any]] = []
    with joined() as rank:
        dist.all_reduce(torch.ones(3))
        traced.step(7)
        tensor = torch.ones(4, dtype=torch.float64)
        if rank == 0:
            thread = threading.Thread(target=lambda: dist.all_reduce(tensor))
            thread.start()
            until(lambda: len(snapshot()["operations"]) == 2)
            taken = [snapshot(), snapshot(active_only=True)]
        meet("looked")
        if rank == 0:
            thread.join()
            taken.append(snapshot())
        else:
            dist.all_reduce(tensor)
    return json.loads(json.dumps(taken))


def snapshot_without_a_directory() -> dict[str, Any]:
    """Returns the result of flush after the trace folder was removed."""
    with joined():
        shutil.rmtree("traces")
        tensor = torch.ones(3)
        dist.all_reduce(tensor)
        until_let_go([tensor])
        return snapshot()


def full_disk() -> tuple[bool, bool, dict[str, Any]]:
    """Returns the results of flush before and after the file may no longer grow."""
    import resource

    with joined():
        dist.all_reduce(torch.ones(3))
        before = traced.flush(_TIMEOUT_S)
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1, hard))
        dist.all_reduce(torch.ones(3))
        after = traced.flush(_TIMEOUT_S)
        taken = snapshot()
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    return before, after, taken


def flushed_in_flight() -> None:
    """Flushes on rank 0 during another thread's collective; keeps a copy of the file."""
    with joined() as rank:
        tensor = torch.ones(3)
        if rank == 0:
            thread = threading.Thread(target=lambda: dist.all_reduce(tensor))
            thread.start()
            until(lambda: snapshot(active_only=True)["operations"])
            assert traced.flush(deadline=_TIMEOUT_S)
            Path("copy.traced").write_bytes(Path(traced.location() or "").read_bytes())
        meet("flushed")
        if rank == 0:
            thread.join()
        else:
            dist.all_reduce(tensor)


def hangs_until_triggered(job_folder: str) -> None:
    """Rank 0 hangs in a collective; rank 1 touches the trigger, and continues when both marked
    it.
    """
    with joined() as rank:
        if rank == 0:
            dist.all_reduce(torch.ones(3))
            return
        folder = Path(job_folder)

        def hanging() -> bool:
            return [len(s.operations) for s in streams_so_far(folder) if s.rank == 0] == [1]

        def marked() -> bool:
            kinds = [[mark.kind for mark in s.marks] for s in streams_so_far(folder)]
            return kinds == [["flush"], ["flush"]]

        until(hanging)
        trigger = Path(os.environ.get("TRACED_TRIGGER", str(folder / "flush")))
        trigger.touch()
        until(marked)
        dist.all_reduce(torch.ones(3))


def sinks() -> dict[str, Any]:
    """Adds three sinks before the group is made: one works, one raises, one blocks."""
    chunks: list[bytes] = []
    held, stuck = threading.Event(), threading.Event()

    def fails(chunk: bytes) -> None:
        raise LookupError("a sink of the tests fails")

    def holds(chunk: bytes) -> None:
        held.set()
        stuck.wait()

    good = traced.add_sink(chunks.append, name="good")
    bad = traced.add_sink(fails, name="bad")
    slow = traced.add_sink(holds, name="slow", max_bytes=1)
    with joined():
        for _ in range(4):
            dist.all_reduce(torch.ones(3))
            assert traced.flush(_TIMEOUT_S)
            assert held.wait(_TIMEOUT_S)
        location = Path(traced.location() or "")
    until(lambda: good.delivered >= 4)
    seen = location.read_bytes()
    until(lambda: b"".join(chunks).startswith(seen))
    until(lambda: bad.failed >= 4)
    dropped = (slow.dropped, slow.dropped_records)
    closed_in_vain = slow.close(0.05)
    stuck.set()
    assert [sink.close(_TIMEOUT_S) for sink in (good, bad)] == [True, True]
    return {
        "good": (good.delivered, good.failed, good.dropped),
        "bad": (bad.delivered, bad.failed, bad.dropped),
        "dropped by slow": dropped,
        "closed in vain": closed_in_vain,
        "bytes": b"".join(chunks),
    }


def sink_open_at_the_end(path: str) -> None:
    """Ends the interpreter at once, with a sink that is never closed."""

    def write(chunk: bytes) -> None:
        with Path(path).open("ab") as file:
            file.write(chunk)

    traced.add_sink(write)
    join()
    dist.all_reduce(torch.ones(3))


def fails_and_stays(how: str) -> None:
    """Rank 1 dies in a collective; rank 0 gets the error, and lives until it is killed."""
    rank = join()
    dist.all_reduce(torch.ones(3))
    meet("ready")
    if rank == 1:
        os._exit(0)
    if how == "async":  # nobody waits for it: the engine's thread sees the error
        work = dist.all_reduce(torch.ones(3), async_op=True)
        until(work.is_completed)
    else:
        with suppress(RuntimeError):
            dist.all_reduce(torch.ones(3))
    threading.Event().wait()


def fails_under_a_held_gil() -> None:
    """Rank 0's operation fails while a thread holds the GIL for ever, in C."""
    rank = join()
    tensor = torch.ones(3)
    dist.all_reduce(tensor)
    # A Gloo thread that dropped the last reference would wait for the GIL while it holds Gloo's
    # lock.
    until_let_go([tensor])
    meet("ready")
    if rank == 1:
        until(Path("held").exists)
        os._exit(0)
    work = dist.all_reduce(tensor, async_op=True)
    Path("held").touch()
    ctypes.PyDLL(None).pause()
    work.wait()


def times_out() -> None:
    """Rank 0's receive exceeds its timeout, and the process is killed."""
    if join() == 0:
        work = dist.irecv(torch.ones(3), 1)
        with suppress(RuntimeError):
            work.wait(_SOON)
    threading.Event().wait()


def aborts() -> list[str]:
    """Aborts, then shuts down a group, as c10d does; returns each one's exception, or ""."""
    seen: list[str] = []
    with joined():
        group = dist.new_group(group_desc="doomed")
        for end in (c10d.ProcessGroup.abort, c10d.ProcessGroup.shutdown):
            try:
                end(group)
                seen.append("")
            except RuntimeError as error:
                seen.append(str(error).split("\n", maxsplit=1)[0])
        assert traced.flush(_TIMEOUT_S)
    return seen

"""Runs one rank of a drill in a process of its own."""

from __future__ import annotations

import atexit
import ctypes
import os
import threading
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.distributed_c10d as c10d
from jobs.joining import join
from torch._C import _distributed_c10d

from drills.board import Board, State
from drills.calls import WORLD
from drills.faults import Script
from drills.links import publish
from drills.on_device import DevicePerformer
from drills.performing import Performer
from drills.programs import description, groups_of

DUMP = b"d"
LEAVE = b"l"


def control_path(folder: Path, rank: int) -> Path:
    """Returns the pipe through which a rank receives commands."""
    return folder / f"control-{rank}"


def dump_path(folder: Path, rank: int) -> Path:
    """Returns the path of a rank's Flight Recorder dump."""
    return folder / "flights" / f"rank_{rank}"


class _Control(threading.Thread):
    """Executes commands while the rank hangs in a call."""

    def __init__(self, rank: int) -> None:
        super().__init__(daemon=True)
        self._rank = rank
        self._pipe = os.open(control_path(Path.cwd(), rank), os.O_RDWR)
        self.leave = threading.Event()

    def run(self) -> None:
        while (order := os.read(self._pipe, 1)) != LEAVE:
            assert order == DUMP
            dump(self._rank)
        self.leave.set()


def dump(rank: int) -> None:
    """Dumps the Flight Recorder without stacks. The file appears when it is complete."""
    path = dump_path(Path.cwd(), rank)
    part = path.with_name(f"part{rank}")
    part.write_bytes(_distributed_c10d._dump_fr_trace(True, False, False))
    part.rename(path)


def main(script: Script, starved: bool, backend: str) -> None:
    """Makes the calls of this rank. The parent process decides when the rank may exit.

    Args:
        starved: All ranks share one core.
    """
    if starved:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    performer = Performer
    if backend.endswith("nccl"):
        torch.cuda.set_device(int(os.environ["RANK"]))
        performer = DevicePerformer
    rank = join(backend)
    try:
        _make(script, rank, performer)
        code = 0
    except SystemExit:
        code = 0
    except RuntimeError as error:
        dump(rank)
        print(" ".join(str(error).split()), flush=True)
        code = 1
    # Ends the interpreter without its teardown, which takes a second.
    atexit._run_exitfuncs()
    ctypes.CDLL(None).exit(code)


def _make(script: Script, rank: int, performer_of: type[Performer]) -> None:
    calls, world = script[rank], dist.get_world_size()
    board = Board(Path("board"), world)
    made = {
        name: dist.group.WORLD
        if name == WORLD
        else dist.new_group(list(members), group_desc=description(name))
        for name, members in groups_of(script).items()
    }
    if any(call.op == "throttle" for each in script for call in each):
        publish(c10d._get_default_store(), rank)
    control = _Control(rank)
    control.start()
    performer = performer_of(rank, made)
    for number, call in enumerate(calls, 1):
        board.write(rank, State.WORKING if call.op == "work" else State.CALLING, number)
        performer.perform(call)
    performer.finish()
    board.write(rank, State.FINISHED, len(calls))
    control.leave.wait()
    dump(rank)
    dist.destroy_process_group()

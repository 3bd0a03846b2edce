"""Programs that stop in a debugger."""

from __future__ import annotations

import fcntl
import os
import pty
import sys
import termios

import torch
import torch.distributed as dist
import traced

from jobs.joining import joined


def _use_pipe(commands: str) -> None:
    """Makes the commands standard input, without a terminal."""
    reading, writing = os.pipe()
    os.write(writing, commands.encode())
    os.close(writing)
    os.dup2(reading, 0)
    os.setsid()


def _use_terminal(commands: str) -> int:
    """Makes a new terminal the one of this process, and types the commands. Returns its end."""
    ours, theirs = pty.openpty()
    os.setsid()
    fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)
    os.write(ours, commands.encode())
    return ours


def _shown(terminal: int, prompts: int) -> str:
    """Returns what pdb wrote, up to the last prompt."""
    shown = b""
    while shown.count(b"(Pdb) ") < prompts:
        shown += os.read(terminal, 4096)
    return shown.decode()


def stopped(commands: str, terminal: bool, rank: int = 0) -> list[float]:
    """Stops before the second operation of the default group. Returns the results."""
    end = _use_terminal(commands) if terminal else _use_pipe(commands)
    with joined() as own_rank:
        traced.break_at("default_pg", 2, rank)
        results = []
        for marker in (10, 20, 30):
            tensor = torch.full((1,), float(marker))
            dist.all_reduce(tensor)
            results.append(tensor.item())
        if end is not None and own_rank == rank:
            print(_shown(end, prompts=commands.count("\n")))
        assert sys.gettrace() is None
        return results

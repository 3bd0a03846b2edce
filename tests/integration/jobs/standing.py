"""Ranks that stand still at a known line; test_standstills.py compares it with the diagnosis.

Rank 1 calls one of the functions below. The others wait for it in an all_reduce. Each function
names its own line in `where`.
"""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, IterableDataset

from jobs.joining import joined

STANDS = 1


def stand_still(place: str) -> None:
    """Rank 1 blocks in the function `place`."""
    with joined() as rank:
        dist.all_reduce(torch.ones(4))
        if rank == STANDS:
            globals()[place]()
        dist.all_reduce(torch.ones(4))


def stand_still_alone() -> None:
    """The only rank sleeps after an operation."""
    with joined():
        dist.all_reduce(torch.ones(4))
        sleeps()


def works(steps: int) -> None:
    """All ranks communicate every 50 ms."""
    with joined():
        for _ in range(steps):
            dist.all_reduce(torch.ones(4))
            time.sleep(0.05)


def _here(after: int = 1) -> None:
    """Writes the line `after` lines below the caller's."""
    caller = sys._getframe(1)
    code = caller.f_code
    name = getattr(code, "co_qualname", code.co_name)
    Path("where").write_text(f"{code.co_filename}:{caller.f_lineno + after} in {name}")


def sleeps() -> None:
    _here()
    time.sleep(1000)


def waits_for_a_lock() -> None:
    lock = threading.Lock()
    lock.acquire()
    _here()
    lock.acquire()


def computes_in_c() -> None:
    """Holds the interpreter lock."""
    _here()
    sum(range(10**15))


def computes_in_python() -> None:
    _here(3)
    x = 0
    while True:
        x = (x + 1) % 1000003


def holds_the_gil() -> None:
    """A thread keeps the interpreter lock, so that the main thread waits for it."""
    libc = ctypes.PyDLL(None)  # keeps the lock in its calls
    begin = threading.Event()

    def hold() -> None:
        begin.wait()
        libc.usleep(1_000_000_000)

    threading.Thread(target=hold, daemon=True).start()
    _here()
    begin.set(), time.sleep(0.1)


def writes_to_a_full_pipe() -> None:
    os.mkfifo("model.pt")
    file = os.open("model.pt", os.O_RDWR)
    data = bytes(1 << 22)
    _here()
    os.write(file, data)


class Stuck(IterableDataset[Any]):
    """Never has an item."""

    def __iter__(self) -> Iterator[int]:
        time.sleep(1000)
        yield 0


def waits_for_data() -> None:
    loader = DataLoader(Stuck(), num_workers=1)
    _here()
    for _ in loader:
        pass


def cleans_up_after_an_exception() -> None:
    try:
        raise ValueError("the batch is empty")
    finally:
        _here()
        time.sleep(1000)


class Endless:
    """A reference cycle whose collection never ends."""

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        _here()
        sum(range(10**15))


def collects_garbage() -> None:
    Endless()
    gc.collect()


def compiles() -> None:
    """The backend of torch.compile never returns."""

    def backend(graph: Any, _inputs: Any) -> Callable[..., Any]:
        _here()
        time.sleep(1000)
        return graph.forward

    torch.compile(lambda x: x + 1, backend=backend)(torch.ones(4))


def stops() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


# The function and the kind of its standstill.
PLACES = {
    "sleeps": "sleeping",
    "waits_for_a_lock": "lock",
    "computes_in_c": "running",
    "computes_in_python": "running",
    "holds_the_gil": "gil",
    "writes_to_a_full_pipe": "file",
    "waits_for_data": "data_loading",
    "cleans_up_after_an_exception": "sleeping",
    "collects_garbage": "garbage_collection",
    "compiles": "compiling",
}


class _Instruction(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_ushort),
        ("jump_true", ctypes.c_ubyte),
        ("jump_false", ctypes.c_ubyte),
        ("value", ctypes.c_uint),
    )


class _Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.POINTER(_Instruction)))


_RETURN_EPERM = 0x00050001
_KILL = 0x80000000
_NUMBERS = {  # process_vm_readv, pread64
    "x86_64": {"kills": 310, "hides": 17},
    "aarch64": {"kills": 270, "hides": 67},
}


def sleeps_in_a_sandbox(manner: str) -> None:
    """All ranks: a seccomp filter applies to a system call. Then as stand_still("sleeps").

    Args:
        manner: "kills" a process that reads another's memory, or "hides" this process's memory.
    """
    instructions = (_Instruction * 4)(
        (0x20, 0, 0, 0),  # load the number of the system call
        (0x15, 0, 1, _NUMBERS[os.uname().machine][manner]),
        (0x06, 0, 0, _KILL if manner == "kills" else _RETURN_EPERM),
        (0x06, 0, 0, 0x7FFF0000),  # allow
    )
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.prctl(38, 1, 0, 0, 0) == 0, "PR_SET_NO_NEW_PRIVS"
    assert libc.prctl(22, 2, ctypes.byref(_Filter(4, instructions)), 0, 0) == 0, "PR_SET_SECCOMP"
    stand_still("sleeps")

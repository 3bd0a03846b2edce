"""What takes something away from the process that runs it, by name."""

from __future__ import annotations

import os
import resource
import shutil
import signal
from pathlib import Path

import traced


def little_file_size(limit: str) -> None:
    """Writing beyond it kills: Python, which ignores the signal, is not the only host."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), hard))


def trace_may_not_grow() -> None:
    """Nor may any other file beyond its size."""
    location = traced.location()
    assert location is not None
    little_file_size(str(os.path.getsize(location)))


def nothing() -> None:
    """Takes the limits back."""
    for limit in (resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE, resource.RLIMIT_AS):
        _, hard = resource.getrlimit(limit)
        resource.setrlimit(limit, (hard, hard))


def little_memory(more: str) -> None:
    """So many MiB more than what is mapped now, and what is free in that."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + (int(more) << 20)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def no_more_descriptors() -> None:
    """No file can be opened."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))


def directory_vanishes() -> None:
    """With the trace in it."""
    shutil.rmtree(os.environ["TRACED_DIR"], ignore_errors=True)


def directory_moves() -> None:
    """With the trace in it."""
    here = Path(os.environ["TRACED_DIR"])
    here.rename(here.with_name("moved" + here.name))


def disk_is_full() -> None:
    """All of the file system that TRACED_DIR is on."""
    with open(os.path.join(os.environ["TEST_DISK"], f"filler{os.getpid()}"), "wb", 0) as file:
        for size in (1 << 16, 1 << 12, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                pass


def closes_what_it_does_not_know() -> None:
    """As a daemon does; its own file then has the number of the trace's descriptor."""
    for name in os.listdir("/proc/self/fd"):
        path = f"/proc/self/fd/{name}"
        if os.path.lexists(path) and ".traced" in os.readlink(path):
            os.close(int(name))
            assert os.open(f"own{os.getpid()}", os.O_CREAT | os.O_RDWR) == int(name)


def reader_of_stderr() -> None:
    """Stderr is a pipe that is full, as it was; whoever waits for room waits for ever."""
    _, writer = os.pipe()
    os.set_blocking(writer, False)
    for size in (1 << 12, 1):
        try:
            while True:
                os.write(writer, b"x" * size)
        except BlockingIOError:
            pass
    os.set_blocking(writer, True)
    os.dup2(writer, 2)


def reader_of_stderr_for_good() -> None:
    """Stderr is a pipe that nobody can read; writing there kills, as it does in most programs."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    reader, writer = os.pipe()
    os.close(reader)
    os.dup2(writer, 2)


def stderr() -> None:
    """What libraries say while the process ends is no business of these tests."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)


def take(what: str) -> None:
    """Does "NAME" or "NAME=ARGUMENT" of the above, or nothing."""
    if what:
        name, _, argument = what.partition("=")
        globals()[name](*[argument] if argument else [])

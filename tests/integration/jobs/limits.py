"""Removes a resource from the calling process, by name."""

from __future__ import annotations

import os
import resource
import shutil
import signal
from pathlib import Path

import traced


def little_file_size(limit: str) -> None:
    """Limits the file size. Writing beyond it kills: only Python ignores the signal by itself."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), hard))


def trace_may_not_grow() -> None:
    """Limits every file to the trace's present size."""
    location = traced.location()
    assert location is not None
    little_file_size(str(os.path.getsize(location)))


def nothing() -> None:
    """Lifts the limits."""
    for limit in (resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE, resource.RLIMIT_AS):
        _, hard = resource.getrlimit(limit)
        resource.setrlimit(limit, (hard, hard))


def little_memory(more: str) -> None:
    """Limits memory to this many MiB beyond the present mappings and the free space in them."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + (int(more) << 20)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def no_more_descriptors() -> None:
    """Lets no file be opened."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))


def directory_vanishes() -> None:
    """Removes the directory with the trace in it."""
    shutil.rmtree(os.environ["TRACED_DIR"], ignore_errors=True)


def directory_moves() -> None:
    """Moves the directory with the trace in it."""
    here = Path(os.environ["TRACED_DIR"])
    here.rename(here.with_name("moved" + here.name))


def disk_is_full() -> None:
    """Fills the file system of TRACED_DIR."""
    with open(os.path.join(os.environ["TEST_DISK"], f"filler{os.getpid()}"), "wb", 0) as file:
        for size in (1 << 16, 1 << 12, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                pass


def closes_what_it_does_not_know() -> None:
    """Closes all descriptors, as a daemon does; its own file then reuses the trace's number."""
    for name in os.listdir("/proc/self/fd"):
        path = f"/proc/self/fd/{name}"
        if os.path.lexists(path) and ".traced" in os.readlink(path):
            os.close(int(name))
            assert os.open(f"own{os.getpid()}", os.O_CREAT | os.O_RDWR) == int(name)


def reader_of_stderr() -> None:
    """Replaces stderr by a full pipe; writing to it blocks for ever."""
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
    """Replaces stderr by a pipe without a reader; writing there kills, as in most programs."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    reader, writer = os.pipe()
    os.close(reader)
    os.dup2(writer, 2)


def stderr() -> None:
    """Closes stderr: libraries' messages at the end of the process are irrelevant here."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)


def take(what: str) -> None:
    """Applies "NAME" or "NAME=ARGUMENT" from above, or nothing."""
    if what:
        name, _, argument = what.partition("=")
        globals()[name](*[argument] if argument else [])

"""Makes something like a host: a network, a name and a clock.

    python on_host.py hold NAME CLOCK_NS       makes one, prints its pid, and keeps it until its
                                               standard input ends
    python on_host.py enter PID COMMAND...     runs a command there

network.py connects them.
"""

from __future__ import annotations

import ctypes
import os
import socket
import sys
from pathlib import Path

_NEWTIME = 0x80
_NEWUTS = 0x04000000
_NEWNET = 0x40000000

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _hold(name: str, clock_ns: int) -> None:
    _check(_libc.unshare(_NEWNET | _NEWUTS | _NEWTIME))
    socket.sethostname(name)
    ahead = f"{clock_ns // 10**9} {clock_ns % 10**9}"
    Path("/proc/self/timens_offsets").write_text(f"monotonic {ahead}\nboottime {ahead}\n")
    # The clock applies to children only.
    child = os.fork()
    if child == 0:
        sys.stdin.read()
    else:
        print(child, flush=True)
        os.waitpid(child, 0)


def enter(pid: int) -> None:
    """Moves this single-threaded process into another one's namespaces."""
    there = os.pidfd_open(pid)
    _check(_libc.setns(there, _NEWNET | _NEWUTS | _NEWTIME))
    os.close(there)


def join_network(pid: int) -> None:
    """Moves the calling thread, and threads that it starts, into a network."""
    there = os.pidfd_open(pid)
    _check(_libc.setns(there, _NEWNET))
    os.close(there)


if __name__ == "__main__":
    if sys.argv[1] == "hold":
        _hold(sys.argv[2], int(sys.argv[3]))
    else:
        enter(int(sys.argv[2]))
        os.execvp(sys.argv[3], sys.argv[3:])

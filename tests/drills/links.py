"""Slows down the traffic from one rank to another, in the kernel. No call changes."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import suppress

from torch.distributed import Store

# SO_MAX_PACING_RATE of Linux, which Python's socket module lacks.
_MAX_PACING_RATE = 47


def publish(store: Store, rank: int) -> None:
    """Publishes the connections of this rank to the others."""
    own = [f"{host}:{port}" for _, (host, port) in _connections(local=True)]
    store.set(_key(rank), " ".join(own))


def throttle(store: Store, peer: int, bytes_per_second: int) -> None:
    """Limits each connection to a peer to `bytes_per_second` from now on."""
    theirs = set(store.get(_key(peer)).decode().split())
    found = [fd for fd, (host, port) in _connections(local=False) if f"{host}:{port}" in theirs]
    assert found, "not connected to the peer"
    for fd in found:
        with socket.socket(fileno=os.dup(fd)) as connection:
            connection.setsockopt(socket.SOL_SOCKET, _MAX_PACING_RATE, bytes_per_second)


def _key(rank: int) -> str:
    return f"connections/{rank}"


def _connections(local: bool) -> Iterator[tuple[int, tuple[str, int]]]:
    """Yields the connected TCP sockets of this process, each with its local or remote address."""
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            with socket.socket(fileno=os.dup(int(name))) as connection:
                address = connection.getsockname() if local else connection.getpeername()
                connection.getpeername()
            if isinstance(address, tuple):
                yield int(name), (address[0], address[1])

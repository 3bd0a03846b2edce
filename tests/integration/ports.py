"""Ports of this machine."""

from __future__ import annotations

import socket


def free_port() -> int:
    """One at which nobody answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])
